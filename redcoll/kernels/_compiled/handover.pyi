from array import array
from collections.abc import Callable
from typing import Any, TypeAlias

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

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
def compare_swap(words: memoryview, at: int, expected: int, value: int) -> int: ...
