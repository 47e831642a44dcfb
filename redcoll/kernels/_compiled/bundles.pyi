from array import array
from collections.abc import Callable
from typing import Any

def pack(
    memory: memoryview,
    rows: array[int],
    chunk_bytes: int,
    sequence: int,
    is_folded: bool,
    is_final: bool,
    into: bytearray | memoryview,
    fence: Callable[[], Any] | None,
) -> int: ...
def deliver(
    memory: memoryview,
    rows: array[int],
    chunk_bytes: int,
    sequence: int,
    message: memoryview,
    fence: Callable[[], Any] | None,
) -> bool: ...
