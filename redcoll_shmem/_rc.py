"""Keep the settings that the first import of ``redcoll_shmem.shmem`` reads."""

from __future__ import annotations

from typing import Any

from redcoll.environment import Setting
from redcoll_shmem import _settings

_ROWS: dict[str, Setting[Any]] = {
    "initialize": _settings.RC_INITIALIZE,
    "threads": _settings.RC_THREADS,
    "thread_level": _settings.RC_THREAD_LEVEL,
    "finalize": _settings.RC_FINALIZE,
}


class Rc:
    """The settings that a program can change before it imports ``redcoll_shmem.shmem``.

    A program sets an attribute by ``rc.threads = True`` or ``rc(threads=True)``. An attribute that
    is not set has the value of its environment variable, such as ``SHMEM4PY_RC_THREADS``.
    """

    initialize: bool
    """Whether the import starts the library."""
    threads: bool
    """Whether the import asks for a thread level."""
    thread_level: str
    """The thread level: ``"single"``, ``"funneled"``, ``"serialized"`` or ``"multiple"``."""
    finalize: bool | None
    """Whether the process waits for all other PEs when it ends, as ``shmem.finalize()`` does.

    If the process does not wait, PEs that wait for it get ``PeerLostError``.
    """

    def __call__(self, **values: Any) -> None:
        """Set several attributes. If a name is unknown, set none of them."""
        for name in values:
            _require(name)
        vars(self).update(values)

    def __getattr__(self, name: str) -> Any:
        row = _ROWS.get(name)
        if row is None:
            raise AttributeError(f"rc has no attribute {name!r}; it has {', '.join(_ROWS)}")
        return row.get()

    def __setattr__(self, name: str, value: Any) -> None:
        _require(name)
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in _ROWS)
        return f"<redcoll_shmem.rc({values})>"


def _require(name: str) -> None:
    if name not in _ROWS:
        raise TypeError(f"rc has no attribute {name!r}; it has {', '.join(_ROWS)}")


rc = Rc()
