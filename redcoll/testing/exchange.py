"""Exchange verdicts between the ranks of a pytest session by messages."""

from __future__ import annotations

import time
import zlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Final, TypeVar

from redcoll._mpi4py import MPI

_PRECEDENCE_S: Final = 2.0
"""Only the rank after a missing rank knows which rank is missing. So that rank times out this many
seconds before the other ranks."""
PASSED: Final = b"p"
"""The code of a rank that has nothing to report."""

T = TypeVar("T")
Told = list[tuple[bytes, str]]
"""A code and a text of each rank, in rank order."""


def ranks(numbers: list[int]) -> str:
    """Return a text such as ``rank 2`` or ``ranks 0, 2``."""
    return f"rank{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


class Exchange:
    """Messages between the ranks of a communicator that no other code uses."""

    def __init__(self, comm: MPI.Intracomm) -> None:
        self.rank, self.size = comm.rank, comm.size
        self.comm = comm

    def gather(self, where: str, code: bytes, text: str, ends_s: float) -> Told:
        """Return the code and the text of each rank.  Raises ``Elsewhere`` or ``TimeoutError``.

        Texts travel only if a code is not ``PASSED``, or if ranks differ in ``where``.
        """
        data = f"{where}\n{text}".encode(errors="replace")
        own = zlib.crc32(where.encode()).to_bytes(4, "little") + code
        heads = self._all(own + len(data).to_bytes(4, "little"), where, ends_s)
        codes = [head[4:5] for head in heads]
        is_together = len({head[:4] for head in heads}) == 1
        if is_together and set(codes) == {PASSED}:
            return [(PASSED, "")] * self.size
        longest = max(int.from_bytes(head[5:], "little") for head in heads)
        found = self._all(data.ljust(longest, b"\0"), where, ends_s)
        texts = [each.rstrip(b"\0").decode(errors="replace").partition("\n") for each in found]
        if not is_together:
            raise Elsewhere([(place, more) for place, _, more in texts])
        return [(its_code, more) for its_code, (_, _, more) in zip(codes, texts, strict=True)]

    def _all(self, own: bytes, where: str, ends_s: float) -> list[bytes]:
        """Return the records of all ranks, which have equal lengths, in rank order.

        Each of the ceil(log2(size)) steps doubles the number of ranks whose record is known.
        """
        records = [own]  # of this rank, of the rank below it, and so on
        step = 1
        while step < self.size:
            sent = b"".join(records[: self.size - step])
            arrived = bytearray(len(sent))
            left, right = (self.rank - step) % self.size, (self.rank + step) % self.size
            requests = [
                self.comm.Irecv([arrived, MPI.BYTE], left, step),
                self.comm.Isend([sent, MPI.BYTE], right, step),
            ]
            start_s = time.monotonic()
            while requests := [each for each in requests if not each.Test()]:
                now_s = time.monotonic()
                if now_s > ends_s + (_PRECEDENCE_S if step > 1 else 0.0):
                    unknown = sorted((self.rank - at) % self.size for at in range(step, self.size))
                    who = ranks([left]) if step == 1 else f"one or more of {ranks(unknown)}"
                    raise TimeoutError(f"{who} did not come to {where}")
                time.sleep(0 if now_s - start_s < 2e-3 else 2e-4)
            length = len(own)
            records += [bytes(arrived[at : at + length]) for at in range(0, len(sent), length)]
            step *= 2
        return [records[(self.rank - rank) % self.size] for rank in range(self.size)]


class Elsewhere(Exception):  # noqa: N818 - the name says where
    """Ranks are at different places. The argument has the place and text of each rank."""


def grouped(keys: Iterable[T]) -> dict[T, list[int]]:
    """Return the ranks by their keys. ``keys`` has the key of each rank, in rank order."""
    found: dict[T, list[int]] = defaultdict(list)
    for rank, key in enumerate(keys):
        found[key].append(rank)
    return found


def different(places: Iterable[str]) -> str:
    """Return a line for each place of the session, with the ranks that are there."""
    return "\n".join(f"{ranks(its)}: {place}" for place, its in grouped(places).items())
