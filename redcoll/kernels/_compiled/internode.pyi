from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from redcoll.kernels._compiled.exchange import CompiledExchange, Plan
from redcoll.kernels._compiled.pipeline import Pipeline, WideCalls

class Places: ...

class CompiledCalls(WideCalls):
    def __init__(
        self, channel: object, near: Pipeline, release: memoryview, polls: int
    ) -> None: ...
    def prepare(
        self,
        said: tuple[int, int, int],
        is_folded: bool,
        own: Sequence[NDArray[Any]],
        operands: Sequence[Sequence[NDArray[Any]]],
        exchange: CompiledExchange | None,
        plan: Plan | None,
        parts: tuple[
            Sequence[Sequence[NDArray[Any]]],
            Sequence[NDArray[Any]],
            Sequence[NDArray[Any]],
            Plan | None,
        ]
        | None,
        /,
    ) -> Places: ...
