"""Define active sets: groups of PEs that three integers describe."""

from __future__ import annotations

from redcoll.arguments import integer
from redcoll.errors import ActiveSetError, ArgumentError


class ActiveSet:
    """An active set: ``size`` PEs from ``start`` on, with the step ``2**log_stride``.

    In the methods, ``pe`` is the number of a PE in the job, and ``index`` is its place in the set.

    Raises
    ------
    ActiveSetError
        ``start`` or ``log_stride`` is negative, or ``size`` is not positive
        (OpenSHMEM 1.4, section 9.7).
    """

    start: int
    log_stride: int
    size: int

    def __init__(self, start: int, log_stride: int, size: int) -> None:
        try:
            vars(self).update(
                start=integer(start, "active set: start", 0),
                log_stride=integer(log_stride, "active set: log_stride", 0),
                size=integer(size, "active set: size", 1),
            )
        except ArgumentError as error:
            raise ActiveSetError(str(error)) from error.__cause__

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} does not change; {name} cannot be set")

    def __repr__(self) -> str:
        return f"ActiveSet(start={self.start}, log_stride={self.log_stride}, size={self.size})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ActiveSet):
            return NotImplemented
        return vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.start, self.log_stride, self.size))

    @property
    def stride(self) -> int:
        """The difference between the PE numbers of two consecutive members."""
        return 1 << self.log_stride

    @property
    def pes(self) -> range:
        """The PE numbers of the members, in the order of the set."""
        return range(self.start, self.start + self.size * self.stride, self.stride)

    def pe(self, index: int) -> int:
        """Return the PE number of the member at ``index``."""
        return self.pes[index]

    def index(self, pe: int) -> int | None:
        """Return the place of ``pe`` in the set; None if ``pe`` is not a member."""
        try:
            return self.pes.index(pe)
        except ValueError:
            return None

    def check(self, n_pes: int, caller: int) -> int:
        """Check the set against the size of the job; return the caller's place in the set.

        Raises
        ------
        ActiveSetError
            The set reaches past the last PE, or the caller is not in it.
        """
        text = f"(start {self.start}, log_stride {self.log_stride}, size {self.size})"
        last = self.pes[-1]
        if last >= n_pes:
            raise ActiveSetError(
                f"active set {text} ends at PE {last}; the job's last PE is {n_pes - 1}"
            )
        index = self.index(caller)
        if index is None:
            raise ActiveSetError(
                f"PE {caller} is not in the active set {text}; only its members may call"
            )
        return index
