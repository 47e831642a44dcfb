from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

def fold(
    op_code: int,
    type_code: int,
    operands: Sequence[Array],
    out: Array,
    count: int,
    function: int = 0,
) -> bool: ...
def fold_segments(table: bytes, operands: Sequence[Array], out: Array) -> bool: ...
def fold_to_many(
    op_code: int,
    type_code: int,
    operands: Sequence[Array],
    outs: Sequence[Array],
    first: int,
    count: int,
    itemsize: int,
    function: int = 0,
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
    function: int = 0,
) -> bool: ...
def fold_at(
    op_code: int,
    type_code: int,
    memory: memoryview,
    starts: Sequence[int],
    own_index: int,
    own: Array,
) -> bool: ...
