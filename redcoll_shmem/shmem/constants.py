"""Define the enumerations of the API, and a constant for each member of an enumeration."""

from __future__ import annotations

from enum import Enum, IntEnum, IntFlag
from typing import TypeVar

from redcoll_shmem import constants as c

MAJOR_VERSION = c.SHMEM_MAJOR_VERSION
MINOR_VERSION = c.SHMEM_MINOR_VERSION
VENDOR_STRING = c.SHMEM_VENDOR_STRING


_Member = TypeVar("_Member", bound="_Word")


class _Word(str, Enum):
    """An enumeration of strings. Python 3.10 lacks ``enum.StrEnum``."""

    def __new__(cls: type[_Member], value: str) -> _Member:  # noqa: PYI019 - Python 3.10 has no Self
        member = str.__new__(cls, value)
        member._value_ = value
        return member

    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]


class THREAD(IntEnum):
    """The thread levels."""

    SINGLE = c.SHMEM_THREAD_SINGLE
    FUNNELED = c.SHMEM_THREAD_FUNNELED
    SERIALIZED = c.SHMEM_THREAD_SERIALIZED
    MULTIPLE = c.SHMEM_THREAD_MULTIPLE


class CTX(IntFlag):
    """The options of contexts."""

    PRIVATE = c.SHMEM_CTX_PRIVATE
    SERIALIZED = c.SHMEM_CTX_SERIALIZED
    NOSTORE = c.SHMEM_CTX_NOSTORE


class MALLOC(IntFlag):
    """Hints for allocations. redcoll ignores the hints."""

    ATOMICS_REMOTE = c.SHMEM_MALLOC_ATOMICS_REMOTE
    SIGNAL_REMOTE = c.SHMEM_MALLOC_SIGNAL_REMOTE


class AMO(_Word):
    """The atomic operations."""

    SET = "set"
    INC = "inc"
    ADD = "add"
    AND = "and"
    OR = "or"
    XOR = "xor"


class SIGNAL(IntEnum):
    """The operations on a signal."""

    SET = c.SHMEM_SIGNAL_SET
    ADD = c.SHMEM_SIGNAL_ADD


class OP(_Word):
    """The operations of reductions."""

    AND = "and"
    OR = "or"
    XOR = "xor"
    MAX = "max"
    MIN = "min"
    SUM = "sum"
    PROD = "prod"


class CMP(IntEnum):
    """The comparisons."""

    EQ = c.SHMEM_CMP_EQ
    NE = c.SHMEM_CMP_NE
    GT = c.SHMEM_CMP_GT
    LE = c.SHMEM_CMP_LE
    LT = c.SHMEM_CMP_LT
    GE = c.SHMEM_CMP_GE


# An enumeration yields its members in the order of their definitions.
THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE = THREAD
CTX_PRIVATE, CTX_SERIALIZED, CTX_NOSTORE = CTX
MALLOC_ATOMICS_REMOTE, MALLOC_SIGNAL_REMOTE = MALLOC
AMO_SET, AMO_INC, AMO_ADD, AMO_AND, AMO_OR, AMO_XOR = AMO
SIGNAL_SET, SIGNAL_ADD = SIGNAL
OP_AND, OP_OR, OP_XOR, OP_MAX, OP_MIN, OP_SUM, OP_PROD = OP
CMP_EQ, CMP_NE, CMP_GT, CMP_LE, CMP_LT, CMP_GE = CMP

__all__ = [
    "AMO", "AMO_ADD", "AMO_AND", "AMO_INC", "AMO_OR", "AMO_SET", "AMO_XOR",
    "CMP", "CMP_EQ", "CMP_GE", "CMP_GT", "CMP_LE", "CMP_LT", "CMP_NE",
    "CTX", "CTX_NOSTORE", "CTX_PRIVATE", "CTX_SERIALIZED",
    "MAJOR_VERSION", "MALLOC", "MALLOC_ATOMICS_REMOTE", "MALLOC_SIGNAL_REMOTE", "MINOR_VERSION",
    "OP", "OP_AND", "OP_MAX", "OP_MIN", "OP_OR", "OP_PROD", "OP_SUM", "OP_XOR",
    "SIGNAL", "SIGNAL_ADD", "SIGNAL_SET",
    "THREAD", "THREAD_FUNNELED", "THREAD_MULTIPLE", "THREAD_SERIALIZED", "THREAD_SINGLE",
    "VENDOR_STRING",
]  # fmt: skip
