from typing import Any, TypeAlias

from numpy.typing import NDArray

from redcoll.kernels._compiled.pipeline import Pipeline
from redcoll.protocol.descriptor import Call

Array: TypeAlias = NDArray[Any]

class Packed(Pipeline):
    def small_segments(self, call: Call, table: bytes, data: bytes, out: Array | None) -> bool: ...
    def long_segment(
        self, call: Call, op_code: int, type_code: int, source: Array, target: Array | None
    ) -> bool: ...
