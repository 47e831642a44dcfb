"""Define cache control (OpenSHMEM 1.5, section 9.15; deprecated since 1.3).

These calls are for machines whose caches are not coherent. redcoll does not run on such machines,
so the calls do nothing.
"""

from __future__ import annotations

from redcoll.arguments import Array

__all__ = [
    "shmem_clear_cache_inv",
    "shmem_clear_cache_line_inv",
    "shmem_set_cache_inv",
    "shmem_set_cache_line_inv",
    "shmem_udcflush",
    "shmem_udcflush_line",
]


def shmem_set_cache_inv() -> None:
    """Do nothing, because caches are coherent."""


def shmem_set_cache_line_inv(target: Array) -> None:
    """Do nothing, because caches are coherent.

    Parameters
    ----------
    target
        Not used.
    """


shmem_clear_cache_inv = shmem_udcflush = shmem_set_cache_inv
shmem_clear_cache_line_inv = shmem_udcflush_line = shmem_set_cache_line_inv
