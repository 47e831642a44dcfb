from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

from redcoll.kernels.interface import Pattern, Results

Array: TypeAlias = NDArray[Any]

def pattern_of(
    values: Any, is_container: Callable[[object], bool], scalars: frozenset[type]
) -> Pattern | None: ...
def copy_arrays(arrays: Sequence[Array], out: Array) -> bool: ...
def keep_results(vector: Array, arrays: list[Array]) -> Results: ...
