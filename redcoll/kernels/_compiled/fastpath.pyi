from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from redcoll.kernels._compiled.pipeline import Pipeline, WideCalls
from redcoll.kernels.interface import PreparedCall, TeamHooks
from redcoll.ops import Op
from redcoll.protocol.descriptor import Call

Array: TypeAlias = NDArray[Any]

class FastPath(Pipeline):
    recognizes: frozenset[int]
    learns_long: bool
    records_calls: bool
    team: TeamHooks
    wide: WideCalls | None

    def trust(
        self,
        call: Call,
        target: Array | None,
        source: Array,
        op: Op,
        blocks: Sequence[tuple[int, int]],
        /,
    ) -> None: ...
    def learn(
        self,
        call: Call,
        collective: int,
        root: int,
        mark: int,
        source: Array,
        members: int,
        first: int,
        last: int,
    ) -> None: ...
    def learn_wide(
        self,
        call: Call,
        collective: int,
        root: int,
        mark: int,
        source: Array,
        members: int,
        first: int,
        last: int,
    ) -> None: ...
    def learn_long(
        self,
        call: Call,
        collective: int,
        root: int,
        mark: int,
        source: Array,
        first: int,
        last: int,
        heaps: Sequence[int] | None,
        arenas: Sequence[int] | None,
        blocks: Sequence[tuple[int, int]],
        offsets: Sequence[int] | None,
    ) -> None: ...
    def small(
        self,
        collective: int,
        target: Any,
        source: Any,
        op: Any,
        root: int = -1,
        mark: int = 0,
    ) -> bool: ...
    def small_wide(
        self,
        collective: int,
        target: Any,
        source: Any,
        op: Any,
        root: int = -1,
        mark: int = 0,
    ) -> bool: ...

class KnownCalls:
    def keep(self, prepared: PreparedCall, numbers: tuple[int, int, int, int]) -> None: ...
    def forget(self, team: object) -> None: ...
    def repeat(
        self,
        target: Any,
        source: Any,
        other: Any,
        further: Any,
        count: Any,
        first: Any,
        second: Any,
        third: Any,
    ) -> bool: ...

def know_heap(start: int, stop: int, epoch: object) -> None: ...
def know_arena(start: int, stop: int) -> None: ...
def know_name(name: object, dtype: np.dtype[Any]) -> None: ...
