from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from numpy.typing import NDArray

from redcoll.protocol.descriptor import Call

class Plan: ...

class MPIFunctions:
    def __init__(
        self,
        addresses: Sequence[int],
        address_of: Callable[[Any], int],
        has_pointers: bool,
        raise_error: Callable[[int], NoReturn],
    ) -> None: ...
    def completes(self, request: Any, /) -> bool: ...

class CompiledExchange:
    short: Plan
    def __init__(
        self,
        functions: MPIFunctions,
        comm: Any,
        byte: Any,
        memory: memoryview,
        own: Sequence[int],
        vector: NDArray[Any],
        tag: int,
        failed: int,
        one_way: int,
        finish: Callable[[Callable[[], bool]], object],
        dispute: Callable[[int], NoReturn],
        patience_ns: int = 1000000,
    ) -> None: ...
    def plan(self, steps: Sequence[Sequence[Any]], call: Call | None = None) -> Plan: ...
    def exchange(
        self,
        number: int,
        word: int,
        count: int,
        extra: int,
        is_wrong: bool,
        plan: Plan | None = None,
        is_one_way: bool = False,
    ) -> bool: ...
    @property
    def awaited(self) -> int: ...
