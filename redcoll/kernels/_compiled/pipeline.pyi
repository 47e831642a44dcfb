from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

from redcoll.kernels._compiled.rounds import Rounds
from redcoll.protocol.descriptor import Call

Array: TypeAlias = NDArray[Any]

class Pipeline(Rounds):
    def pipeline(self, call: Call, source: Array, into: Array | None, at: int) -> bool: ...
    def pipeline_parts(
        self, call: Call, source: Array, target: Array, offsets: Sequence[int]
    ) -> bool: ...
