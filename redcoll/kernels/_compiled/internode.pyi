from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from redcoll.kernels._compiled.exchange import CompiledExchange, Plan
from redcoll.kernels._compiled.pipeline import Pipeline, WideCalls

class Places: ...

class CompiledCalls(WideCalls):
    small: Callable[..., bool]
    learn: Callable[..., None]
    def __init__(
        self, channel: object, near: Pipeline, release: memoryview, ahead: memoryview
    ) -> None: ...
    def lead(self, exchange: CompiledExchange | None, one_way: object) -> None: ...
    def round(
        self, word: int, count: int = 0, extra: int = 0, source: int = -1, target: int = -1
    ) -> None: ...
    def catch_up(self) -> int: ...
    def prepare(
        self,
        said: tuple[int, int, int],
        is_folded: bool,
        own: Sequence[NDArray[Any]],
        operands: Sequence[Sequence[NDArray[Any]]],
        plan: Plan | None,
        plan_one_way: Plan | None,
        node: int,
        has_root: bool,
        parts: tuple[
            Sequence[Sequence[NDArray[Any]]],
            Sequence[NDArray[Any]],
            Sequence[NDArray[Any]],
            Plan | None,
            Plan | None,
        ]
        | None,
        /,
    ) -> Places: ...
