from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

from redcoll.kernels._compiled.rounds import Rounds
from redcoll.protocol.descriptor import Call

Array: TypeAlias = NDArray[Any]

class WideCalls: ...

class Pipeline(Rounds):
    def small_segments(self, call: Call, table: bytes, data: bytes, out: Array | None) -> bool: ...
    def long_segment(
        self, call: Call, op_code: int, type_code: int, source: Array, target: Array | None
    ) -> bool: ...
    def pipeline(
        self,
        call: Call,
        source: Array,
        into: Array | None,
        at: int,
        offsets: Sequence[int] | None = None,
    ) -> bool: ...
