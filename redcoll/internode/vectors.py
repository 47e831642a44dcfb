"""Keep the places of a call's vectors in the memory of a node."""

from __future__ import annotations

from typing import Any

import numpy as np


class Vectors:
    """The places of a call's vectors in the memory of a node. Repeated calls use the same places.

    ``near`` has views of the vectors on the caller's node, from ``views()`` of the kernel's
    channel. A vector has ``count`` elements.
    """

    __slots__ = ("blocks", "by_side", "count", "dtype", "near", "parts", "plan", "plan_one_way",
                 "prepared")  # fmt: skip

    def __init__(self, near: Any, dtype: np.dtype[Any], count: int) -> None:
        self.near = near
        self.dtype = dtype
        self.count = count
        self.by_side: Any = None
        """Views of the nodes' vectors if the call is folded, or else of the members' vectors. The
        first index is the parity of the round. None before the first use."""
        self.plan: Any = None
        """The steps in which leaders exchange headers and vectors together; None for vectors up to
        ``SHORT_BYTES``, and for vectors that travel after the headers."""
        self.plan_one_way: Any = None
        """The steps of a leader in a one-way round; None if no round of the call is one-way."""
        self.parts: Any = None
        """The leader's parts of the vectors; None if leaders exchange whole vectors."""
        self.blocks: list[int] | None = None
        """Bytes of each node's vectors, if the vectors travel after the headers; otherwise None."""
        self.prepared: Any = None
        """The places in the form that the compiled kernel needs; None before the call is known."""
