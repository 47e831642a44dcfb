from collections.abc import Callable
from typing import Any, TypeAlias

from numpy.typing import NDArray
from typing_extensions import Self

from redcoll.kernels.interface import TeamHooks
from redcoll.protocol.call_sites import CallSites
from redcoll.protocol.descriptor import Call
from redcoll.protocol.layout import Scratch

Array: TypeAlias = NDArray[Any]

class Rounds:
    sequence: int
    unwaited: bool
    behind: int
    disputed: int
    def __new__(
        cls,
        scratch: Scratch,
        me: int,
        spin: int,
        fence: Callable[[], object] | None,
        hooks: TeamHooks,
    ) -> Self: ...
    def publish(
        self, word: int, count: int, extra: int, source: int, target: int, status: int
    ) -> None: ...
    @property
    def call_sites(self) -> CallSites: ...
    def note_site(self, sequence: int) -> None: ...
    def catch_up(self) -> None: ...
    def await_all(self) -> None: ...
    def round(
        self, word: int, count: int = 0, extra: int = 0, source: int = -1, target: int = -1
    ) -> None: ...
    def agrees(self, word: int, count: int, extra: int) -> bool: ...
    def exchange(self, call: Call, source: Array) -> list[Array]: ...
    def locations(self) -> tuple[tuple[int, ...], tuple[int, ...]]: ...
