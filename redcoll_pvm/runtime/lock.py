"""A lock in shared memory that outlives its holder."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from redcoll.memory.shared_window import SharedWindow
from redcoll_pvm.runtime.task_set import Commons

_HOLDER_CHECK_EVERY_S = 5e-3


class Lock:
    """A lock that outlives its holder: ``with lock: ...``.

    The word names the PE that holds it. Whoever finds that PE gone takes the lock over,
    and repairs first. So does who leaves it by an exception. A PE that finds itself the
    holder was interrupted between taking and releasing, and goes on.

    Parameters
    ----------
    commons
        The PEs.
    window
        Holds the word.
    word
        Which word; 0 is free.
    repair
        Makes whole what a holder may have left half done.
    """

    def __init__(
        self, commons: Commons, window: SharedWindow, word: int, repair: Callable[[], None]
    ) -> None:
        self._commons = commons
        self._fence = window.fence
        self._compare_swap = commons.compare_swap_on(window)
        self._words = window.words
        self._word = word
        self._repair = repair
        self._own = commons.index + 1
        self._next_check_s = 0.0

    def __enter__(self) -> None:
        try:
            if not self._try():
                self._commons.wait(self._try, self._holders, lambda: "lock of the group table")
        except BaseException:
            self._release()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self._repair()
        self._release()

    def _release(self) -> None:
        if self._words[self._word] == self._own:
            if self._fence is not None:
                self._fence()
            self._words[self._word] = 0

    def _try(self) -> bool:
        holder = self._words[self._word]
        if holder == 0:
            holder = self._compare_swap(self._word, 0, self._own)
            if holder == 0:
                return True
        if holder == self._own:
            self._repair()
            return True
        now_s = time.monotonic()
        if now_s < self._next_check_s:
            return False
        self._next_check_s = now_s + _HOLDER_CHECK_EVERY_S
        if self._commons.fate(holder - 1) is None:
            return False
        if self._compare_swap(self._word, holder, self._own) != holder:
            return False
        self._repair()
        return True

    def _holders(self) -> list[int]:
        holder = self._words[self._word] - 1
        return [holder] if holder >= 0 and self._commons.fate(holder) is None else []
