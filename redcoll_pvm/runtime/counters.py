"""Count those who come to a barrier: words changed by compare-and-swap alone."""

from __future__ import annotations

from redcoll.errors import CollectiveMismatchError
from redcoll_pvm.runtime.group_table import (
    COUNT_MASK,
    COUNT_SHIFT,
    GENERATION_SHIFT,
    Records,
    next_generation,
)


class Counters:
    """The barrier words of some records."""

    def __init__(self, records: Records) -> None:
        self._words = records.words
        self._compare_swap = records.compare_swap

    def arrive(self, at: int, wanted: int, doing: str) -> int | None:
        """Be counted.  The generation to wait for the end of, None if this call ends it."""
        words = self._words
        while True:
            word = words[at]
            generation, arrived = word >> GENERATION_SHIFT, word & COUNT_MASK
            count = word >> COUNT_SHIFT & COUNT_MASK if arrived else wanted
            if count != wanted:
                raise CollectiveMismatchError(
                    f"{doing}: count is {wanted}, but {count} for those who wait"
                )
            if arrived + 1 == wanted:
                new = next_generation(word)
            else:
                new = generation << GENERATION_SHIFT | wanted << COUNT_SHIFT | arrived + 1
            if self._compare_swap(at, word, new) == word:
                return generation if arrived + 1 < wanted else None

    def withdraw(self, at: int, generation: int) -> bool:
        """Be counted no more; False if all have come meanwhile."""
        while True:
            word = self._words[at]
            if word >> GENERATION_SHIFT != generation:
                return False
            if self._compare_swap(at, word, word - 1) == word:
                return True
