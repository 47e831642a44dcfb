from collections.abc import Callable, Sequence
from typing import Any, NoReturn

class Plan: ...

class CompiledExchange:
    short: Plan
    def __init__(
        self,
        calls: tuple[int, int, int],
        address_of: Callable[[Any], int],
        comm: int,
        byte: int,
        has_pointers: bool,
        memory: memoryview,
        own: Sequence[int],
        tag: int,
        polls: int,
        failed: int,
        finish: Callable[[Callable[[], bool]], object],
        raise_error: Callable[[int], NoReturn],
    ) -> None: ...
    def plan(self, steps: Sequence[Sequence[Any]]) -> Plan: ...
    def exchange(
        self,
        number: int,
        word: int,
        count: int,
        extra: int,
        is_wrong: bool,
        plan: Plan | None = None,
    ) -> bool: ...
