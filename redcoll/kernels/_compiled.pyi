from array import array
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from redcoll.signature import Call, Scratch

Array: TypeAlias = NDArray[Any]

class Posts:
    sequence: int
    unwaited: bool
    carried: int
    courier: Any
    is_folded: bool
    learns_long: bool
    def __init__(
        self,
        scratch: Scratch,
        me: int,
        spin: int,
        fence: Callable[[], Any] | None,
        turns: Callable[[], Callable[[], bool]],
        disagree: Callable[[], Any],
        give_up: Callable[[BaseException], None],
        **others: Any,
    ) -> None: ...
    def span(self, near: Sequence[int], firsts: Sequence[int], by_nodes: int) -> None: ...
    def publish(
        self, word: int, count: int, extra: int, source: int, target: int, status: int
    ) -> None: ...
    def await_near(self) -> None: ...
    def await_all(self) -> None: ...
    def round(
        self, word: int, count: int = 0, extra: int = 0, source: int = -1, target: int = -1
    ) -> None: ...
    def agrees(self, word: int, count: int, extra: int) -> bool: ...
    def exchange(self, call: Call, source: Array) -> list[Array]: ...
    def locations(self) -> tuple[tuple[int, ...], tuple[int, ...]]: ...
    def vouch(self, start: int, stop: int) -> None: ...
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
        blocks: Sequence[tuple[int, int]],
        offsets: Sequence[int] | None,
    ) -> None: ...
    def pipeline_parts(
        self, call: Call, source: Array, target: Array, offsets: Sequence[int]
    ) -> bool: ...
    def pipeline(self, call: Call, source: Array, into: Array | None, at: int) -> bool: ...
    def small(
        self,
        collective: int,
        target: Any,
        source: Any,
        op: Any,
        root: int = -1,
        mark: int = 0,
    ) -> bool: ...

def know_heap(start: int, stop: int, epoch: object) -> None: ...
def know_name(name: object, dtype: np.dtype[Any]) -> None: ...
def await_change(
    words: memoryview, at: int, mask: int, value: int, limit_s: float, spin: int
) -> bool: ...
def collect(
    words: memoryview,
    expected: array[int],
    seen: array[int],
    slot_bits: int,
    slot_words: int,
    head_words: int,
    heads: list[tuple[int, ...]],
    limit_s: float,
    spin: int,
) -> None: ...
def fold_at(
    op_code: int,
    type_code: int,
    memory: memoryview,
    starts: Sequence[int],
    own_index: int,
    own: Array,
) -> bool: ...
def hand_over(
    words: memoryview,
    at: int,
    head: tuple[int, ...],
    data: Array | None,
    data_at: int,
    published_at: int,
    published: int,
    fence: Callable[[], Any] | None,
) -> None: ...
def pack(
    memory: memoryview,
    rows: array[int],
    chunk_bytes: int,
    sequence: int,
    is_folded: bool,
    is_final: bool,
    into: bytearray | memoryview,
) -> int: ...
def deliver(
    memory: memoryview,
    rows: array[int],
    chunk_bytes: int,
    sequence: int,
    message: memoryview,
    fence: Callable[[], Any] | None,
) -> bool: ...
def compare_swap(words: memoryview, at: int, expected: int, value: int) -> int: ...
def fold(
    op_code: int, type_code: int, operands: Sequence[Array], out: Array, count: int
) -> bool: ...
def fold_to_many(
    op_code: int,
    type_code: int,
    operands: Sequence[Array],
    outs: Sequence[Array],
    first: int,
    count: int,
    itemsize: int,
) -> bool: ...
def scan(
    op_code: int,
    type_code: int,
    operands: Sequence[Array],
    outs: Sequence[Array],
    first: int,
    count: int,
    itemsize: int,
    is_inclusive: bool,
) -> bool: ...
