# Made by `python release/shmem_stub.py` from the tables in this folder: do not edit.

from types import ModuleType
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from redcoll_shmem._handles import shmem_ctx_t as shmem_ctx_t
from redcoll_shmem._handles import shmem_team_t as shmem_team_t
from redcoll_shmem._rc import rc as rc
from redcoll_shmem.barriers import *
from redcoll_shmem.caches import *
from redcoll_shmem.constants import _SHMEM_BARRIER_SYNC_SIZE as _SHMEM_BARRIER_SYNC_SIZE
from redcoll_shmem.constants import _SHMEM_BCAST_SYNC_SIZE as _SHMEM_BCAST_SYNC_SIZE
from redcoll_shmem.constants import _SHMEM_CMP_EQ as _SHMEM_CMP_EQ
from redcoll_shmem.constants import _SHMEM_CMP_GE as _SHMEM_CMP_GE
from redcoll_shmem.constants import _SHMEM_CMP_GT as _SHMEM_CMP_GT
from redcoll_shmem.constants import _SHMEM_CMP_LE as _SHMEM_CMP_LE
from redcoll_shmem.constants import _SHMEM_CMP_LT as _SHMEM_CMP_LT
from redcoll_shmem.constants import _SHMEM_CMP_NE as _SHMEM_CMP_NE
from redcoll_shmem.constants import _SHMEM_COLLECT_SYNC_SIZE as _SHMEM_COLLECT_SYNC_SIZE
from redcoll_shmem.constants import _SHMEM_MAJOR_VERSION as _SHMEM_MAJOR_VERSION
from redcoll_shmem.constants import _SHMEM_MAX_NAME_LEN as _SHMEM_MAX_NAME_LEN
from redcoll_shmem.constants import _SHMEM_MINOR_VERSION as _SHMEM_MINOR_VERSION
from redcoll_shmem.constants import _SHMEM_REDUCE_MIN_WRKDATA_SIZE as _SHMEM_REDUCE_MIN_WRKDATA_SIZE
from redcoll_shmem.constants import _SHMEM_REDUCE_SYNC_SIZE as _SHMEM_REDUCE_SYNC_SIZE
from redcoll_shmem.constants import _SHMEM_SYNC_VALUE as _SHMEM_SYNC_VALUE
from redcoll_shmem.constants import _SHMEM_VENDOR_STRING as _SHMEM_VENDOR_STRING
from redcoll_shmem.constants import SHMEM_ALLTOALL_SYNC_SIZE as SHMEM_ALLTOALL_SYNC_SIZE
from redcoll_shmem.constants import SHMEM_ALLTOALLS_SYNC_SIZE as SHMEM_ALLTOALLS_SYNC_SIZE
from redcoll_shmem.constants import SHMEM_BARRIER_SYNC_SIZE as SHMEM_BARRIER_SYNC_SIZE
from redcoll_shmem.constants import SHMEM_BCAST_SYNC_SIZE as SHMEM_BCAST_SYNC_SIZE
from redcoll_shmem.constants import SHMEM_CMP_EQ as SHMEM_CMP_EQ
from redcoll_shmem.constants import SHMEM_CMP_GE as SHMEM_CMP_GE
from redcoll_shmem.constants import SHMEM_CMP_GT as SHMEM_CMP_GT
from redcoll_shmem.constants import SHMEM_CMP_LE as SHMEM_CMP_LE
from redcoll_shmem.constants import SHMEM_CMP_LT as SHMEM_CMP_LT
from redcoll_shmem.constants import SHMEM_CMP_NE as SHMEM_CMP_NE
from redcoll_shmem.constants import SHMEM_COLLECT_SYNC_SIZE as SHMEM_COLLECT_SYNC_SIZE
from redcoll_shmem.constants import SHMEM_CTX_NOSTORE as SHMEM_CTX_NOSTORE
from redcoll_shmem.constants import SHMEM_CTX_PRIVATE as SHMEM_CTX_PRIVATE
from redcoll_shmem.constants import SHMEM_CTX_SERIALIZED as SHMEM_CTX_SERIALIZED
from redcoll_shmem.constants import SHMEM_CTX_SESSION_BATCH as SHMEM_CTX_SESSION_BATCH
from redcoll_shmem.constants import SHMEM_CTX_SESSION_TOTAL_OPS as SHMEM_CTX_SESSION_TOTAL_OPS
from redcoll_shmem.constants import SHMEM_MAJOR_VERSION as SHMEM_MAJOR_VERSION
from redcoll_shmem.constants import SHMEM_MALLOC_ATOMICS_REMOTE as SHMEM_MALLOC_ATOMICS_REMOTE
from redcoll_shmem.constants import SHMEM_MALLOC_SIGNAL_REMOTE as SHMEM_MALLOC_SIGNAL_REMOTE
from redcoll_shmem.constants import SHMEM_MAX_NAME_LEN as SHMEM_MAX_NAME_LEN
from redcoll_shmem.constants import SHMEM_MINOR_VERSION as SHMEM_MINOR_VERSION
from redcoll_shmem.constants import SHMEM_REDUCE_MIN_WRKDATA_SIZE as SHMEM_REDUCE_MIN_WRKDATA_SIZE
from redcoll_shmem.constants import SHMEM_REDUCE_SYNC_SIZE as SHMEM_REDUCE_SYNC_SIZE
from redcoll_shmem.constants import SHMEM_SIGNAL_ADD as SHMEM_SIGNAL_ADD
from redcoll_shmem.constants import SHMEM_SIGNAL_SET as SHMEM_SIGNAL_SET
from redcoll_shmem.constants import SHMEM_SYNC_SIZE as SHMEM_SYNC_SIZE
from redcoll_shmem.constants import SHMEM_SYNC_VALUE as SHMEM_SYNC_VALUE
from redcoll_shmem.constants import SHMEM_TEAM_NUM_CONTEXTS as SHMEM_TEAM_NUM_CONTEXTS
from redcoll_shmem.constants import SHMEM_THREAD_FUNNELED as SHMEM_THREAD_FUNNELED
from redcoll_shmem.constants import SHMEM_THREAD_MULTIPLE as SHMEM_THREAD_MULTIPLE
from redcoll_shmem.constants import SHMEM_THREAD_SERIALIZED as SHMEM_THREAD_SERIALIZED
from redcoll_shmem.constants import SHMEM_THREAD_SINGLE as SHMEM_THREAD_SINGLE
from redcoll_shmem.constants import SHMEM_VENDOR_STRING as SHMEM_VENDOR_STRING
from redcoll_shmem.constants import SIZE_MAX as SIZE_MAX
from redcoll_shmem.contexts import *
from redcoll_shmem.library import *
from redcoll_shmem.locks import *
from redcoll_shmem.memory import *
from redcoll_shmem.own import *
from redcoll_shmem.signals import *
from redcoll_shmem.statistics import *
from redcoll_shmem.synchronization import *
from redcoll_shmem.teams import *

_I8: TypeAlias = np.int8 | np.byte
_I16: TypeAlias = np.int16 | np.short
_I32: TypeAlias = np.int32 | np.intc
_I64: TypeAlias = np.int64 | np.intp | np.long | np.longlong
_U8: TypeAlias = np.uint8 | np.ubyte
_U16: TypeAlias = np.uint16 | np.ushort
_U32: TypeAlias = np.uint32 | np.uintc
_U64: TypeAlias = np.uint64 | np.uintp | np.ulong | np.ulonglong
_F32: TypeAlias = np.float32
_F64: TypeAlias = np.float64
_LongDouble: TypeAlias = np.longdouble
_C64: TypeAlias = np.complex64
_C128: TypeAlias = np.complex128

_T_contra = TypeVar("_T_contra", bound=np.generic, contravariant=True)
_N_contra = TypeVar("_N_contra", contravariant=True)
_R_co = TypeVar("_R_co", covariant=True)

CHAPTERS: tuple[ModuleType, ...]

class _Copy(Protocol[_T_contra]):
    def __call__(
        self,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        nelems: int,
        pe: int,
    ) -> None:
        """Copy ``nelems`` elements to PE ``pe`` (put), or from PE ``pe`` (get)."""

class _Update(Protocol[_T_contra, _N_contra, _R_co]):
    def __call__(
        self,
        target: NDArray[_T_contra],
        value: _N_contra,
        pe: int,
    ) -> _R_co:
        """Update the first element of ``target`` on PE ``pe`` with ``value``."""

class _Fetch(Protocol[_T_contra, _R_co]):
    def __call__(
        self,
        source: NDArray[_T_contra],
        pe: int,
    ) -> _R_co:
        """Return the first element of ``source`` on PE ``pe``."""

class _StridedCopy(Protocol[_T_contra]):
    def __call__(
        self,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        dst: int,
        sst: int,
        nelems: int,
        pe: int,
    ) -> None:
        """Copy every ``sst``-th element of ``source`` to every ``dst``-th element of ``target``."""

class _BlockCopy(Protocol[_T_contra]):
    def __call__(
        self,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        dst: int,
        sst: int,
        bsize: int,
        nblocks: int,
        pe: int,
    ) -> None:
        """Copy blocks of ``bsize`` elements, with strides ``sst`` in source and ``dst`` in target."""

class _FetchTo(Protocol[_T_contra]):
    def __call__(
        self,
        fetch: NDArray[_T_contra],
        source: NDArray[_T_contra],
        pe: int,
    ) -> None:
        """Store the first element of ``source`` in ``fetch``."""

class _UpdateTo(Protocol[_T_contra, _N_contra]):
    def __call__(
        self,
        fetch: NDArray[_T_contra],
        target: NDArray[_T_contra],
        value: _N_contra,
        pe: int,
    ) -> None:
        """Update the first element of ``target``. ``fetch`` gets the old value."""

class _CompareSwap(Protocol[_T_contra, _N_contra, _R_co]):
    def __call__(
        self,
        target: NDArray[_T_contra],
        cond: _N_contra,
        value: _N_contra,
        pe: int,
    ) -> _R_co:
        """If the first element of ``target`` on PE ``pe`` equals ``cond``, set it to ``value``."""

class _CompareSwapTo(Protocol[_T_contra, _N_contra]):
    def __call__(
        self,
        fetch: NDArray[_T_contra],
        target: NDArray[_T_contra],
        cond: _N_contra,
        value: _N_contra,
        pe: int,
    ) -> None:
        """If the first element of ``target`` equals ``cond``, set it. ``fetch`` gets the old value."""

class _Increment(Protocol[_T_contra, _R_co]):
    def __call__(
        self,
        target: NDArray[_T_contra],
        pe: int,
    ) -> _R_co:
        """Add 1 to the first element of ``target`` on PE ``pe``."""

class _IncrementTo(Protocol[_T_contra]):
    def __call__(
        self,
        fetch: NDArray[_T_contra],
        target: NDArray[_T_contra],
        pe: int,
    ) -> None:
        """Add 1 to the first element of ``target``. ``fetch`` gets the old value."""

class _SetBroadcast(Protocol):
    def __call__(
        self,
        target: NDArray[Any] | None,
        source: NDArray[Any] | None,
        nelems: int,
        PE_root: int,
        PE_start: int,
        logPE_stride: int,
        PE_size: int,
        pSync: NDArray[_I64],
    ) -> None:
        """Copy ``nelems`` elements of the root to the targets of the other members."""

class _SetCopy(Protocol):
    def __call__(
        self,
        target: NDArray[Any] | None,
        source: NDArray[Any] | None,
        nelems: int,
        PE_start: int,
        logPE_stride: int,
        PE_size: int,
        pSync: NDArray[_I64],
    ) -> None:
        """Copy ``nelems`` elements of every member to the targets of all members."""

class _SetStridedExchange(Protocol):
    def __call__(
        self,
        target: NDArray[Any] | None,
        source: NDArray[Any] | None,
        dst: int,
        sst: int,
        nelems: int,
        PE_start: int,
        logPE_stride: int,
        PE_size: int,
        pSync: NDArray[_I64],
    ) -> None:
        """Copy block j of member i's source to block i of member j's target, with strides."""

class _TeamBroadcast(Protocol[_T_contra]):
    def __call__(
        self,
        team: shmem_team_t,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        nelems: int,
        PE_root: int,
    ) -> int:
        """Copy ``nelems`` elements of the root to the targets of all members."""

class _TeamCollect(Protocol[_T_contra]):
    def __call__(
        self,
        team: shmem_team_t,
        target: NDArray[_T_contra],
        source: NDArray[_T_contra] | None,
        nelems: int,
    ) -> int:
        """Copy ``nelems`` elements of every member to the targets of all members."""

class _TeamCopy(Protocol[_T_contra]):
    def __call__(
        self,
        team: shmem_team_t,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        nelems: int,
    ) -> int:
        """Copy ``nelems`` elements of every member to the targets of all members."""

class _TeamStridedExchange(Protocol[_T_contra]):
    def __call__(
        self,
        team: shmem_team_t,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        dst: int,
        sst: int,
        nelems: int,
    ) -> int:
        """Copy block j of member i's source to block i of member j's target, with strides."""

class _ToAll(Protocol[_T_contra]):
    def __call__(
        self,
        target: NDArray[_T_contra],
        source: NDArray[_T_contra],
        nreduce: int,
        PE_start: int,
        logPE_stride: int,
        PE_size: int,
        pWrk: NDArray[_T_contra] | None,
        pSync: NDArray[_I64 | _I32],
    ) -> None:
        """Reduce the sources of an active set, element by element, to the targets of all members."""

class _TeamReduction(Protocol[_T_contra]):
    def __call__(
        self,
        team: shmem_team_t,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        nreduce: int,
    ) -> int:
        """Reduce the sources of a team, element by element, to the targets of all members."""

class _PutSignal(Protocol[_T_contra]):
    def __call__(
        self,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        nelems: int,
        sig_addr: NDArray[_U64],
        signal: int,
        sig_op: int,
        pe: int,
    ) -> None:
        """Copy ``nelems`` elements to PE ``pe``, and then change a signal there."""

class _Signal(Protocol):
    def __call__(
        self,
        sig_addr: NDArray[_U64],
        signal: int,
        pe: int,
    ) -> None:
        """Change a signal on PE ``pe``, without data."""

class _Compare(Protocol[_T_contra, _R_co]):
    def __call__(
        self,
        ivar: NDArray[_T_contra],
        cmp: int,
        cmp_value: int,
    ) -> _R_co:
        """Wait until ``ivar`` satisfies a comparison, or return whether it does."""

class _Wait(Protocol[_T_contra]):
    def __call__(
        self,
        ivar: NDArray[_T_contra],
        cmp_value: int,
    ) -> None:
        """Wait until the first element of ``ivar`` differs from a value."""

class _CompareMany(Protocol[_T_contra, _R_co]):
    def __call__(
        self,
        ivars: NDArray[_T_contra],
        nelems: int,
        status: NDArray[np.integer[Any]] | None,
        cmp: int,
        cmp_value: int,
    ) -> _R_co:
        """Wait until elements satisfy a comparison with one value, or test the elements."""

class _CompareEach(Protocol[_T_contra, _R_co]):
    def __call__(
        self,
        ivars: NDArray[_T_contra],
        nelems: int,
        status: NDArray[np.integer[Any]] | None,
        cmp: int,
        cmp_values: NDArray[_T_contra],
    ) -> _R_co:
        """Wait until elements satisfy comparisons with their own values, or test the elements."""

class _CompareSome(Protocol[_T_contra]):
    def __call__(
        self,
        ivars: NDArray[_T_contra],
        nelems: int,
        indices: NDArray[np.integer[Any]],
        status: NDArray[np.integer[Any]] | None,
        cmp: int,
        cmp_value: int,
    ) -> int:
        """Store the indices of elements that satisfy a comparison with one value in ``indices``."""

class _CompareSomeEach(Protocol[_T_contra]):
    def __call__(
        self,
        ivars: NDArray[_T_contra],
        nelems: int,
        indices: NDArray[np.integer[Any]],
        status: NDArray[np.integer[Any]] | None,
        cmp: int,
        cmp_values: NDArray[_T_contra],
    ) -> int:
        """Find elements that satisfy comparisons with their own values. Store their indices."""

class _CtxCopy(Protocol[_T_contra]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        nelems: int,
        pe: int,
    ) -> None:
        """Copy ``nelems`` elements to PE ``pe`` (put), or from PE ``pe`` (get).

        PE numbers refer to the context's team.
        """

class _CtxUpdate(Protocol[_T_contra, _N_contra, _R_co]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        target: NDArray[_T_contra],
        value: _N_contra,
        pe: int,
    ) -> _R_co:
        """Update the first element of ``target`` on PE ``pe`` with ``value``.

        PE numbers refer to the context's team.
        """

class _CtxFetch(Protocol[_T_contra, _R_co]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        source: NDArray[_T_contra],
        pe: int,
    ) -> _R_co:
        """Return the first element of ``source`` on PE ``pe``.

        PE numbers refer to the context's team.
        """

class _CtxStridedCopy(Protocol[_T_contra]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        dst: int,
        sst: int,
        nelems: int,
        pe: int,
    ) -> None:
        """Copy every ``sst``-th element of ``source`` to every ``dst``-th element of ``target``.

        PE numbers refer to the context's team.
        """

class _CtxBlockCopy(Protocol[_T_contra]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        dst: int,
        sst: int,
        bsize: int,
        nblocks: int,
        pe: int,
    ) -> None:
        """Copy blocks of ``bsize`` elements, with strides ``sst`` in source and ``dst`` in target.

        PE numbers refer to the context's team.
        """

class _CtxFetchTo(Protocol[_T_contra]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        fetch: NDArray[_T_contra],
        source: NDArray[_T_contra],
        pe: int,
    ) -> None:
        """Store the first element of ``source`` in ``fetch``.

        PE numbers refer to the context's team.
        """

class _CtxUpdateTo(Protocol[_T_contra, _N_contra]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        fetch: NDArray[_T_contra],
        target: NDArray[_T_contra],
        value: _N_contra,
        pe: int,
    ) -> None:
        """Update the first element of ``target``. ``fetch`` gets the old value.

        PE numbers refer to the context's team.
        """

class _CtxCompareSwap(Protocol[_T_contra, _N_contra, _R_co]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        target: NDArray[_T_contra],
        cond: _N_contra,
        value: _N_contra,
        pe: int,
    ) -> _R_co:
        """If the first element of ``target`` on PE ``pe`` equals ``cond``, set it to ``value``.

        PE numbers refer to the context's team.
        """

class _CtxCompareSwapTo(Protocol[_T_contra, _N_contra]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        fetch: NDArray[_T_contra],
        target: NDArray[_T_contra],
        cond: _N_contra,
        value: _N_contra,
        pe: int,
    ) -> None:
        """If the first element of ``target`` equals ``cond``, set it. ``fetch`` gets the old value.

        PE numbers refer to the context's team.
        """

class _CtxIncrement(Protocol[_T_contra, _R_co]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        target: NDArray[_T_contra],
        pe: int,
    ) -> _R_co:
        """Add 1 to the first element of ``target`` on PE ``pe``.

        PE numbers refer to the context's team.
        """

class _CtxIncrementTo(Protocol[_T_contra]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        fetch: NDArray[_T_contra],
        target: NDArray[_T_contra],
        pe: int,
    ) -> None:
        """Add 1 to the first element of ``target``. ``fetch`` gets the old value.

        PE numbers refer to the context's team.
        """

class _CtxPutSignal(Protocol[_T_contra]):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        target: NDArray[_T_contra] | None,
        source: NDArray[_T_contra] | None,
        nelems: int,
        sig_addr: NDArray[_U64],
        signal: int,
        sig_op: int,
        pe: int,
    ) -> None:
        """Copy ``nelems`` elements to PE ``pe``, and then change a signal there.

        PE numbers refer to the context's team.
        """

class _CtxSignal(Protocol):
    def __call__(
        self,
        ctx: shmem_ctx_t,
        sig_addr: NDArray[_U64],
        signal: int,
        pe: int,
    ) -> None:
        """Change a signal on PE ``pe``, without data. PE numbers refer to the context's team."""

# Define remote memory access (OpenSHMEM 1.5, sections 9.6 and 9.7): put, get, single values.

shmem_float_put: _Copy[_F32]
shmem_double_put: _Copy[_F64]
shmem_longdouble_put: _Copy[_LongDouble]
shmem_char_put: _Copy[_I8]
shmem_schar_put: _Copy[_I8]
shmem_short_put: _Copy[_I16]
shmem_int_put: _Copy[_I32]
shmem_long_put: _Copy[_I64]
shmem_longlong_put: _Copy[_I64]
shmem_uchar_put: _Copy[_U8]
shmem_ushort_put: _Copy[_U16]
shmem_uint_put: _Copy[_U32]
shmem_ulong_put: _Copy[_U64]
shmem_ulonglong_put: _Copy[_U64]
shmem_int8_put: _Copy[_I8]
shmem_int16_put: _Copy[_I16]
shmem_int32_put: _Copy[_I32]
shmem_int64_put: _Copy[_I64]
shmem_uint8_put: _Copy[_U8]
shmem_uint16_put: _Copy[_U16]
shmem_uint32_put: _Copy[_U32]
shmem_uint64_put: _Copy[_U64]
shmem_size_put: _Copy[_U64]
shmem_ptrdiff_put: _Copy[_I64]
shmem_put: _Copy[Any]
shmem_put8: _Copy[Any]
shmem_put16: _Copy[Any]
shmem_put32: _Copy[Any]
shmem_put64: _Copy[Any]
shmem_put128: _Copy[Any]
shmem_putmem: _Copy[Any]
shmem_float_put_nbi: _Copy[_F32]
shmem_double_put_nbi: _Copy[_F64]
shmem_longdouble_put_nbi: _Copy[_LongDouble]
shmem_char_put_nbi: _Copy[_I8]
shmem_schar_put_nbi: _Copy[_I8]
shmem_short_put_nbi: _Copy[_I16]
shmem_int_put_nbi: _Copy[_I32]
shmem_long_put_nbi: _Copy[_I64]
shmem_longlong_put_nbi: _Copy[_I64]
shmem_uchar_put_nbi: _Copy[_U8]
shmem_ushort_put_nbi: _Copy[_U16]
shmem_uint_put_nbi: _Copy[_U32]
shmem_ulong_put_nbi: _Copy[_U64]
shmem_ulonglong_put_nbi: _Copy[_U64]
shmem_int8_put_nbi: _Copy[_I8]
shmem_int16_put_nbi: _Copy[_I16]
shmem_int32_put_nbi: _Copy[_I32]
shmem_int64_put_nbi: _Copy[_I64]
shmem_uint8_put_nbi: _Copy[_U8]
shmem_uint16_put_nbi: _Copy[_U16]
shmem_uint32_put_nbi: _Copy[_U32]
shmem_uint64_put_nbi: _Copy[_U64]
shmem_size_put_nbi: _Copy[_U64]
shmem_ptrdiff_put_nbi: _Copy[_I64]
shmem_put_nbi: _Copy[Any]
shmem_put8_nbi: _Copy[Any]
shmem_put16_nbi: _Copy[Any]
shmem_put32_nbi: _Copy[Any]
shmem_put64_nbi: _Copy[Any]
shmem_put128_nbi: _Copy[Any]
shmem_putmem_nbi: _Copy[Any]
shmem_float_get: _Copy[_F32]
shmem_double_get: _Copy[_F64]
shmem_longdouble_get: _Copy[_LongDouble]
shmem_char_get: _Copy[_I8]
shmem_schar_get: _Copy[_I8]
shmem_short_get: _Copy[_I16]
shmem_int_get: _Copy[_I32]
shmem_long_get: _Copy[_I64]
shmem_longlong_get: _Copy[_I64]
shmem_uchar_get: _Copy[_U8]
shmem_ushort_get: _Copy[_U16]
shmem_uint_get: _Copy[_U32]
shmem_ulong_get: _Copy[_U64]
shmem_ulonglong_get: _Copy[_U64]
shmem_int8_get: _Copy[_I8]
shmem_int16_get: _Copy[_I16]
shmem_int32_get: _Copy[_I32]
shmem_int64_get: _Copy[_I64]
shmem_uint8_get: _Copy[_U8]
shmem_uint16_get: _Copy[_U16]
shmem_uint32_get: _Copy[_U32]
shmem_uint64_get: _Copy[_U64]
shmem_size_get: _Copy[_U64]
shmem_ptrdiff_get: _Copy[_I64]
shmem_get: _Copy[Any]
shmem_get8: _Copy[Any]
shmem_get16: _Copy[Any]
shmem_get32: _Copy[Any]
shmem_get64: _Copy[Any]
shmem_get128: _Copy[Any]
shmem_getmem: _Copy[Any]
shmem_float_get_nbi: _Copy[_F32]
shmem_double_get_nbi: _Copy[_F64]
shmem_longdouble_get_nbi: _Copy[_LongDouble]
shmem_char_get_nbi: _Copy[_I8]
shmem_schar_get_nbi: _Copy[_I8]
shmem_short_get_nbi: _Copy[_I16]
shmem_int_get_nbi: _Copy[_I32]
shmem_long_get_nbi: _Copy[_I64]
shmem_longlong_get_nbi: _Copy[_I64]
shmem_uchar_get_nbi: _Copy[_U8]
shmem_ushort_get_nbi: _Copy[_U16]
shmem_uint_get_nbi: _Copy[_U32]
shmem_ulong_get_nbi: _Copy[_U64]
shmem_ulonglong_get_nbi: _Copy[_U64]
shmem_int8_get_nbi: _Copy[_I8]
shmem_int16_get_nbi: _Copy[_I16]
shmem_int32_get_nbi: _Copy[_I32]
shmem_int64_get_nbi: _Copy[_I64]
shmem_uint8_get_nbi: _Copy[_U8]
shmem_uint16_get_nbi: _Copy[_U16]
shmem_uint32_get_nbi: _Copy[_U32]
shmem_uint64_get_nbi: _Copy[_U64]
shmem_size_get_nbi: _Copy[_U64]
shmem_ptrdiff_get_nbi: _Copy[_I64]
shmem_get_nbi: _Copy[Any]
shmem_get8_nbi: _Copy[Any]
shmem_get16_nbi: _Copy[Any]
shmem_get32_nbi: _Copy[Any]
shmem_get64_nbi: _Copy[Any]
shmem_get128_nbi: _Copy[Any]
shmem_getmem_nbi: _Copy[Any]
shmem_float_p: _Update[_F32, float, None]
shmem_double_p: _Update[_F64, float, None]
shmem_longdouble_p: _Update[_LongDouble, np.longdouble, None]
shmem_char_p: _Update[_I8, int, None]
shmem_schar_p: _Update[_I8, int, None]
shmem_short_p: _Update[_I16, int, None]
shmem_int_p: _Update[_I32, int, None]
shmem_long_p: _Update[_I64, int, None]
shmem_longlong_p: _Update[_I64, int, None]
shmem_uchar_p: _Update[_U8, int, None]
shmem_ushort_p: _Update[_U16, int, None]
shmem_uint_p: _Update[_U32, int, None]
shmem_ulong_p: _Update[_U64, int, None]
shmem_ulonglong_p: _Update[_U64, int, None]
shmem_int8_p: _Update[_I8, int, None]
shmem_int16_p: _Update[_I16, int, None]
shmem_int32_p: _Update[_I32, int, None]
shmem_int64_p: _Update[_I64, int, None]
shmem_uint8_p: _Update[_U8, int, None]
shmem_uint16_p: _Update[_U16, int, None]
shmem_uint32_p: _Update[_U32, int, None]
shmem_uint64_p: _Update[_U64, int, None]
shmem_size_p: _Update[_U64, int, None]
shmem_ptrdiff_p: _Update[_I64, int, None]
shmem_p: _Update[Any, float, None]
shmem_float_g: _Fetch[_F32, float]
shmem_double_g: _Fetch[_F64, float]
shmem_longdouble_g: _Fetch[_LongDouble, np.longdouble]
shmem_char_g: _Fetch[_I8, int]
shmem_schar_g: _Fetch[_I8, int]
shmem_short_g: _Fetch[_I16, int]
shmem_int_g: _Fetch[_I32, int]
shmem_long_g: _Fetch[_I64, int]
shmem_longlong_g: _Fetch[_I64, int]
shmem_uchar_g: _Fetch[_U8, int]
shmem_ushort_g: _Fetch[_U16, int]
shmem_uint_g: _Fetch[_U32, int]
shmem_ulong_g: _Fetch[_U64, int]
shmem_ulonglong_g: _Fetch[_U64, int]
shmem_int8_g: _Fetch[_I8, int]
shmem_int16_g: _Fetch[_I16, int]
shmem_int32_g: _Fetch[_I32, int]
shmem_int64_g: _Fetch[_I64, int]
shmem_uint8_g: _Fetch[_U8, int]
shmem_uint16_g: _Fetch[_U16, int]
shmem_uint32_g: _Fetch[_U32, int]
shmem_uint64_g: _Fetch[_U64, int]
shmem_size_g: _Fetch[_U64, int]
shmem_ptrdiff_g: _Fetch[_I64, int]
shmem_g: _Fetch[Any, float]

# Define strided put and get of elements (OpenSHMEM 1.5, 9.6.4 and 9.6.8) and of blocks (1.6).

shmem_float_iput: _StridedCopy[_F32]
shmem_double_iput: _StridedCopy[_F64]
shmem_longdouble_iput: _StridedCopy[_LongDouble]
shmem_char_iput: _StridedCopy[_I8]
shmem_schar_iput: _StridedCopy[_I8]
shmem_short_iput: _StridedCopy[_I16]
shmem_int_iput: _StridedCopy[_I32]
shmem_long_iput: _StridedCopy[_I64]
shmem_longlong_iput: _StridedCopy[_I64]
shmem_uchar_iput: _StridedCopy[_U8]
shmem_ushort_iput: _StridedCopy[_U16]
shmem_uint_iput: _StridedCopy[_U32]
shmem_ulong_iput: _StridedCopy[_U64]
shmem_ulonglong_iput: _StridedCopy[_U64]
shmem_int8_iput: _StridedCopy[_I8]
shmem_int16_iput: _StridedCopy[_I16]
shmem_int32_iput: _StridedCopy[_I32]
shmem_int64_iput: _StridedCopy[_I64]
shmem_uint8_iput: _StridedCopy[_U8]
shmem_uint16_iput: _StridedCopy[_U16]
shmem_uint32_iput: _StridedCopy[_U32]
shmem_uint64_iput: _StridedCopy[_U64]
shmem_size_iput: _StridedCopy[_U64]
shmem_ptrdiff_iput: _StridedCopy[_I64]
shmem_iput: _StridedCopy[Any]
shmem_iput8: _StridedCopy[Any]
shmem_iput16: _StridedCopy[Any]
shmem_iput32: _StridedCopy[Any]
shmem_iput64: _StridedCopy[Any]
shmem_iput128: _StridedCopy[Any]
shmem_float_iget: _StridedCopy[_F32]
shmem_double_iget: _StridedCopy[_F64]
shmem_longdouble_iget: _StridedCopy[_LongDouble]
shmem_char_iget: _StridedCopy[_I8]
shmem_schar_iget: _StridedCopy[_I8]
shmem_short_iget: _StridedCopy[_I16]
shmem_int_iget: _StridedCopy[_I32]
shmem_long_iget: _StridedCopy[_I64]
shmem_longlong_iget: _StridedCopy[_I64]
shmem_uchar_iget: _StridedCopy[_U8]
shmem_ushort_iget: _StridedCopy[_U16]
shmem_uint_iget: _StridedCopy[_U32]
shmem_ulong_iget: _StridedCopy[_U64]
shmem_ulonglong_iget: _StridedCopy[_U64]
shmem_int8_iget: _StridedCopy[_I8]
shmem_int16_iget: _StridedCopy[_I16]
shmem_int32_iget: _StridedCopy[_I32]
shmem_int64_iget: _StridedCopy[_I64]
shmem_uint8_iget: _StridedCopy[_U8]
shmem_uint16_iget: _StridedCopy[_U16]
shmem_uint32_iget: _StridedCopy[_U32]
shmem_uint64_iget: _StridedCopy[_U64]
shmem_size_iget: _StridedCopy[_U64]
shmem_ptrdiff_iget: _StridedCopy[_I64]
shmem_iget: _StridedCopy[Any]
shmem_iget8: _StridedCopy[Any]
shmem_iget16: _StridedCopy[Any]
shmem_iget32: _StridedCopy[Any]
shmem_iget64: _StridedCopy[Any]
shmem_iget128: _StridedCopy[Any]
shmem_float_ibput: _BlockCopy[_F32]
shmem_double_ibput: _BlockCopy[_F64]
shmem_longdouble_ibput: _BlockCopy[_LongDouble]
shmem_char_ibput: _BlockCopy[_I8]
shmem_schar_ibput: _BlockCopy[_I8]
shmem_short_ibput: _BlockCopy[_I16]
shmem_int_ibput: _BlockCopy[_I32]
shmem_long_ibput: _BlockCopy[_I64]
shmem_longlong_ibput: _BlockCopy[_I64]
shmem_uchar_ibput: _BlockCopy[_U8]
shmem_ushort_ibput: _BlockCopy[_U16]
shmem_uint_ibput: _BlockCopy[_U32]
shmem_ulong_ibput: _BlockCopy[_U64]
shmem_ulonglong_ibput: _BlockCopy[_U64]
shmem_int8_ibput: _BlockCopy[_I8]
shmem_int16_ibput: _BlockCopy[_I16]
shmem_int32_ibput: _BlockCopy[_I32]
shmem_int64_ibput: _BlockCopy[_I64]
shmem_uint8_ibput: _BlockCopy[_U8]
shmem_uint16_ibput: _BlockCopy[_U16]
shmem_uint32_ibput: _BlockCopy[_U32]
shmem_uint64_ibput: _BlockCopy[_U64]
shmem_size_ibput: _BlockCopy[_U64]
shmem_ptrdiff_ibput: _BlockCopy[_I64]
shmem_ibput: _BlockCopy[Any]
shmem_ibput8: _BlockCopy[Any]
shmem_ibput16: _BlockCopy[Any]
shmem_ibput32: _BlockCopy[Any]
shmem_ibput64: _BlockCopy[Any]
shmem_ibput128: _BlockCopy[Any]
shmem_float_ibget: _BlockCopy[_F32]
shmem_double_ibget: _BlockCopy[_F64]
shmem_longdouble_ibget: _BlockCopy[_LongDouble]
shmem_char_ibget: _BlockCopy[_I8]
shmem_schar_ibget: _BlockCopy[_I8]
shmem_short_ibget: _BlockCopy[_I16]
shmem_int_ibget: _BlockCopy[_I32]
shmem_long_ibget: _BlockCopy[_I64]
shmem_longlong_ibget: _BlockCopy[_I64]
shmem_uchar_ibget: _BlockCopy[_U8]
shmem_ushort_ibget: _BlockCopy[_U16]
shmem_uint_ibget: _BlockCopy[_U32]
shmem_ulong_ibget: _BlockCopy[_U64]
shmem_ulonglong_ibget: _BlockCopy[_U64]
shmem_int8_ibget: _BlockCopy[_I8]
shmem_int16_ibget: _BlockCopy[_I16]
shmem_int32_ibget: _BlockCopy[_I32]
shmem_int64_ibget: _BlockCopy[_I64]
shmem_uint8_ibget: _BlockCopy[_U8]
shmem_uint16_ibget: _BlockCopy[_U16]
shmem_uint32_ibget: _BlockCopy[_U32]
shmem_uint64_ibget: _BlockCopy[_U64]
shmem_size_ibget: _BlockCopy[_U64]
shmem_ptrdiff_ibget: _BlockCopy[_I64]
shmem_ibget: _BlockCopy[Any]
shmem_ibget8: _BlockCopy[Any]
shmem_ibget16: _BlockCopy[Any]
shmem_ibget32: _BlockCopy[Any]
shmem_ibget64: _BlockCopy[Any]
shmem_ibget128: _BlockCopy[Any]

# Define atomic memory operations (OpenSHMEM 1.5, sections 9.8 and 9.9).

shmem_float_atomic_fetch: _Fetch[_F32, float]
shmem_double_atomic_fetch: _Fetch[_F64, float]
shmem_int_atomic_fetch: _Fetch[_I32, int]
shmem_long_atomic_fetch: _Fetch[_I64, int]
shmem_longlong_atomic_fetch: _Fetch[_I64, int]
shmem_uint_atomic_fetch: _Fetch[_U32, int]
shmem_ulong_atomic_fetch: _Fetch[_U64, int]
shmem_ulonglong_atomic_fetch: _Fetch[_U64, int]
shmem_int32_atomic_fetch: _Fetch[_I32, int]
shmem_int64_atomic_fetch: _Fetch[_I64, int]
shmem_uint32_atomic_fetch: _Fetch[_U32, int]
shmem_uint64_atomic_fetch: _Fetch[_U64, int]
shmem_size_atomic_fetch: _Fetch[_U64, int]
shmem_ptrdiff_atomic_fetch: _Fetch[_I64, int]
shmem_atomic_fetch: _Fetch[Any, float]
shmem_float_atomic_fetch_nbi: _FetchTo[_F32]
shmem_double_atomic_fetch_nbi: _FetchTo[_F64]
shmem_int_atomic_fetch_nbi: _FetchTo[_I32]
shmem_long_atomic_fetch_nbi: _FetchTo[_I64]
shmem_longlong_atomic_fetch_nbi: _FetchTo[_I64]
shmem_uint_atomic_fetch_nbi: _FetchTo[_U32]
shmem_ulong_atomic_fetch_nbi: _FetchTo[_U64]
shmem_ulonglong_atomic_fetch_nbi: _FetchTo[_U64]
shmem_int32_atomic_fetch_nbi: _FetchTo[_I32]
shmem_int64_atomic_fetch_nbi: _FetchTo[_I64]
shmem_uint32_atomic_fetch_nbi: _FetchTo[_U32]
shmem_uint64_atomic_fetch_nbi: _FetchTo[_U64]
shmem_size_atomic_fetch_nbi: _FetchTo[_U64]
shmem_ptrdiff_atomic_fetch_nbi: _FetchTo[_I64]
shmem_atomic_fetch_nbi: _FetchTo[Any]
shmem_float_atomic_set: _Update[_F32, float, None]
shmem_double_atomic_set: _Update[_F64, float, None]
shmem_int_atomic_set: _Update[_I32, int, None]
shmem_long_atomic_set: _Update[_I64, int, None]
shmem_longlong_atomic_set: _Update[_I64, int, None]
shmem_uint_atomic_set: _Update[_U32, int, None]
shmem_ulong_atomic_set: _Update[_U64, int, None]
shmem_ulonglong_atomic_set: _Update[_U64, int, None]
shmem_int32_atomic_set: _Update[_I32, int, None]
shmem_int64_atomic_set: _Update[_I64, int, None]
shmem_uint32_atomic_set: _Update[_U32, int, None]
shmem_uint64_atomic_set: _Update[_U64, int, None]
shmem_size_atomic_set: _Update[_U64, int, None]
shmem_ptrdiff_atomic_set: _Update[_I64, int, None]
shmem_atomic_set: _Update[Any, float, None]
shmem_float_atomic_swap: _Update[_F32, float, float]
shmem_double_atomic_swap: _Update[_F64, float, float]
shmem_int_atomic_swap: _Update[_I32, int, int]
shmem_long_atomic_swap: _Update[_I64, int, int]
shmem_longlong_atomic_swap: _Update[_I64, int, int]
shmem_uint_atomic_swap: _Update[_U32, int, int]
shmem_ulong_atomic_swap: _Update[_U64, int, int]
shmem_ulonglong_atomic_swap: _Update[_U64, int, int]
shmem_int32_atomic_swap: _Update[_I32, int, int]
shmem_int64_atomic_swap: _Update[_I64, int, int]
shmem_uint32_atomic_swap: _Update[_U32, int, int]
shmem_uint64_atomic_swap: _Update[_U64, int, int]
shmem_size_atomic_swap: _Update[_U64, int, int]
shmem_ptrdiff_atomic_swap: _Update[_I64, int, int]
shmem_atomic_swap: _Update[Any, float, float]
shmem_float_atomic_swap_nbi: _UpdateTo[_F32, float]
shmem_double_atomic_swap_nbi: _UpdateTo[_F64, float]
shmem_int_atomic_swap_nbi: _UpdateTo[_I32, int]
shmem_long_atomic_swap_nbi: _UpdateTo[_I64, int]
shmem_longlong_atomic_swap_nbi: _UpdateTo[_I64, int]
shmem_uint_atomic_swap_nbi: _UpdateTo[_U32, int]
shmem_ulong_atomic_swap_nbi: _UpdateTo[_U64, int]
shmem_ulonglong_atomic_swap_nbi: _UpdateTo[_U64, int]
shmem_int32_atomic_swap_nbi: _UpdateTo[_I32, int]
shmem_int64_atomic_swap_nbi: _UpdateTo[_I64, int]
shmem_uint32_atomic_swap_nbi: _UpdateTo[_U32, int]
shmem_uint64_atomic_swap_nbi: _UpdateTo[_U64, int]
shmem_size_atomic_swap_nbi: _UpdateTo[_U64, int]
shmem_ptrdiff_atomic_swap_nbi: _UpdateTo[_I64, int]
shmem_atomic_swap_nbi: _UpdateTo[Any, float]
shmem_int_atomic_compare_swap: _CompareSwap[_I32, int, int]
shmem_long_atomic_compare_swap: _CompareSwap[_I64, int, int]
shmem_longlong_atomic_compare_swap: _CompareSwap[_I64, int, int]
shmem_uint_atomic_compare_swap: _CompareSwap[_U32, int, int]
shmem_ulong_atomic_compare_swap: _CompareSwap[_U64, int, int]
shmem_ulonglong_atomic_compare_swap: _CompareSwap[_U64, int, int]
shmem_int32_atomic_compare_swap: _CompareSwap[_I32, int, int]
shmem_int64_atomic_compare_swap: _CompareSwap[_I64, int, int]
shmem_uint32_atomic_compare_swap: _CompareSwap[_U32, int, int]
shmem_uint64_atomic_compare_swap: _CompareSwap[_U64, int, int]
shmem_size_atomic_compare_swap: _CompareSwap[_U64, int, int]
shmem_ptrdiff_atomic_compare_swap: _CompareSwap[_I64, int, int]
shmem_atomic_compare_swap: _CompareSwap[Any, float, float]
shmem_int_atomic_compare_swap_nbi: _CompareSwapTo[_I32, int]
shmem_long_atomic_compare_swap_nbi: _CompareSwapTo[_I64, int]
shmem_longlong_atomic_compare_swap_nbi: _CompareSwapTo[_I64, int]
shmem_uint_atomic_compare_swap_nbi: _CompareSwapTo[_U32, int]
shmem_ulong_atomic_compare_swap_nbi: _CompareSwapTo[_U64, int]
shmem_ulonglong_atomic_compare_swap_nbi: _CompareSwapTo[_U64, int]
shmem_int32_atomic_compare_swap_nbi: _CompareSwapTo[_I32, int]
shmem_int64_atomic_compare_swap_nbi: _CompareSwapTo[_I64, int]
shmem_uint32_atomic_compare_swap_nbi: _CompareSwapTo[_U32, int]
shmem_uint64_atomic_compare_swap_nbi: _CompareSwapTo[_U64, int]
shmem_size_atomic_compare_swap_nbi: _CompareSwapTo[_U64, int]
shmem_ptrdiff_atomic_compare_swap_nbi: _CompareSwapTo[_I64, int]
shmem_atomic_compare_swap_nbi: _CompareSwapTo[Any, float]
shmem_int_atomic_inc: _Increment[_I32, None]
shmem_long_atomic_inc: _Increment[_I64, None]
shmem_longlong_atomic_inc: _Increment[_I64, None]
shmem_uint_atomic_inc: _Increment[_U32, None]
shmem_ulong_atomic_inc: _Increment[_U64, None]
shmem_ulonglong_atomic_inc: _Increment[_U64, None]
shmem_int32_atomic_inc: _Increment[_I32, None]
shmem_int64_atomic_inc: _Increment[_I64, None]
shmem_uint32_atomic_inc: _Increment[_U32, None]
shmem_uint64_atomic_inc: _Increment[_U64, None]
shmem_size_atomic_inc: _Increment[_U64, None]
shmem_ptrdiff_atomic_inc: _Increment[_I64, None]
shmem_atomic_inc: _Increment[Any, None]
shmem_int_atomic_fetch_inc: _Increment[_I32, int]
shmem_long_atomic_fetch_inc: _Increment[_I64, int]
shmem_longlong_atomic_fetch_inc: _Increment[_I64, int]
shmem_uint_atomic_fetch_inc: _Increment[_U32, int]
shmem_ulong_atomic_fetch_inc: _Increment[_U64, int]
shmem_ulonglong_atomic_fetch_inc: _Increment[_U64, int]
shmem_int32_atomic_fetch_inc: _Increment[_I32, int]
shmem_int64_atomic_fetch_inc: _Increment[_I64, int]
shmem_uint32_atomic_fetch_inc: _Increment[_U32, int]
shmem_uint64_atomic_fetch_inc: _Increment[_U64, int]
shmem_size_atomic_fetch_inc: _Increment[_U64, int]
shmem_ptrdiff_atomic_fetch_inc: _Increment[_I64, int]
shmem_atomic_fetch_inc: _Increment[Any, float]
shmem_int_atomic_fetch_inc_nbi: _IncrementTo[_I32]
shmem_long_atomic_fetch_inc_nbi: _IncrementTo[_I64]
shmem_longlong_atomic_fetch_inc_nbi: _IncrementTo[_I64]
shmem_uint_atomic_fetch_inc_nbi: _IncrementTo[_U32]
shmem_ulong_atomic_fetch_inc_nbi: _IncrementTo[_U64]
shmem_ulonglong_atomic_fetch_inc_nbi: _IncrementTo[_U64]
shmem_int32_atomic_fetch_inc_nbi: _IncrementTo[_I32]
shmem_int64_atomic_fetch_inc_nbi: _IncrementTo[_I64]
shmem_uint32_atomic_fetch_inc_nbi: _IncrementTo[_U32]
shmem_uint64_atomic_fetch_inc_nbi: _IncrementTo[_U64]
shmem_size_atomic_fetch_inc_nbi: _IncrementTo[_U64]
shmem_ptrdiff_atomic_fetch_inc_nbi: _IncrementTo[_I64]
shmem_atomic_fetch_inc_nbi: _IncrementTo[Any]
shmem_int_atomic_add: _Update[_I32, int, None]
shmem_long_atomic_add: _Update[_I64, int, None]
shmem_longlong_atomic_add: _Update[_I64, int, None]
shmem_uint_atomic_add: _Update[_U32, int, None]
shmem_ulong_atomic_add: _Update[_U64, int, None]
shmem_ulonglong_atomic_add: _Update[_U64, int, None]
shmem_int32_atomic_add: _Update[_I32, int, None]
shmem_int64_atomic_add: _Update[_I64, int, None]
shmem_uint32_atomic_add: _Update[_U32, int, None]
shmem_uint64_atomic_add: _Update[_U64, int, None]
shmem_size_atomic_add: _Update[_U64, int, None]
shmem_ptrdiff_atomic_add: _Update[_I64, int, None]
shmem_atomic_add: _Update[Any, float, None]
shmem_int_atomic_fetch_add: _Update[_I32, int, int]
shmem_long_atomic_fetch_add: _Update[_I64, int, int]
shmem_longlong_atomic_fetch_add: _Update[_I64, int, int]
shmem_uint_atomic_fetch_add: _Update[_U32, int, int]
shmem_ulong_atomic_fetch_add: _Update[_U64, int, int]
shmem_ulonglong_atomic_fetch_add: _Update[_U64, int, int]
shmem_int32_atomic_fetch_add: _Update[_I32, int, int]
shmem_int64_atomic_fetch_add: _Update[_I64, int, int]
shmem_uint32_atomic_fetch_add: _Update[_U32, int, int]
shmem_uint64_atomic_fetch_add: _Update[_U64, int, int]
shmem_size_atomic_fetch_add: _Update[_U64, int, int]
shmem_ptrdiff_atomic_fetch_add: _Update[_I64, int, int]
shmem_atomic_fetch_add: _Update[Any, float, float]
shmem_int_atomic_fetch_add_nbi: _UpdateTo[_I32, int]
shmem_long_atomic_fetch_add_nbi: _UpdateTo[_I64, int]
shmem_longlong_atomic_fetch_add_nbi: _UpdateTo[_I64, int]
shmem_uint_atomic_fetch_add_nbi: _UpdateTo[_U32, int]
shmem_ulong_atomic_fetch_add_nbi: _UpdateTo[_U64, int]
shmem_ulonglong_atomic_fetch_add_nbi: _UpdateTo[_U64, int]
shmem_int32_atomic_fetch_add_nbi: _UpdateTo[_I32, int]
shmem_int64_atomic_fetch_add_nbi: _UpdateTo[_I64, int]
shmem_uint32_atomic_fetch_add_nbi: _UpdateTo[_U32, int]
shmem_uint64_atomic_fetch_add_nbi: _UpdateTo[_U64, int]
shmem_size_atomic_fetch_add_nbi: _UpdateTo[_U64, int]
shmem_ptrdiff_atomic_fetch_add_nbi: _UpdateTo[_I64, int]
shmem_atomic_fetch_add_nbi: _UpdateTo[Any, float]
shmem_uint_atomic_and: _Update[_U32, int, None]
shmem_ulong_atomic_and: _Update[_U64, int, None]
shmem_ulonglong_atomic_and: _Update[_U64, int, None]
shmem_int32_atomic_and: _Update[_I32, int, None]
shmem_int64_atomic_and: _Update[_I64, int, None]
shmem_uint32_atomic_and: _Update[_U32, int, None]
shmem_uint64_atomic_and: _Update[_U64, int, None]
shmem_atomic_and: _Update[Any, float, None]
shmem_uint_atomic_fetch_and: _Update[_U32, int, int]
shmem_ulong_atomic_fetch_and: _Update[_U64, int, int]
shmem_ulonglong_atomic_fetch_and: _Update[_U64, int, int]
shmem_int32_atomic_fetch_and: _Update[_I32, int, int]
shmem_int64_atomic_fetch_and: _Update[_I64, int, int]
shmem_uint32_atomic_fetch_and: _Update[_U32, int, int]
shmem_uint64_atomic_fetch_and: _Update[_U64, int, int]
shmem_atomic_fetch_and: _Update[Any, float, float]
shmem_uint_atomic_fetch_and_nbi: _UpdateTo[_U32, int]
shmem_ulong_atomic_fetch_and_nbi: _UpdateTo[_U64, int]
shmem_ulonglong_atomic_fetch_and_nbi: _UpdateTo[_U64, int]
shmem_int32_atomic_fetch_and_nbi: _UpdateTo[_I32, int]
shmem_int64_atomic_fetch_and_nbi: _UpdateTo[_I64, int]
shmem_uint32_atomic_fetch_and_nbi: _UpdateTo[_U32, int]
shmem_uint64_atomic_fetch_and_nbi: _UpdateTo[_U64, int]
shmem_atomic_fetch_and_nbi: _UpdateTo[Any, float]
shmem_uint_atomic_or: _Update[_U32, int, None]
shmem_ulong_atomic_or: _Update[_U64, int, None]
shmem_ulonglong_atomic_or: _Update[_U64, int, None]
shmem_int32_atomic_or: _Update[_I32, int, None]
shmem_int64_atomic_or: _Update[_I64, int, None]
shmem_uint32_atomic_or: _Update[_U32, int, None]
shmem_uint64_atomic_or: _Update[_U64, int, None]
shmem_atomic_or: _Update[Any, float, None]
shmem_uint_atomic_fetch_or: _Update[_U32, int, int]
shmem_ulong_atomic_fetch_or: _Update[_U64, int, int]
shmem_ulonglong_atomic_fetch_or: _Update[_U64, int, int]
shmem_int32_atomic_fetch_or: _Update[_I32, int, int]
shmem_int64_atomic_fetch_or: _Update[_I64, int, int]
shmem_uint32_atomic_fetch_or: _Update[_U32, int, int]
shmem_uint64_atomic_fetch_or: _Update[_U64, int, int]
shmem_atomic_fetch_or: _Update[Any, float, float]
shmem_uint_atomic_fetch_or_nbi: _UpdateTo[_U32, int]
shmem_ulong_atomic_fetch_or_nbi: _UpdateTo[_U64, int]
shmem_ulonglong_atomic_fetch_or_nbi: _UpdateTo[_U64, int]
shmem_int32_atomic_fetch_or_nbi: _UpdateTo[_I32, int]
shmem_int64_atomic_fetch_or_nbi: _UpdateTo[_I64, int]
shmem_uint32_atomic_fetch_or_nbi: _UpdateTo[_U32, int]
shmem_uint64_atomic_fetch_or_nbi: _UpdateTo[_U64, int]
shmem_atomic_fetch_or_nbi: _UpdateTo[Any, float]
shmem_uint_atomic_xor: _Update[_U32, int, None]
shmem_ulong_atomic_xor: _Update[_U64, int, None]
shmem_ulonglong_atomic_xor: _Update[_U64, int, None]
shmem_int32_atomic_xor: _Update[_I32, int, None]
shmem_int64_atomic_xor: _Update[_I64, int, None]
shmem_uint32_atomic_xor: _Update[_U32, int, None]
shmem_uint64_atomic_xor: _Update[_U64, int, None]
shmem_atomic_xor: _Update[Any, float, None]
shmem_uint_atomic_fetch_xor: _Update[_U32, int, int]
shmem_ulong_atomic_fetch_xor: _Update[_U64, int, int]
shmem_ulonglong_atomic_fetch_xor: _Update[_U64, int, int]
shmem_int32_atomic_fetch_xor: _Update[_I32, int, int]
shmem_int64_atomic_fetch_xor: _Update[_I64, int, int]
shmem_uint32_atomic_fetch_xor: _Update[_U32, int, int]
shmem_uint64_atomic_fetch_xor: _Update[_U64, int, int]
shmem_atomic_fetch_xor: _Update[Any, float, float]
shmem_uint_atomic_fetch_xor_nbi: _UpdateTo[_U32, int]
shmem_ulong_atomic_fetch_xor_nbi: _UpdateTo[_U64, int]
shmem_ulonglong_atomic_fetch_xor_nbi: _UpdateTo[_U64, int]
shmem_int32_atomic_fetch_xor_nbi: _UpdateTo[_I32, int]
shmem_int64_atomic_fetch_xor_nbi: _UpdateTo[_I64, int]
shmem_uint32_atomic_fetch_xor_nbi: _UpdateTo[_U32, int]
shmem_uint64_atomic_fetch_xor_nbi: _UpdateTo[_U64, int]
shmem_atomic_fetch_xor_nbi: _UpdateTo[Any, float]
shmem_float_fetch: _Fetch[_F32, float]
shmem_double_fetch: _Fetch[_F64, float]
shmem_int_fetch: _Fetch[_I32, int]
shmem_long_fetch: _Fetch[_I64, int]
shmem_longlong_fetch: _Fetch[_I64, int]
shmem_fetch: _Fetch[Any, float]
shmem_float_set: _Update[_F32, float, None]
shmem_double_set: _Update[_F64, float, None]
shmem_int_set: _Update[_I32, int, None]
shmem_long_set: _Update[_I64, int, None]
shmem_longlong_set: _Update[_I64, int, None]
shmem_set: _Update[Any, float, None]
shmem_float_swap: _Update[_F32, float, float]
shmem_double_swap: _Update[_F64, float, float]
shmem_int_swap: _Update[_I32, int, int]
shmem_long_swap: _Update[_I64, int, int]
shmem_longlong_swap: _Update[_I64, int, int]
shmem_swap: _Update[Any, float, float]
shmem_int_cswap: _CompareSwap[_I32, int, int]
shmem_long_cswap: _CompareSwap[_I64, int, int]
shmem_longlong_cswap: _CompareSwap[_I64, int, int]
shmem_cswap: _CompareSwap[Any, float, float]
shmem_int_inc: _Increment[_I32, None]
shmem_long_inc: _Increment[_I64, None]
shmem_longlong_inc: _Increment[_I64, None]
shmem_inc: _Increment[Any, None]
shmem_int_finc: _Increment[_I32, int]
shmem_long_finc: _Increment[_I64, int]
shmem_longlong_finc: _Increment[_I64, int]
shmem_finc: _Increment[Any, float]
shmem_int_add: _Update[_I32, int, None]
shmem_long_add: _Update[_I64, int, None]
shmem_longlong_add: _Update[_I64, int, None]
shmem_add: _Update[Any, float, None]
shmem_int_fadd: _Update[_I32, int, int]
shmem_long_fadd: _Update[_I64, int, int]
shmem_longlong_fadd: _Update[_I64, int, int]
shmem_fadd: _Update[Any, float, float]

# Define broadcast, collect and alltoall on active sets (OpenSHMEM 1.4, 9.8.5 to 9.8.9).

shmem_broadcast32: _SetBroadcast
shmem_collect32: _SetCopy
shmem_fcollect32: _SetCopy
shmem_alltoall32: _SetCopy
shmem_alltoalls32: _SetStridedExchange
shmem_broadcast64: _SetBroadcast
shmem_collect64: _SetCopy
shmem_fcollect64: _SetCopy
shmem_alltoall64: _SetCopy
shmem_alltoalls64: _SetStridedExchange

# Define collective copies on teams (OpenSHMEM 1.5, section 9.10).

shmem_float_broadcast: _TeamBroadcast[_F32]
shmem_double_broadcast: _TeamBroadcast[_F64]
shmem_longdouble_broadcast: _TeamBroadcast[_LongDouble]
shmem_char_broadcast: _TeamBroadcast[_I8]
shmem_schar_broadcast: _TeamBroadcast[_I8]
shmem_short_broadcast: _TeamBroadcast[_I16]
shmem_int_broadcast: _TeamBroadcast[_I32]
shmem_long_broadcast: _TeamBroadcast[_I64]
shmem_longlong_broadcast: _TeamBroadcast[_I64]
shmem_uchar_broadcast: _TeamBroadcast[_U8]
shmem_ushort_broadcast: _TeamBroadcast[_U16]
shmem_uint_broadcast: _TeamBroadcast[_U32]
shmem_ulong_broadcast: _TeamBroadcast[_U64]
shmem_ulonglong_broadcast: _TeamBroadcast[_U64]
shmem_int8_broadcast: _TeamBroadcast[_I8]
shmem_int16_broadcast: _TeamBroadcast[_I16]
shmem_int32_broadcast: _TeamBroadcast[_I32]
shmem_int64_broadcast: _TeamBroadcast[_I64]
shmem_uint8_broadcast: _TeamBroadcast[_U8]
shmem_uint16_broadcast: _TeamBroadcast[_U16]
shmem_uint32_broadcast: _TeamBroadcast[_U32]
shmem_uint64_broadcast: _TeamBroadcast[_U64]
shmem_size_broadcast: _TeamBroadcast[_U64]
shmem_ptrdiff_broadcast: _TeamBroadcast[_I64]
shmem_broadcast: _TeamBroadcast[Any]
shmem_float_collect: _TeamCollect[_F32]
shmem_double_collect: _TeamCollect[_F64]
shmem_longdouble_collect: _TeamCollect[_LongDouble]
shmem_char_collect: _TeamCollect[_I8]
shmem_schar_collect: _TeamCollect[_I8]
shmem_short_collect: _TeamCollect[_I16]
shmem_int_collect: _TeamCollect[_I32]
shmem_long_collect: _TeamCollect[_I64]
shmem_longlong_collect: _TeamCollect[_I64]
shmem_uchar_collect: _TeamCollect[_U8]
shmem_ushort_collect: _TeamCollect[_U16]
shmem_uint_collect: _TeamCollect[_U32]
shmem_ulong_collect: _TeamCollect[_U64]
shmem_ulonglong_collect: _TeamCollect[_U64]
shmem_int8_collect: _TeamCollect[_I8]
shmem_int16_collect: _TeamCollect[_I16]
shmem_int32_collect: _TeamCollect[_I32]
shmem_int64_collect: _TeamCollect[_I64]
shmem_uint8_collect: _TeamCollect[_U8]
shmem_uint16_collect: _TeamCollect[_U16]
shmem_uint32_collect: _TeamCollect[_U32]
shmem_uint64_collect: _TeamCollect[_U64]
shmem_size_collect: _TeamCollect[_U64]
shmem_ptrdiff_collect: _TeamCollect[_I64]
shmem_collect: _TeamCollect[Any]
shmem_float_fcollect: _TeamCopy[_F32]
shmem_double_fcollect: _TeamCopy[_F64]
shmem_longdouble_fcollect: _TeamCopy[_LongDouble]
shmem_char_fcollect: _TeamCopy[_I8]
shmem_schar_fcollect: _TeamCopy[_I8]
shmem_short_fcollect: _TeamCopy[_I16]
shmem_int_fcollect: _TeamCopy[_I32]
shmem_long_fcollect: _TeamCopy[_I64]
shmem_longlong_fcollect: _TeamCopy[_I64]
shmem_uchar_fcollect: _TeamCopy[_U8]
shmem_ushort_fcollect: _TeamCopy[_U16]
shmem_uint_fcollect: _TeamCopy[_U32]
shmem_ulong_fcollect: _TeamCopy[_U64]
shmem_ulonglong_fcollect: _TeamCopy[_U64]
shmem_int8_fcollect: _TeamCopy[_I8]
shmem_int16_fcollect: _TeamCopy[_I16]
shmem_int32_fcollect: _TeamCopy[_I32]
shmem_int64_fcollect: _TeamCopy[_I64]
shmem_uint8_fcollect: _TeamCopy[_U8]
shmem_uint16_fcollect: _TeamCopy[_U16]
shmem_uint32_fcollect: _TeamCopy[_U32]
shmem_uint64_fcollect: _TeamCopy[_U64]
shmem_size_fcollect: _TeamCopy[_U64]
shmem_ptrdiff_fcollect: _TeamCopy[_I64]
shmem_fcollect: _TeamCopy[Any]
shmem_float_alltoall: _TeamCopy[_F32]
shmem_double_alltoall: _TeamCopy[_F64]
shmem_longdouble_alltoall: _TeamCopy[_LongDouble]
shmem_char_alltoall: _TeamCopy[_I8]
shmem_schar_alltoall: _TeamCopy[_I8]
shmem_short_alltoall: _TeamCopy[_I16]
shmem_int_alltoall: _TeamCopy[_I32]
shmem_long_alltoall: _TeamCopy[_I64]
shmem_longlong_alltoall: _TeamCopy[_I64]
shmem_uchar_alltoall: _TeamCopy[_U8]
shmem_ushort_alltoall: _TeamCopy[_U16]
shmem_uint_alltoall: _TeamCopy[_U32]
shmem_ulong_alltoall: _TeamCopy[_U64]
shmem_ulonglong_alltoall: _TeamCopy[_U64]
shmem_int8_alltoall: _TeamCopy[_I8]
shmem_int16_alltoall: _TeamCopy[_I16]
shmem_int32_alltoall: _TeamCopy[_I32]
shmem_int64_alltoall: _TeamCopy[_I64]
shmem_uint8_alltoall: _TeamCopy[_U8]
shmem_uint16_alltoall: _TeamCopy[_U16]
shmem_uint32_alltoall: _TeamCopy[_U32]
shmem_uint64_alltoall: _TeamCopy[_U64]
shmem_size_alltoall: _TeamCopy[_U64]
shmem_ptrdiff_alltoall: _TeamCopy[_I64]
shmem_alltoall: _TeamCopy[Any]
shmem_float_alltoalls: _TeamStridedExchange[_F32]
shmem_double_alltoalls: _TeamStridedExchange[_F64]
shmem_longdouble_alltoalls: _TeamStridedExchange[_LongDouble]
shmem_char_alltoalls: _TeamStridedExchange[_I8]
shmem_schar_alltoalls: _TeamStridedExchange[_I8]
shmem_short_alltoalls: _TeamStridedExchange[_I16]
shmem_int_alltoalls: _TeamStridedExchange[_I32]
shmem_long_alltoalls: _TeamStridedExchange[_I64]
shmem_longlong_alltoalls: _TeamStridedExchange[_I64]
shmem_uchar_alltoalls: _TeamStridedExchange[_U8]
shmem_ushort_alltoalls: _TeamStridedExchange[_U16]
shmem_uint_alltoalls: _TeamStridedExchange[_U32]
shmem_ulong_alltoalls: _TeamStridedExchange[_U64]
shmem_ulonglong_alltoalls: _TeamStridedExchange[_U64]
shmem_int8_alltoalls: _TeamStridedExchange[_I8]
shmem_int16_alltoalls: _TeamStridedExchange[_I16]
shmem_int32_alltoalls: _TeamStridedExchange[_I32]
shmem_int64_alltoalls: _TeamStridedExchange[_I64]
shmem_uint8_alltoalls: _TeamStridedExchange[_U8]
shmem_uint16_alltoalls: _TeamStridedExchange[_U16]
shmem_uint32_alltoalls: _TeamStridedExchange[_U32]
shmem_uint64_alltoalls: _TeamStridedExchange[_U64]
shmem_size_alltoalls: _TeamStridedExchange[_U64]
shmem_ptrdiff_alltoalls: _TeamStridedExchange[_I64]
shmem_alltoalls: _TeamStridedExchange[Any]
shmem_broadcastmem: _TeamBroadcast[Any]
shmem_collectmem: _TeamCollect[Any]
shmem_fcollectmem: _TeamCopy[Any]
shmem_alltoallmem: _TeamCopy[Any]
shmem_alltoallsmem: _TeamStridedExchange[Any]

# Define reductions on active sets (OpenSHMEM 1.4, section 9.8.8; man page shmem_sum(3)).

shmem_short_and_to_all: _ToAll[_I16]
shmem_short_or_to_all: _ToAll[_I16]
shmem_short_xor_to_all: _ToAll[_I16]
shmem_short_max_to_all: _ToAll[_I16]
shmem_short_min_to_all: _ToAll[_I16]
shmem_short_sum_to_all: _ToAll[_I16]
shmem_short_prod_to_all: _ToAll[_I16]
shmem_int_and_to_all: _ToAll[_I32]
shmem_int_or_to_all: _ToAll[_I32]
shmem_int_xor_to_all: _ToAll[_I32]
shmem_int_max_to_all: _ToAll[_I32]
shmem_int_min_to_all: _ToAll[_I32]
shmem_int_sum_to_all: _ToAll[_I32]
shmem_int_prod_to_all: _ToAll[_I32]
shmem_long_and_to_all: _ToAll[_I64]
shmem_long_or_to_all: _ToAll[_I64]
shmem_long_xor_to_all: _ToAll[_I64]
shmem_long_max_to_all: _ToAll[_I64]
shmem_long_min_to_all: _ToAll[_I64]
shmem_long_sum_to_all: _ToAll[_I64]
shmem_long_prod_to_all: _ToAll[_I64]
shmem_longlong_and_to_all: _ToAll[_I64]
shmem_longlong_or_to_all: _ToAll[_I64]
shmem_longlong_xor_to_all: _ToAll[_I64]
shmem_longlong_max_to_all: _ToAll[_I64]
shmem_longlong_min_to_all: _ToAll[_I64]
shmem_longlong_sum_to_all: _ToAll[_I64]
shmem_longlong_prod_to_all: _ToAll[_I64]
shmem_float_max_to_all: _ToAll[_F32]
shmem_float_min_to_all: _ToAll[_F32]
shmem_float_sum_to_all: _ToAll[_F32]
shmem_float_prod_to_all: _ToAll[_F32]
shmem_double_max_to_all: _ToAll[_F64]
shmem_double_min_to_all: _ToAll[_F64]
shmem_double_sum_to_all: _ToAll[_F64]
shmem_double_prod_to_all: _ToAll[_F64]
shmem_longdouble_max_to_all: _ToAll[_LongDouble]
shmem_longdouble_min_to_all: _ToAll[_LongDouble]
shmem_longdouble_sum_to_all: _ToAll[_LongDouble]
shmem_longdouble_prod_to_all: _ToAll[_LongDouble]
shmem_complexf_sum_to_all: _ToAll[_C64]
shmem_complexf_prod_to_all: _ToAll[_C64]
shmem_complexd_sum_to_all: _ToAll[_C128]
shmem_complexd_prod_to_all: _ToAll[_C128]
shmem_int2_and_to_all: _ToAll[_I16]
shmem_int2_or_to_all: _ToAll[_I16]
shmem_int2_xor_to_all: _ToAll[_I16]
shmem_int2_max_to_all: _ToAll[_I16]
shmem_int2_min_to_all: _ToAll[_I16]
shmem_int2_sum_to_all: _ToAll[_I16]
shmem_int2_prod_to_all: _ToAll[_I16]
shmem_int4_and_to_all: _ToAll[_I32]
shmem_int4_or_to_all: _ToAll[_I32]
shmem_int4_xor_to_all: _ToAll[_I32]
shmem_int4_max_to_all: _ToAll[_I32]
shmem_int4_min_to_all: _ToAll[_I32]
shmem_int4_sum_to_all: _ToAll[_I32]
shmem_int4_prod_to_all: _ToAll[_I32]
shmem_int8_and_to_all: _ToAll[_I64]
shmem_int8_or_to_all: _ToAll[_I64]
shmem_int8_xor_to_all: _ToAll[_I64]
shmem_int8_max_to_all: _ToAll[_I64]
shmem_int8_min_to_all: _ToAll[_I64]
shmem_int8_sum_to_all: _ToAll[_I64]
shmem_int8_prod_to_all: _ToAll[_I64]
shmem_real4_max_to_all: _ToAll[_F32]
shmem_real4_min_to_all: _ToAll[_F32]
shmem_real4_sum_to_all: _ToAll[_F32]
shmem_real4_prod_to_all: _ToAll[_F32]
shmem_real8_max_to_all: _ToAll[_F64]
shmem_real8_min_to_all: _ToAll[_F64]
shmem_real8_sum_to_all: _ToAll[_F64]
shmem_real8_prod_to_all: _ToAll[_F64]
shmem_real16_max_to_all: _ToAll[_LongDouble]
shmem_real16_min_to_all: _ToAll[_LongDouble]
shmem_real16_sum_to_all: _ToAll[_LongDouble]
shmem_real16_prod_to_all: _ToAll[_LongDouble]
shmem_comp4_sum_to_all: _ToAll[_C64]
shmem_comp4_prod_to_all: _ToAll[_C64]
shmem_comp8_sum_to_all: _ToAll[_C128]
shmem_comp8_prod_to_all: _ToAll[_C128]
shmemx_int16_and_to_all: _ToAll[_I16]
shmemx_int16_or_to_all: _ToAll[_I16]
shmemx_int16_xor_to_all: _ToAll[_I16]
shmemx_int16_max_to_all: _ToAll[_I16]
shmemx_int16_min_to_all: _ToAll[_I16]
shmemx_int16_sum_to_all: _ToAll[_I16]
shmemx_int16_prod_to_all: _ToAll[_I16]
shmemx_int32_and_to_all: _ToAll[_I32]
shmemx_int32_or_to_all: _ToAll[_I32]
shmemx_int32_xor_to_all: _ToAll[_I32]
shmemx_int32_max_to_all: _ToAll[_I32]
shmemx_int32_min_to_all: _ToAll[_I32]
shmemx_int32_sum_to_all: _ToAll[_I32]
shmemx_int32_prod_to_all: _ToAll[_I32]
shmemx_int64_and_to_all: _ToAll[_I64]
shmemx_int64_or_to_all: _ToAll[_I64]
shmemx_int64_xor_to_all: _ToAll[_I64]
shmemx_int64_max_to_all: _ToAll[_I64]
shmemx_int64_min_to_all: _ToAll[_I64]
shmemx_int64_sum_to_all: _ToAll[_I64]
shmemx_int64_prod_to_all: _ToAll[_I64]

# Define reductions and scans on teams (OpenSHMEM 1.5, section 9.10.7; scans are from 1.6).

shmem_uchar_and_reduce: _TeamReduction[_U8]
shmem_ushort_and_reduce: _TeamReduction[_U16]
shmem_uint_and_reduce: _TeamReduction[_U32]
shmem_ulong_and_reduce: _TeamReduction[_U64]
shmem_ulonglong_and_reduce: _TeamReduction[_U64]
shmem_int8_and_reduce: _TeamReduction[_I8]
shmem_int16_and_reduce: _TeamReduction[_I16]
shmem_int32_and_reduce: _TeamReduction[_I32]
shmem_int64_and_reduce: _TeamReduction[_I64]
shmem_uint8_and_reduce: _TeamReduction[_U8]
shmem_uint16_and_reduce: _TeamReduction[_U16]
shmem_uint32_and_reduce: _TeamReduction[_U32]
shmem_uint64_and_reduce: _TeamReduction[_U64]
shmem_size_and_reduce: _TeamReduction[_U64]
shmem_short_and_reduce: _TeamReduction[_I16]
shmem_int_and_reduce: _TeamReduction[_I32]
shmem_long_and_reduce: _TeamReduction[_I64]
shmem_longlong_and_reduce: _TeamReduction[_I64]
shmem_and_reduce: _TeamReduction[Any]
shmem_uchar_or_reduce: _TeamReduction[_U8]
shmem_ushort_or_reduce: _TeamReduction[_U16]
shmem_uint_or_reduce: _TeamReduction[_U32]
shmem_ulong_or_reduce: _TeamReduction[_U64]
shmem_ulonglong_or_reduce: _TeamReduction[_U64]
shmem_int8_or_reduce: _TeamReduction[_I8]
shmem_int16_or_reduce: _TeamReduction[_I16]
shmem_int32_or_reduce: _TeamReduction[_I32]
shmem_int64_or_reduce: _TeamReduction[_I64]
shmem_uint8_or_reduce: _TeamReduction[_U8]
shmem_uint16_or_reduce: _TeamReduction[_U16]
shmem_uint32_or_reduce: _TeamReduction[_U32]
shmem_uint64_or_reduce: _TeamReduction[_U64]
shmem_size_or_reduce: _TeamReduction[_U64]
shmem_short_or_reduce: _TeamReduction[_I16]
shmem_int_or_reduce: _TeamReduction[_I32]
shmem_long_or_reduce: _TeamReduction[_I64]
shmem_longlong_or_reduce: _TeamReduction[_I64]
shmem_or_reduce: _TeamReduction[Any]
shmem_uchar_xor_reduce: _TeamReduction[_U8]
shmem_ushort_xor_reduce: _TeamReduction[_U16]
shmem_uint_xor_reduce: _TeamReduction[_U32]
shmem_ulong_xor_reduce: _TeamReduction[_U64]
shmem_ulonglong_xor_reduce: _TeamReduction[_U64]
shmem_int8_xor_reduce: _TeamReduction[_I8]
shmem_int16_xor_reduce: _TeamReduction[_I16]
shmem_int32_xor_reduce: _TeamReduction[_I32]
shmem_int64_xor_reduce: _TeamReduction[_I64]
shmem_uint8_xor_reduce: _TeamReduction[_U8]
shmem_uint16_xor_reduce: _TeamReduction[_U16]
shmem_uint32_xor_reduce: _TeamReduction[_U32]
shmem_uint64_xor_reduce: _TeamReduction[_U64]
shmem_size_xor_reduce: _TeamReduction[_U64]
shmem_short_xor_reduce: _TeamReduction[_I16]
shmem_int_xor_reduce: _TeamReduction[_I32]
shmem_long_xor_reduce: _TeamReduction[_I64]
shmem_longlong_xor_reduce: _TeamReduction[_I64]
shmem_xor_reduce: _TeamReduction[Any]
shmem_char_max_reduce: _TeamReduction[_I8]
shmem_schar_max_reduce: _TeamReduction[_I8]
shmem_short_max_reduce: _TeamReduction[_I16]
shmem_int_max_reduce: _TeamReduction[_I32]
shmem_long_max_reduce: _TeamReduction[_I64]
shmem_longlong_max_reduce: _TeamReduction[_I64]
shmem_ptrdiff_max_reduce: _TeamReduction[_I64]
shmem_uchar_max_reduce: _TeamReduction[_U8]
shmem_ushort_max_reduce: _TeamReduction[_U16]
shmem_uint_max_reduce: _TeamReduction[_U32]
shmem_ulong_max_reduce: _TeamReduction[_U64]
shmem_ulonglong_max_reduce: _TeamReduction[_U64]
shmem_int8_max_reduce: _TeamReduction[_I8]
shmem_int16_max_reduce: _TeamReduction[_I16]
shmem_int32_max_reduce: _TeamReduction[_I32]
shmem_int64_max_reduce: _TeamReduction[_I64]
shmem_uint8_max_reduce: _TeamReduction[_U8]
shmem_uint16_max_reduce: _TeamReduction[_U16]
shmem_uint32_max_reduce: _TeamReduction[_U32]
shmem_uint64_max_reduce: _TeamReduction[_U64]
shmem_size_max_reduce: _TeamReduction[_U64]
shmem_float_max_reduce: _TeamReduction[_F32]
shmem_double_max_reduce: _TeamReduction[_F64]
shmem_longdouble_max_reduce: _TeamReduction[_LongDouble]
shmem_max_reduce: _TeamReduction[Any]
shmem_char_min_reduce: _TeamReduction[_I8]
shmem_schar_min_reduce: _TeamReduction[_I8]
shmem_short_min_reduce: _TeamReduction[_I16]
shmem_int_min_reduce: _TeamReduction[_I32]
shmem_long_min_reduce: _TeamReduction[_I64]
shmem_longlong_min_reduce: _TeamReduction[_I64]
shmem_ptrdiff_min_reduce: _TeamReduction[_I64]
shmem_uchar_min_reduce: _TeamReduction[_U8]
shmem_ushort_min_reduce: _TeamReduction[_U16]
shmem_uint_min_reduce: _TeamReduction[_U32]
shmem_ulong_min_reduce: _TeamReduction[_U64]
shmem_ulonglong_min_reduce: _TeamReduction[_U64]
shmem_int8_min_reduce: _TeamReduction[_I8]
shmem_int16_min_reduce: _TeamReduction[_I16]
shmem_int32_min_reduce: _TeamReduction[_I32]
shmem_int64_min_reduce: _TeamReduction[_I64]
shmem_uint8_min_reduce: _TeamReduction[_U8]
shmem_uint16_min_reduce: _TeamReduction[_U16]
shmem_uint32_min_reduce: _TeamReduction[_U32]
shmem_uint64_min_reduce: _TeamReduction[_U64]
shmem_size_min_reduce: _TeamReduction[_U64]
shmem_float_min_reduce: _TeamReduction[_F32]
shmem_double_min_reduce: _TeamReduction[_F64]
shmem_longdouble_min_reduce: _TeamReduction[_LongDouble]
shmem_min_reduce: _TeamReduction[Any]
shmem_char_sum_reduce: _TeamReduction[_I8]
shmem_schar_sum_reduce: _TeamReduction[_I8]
shmem_short_sum_reduce: _TeamReduction[_I16]
shmem_int_sum_reduce: _TeamReduction[_I32]
shmem_long_sum_reduce: _TeamReduction[_I64]
shmem_longlong_sum_reduce: _TeamReduction[_I64]
shmem_ptrdiff_sum_reduce: _TeamReduction[_I64]
shmem_uchar_sum_reduce: _TeamReduction[_U8]
shmem_ushort_sum_reduce: _TeamReduction[_U16]
shmem_uint_sum_reduce: _TeamReduction[_U32]
shmem_ulong_sum_reduce: _TeamReduction[_U64]
shmem_ulonglong_sum_reduce: _TeamReduction[_U64]
shmem_int8_sum_reduce: _TeamReduction[_I8]
shmem_int16_sum_reduce: _TeamReduction[_I16]
shmem_int32_sum_reduce: _TeamReduction[_I32]
shmem_int64_sum_reduce: _TeamReduction[_I64]
shmem_uint8_sum_reduce: _TeamReduction[_U8]
shmem_uint16_sum_reduce: _TeamReduction[_U16]
shmem_uint32_sum_reduce: _TeamReduction[_U32]
shmem_uint64_sum_reduce: _TeamReduction[_U64]
shmem_size_sum_reduce: _TeamReduction[_U64]
shmem_float_sum_reduce: _TeamReduction[_F32]
shmem_double_sum_reduce: _TeamReduction[_F64]
shmem_longdouble_sum_reduce: _TeamReduction[_LongDouble]
shmem_complexf_sum_reduce: _TeamReduction[_C64]
shmem_complexd_sum_reduce: _TeamReduction[_C128]
shmem_sum_reduce: _TeamReduction[Any]
shmem_char_prod_reduce: _TeamReduction[_I8]
shmem_schar_prod_reduce: _TeamReduction[_I8]
shmem_short_prod_reduce: _TeamReduction[_I16]
shmem_int_prod_reduce: _TeamReduction[_I32]
shmem_long_prod_reduce: _TeamReduction[_I64]
shmem_longlong_prod_reduce: _TeamReduction[_I64]
shmem_ptrdiff_prod_reduce: _TeamReduction[_I64]
shmem_uchar_prod_reduce: _TeamReduction[_U8]
shmem_ushort_prod_reduce: _TeamReduction[_U16]
shmem_uint_prod_reduce: _TeamReduction[_U32]
shmem_ulong_prod_reduce: _TeamReduction[_U64]
shmem_ulonglong_prod_reduce: _TeamReduction[_U64]
shmem_int8_prod_reduce: _TeamReduction[_I8]
shmem_int16_prod_reduce: _TeamReduction[_I16]
shmem_int32_prod_reduce: _TeamReduction[_I32]
shmem_int64_prod_reduce: _TeamReduction[_I64]
shmem_uint8_prod_reduce: _TeamReduction[_U8]
shmem_uint16_prod_reduce: _TeamReduction[_U16]
shmem_uint32_prod_reduce: _TeamReduction[_U32]
shmem_uint64_prod_reduce: _TeamReduction[_U64]
shmem_size_prod_reduce: _TeamReduction[_U64]
shmem_float_prod_reduce: _TeamReduction[_F32]
shmem_double_prod_reduce: _TeamReduction[_F64]
shmem_longdouble_prod_reduce: _TeamReduction[_LongDouble]
shmem_complexf_prod_reduce: _TeamReduction[_C64]
shmem_complexd_prod_reduce: _TeamReduction[_C128]
shmem_prod_reduce: _TeamReduction[Any]
shmem_char_sum_inscan: _TeamReduction[_I8]
shmem_schar_sum_inscan: _TeamReduction[_I8]
shmem_short_sum_inscan: _TeamReduction[_I16]
shmem_int_sum_inscan: _TeamReduction[_I32]
shmem_long_sum_inscan: _TeamReduction[_I64]
shmem_longlong_sum_inscan: _TeamReduction[_I64]
shmem_ptrdiff_sum_inscan: _TeamReduction[_I64]
shmem_uchar_sum_inscan: _TeamReduction[_U8]
shmem_ushort_sum_inscan: _TeamReduction[_U16]
shmem_uint_sum_inscan: _TeamReduction[_U32]
shmem_ulong_sum_inscan: _TeamReduction[_U64]
shmem_ulonglong_sum_inscan: _TeamReduction[_U64]
shmem_int8_sum_inscan: _TeamReduction[_I8]
shmem_int16_sum_inscan: _TeamReduction[_I16]
shmem_int32_sum_inscan: _TeamReduction[_I32]
shmem_int64_sum_inscan: _TeamReduction[_I64]
shmem_uint8_sum_inscan: _TeamReduction[_U8]
shmem_uint16_sum_inscan: _TeamReduction[_U16]
shmem_uint32_sum_inscan: _TeamReduction[_U32]
shmem_uint64_sum_inscan: _TeamReduction[_U64]
shmem_size_sum_inscan: _TeamReduction[_U64]
shmem_float_sum_inscan: _TeamReduction[_F32]
shmem_double_sum_inscan: _TeamReduction[_F64]
shmem_longdouble_sum_inscan: _TeamReduction[_LongDouble]
shmem_complexf_sum_inscan: _TeamReduction[_C64]
shmem_complexd_sum_inscan: _TeamReduction[_C128]
shmem_sum_inscan: _TeamReduction[Any]
shmem_char_sum_exscan: _TeamReduction[_I8]
shmem_schar_sum_exscan: _TeamReduction[_I8]
shmem_short_sum_exscan: _TeamReduction[_I16]
shmem_int_sum_exscan: _TeamReduction[_I32]
shmem_long_sum_exscan: _TeamReduction[_I64]
shmem_longlong_sum_exscan: _TeamReduction[_I64]
shmem_ptrdiff_sum_exscan: _TeamReduction[_I64]
shmem_uchar_sum_exscan: _TeamReduction[_U8]
shmem_ushort_sum_exscan: _TeamReduction[_U16]
shmem_uint_sum_exscan: _TeamReduction[_U32]
shmem_ulong_sum_exscan: _TeamReduction[_U64]
shmem_ulonglong_sum_exscan: _TeamReduction[_U64]
shmem_int8_sum_exscan: _TeamReduction[_I8]
shmem_int16_sum_exscan: _TeamReduction[_I16]
shmem_int32_sum_exscan: _TeamReduction[_I32]
shmem_int64_sum_exscan: _TeamReduction[_I64]
shmem_uint8_sum_exscan: _TeamReduction[_U8]
shmem_uint16_sum_exscan: _TeamReduction[_U16]
shmem_uint32_sum_exscan: _TeamReduction[_U32]
shmem_uint64_sum_exscan: _TeamReduction[_U64]
shmem_size_sum_exscan: _TeamReduction[_U64]
shmem_float_sum_exscan: _TeamReduction[_F32]
shmem_double_sum_exscan: _TeamReduction[_F64]
shmem_longdouble_sum_exscan: _TeamReduction[_LongDouble]
shmem_complexf_sum_exscan: _TeamReduction[_C64]
shmem_complexd_sum_exscan: _TeamReduction[_C128]
shmem_sum_exscan: _TeamReduction[Any]

# Define puts that set a signal after their data (OpenSHMEM 1.5, section 9.11).

shmem_float_put_signal: _PutSignal[_F32]
shmem_double_put_signal: _PutSignal[_F64]
shmem_longdouble_put_signal: _PutSignal[_LongDouble]
shmem_char_put_signal: _PutSignal[_I8]
shmem_schar_put_signal: _PutSignal[_I8]
shmem_short_put_signal: _PutSignal[_I16]
shmem_int_put_signal: _PutSignal[_I32]
shmem_long_put_signal: _PutSignal[_I64]
shmem_longlong_put_signal: _PutSignal[_I64]
shmem_uchar_put_signal: _PutSignal[_U8]
shmem_ushort_put_signal: _PutSignal[_U16]
shmem_uint_put_signal: _PutSignal[_U32]
shmem_ulong_put_signal: _PutSignal[_U64]
shmem_ulonglong_put_signal: _PutSignal[_U64]
shmem_int8_put_signal: _PutSignal[_I8]
shmem_int16_put_signal: _PutSignal[_I16]
shmem_int32_put_signal: _PutSignal[_I32]
shmem_int64_put_signal: _PutSignal[_I64]
shmem_uint8_put_signal: _PutSignal[_U8]
shmem_uint16_put_signal: _PutSignal[_U16]
shmem_uint32_put_signal: _PutSignal[_U32]
shmem_uint64_put_signal: _PutSignal[_U64]
shmem_size_put_signal: _PutSignal[_U64]
shmem_ptrdiff_put_signal: _PutSignal[_I64]
shmem_put_signal: _PutSignal[Any]
shmem_put8_signal: _PutSignal[Any]
shmem_put16_signal: _PutSignal[Any]
shmem_put32_signal: _PutSignal[Any]
shmem_put64_signal: _PutSignal[Any]
shmem_put128_signal: _PutSignal[Any]
shmem_putmem_signal: _PutSignal[Any]
shmem_float_put_signal_nbi: _PutSignal[_F32]
shmem_double_put_signal_nbi: _PutSignal[_F64]
shmem_longdouble_put_signal_nbi: _PutSignal[_LongDouble]
shmem_char_put_signal_nbi: _PutSignal[_I8]
shmem_schar_put_signal_nbi: _PutSignal[_I8]
shmem_short_put_signal_nbi: _PutSignal[_I16]
shmem_int_put_signal_nbi: _PutSignal[_I32]
shmem_long_put_signal_nbi: _PutSignal[_I64]
shmem_longlong_put_signal_nbi: _PutSignal[_I64]
shmem_uchar_put_signal_nbi: _PutSignal[_U8]
shmem_ushort_put_signal_nbi: _PutSignal[_U16]
shmem_uint_put_signal_nbi: _PutSignal[_U32]
shmem_ulong_put_signal_nbi: _PutSignal[_U64]
shmem_ulonglong_put_signal_nbi: _PutSignal[_U64]
shmem_int8_put_signal_nbi: _PutSignal[_I8]
shmem_int16_put_signal_nbi: _PutSignal[_I16]
shmem_int32_put_signal_nbi: _PutSignal[_I32]
shmem_int64_put_signal_nbi: _PutSignal[_I64]
shmem_uint8_put_signal_nbi: _PutSignal[_U8]
shmem_uint16_put_signal_nbi: _PutSignal[_U16]
shmem_uint32_put_signal_nbi: _PutSignal[_U32]
shmem_uint64_put_signal_nbi: _PutSignal[_U64]
shmem_size_put_signal_nbi: _PutSignal[_U64]
shmem_ptrdiff_put_signal_nbi: _PutSignal[_I64]
shmem_put_signal_nbi: _PutSignal[Any]
shmem_put8_signal_nbi: _PutSignal[Any]
shmem_put16_signal_nbi: _PutSignal[Any]
shmem_put32_signal_nbi: _PutSignal[Any]
shmem_put64_signal_nbi: _PutSignal[Any]
shmem_put128_signal_nbi: _PutSignal[Any]
shmem_putmem_signal_nbi: _PutSignal[Any]
shmem_signal_set: _Signal
shmem_signal_add: _Signal

# Define waits for a value, and memory ordering (OpenSHMEM 1.5, sections 9.12 and 9.13).

shmem_short_wait_until: _Compare[_I16, None]
shmem_int_wait_until: _Compare[_I32, None]
shmem_long_wait_until: _Compare[_I64, None]
shmem_longlong_wait_until: _Compare[_I64, None]
shmem_ushort_wait_until: _Compare[_U16, None]
shmem_uint_wait_until: _Compare[_U32, None]
shmem_ulong_wait_until: _Compare[_U64, None]
shmem_ulonglong_wait_until: _Compare[_U64, None]
shmem_int32_wait_until: _Compare[_I32, None]
shmem_int64_wait_until: _Compare[_I64, None]
shmem_uint32_wait_until: _Compare[_U32, None]
shmem_uint64_wait_until: _Compare[_U64, None]
shmem_size_wait_until: _Compare[_U64, None]
shmem_ptrdiff_wait_until: _Compare[_I64, None]
shmem_wait_until: _Compare[Any, None]
shmem_short_test: _Compare[_I16, bool]
shmem_int_test: _Compare[_I32, bool]
shmem_long_test: _Compare[_I64, bool]
shmem_longlong_test: _Compare[_I64, bool]
shmem_ushort_test: _Compare[_U16, bool]
shmem_uint_test: _Compare[_U32, bool]
shmem_ulong_test: _Compare[_U64, bool]
shmem_ulonglong_test: _Compare[_U64, bool]
shmem_int32_test: _Compare[_I32, bool]
shmem_int64_test: _Compare[_I64, bool]
shmem_uint32_test: _Compare[_U32, bool]
shmem_uint64_test: _Compare[_U64, bool]
shmem_size_test: _Compare[_U64, bool]
shmem_ptrdiff_test: _Compare[_I64, bool]
shmem_test: _Compare[Any, bool]
shmem_short_wait: _Wait[_I16]
shmem_int_wait: _Wait[_I32]
shmem_long_wait: _Wait[_I64]
shmem_longlong_wait: _Wait[_I64]
shmem_wait: _Wait[_I64]

# Define waits for several values, and tests of several values (OpenSHMEM 1.5, 9.12.2 to 9.12.13).

shmem_int_wait_until_all: _CompareMany[_I32, None]
shmem_long_wait_until_all: _CompareMany[_I64, None]
shmem_longlong_wait_until_all: _CompareMany[_I64, None]
shmem_uint_wait_until_all: _CompareMany[_U32, None]
shmem_ulong_wait_until_all: _CompareMany[_U64, None]
shmem_ulonglong_wait_until_all: _CompareMany[_U64, None]
shmem_int32_wait_until_all: _CompareMany[_I32, None]
shmem_int64_wait_until_all: _CompareMany[_I64, None]
shmem_uint32_wait_until_all: _CompareMany[_U32, None]
shmem_uint64_wait_until_all: _CompareMany[_U64, None]
shmem_size_wait_until_all: _CompareMany[_U64, None]
shmem_ptrdiff_wait_until_all: _CompareMany[_I64, None]
shmem_wait_until_all: _CompareMany[Any, None]
shmem_int_wait_until_all_vector: _CompareEach[_I32, None]
shmem_long_wait_until_all_vector: _CompareEach[_I64, None]
shmem_longlong_wait_until_all_vector: _CompareEach[_I64, None]
shmem_uint_wait_until_all_vector: _CompareEach[_U32, None]
shmem_ulong_wait_until_all_vector: _CompareEach[_U64, None]
shmem_ulonglong_wait_until_all_vector: _CompareEach[_U64, None]
shmem_int32_wait_until_all_vector: _CompareEach[_I32, None]
shmem_int64_wait_until_all_vector: _CompareEach[_I64, None]
shmem_uint32_wait_until_all_vector: _CompareEach[_U32, None]
shmem_uint64_wait_until_all_vector: _CompareEach[_U64, None]
shmem_size_wait_until_all_vector: _CompareEach[_U64, None]
shmem_ptrdiff_wait_until_all_vector: _CompareEach[_I64, None]
shmem_wait_until_all_vector: _CompareEach[Any, None]
shmem_int_wait_until_any: _CompareMany[_I32, int]
shmem_long_wait_until_any: _CompareMany[_I64, int]
shmem_longlong_wait_until_any: _CompareMany[_I64, int]
shmem_uint_wait_until_any: _CompareMany[_U32, int]
shmem_ulong_wait_until_any: _CompareMany[_U64, int]
shmem_ulonglong_wait_until_any: _CompareMany[_U64, int]
shmem_int32_wait_until_any: _CompareMany[_I32, int]
shmem_int64_wait_until_any: _CompareMany[_I64, int]
shmem_uint32_wait_until_any: _CompareMany[_U32, int]
shmem_uint64_wait_until_any: _CompareMany[_U64, int]
shmem_size_wait_until_any: _CompareMany[_U64, int]
shmem_ptrdiff_wait_until_any: _CompareMany[_I64, int]
shmem_wait_until_any: _CompareMany[Any, int]
shmem_int_wait_until_any_vector: _CompareEach[_I32, int]
shmem_long_wait_until_any_vector: _CompareEach[_I64, int]
shmem_longlong_wait_until_any_vector: _CompareEach[_I64, int]
shmem_uint_wait_until_any_vector: _CompareEach[_U32, int]
shmem_ulong_wait_until_any_vector: _CompareEach[_U64, int]
shmem_ulonglong_wait_until_any_vector: _CompareEach[_U64, int]
shmem_int32_wait_until_any_vector: _CompareEach[_I32, int]
shmem_int64_wait_until_any_vector: _CompareEach[_I64, int]
shmem_uint32_wait_until_any_vector: _CompareEach[_U32, int]
shmem_uint64_wait_until_any_vector: _CompareEach[_U64, int]
shmem_size_wait_until_any_vector: _CompareEach[_U64, int]
shmem_ptrdiff_wait_until_any_vector: _CompareEach[_I64, int]
shmem_wait_until_any_vector: _CompareEach[Any, int]
shmem_int_wait_until_some: _CompareSome[_I32]
shmem_long_wait_until_some: _CompareSome[_I64]
shmem_longlong_wait_until_some: _CompareSome[_I64]
shmem_uint_wait_until_some: _CompareSome[_U32]
shmem_ulong_wait_until_some: _CompareSome[_U64]
shmem_ulonglong_wait_until_some: _CompareSome[_U64]
shmem_int32_wait_until_some: _CompareSome[_I32]
shmem_int64_wait_until_some: _CompareSome[_I64]
shmem_uint32_wait_until_some: _CompareSome[_U32]
shmem_uint64_wait_until_some: _CompareSome[_U64]
shmem_size_wait_until_some: _CompareSome[_U64]
shmem_ptrdiff_wait_until_some: _CompareSome[_I64]
shmem_wait_until_some: _CompareSome[Any]
shmem_int_wait_until_some_vector: _CompareSomeEach[_I32]
shmem_long_wait_until_some_vector: _CompareSomeEach[_I64]
shmem_longlong_wait_until_some_vector: _CompareSomeEach[_I64]
shmem_uint_wait_until_some_vector: _CompareSomeEach[_U32]
shmem_ulong_wait_until_some_vector: _CompareSomeEach[_U64]
shmem_ulonglong_wait_until_some_vector: _CompareSomeEach[_U64]
shmem_int32_wait_until_some_vector: _CompareSomeEach[_I32]
shmem_int64_wait_until_some_vector: _CompareSomeEach[_I64]
shmem_uint32_wait_until_some_vector: _CompareSomeEach[_U32]
shmem_uint64_wait_until_some_vector: _CompareSomeEach[_U64]
shmem_size_wait_until_some_vector: _CompareSomeEach[_U64]
shmem_ptrdiff_wait_until_some_vector: _CompareSomeEach[_I64]
shmem_wait_until_some_vector: _CompareSomeEach[Any]
shmem_int_test_all: _CompareMany[_I32, bool]
shmem_long_test_all: _CompareMany[_I64, bool]
shmem_longlong_test_all: _CompareMany[_I64, bool]
shmem_uint_test_all: _CompareMany[_U32, bool]
shmem_ulong_test_all: _CompareMany[_U64, bool]
shmem_ulonglong_test_all: _CompareMany[_U64, bool]
shmem_int32_test_all: _CompareMany[_I32, bool]
shmem_int64_test_all: _CompareMany[_I64, bool]
shmem_uint32_test_all: _CompareMany[_U32, bool]
shmem_uint64_test_all: _CompareMany[_U64, bool]
shmem_size_test_all: _CompareMany[_U64, bool]
shmem_ptrdiff_test_all: _CompareMany[_I64, bool]
shmem_test_all: _CompareMany[Any, bool]
shmem_int_test_all_vector: _CompareEach[_I32, bool]
shmem_long_test_all_vector: _CompareEach[_I64, bool]
shmem_longlong_test_all_vector: _CompareEach[_I64, bool]
shmem_uint_test_all_vector: _CompareEach[_U32, bool]
shmem_ulong_test_all_vector: _CompareEach[_U64, bool]
shmem_ulonglong_test_all_vector: _CompareEach[_U64, bool]
shmem_int32_test_all_vector: _CompareEach[_I32, bool]
shmem_int64_test_all_vector: _CompareEach[_I64, bool]
shmem_uint32_test_all_vector: _CompareEach[_U32, bool]
shmem_uint64_test_all_vector: _CompareEach[_U64, bool]
shmem_size_test_all_vector: _CompareEach[_U64, bool]
shmem_ptrdiff_test_all_vector: _CompareEach[_I64, bool]
shmem_test_all_vector: _CompareEach[Any, bool]
shmem_int_test_any: _CompareMany[_I32, int]
shmem_long_test_any: _CompareMany[_I64, int]
shmem_longlong_test_any: _CompareMany[_I64, int]
shmem_uint_test_any: _CompareMany[_U32, int]
shmem_ulong_test_any: _CompareMany[_U64, int]
shmem_ulonglong_test_any: _CompareMany[_U64, int]
shmem_int32_test_any: _CompareMany[_I32, int]
shmem_int64_test_any: _CompareMany[_I64, int]
shmem_uint32_test_any: _CompareMany[_U32, int]
shmem_uint64_test_any: _CompareMany[_U64, int]
shmem_size_test_any: _CompareMany[_U64, int]
shmem_ptrdiff_test_any: _CompareMany[_I64, int]
shmem_test_any: _CompareMany[Any, int]
shmem_int_test_any_vector: _CompareEach[_I32, int]
shmem_long_test_any_vector: _CompareEach[_I64, int]
shmem_longlong_test_any_vector: _CompareEach[_I64, int]
shmem_uint_test_any_vector: _CompareEach[_U32, int]
shmem_ulong_test_any_vector: _CompareEach[_U64, int]
shmem_ulonglong_test_any_vector: _CompareEach[_U64, int]
shmem_int32_test_any_vector: _CompareEach[_I32, int]
shmem_int64_test_any_vector: _CompareEach[_I64, int]
shmem_uint32_test_any_vector: _CompareEach[_U32, int]
shmem_uint64_test_any_vector: _CompareEach[_U64, int]
shmem_size_test_any_vector: _CompareEach[_U64, int]
shmem_ptrdiff_test_any_vector: _CompareEach[_I64, int]
shmem_test_any_vector: _CompareEach[Any, int]
shmem_int_test_some: _CompareSome[_I32]
shmem_long_test_some: _CompareSome[_I64]
shmem_longlong_test_some: _CompareSome[_I64]
shmem_uint_test_some: _CompareSome[_U32]
shmem_ulong_test_some: _CompareSome[_U64]
shmem_ulonglong_test_some: _CompareSome[_U64]
shmem_int32_test_some: _CompareSome[_I32]
shmem_int64_test_some: _CompareSome[_I64]
shmem_uint32_test_some: _CompareSome[_U32]
shmem_uint64_test_some: _CompareSome[_U64]
shmem_size_test_some: _CompareSome[_U64]
shmem_ptrdiff_test_some: _CompareSome[_I64]
shmem_test_some: _CompareSome[Any]
shmem_int_test_some_vector: _CompareSomeEach[_I32]
shmem_long_test_some_vector: _CompareSomeEach[_I64]
shmem_longlong_test_some_vector: _CompareSomeEach[_I64]
shmem_uint_test_some_vector: _CompareSomeEach[_U32]
shmem_ulong_test_some_vector: _CompareSomeEach[_U64]
shmem_ulonglong_test_some_vector: _CompareSomeEach[_U64]
shmem_int32_test_some_vector: _CompareSomeEach[_I32]
shmem_int64_test_some_vector: _CompareSomeEach[_I64]
shmem_uint32_test_some_vector: _CompareSomeEach[_U32]
shmem_uint64_test_some_vector: _CompareSomeEach[_U64]
shmem_size_test_some_vector: _CompareSomeEach[_U64]
shmem_ptrdiff_test_some_vector: _CompareSomeEach[_I64]
shmem_test_some_vector: _CompareSomeEach[Any]

# Define communication contexts (OpenSHMEM 1.5, section 9.5), and all routines that take them.

shmem_ctx_float_put: _CtxCopy[_F32]
shmem_ctx_double_put: _CtxCopy[_F64]
shmem_ctx_longdouble_put: _CtxCopy[_LongDouble]
shmem_ctx_char_put: _CtxCopy[_I8]
shmem_ctx_schar_put: _CtxCopy[_I8]
shmem_ctx_short_put: _CtxCopy[_I16]
shmem_ctx_int_put: _CtxCopy[_I32]
shmem_ctx_long_put: _CtxCopy[_I64]
shmem_ctx_longlong_put: _CtxCopy[_I64]
shmem_ctx_uchar_put: _CtxCopy[_U8]
shmem_ctx_ushort_put: _CtxCopy[_U16]
shmem_ctx_uint_put: _CtxCopy[_U32]
shmem_ctx_ulong_put: _CtxCopy[_U64]
shmem_ctx_ulonglong_put: _CtxCopy[_U64]
shmem_ctx_int8_put: _CtxCopy[_I8]
shmem_ctx_int16_put: _CtxCopy[_I16]
shmem_ctx_int32_put: _CtxCopy[_I32]
shmem_ctx_int64_put: _CtxCopy[_I64]
shmem_ctx_uint8_put: _CtxCopy[_U8]
shmem_ctx_uint16_put: _CtxCopy[_U16]
shmem_ctx_uint32_put: _CtxCopy[_U32]
shmem_ctx_uint64_put: _CtxCopy[_U64]
shmem_ctx_size_put: _CtxCopy[_U64]
shmem_ctx_ptrdiff_put: _CtxCopy[_I64]
shmem_ctx_put: _CtxCopy[Any]
shmem_ctx_put8: _CtxCopy[Any]
shmem_ctx_put16: _CtxCopy[Any]
shmem_ctx_put32: _CtxCopy[Any]
shmem_ctx_put64: _CtxCopy[Any]
shmem_ctx_put128: _CtxCopy[Any]
shmem_ctx_putmem: _CtxCopy[Any]
shmem_ctx_float_put_nbi: _CtxCopy[_F32]
shmem_ctx_double_put_nbi: _CtxCopy[_F64]
shmem_ctx_longdouble_put_nbi: _CtxCopy[_LongDouble]
shmem_ctx_char_put_nbi: _CtxCopy[_I8]
shmem_ctx_schar_put_nbi: _CtxCopy[_I8]
shmem_ctx_short_put_nbi: _CtxCopy[_I16]
shmem_ctx_int_put_nbi: _CtxCopy[_I32]
shmem_ctx_long_put_nbi: _CtxCopy[_I64]
shmem_ctx_longlong_put_nbi: _CtxCopy[_I64]
shmem_ctx_uchar_put_nbi: _CtxCopy[_U8]
shmem_ctx_ushort_put_nbi: _CtxCopy[_U16]
shmem_ctx_uint_put_nbi: _CtxCopy[_U32]
shmem_ctx_ulong_put_nbi: _CtxCopy[_U64]
shmem_ctx_ulonglong_put_nbi: _CtxCopy[_U64]
shmem_ctx_int8_put_nbi: _CtxCopy[_I8]
shmem_ctx_int16_put_nbi: _CtxCopy[_I16]
shmem_ctx_int32_put_nbi: _CtxCopy[_I32]
shmem_ctx_int64_put_nbi: _CtxCopy[_I64]
shmem_ctx_uint8_put_nbi: _CtxCopy[_U8]
shmem_ctx_uint16_put_nbi: _CtxCopy[_U16]
shmem_ctx_uint32_put_nbi: _CtxCopy[_U32]
shmem_ctx_uint64_put_nbi: _CtxCopy[_U64]
shmem_ctx_size_put_nbi: _CtxCopy[_U64]
shmem_ctx_ptrdiff_put_nbi: _CtxCopy[_I64]
shmem_ctx_put_nbi: _CtxCopy[Any]
shmem_ctx_put8_nbi: _CtxCopy[Any]
shmem_ctx_put16_nbi: _CtxCopy[Any]
shmem_ctx_put32_nbi: _CtxCopy[Any]
shmem_ctx_put64_nbi: _CtxCopy[Any]
shmem_ctx_put128_nbi: _CtxCopy[Any]
shmem_ctx_putmem_nbi: _CtxCopy[Any]
shmem_ctx_float_get: _CtxCopy[_F32]
shmem_ctx_double_get: _CtxCopy[_F64]
shmem_ctx_longdouble_get: _CtxCopy[_LongDouble]
shmem_ctx_char_get: _CtxCopy[_I8]
shmem_ctx_schar_get: _CtxCopy[_I8]
shmem_ctx_short_get: _CtxCopy[_I16]
shmem_ctx_int_get: _CtxCopy[_I32]
shmem_ctx_long_get: _CtxCopy[_I64]
shmem_ctx_longlong_get: _CtxCopy[_I64]
shmem_ctx_uchar_get: _CtxCopy[_U8]
shmem_ctx_ushort_get: _CtxCopy[_U16]
shmem_ctx_uint_get: _CtxCopy[_U32]
shmem_ctx_ulong_get: _CtxCopy[_U64]
shmem_ctx_ulonglong_get: _CtxCopy[_U64]
shmem_ctx_int8_get: _CtxCopy[_I8]
shmem_ctx_int16_get: _CtxCopy[_I16]
shmem_ctx_int32_get: _CtxCopy[_I32]
shmem_ctx_int64_get: _CtxCopy[_I64]
shmem_ctx_uint8_get: _CtxCopy[_U8]
shmem_ctx_uint16_get: _CtxCopy[_U16]
shmem_ctx_uint32_get: _CtxCopy[_U32]
shmem_ctx_uint64_get: _CtxCopy[_U64]
shmem_ctx_size_get: _CtxCopy[_U64]
shmem_ctx_ptrdiff_get: _CtxCopy[_I64]
shmem_ctx_get: _CtxCopy[Any]
shmem_ctx_get8: _CtxCopy[Any]
shmem_ctx_get16: _CtxCopy[Any]
shmem_ctx_get32: _CtxCopy[Any]
shmem_ctx_get64: _CtxCopy[Any]
shmem_ctx_get128: _CtxCopy[Any]
shmem_ctx_getmem: _CtxCopy[Any]
shmem_ctx_float_get_nbi: _CtxCopy[_F32]
shmem_ctx_double_get_nbi: _CtxCopy[_F64]
shmem_ctx_longdouble_get_nbi: _CtxCopy[_LongDouble]
shmem_ctx_char_get_nbi: _CtxCopy[_I8]
shmem_ctx_schar_get_nbi: _CtxCopy[_I8]
shmem_ctx_short_get_nbi: _CtxCopy[_I16]
shmem_ctx_int_get_nbi: _CtxCopy[_I32]
shmem_ctx_long_get_nbi: _CtxCopy[_I64]
shmem_ctx_longlong_get_nbi: _CtxCopy[_I64]
shmem_ctx_uchar_get_nbi: _CtxCopy[_U8]
shmem_ctx_ushort_get_nbi: _CtxCopy[_U16]
shmem_ctx_uint_get_nbi: _CtxCopy[_U32]
shmem_ctx_ulong_get_nbi: _CtxCopy[_U64]
shmem_ctx_ulonglong_get_nbi: _CtxCopy[_U64]
shmem_ctx_int8_get_nbi: _CtxCopy[_I8]
shmem_ctx_int16_get_nbi: _CtxCopy[_I16]
shmem_ctx_int32_get_nbi: _CtxCopy[_I32]
shmem_ctx_int64_get_nbi: _CtxCopy[_I64]
shmem_ctx_uint8_get_nbi: _CtxCopy[_U8]
shmem_ctx_uint16_get_nbi: _CtxCopy[_U16]
shmem_ctx_uint32_get_nbi: _CtxCopy[_U32]
shmem_ctx_uint64_get_nbi: _CtxCopy[_U64]
shmem_ctx_size_get_nbi: _CtxCopy[_U64]
shmem_ctx_ptrdiff_get_nbi: _CtxCopy[_I64]
shmem_ctx_get_nbi: _CtxCopy[Any]
shmem_ctx_get8_nbi: _CtxCopy[Any]
shmem_ctx_get16_nbi: _CtxCopy[Any]
shmem_ctx_get32_nbi: _CtxCopy[Any]
shmem_ctx_get64_nbi: _CtxCopy[Any]
shmem_ctx_get128_nbi: _CtxCopy[Any]
shmem_ctx_getmem_nbi: _CtxCopy[Any]
shmem_ctx_float_p: _CtxUpdate[_F32, float, None]
shmem_ctx_double_p: _CtxUpdate[_F64, float, None]
shmem_ctx_longdouble_p: _CtxUpdate[_LongDouble, np.longdouble, None]
shmem_ctx_char_p: _CtxUpdate[_I8, int, None]
shmem_ctx_schar_p: _CtxUpdate[_I8, int, None]
shmem_ctx_short_p: _CtxUpdate[_I16, int, None]
shmem_ctx_int_p: _CtxUpdate[_I32, int, None]
shmem_ctx_long_p: _CtxUpdate[_I64, int, None]
shmem_ctx_longlong_p: _CtxUpdate[_I64, int, None]
shmem_ctx_uchar_p: _CtxUpdate[_U8, int, None]
shmem_ctx_ushort_p: _CtxUpdate[_U16, int, None]
shmem_ctx_uint_p: _CtxUpdate[_U32, int, None]
shmem_ctx_ulong_p: _CtxUpdate[_U64, int, None]
shmem_ctx_ulonglong_p: _CtxUpdate[_U64, int, None]
shmem_ctx_int8_p: _CtxUpdate[_I8, int, None]
shmem_ctx_int16_p: _CtxUpdate[_I16, int, None]
shmem_ctx_int32_p: _CtxUpdate[_I32, int, None]
shmem_ctx_int64_p: _CtxUpdate[_I64, int, None]
shmem_ctx_uint8_p: _CtxUpdate[_U8, int, None]
shmem_ctx_uint16_p: _CtxUpdate[_U16, int, None]
shmem_ctx_uint32_p: _CtxUpdate[_U32, int, None]
shmem_ctx_uint64_p: _CtxUpdate[_U64, int, None]
shmem_ctx_size_p: _CtxUpdate[_U64, int, None]
shmem_ctx_ptrdiff_p: _CtxUpdate[_I64, int, None]
shmem_ctx_p: _CtxUpdate[Any, float, None]
shmem_ctx_float_g: _CtxFetch[_F32, float]
shmem_ctx_double_g: _CtxFetch[_F64, float]
shmem_ctx_longdouble_g: _CtxFetch[_LongDouble, np.longdouble]
shmem_ctx_char_g: _CtxFetch[_I8, int]
shmem_ctx_schar_g: _CtxFetch[_I8, int]
shmem_ctx_short_g: _CtxFetch[_I16, int]
shmem_ctx_int_g: _CtxFetch[_I32, int]
shmem_ctx_long_g: _CtxFetch[_I64, int]
shmem_ctx_longlong_g: _CtxFetch[_I64, int]
shmem_ctx_uchar_g: _CtxFetch[_U8, int]
shmem_ctx_ushort_g: _CtxFetch[_U16, int]
shmem_ctx_uint_g: _CtxFetch[_U32, int]
shmem_ctx_ulong_g: _CtxFetch[_U64, int]
shmem_ctx_ulonglong_g: _CtxFetch[_U64, int]
shmem_ctx_int8_g: _CtxFetch[_I8, int]
shmem_ctx_int16_g: _CtxFetch[_I16, int]
shmem_ctx_int32_g: _CtxFetch[_I32, int]
shmem_ctx_int64_g: _CtxFetch[_I64, int]
shmem_ctx_uint8_g: _CtxFetch[_U8, int]
shmem_ctx_uint16_g: _CtxFetch[_U16, int]
shmem_ctx_uint32_g: _CtxFetch[_U32, int]
shmem_ctx_uint64_g: _CtxFetch[_U64, int]
shmem_ctx_size_g: _CtxFetch[_U64, int]
shmem_ctx_ptrdiff_g: _CtxFetch[_I64, int]
shmem_ctx_g: _CtxFetch[Any, float]
shmem_ctx_float_iput: _CtxStridedCopy[_F32]
shmem_ctx_double_iput: _CtxStridedCopy[_F64]
shmem_ctx_longdouble_iput: _CtxStridedCopy[_LongDouble]
shmem_ctx_char_iput: _CtxStridedCopy[_I8]
shmem_ctx_schar_iput: _CtxStridedCopy[_I8]
shmem_ctx_short_iput: _CtxStridedCopy[_I16]
shmem_ctx_int_iput: _CtxStridedCopy[_I32]
shmem_ctx_long_iput: _CtxStridedCopy[_I64]
shmem_ctx_longlong_iput: _CtxStridedCopy[_I64]
shmem_ctx_uchar_iput: _CtxStridedCopy[_U8]
shmem_ctx_ushort_iput: _CtxStridedCopy[_U16]
shmem_ctx_uint_iput: _CtxStridedCopy[_U32]
shmem_ctx_ulong_iput: _CtxStridedCopy[_U64]
shmem_ctx_ulonglong_iput: _CtxStridedCopy[_U64]
shmem_ctx_int8_iput: _CtxStridedCopy[_I8]
shmem_ctx_int16_iput: _CtxStridedCopy[_I16]
shmem_ctx_int32_iput: _CtxStridedCopy[_I32]
shmem_ctx_int64_iput: _CtxStridedCopy[_I64]
shmem_ctx_uint8_iput: _CtxStridedCopy[_U8]
shmem_ctx_uint16_iput: _CtxStridedCopy[_U16]
shmem_ctx_uint32_iput: _CtxStridedCopy[_U32]
shmem_ctx_uint64_iput: _CtxStridedCopy[_U64]
shmem_ctx_size_iput: _CtxStridedCopy[_U64]
shmem_ctx_ptrdiff_iput: _CtxStridedCopy[_I64]
shmem_ctx_iput: _CtxStridedCopy[Any]
shmem_ctx_iput8: _CtxStridedCopy[Any]
shmem_ctx_iput16: _CtxStridedCopy[Any]
shmem_ctx_iput32: _CtxStridedCopy[Any]
shmem_ctx_iput64: _CtxStridedCopy[Any]
shmem_ctx_iput128: _CtxStridedCopy[Any]
shmem_ctx_float_iget: _CtxStridedCopy[_F32]
shmem_ctx_double_iget: _CtxStridedCopy[_F64]
shmem_ctx_longdouble_iget: _CtxStridedCopy[_LongDouble]
shmem_ctx_char_iget: _CtxStridedCopy[_I8]
shmem_ctx_schar_iget: _CtxStridedCopy[_I8]
shmem_ctx_short_iget: _CtxStridedCopy[_I16]
shmem_ctx_int_iget: _CtxStridedCopy[_I32]
shmem_ctx_long_iget: _CtxStridedCopy[_I64]
shmem_ctx_longlong_iget: _CtxStridedCopy[_I64]
shmem_ctx_uchar_iget: _CtxStridedCopy[_U8]
shmem_ctx_ushort_iget: _CtxStridedCopy[_U16]
shmem_ctx_uint_iget: _CtxStridedCopy[_U32]
shmem_ctx_ulong_iget: _CtxStridedCopy[_U64]
shmem_ctx_ulonglong_iget: _CtxStridedCopy[_U64]
shmem_ctx_int8_iget: _CtxStridedCopy[_I8]
shmem_ctx_int16_iget: _CtxStridedCopy[_I16]
shmem_ctx_int32_iget: _CtxStridedCopy[_I32]
shmem_ctx_int64_iget: _CtxStridedCopy[_I64]
shmem_ctx_uint8_iget: _CtxStridedCopy[_U8]
shmem_ctx_uint16_iget: _CtxStridedCopy[_U16]
shmem_ctx_uint32_iget: _CtxStridedCopy[_U32]
shmem_ctx_uint64_iget: _CtxStridedCopy[_U64]
shmem_ctx_size_iget: _CtxStridedCopy[_U64]
shmem_ctx_ptrdiff_iget: _CtxStridedCopy[_I64]
shmem_ctx_iget: _CtxStridedCopy[Any]
shmem_ctx_iget8: _CtxStridedCopy[Any]
shmem_ctx_iget16: _CtxStridedCopy[Any]
shmem_ctx_iget32: _CtxStridedCopy[Any]
shmem_ctx_iget64: _CtxStridedCopy[Any]
shmem_ctx_iget128: _CtxStridedCopy[Any]
shmem_ctx_float_ibput: _CtxBlockCopy[_F32]
shmem_ctx_double_ibput: _CtxBlockCopy[_F64]
shmem_ctx_longdouble_ibput: _CtxBlockCopy[_LongDouble]
shmem_ctx_char_ibput: _CtxBlockCopy[_I8]
shmem_ctx_schar_ibput: _CtxBlockCopy[_I8]
shmem_ctx_short_ibput: _CtxBlockCopy[_I16]
shmem_ctx_int_ibput: _CtxBlockCopy[_I32]
shmem_ctx_long_ibput: _CtxBlockCopy[_I64]
shmem_ctx_longlong_ibput: _CtxBlockCopy[_I64]
shmem_ctx_uchar_ibput: _CtxBlockCopy[_U8]
shmem_ctx_ushort_ibput: _CtxBlockCopy[_U16]
shmem_ctx_uint_ibput: _CtxBlockCopy[_U32]
shmem_ctx_ulong_ibput: _CtxBlockCopy[_U64]
shmem_ctx_ulonglong_ibput: _CtxBlockCopy[_U64]
shmem_ctx_int8_ibput: _CtxBlockCopy[_I8]
shmem_ctx_int16_ibput: _CtxBlockCopy[_I16]
shmem_ctx_int32_ibput: _CtxBlockCopy[_I32]
shmem_ctx_int64_ibput: _CtxBlockCopy[_I64]
shmem_ctx_uint8_ibput: _CtxBlockCopy[_U8]
shmem_ctx_uint16_ibput: _CtxBlockCopy[_U16]
shmem_ctx_uint32_ibput: _CtxBlockCopy[_U32]
shmem_ctx_uint64_ibput: _CtxBlockCopy[_U64]
shmem_ctx_size_ibput: _CtxBlockCopy[_U64]
shmem_ctx_ptrdiff_ibput: _CtxBlockCopy[_I64]
shmem_ctx_ibput: _CtxBlockCopy[Any]
shmem_ctx_ibput8: _CtxBlockCopy[Any]
shmem_ctx_ibput16: _CtxBlockCopy[Any]
shmem_ctx_ibput32: _CtxBlockCopy[Any]
shmem_ctx_ibput64: _CtxBlockCopy[Any]
shmem_ctx_ibput128: _CtxBlockCopy[Any]
shmem_ctx_float_ibget: _CtxBlockCopy[_F32]
shmem_ctx_double_ibget: _CtxBlockCopy[_F64]
shmem_ctx_longdouble_ibget: _CtxBlockCopy[_LongDouble]
shmem_ctx_char_ibget: _CtxBlockCopy[_I8]
shmem_ctx_schar_ibget: _CtxBlockCopy[_I8]
shmem_ctx_short_ibget: _CtxBlockCopy[_I16]
shmem_ctx_int_ibget: _CtxBlockCopy[_I32]
shmem_ctx_long_ibget: _CtxBlockCopy[_I64]
shmem_ctx_longlong_ibget: _CtxBlockCopy[_I64]
shmem_ctx_uchar_ibget: _CtxBlockCopy[_U8]
shmem_ctx_ushort_ibget: _CtxBlockCopy[_U16]
shmem_ctx_uint_ibget: _CtxBlockCopy[_U32]
shmem_ctx_ulong_ibget: _CtxBlockCopy[_U64]
shmem_ctx_ulonglong_ibget: _CtxBlockCopy[_U64]
shmem_ctx_int8_ibget: _CtxBlockCopy[_I8]
shmem_ctx_int16_ibget: _CtxBlockCopy[_I16]
shmem_ctx_int32_ibget: _CtxBlockCopy[_I32]
shmem_ctx_int64_ibget: _CtxBlockCopy[_I64]
shmem_ctx_uint8_ibget: _CtxBlockCopy[_U8]
shmem_ctx_uint16_ibget: _CtxBlockCopy[_U16]
shmem_ctx_uint32_ibget: _CtxBlockCopy[_U32]
shmem_ctx_uint64_ibget: _CtxBlockCopy[_U64]
shmem_ctx_size_ibget: _CtxBlockCopy[_U64]
shmem_ctx_ptrdiff_ibget: _CtxBlockCopy[_I64]
shmem_ctx_ibget: _CtxBlockCopy[Any]
shmem_ctx_ibget8: _CtxBlockCopy[Any]
shmem_ctx_ibget16: _CtxBlockCopy[Any]
shmem_ctx_ibget32: _CtxBlockCopy[Any]
shmem_ctx_ibget64: _CtxBlockCopy[Any]
shmem_ctx_ibget128: _CtxBlockCopy[Any]
shmem_ctx_float_atomic_fetch: _CtxFetch[_F32, float]
shmem_ctx_double_atomic_fetch: _CtxFetch[_F64, float]
shmem_ctx_int_atomic_fetch: _CtxFetch[_I32, int]
shmem_ctx_long_atomic_fetch: _CtxFetch[_I64, int]
shmem_ctx_longlong_atomic_fetch: _CtxFetch[_I64, int]
shmem_ctx_uint_atomic_fetch: _CtxFetch[_U32, int]
shmem_ctx_ulong_atomic_fetch: _CtxFetch[_U64, int]
shmem_ctx_ulonglong_atomic_fetch: _CtxFetch[_U64, int]
shmem_ctx_int32_atomic_fetch: _CtxFetch[_I32, int]
shmem_ctx_int64_atomic_fetch: _CtxFetch[_I64, int]
shmem_ctx_uint32_atomic_fetch: _CtxFetch[_U32, int]
shmem_ctx_uint64_atomic_fetch: _CtxFetch[_U64, int]
shmem_ctx_size_atomic_fetch: _CtxFetch[_U64, int]
shmem_ctx_ptrdiff_atomic_fetch: _CtxFetch[_I64, int]
shmem_ctx_atomic_fetch: _CtxFetch[Any, float]
shmem_ctx_float_atomic_fetch_nbi: _CtxFetchTo[_F32]
shmem_ctx_double_atomic_fetch_nbi: _CtxFetchTo[_F64]
shmem_ctx_int_atomic_fetch_nbi: _CtxFetchTo[_I32]
shmem_ctx_long_atomic_fetch_nbi: _CtxFetchTo[_I64]
shmem_ctx_longlong_atomic_fetch_nbi: _CtxFetchTo[_I64]
shmem_ctx_uint_atomic_fetch_nbi: _CtxFetchTo[_U32]
shmem_ctx_ulong_atomic_fetch_nbi: _CtxFetchTo[_U64]
shmem_ctx_ulonglong_atomic_fetch_nbi: _CtxFetchTo[_U64]
shmem_ctx_int32_atomic_fetch_nbi: _CtxFetchTo[_I32]
shmem_ctx_int64_atomic_fetch_nbi: _CtxFetchTo[_I64]
shmem_ctx_uint32_atomic_fetch_nbi: _CtxFetchTo[_U32]
shmem_ctx_uint64_atomic_fetch_nbi: _CtxFetchTo[_U64]
shmem_ctx_size_atomic_fetch_nbi: _CtxFetchTo[_U64]
shmem_ctx_ptrdiff_atomic_fetch_nbi: _CtxFetchTo[_I64]
shmem_ctx_atomic_fetch_nbi: _CtxFetchTo[Any]
shmem_ctx_float_atomic_set: _CtxUpdate[_F32, float, None]
shmem_ctx_double_atomic_set: _CtxUpdate[_F64, float, None]
shmem_ctx_int_atomic_set: _CtxUpdate[_I32, int, None]
shmem_ctx_long_atomic_set: _CtxUpdate[_I64, int, None]
shmem_ctx_longlong_atomic_set: _CtxUpdate[_I64, int, None]
shmem_ctx_uint_atomic_set: _CtxUpdate[_U32, int, None]
shmem_ctx_ulong_atomic_set: _CtxUpdate[_U64, int, None]
shmem_ctx_ulonglong_atomic_set: _CtxUpdate[_U64, int, None]
shmem_ctx_int32_atomic_set: _CtxUpdate[_I32, int, None]
shmem_ctx_int64_atomic_set: _CtxUpdate[_I64, int, None]
shmem_ctx_uint32_atomic_set: _CtxUpdate[_U32, int, None]
shmem_ctx_uint64_atomic_set: _CtxUpdate[_U64, int, None]
shmem_ctx_size_atomic_set: _CtxUpdate[_U64, int, None]
shmem_ctx_ptrdiff_atomic_set: _CtxUpdate[_I64, int, None]
shmem_ctx_atomic_set: _CtxUpdate[Any, float, None]
shmem_ctx_float_atomic_swap: _CtxUpdate[_F32, float, float]
shmem_ctx_double_atomic_swap: _CtxUpdate[_F64, float, float]
shmem_ctx_int_atomic_swap: _CtxUpdate[_I32, int, int]
shmem_ctx_long_atomic_swap: _CtxUpdate[_I64, int, int]
shmem_ctx_longlong_atomic_swap: _CtxUpdate[_I64, int, int]
shmem_ctx_uint_atomic_swap: _CtxUpdate[_U32, int, int]
shmem_ctx_ulong_atomic_swap: _CtxUpdate[_U64, int, int]
shmem_ctx_ulonglong_atomic_swap: _CtxUpdate[_U64, int, int]
shmem_ctx_int32_atomic_swap: _CtxUpdate[_I32, int, int]
shmem_ctx_int64_atomic_swap: _CtxUpdate[_I64, int, int]
shmem_ctx_uint32_atomic_swap: _CtxUpdate[_U32, int, int]
shmem_ctx_uint64_atomic_swap: _CtxUpdate[_U64, int, int]
shmem_ctx_size_atomic_swap: _CtxUpdate[_U64, int, int]
shmem_ctx_ptrdiff_atomic_swap: _CtxUpdate[_I64, int, int]
shmem_ctx_atomic_swap: _CtxUpdate[Any, float, float]
shmem_ctx_float_atomic_swap_nbi: _CtxUpdateTo[_F32, float]
shmem_ctx_double_atomic_swap_nbi: _CtxUpdateTo[_F64, float]
shmem_ctx_int_atomic_swap_nbi: _CtxUpdateTo[_I32, int]
shmem_ctx_long_atomic_swap_nbi: _CtxUpdateTo[_I64, int]
shmem_ctx_longlong_atomic_swap_nbi: _CtxUpdateTo[_I64, int]
shmem_ctx_uint_atomic_swap_nbi: _CtxUpdateTo[_U32, int]
shmem_ctx_ulong_atomic_swap_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_ulonglong_atomic_swap_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_int32_atomic_swap_nbi: _CtxUpdateTo[_I32, int]
shmem_ctx_int64_atomic_swap_nbi: _CtxUpdateTo[_I64, int]
shmem_ctx_uint32_atomic_swap_nbi: _CtxUpdateTo[_U32, int]
shmem_ctx_uint64_atomic_swap_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_size_atomic_swap_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_ptrdiff_atomic_swap_nbi: _CtxUpdateTo[_I64, int]
shmem_ctx_atomic_swap_nbi: _CtxUpdateTo[Any, float]
shmem_ctx_int_atomic_compare_swap: _CtxCompareSwap[_I32, int, int]
shmem_ctx_long_atomic_compare_swap: _CtxCompareSwap[_I64, int, int]
shmem_ctx_longlong_atomic_compare_swap: _CtxCompareSwap[_I64, int, int]
shmem_ctx_uint_atomic_compare_swap: _CtxCompareSwap[_U32, int, int]
shmem_ctx_ulong_atomic_compare_swap: _CtxCompareSwap[_U64, int, int]
shmem_ctx_ulonglong_atomic_compare_swap: _CtxCompareSwap[_U64, int, int]
shmem_ctx_int32_atomic_compare_swap: _CtxCompareSwap[_I32, int, int]
shmem_ctx_int64_atomic_compare_swap: _CtxCompareSwap[_I64, int, int]
shmem_ctx_uint32_atomic_compare_swap: _CtxCompareSwap[_U32, int, int]
shmem_ctx_uint64_atomic_compare_swap: _CtxCompareSwap[_U64, int, int]
shmem_ctx_size_atomic_compare_swap: _CtxCompareSwap[_U64, int, int]
shmem_ctx_ptrdiff_atomic_compare_swap: _CtxCompareSwap[_I64, int, int]
shmem_ctx_atomic_compare_swap: _CtxCompareSwap[Any, float, float]
shmem_ctx_int_atomic_compare_swap_nbi: _CtxCompareSwapTo[_I32, int]
shmem_ctx_long_atomic_compare_swap_nbi: _CtxCompareSwapTo[_I64, int]
shmem_ctx_longlong_atomic_compare_swap_nbi: _CtxCompareSwapTo[_I64, int]
shmem_ctx_uint_atomic_compare_swap_nbi: _CtxCompareSwapTo[_U32, int]
shmem_ctx_ulong_atomic_compare_swap_nbi: _CtxCompareSwapTo[_U64, int]
shmem_ctx_ulonglong_atomic_compare_swap_nbi: _CtxCompareSwapTo[_U64, int]
shmem_ctx_int32_atomic_compare_swap_nbi: _CtxCompareSwapTo[_I32, int]
shmem_ctx_int64_atomic_compare_swap_nbi: _CtxCompareSwapTo[_I64, int]
shmem_ctx_uint32_atomic_compare_swap_nbi: _CtxCompareSwapTo[_U32, int]
shmem_ctx_uint64_atomic_compare_swap_nbi: _CtxCompareSwapTo[_U64, int]
shmem_ctx_size_atomic_compare_swap_nbi: _CtxCompareSwapTo[_U64, int]
shmem_ctx_ptrdiff_atomic_compare_swap_nbi: _CtxCompareSwapTo[_I64, int]
shmem_ctx_atomic_compare_swap_nbi: _CtxCompareSwapTo[Any, float]
shmem_ctx_int_atomic_inc: _CtxIncrement[_I32, None]
shmem_ctx_long_atomic_inc: _CtxIncrement[_I64, None]
shmem_ctx_longlong_atomic_inc: _CtxIncrement[_I64, None]
shmem_ctx_uint_atomic_inc: _CtxIncrement[_U32, None]
shmem_ctx_ulong_atomic_inc: _CtxIncrement[_U64, None]
shmem_ctx_ulonglong_atomic_inc: _CtxIncrement[_U64, None]
shmem_ctx_int32_atomic_inc: _CtxIncrement[_I32, None]
shmem_ctx_int64_atomic_inc: _CtxIncrement[_I64, None]
shmem_ctx_uint32_atomic_inc: _CtxIncrement[_U32, None]
shmem_ctx_uint64_atomic_inc: _CtxIncrement[_U64, None]
shmem_ctx_size_atomic_inc: _CtxIncrement[_U64, None]
shmem_ctx_ptrdiff_atomic_inc: _CtxIncrement[_I64, None]
shmem_ctx_atomic_inc: _CtxIncrement[Any, None]
shmem_ctx_int_atomic_fetch_inc: _CtxIncrement[_I32, int]
shmem_ctx_long_atomic_fetch_inc: _CtxIncrement[_I64, int]
shmem_ctx_longlong_atomic_fetch_inc: _CtxIncrement[_I64, int]
shmem_ctx_uint_atomic_fetch_inc: _CtxIncrement[_U32, int]
shmem_ctx_ulong_atomic_fetch_inc: _CtxIncrement[_U64, int]
shmem_ctx_ulonglong_atomic_fetch_inc: _CtxIncrement[_U64, int]
shmem_ctx_int32_atomic_fetch_inc: _CtxIncrement[_I32, int]
shmem_ctx_int64_atomic_fetch_inc: _CtxIncrement[_I64, int]
shmem_ctx_uint32_atomic_fetch_inc: _CtxIncrement[_U32, int]
shmem_ctx_uint64_atomic_fetch_inc: _CtxIncrement[_U64, int]
shmem_ctx_size_atomic_fetch_inc: _CtxIncrement[_U64, int]
shmem_ctx_ptrdiff_atomic_fetch_inc: _CtxIncrement[_I64, int]
shmem_ctx_atomic_fetch_inc: _CtxIncrement[Any, float]
shmem_ctx_int_atomic_fetch_inc_nbi: _CtxIncrementTo[_I32]
shmem_ctx_long_atomic_fetch_inc_nbi: _CtxIncrementTo[_I64]
shmem_ctx_longlong_atomic_fetch_inc_nbi: _CtxIncrementTo[_I64]
shmem_ctx_uint_atomic_fetch_inc_nbi: _CtxIncrementTo[_U32]
shmem_ctx_ulong_atomic_fetch_inc_nbi: _CtxIncrementTo[_U64]
shmem_ctx_ulonglong_atomic_fetch_inc_nbi: _CtxIncrementTo[_U64]
shmem_ctx_int32_atomic_fetch_inc_nbi: _CtxIncrementTo[_I32]
shmem_ctx_int64_atomic_fetch_inc_nbi: _CtxIncrementTo[_I64]
shmem_ctx_uint32_atomic_fetch_inc_nbi: _CtxIncrementTo[_U32]
shmem_ctx_uint64_atomic_fetch_inc_nbi: _CtxIncrementTo[_U64]
shmem_ctx_size_atomic_fetch_inc_nbi: _CtxIncrementTo[_U64]
shmem_ctx_ptrdiff_atomic_fetch_inc_nbi: _CtxIncrementTo[_I64]
shmem_ctx_atomic_fetch_inc_nbi: _CtxIncrementTo[Any]
shmem_ctx_int_atomic_add: _CtxUpdate[_I32, int, None]
shmem_ctx_long_atomic_add: _CtxUpdate[_I64, int, None]
shmem_ctx_longlong_atomic_add: _CtxUpdate[_I64, int, None]
shmem_ctx_uint_atomic_add: _CtxUpdate[_U32, int, None]
shmem_ctx_ulong_atomic_add: _CtxUpdate[_U64, int, None]
shmem_ctx_ulonglong_atomic_add: _CtxUpdate[_U64, int, None]
shmem_ctx_int32_atomic_add: _CtxUpdate[_I32, int, None]
shmem_ctx_int64_atomic_add: _CtxUpdate[_I64, int, None]
shmem_ctx_uint32_atomic_add: _CtxUpdate[_U32, int, None]
shmem_ctx_uint64_atomic_add: _CtxUpdate[_U64, int, None]
shmem_ctx_size_atomic_add: _CtxUpdate[_U64, int, None]
shmem_ctx_ptrdiff_atomic_add: _CtxUpdate[_I64, int, None]
shmem_ctx_atomic_add: _CtxUpdate[Any, float, None]
shmem_ctx_int_atomic_fetch_add: _CtxUpdate[_I32, int, int]
shmem_ctx_long_atomic_fetch_add: _CtxUpdate[_I64, int, int]
shmem_ctx_longlong_atomic_fetch_add: _CtxUpdate[_I64, int, int]
shmem_ctx_uint_atomic_fetch_add: _CtxUpdate[_U32, int, int]
shmem_ctx_ulong_atomic_fetch_add: _CtxUpdate[_U64, int, int]
shmem_ctx_ulonglong_atomic_fetch_add: _CtxUpdate[_U64, int, int]
shmem_ctx_int32_atomic_fetch_add: _CtxUpdate[_I32, int, int]
shmem_ctx_int64_atomic_fetch_add: _CtxUpdate[_I64, int, int]
shmem_ctx_uint32_atomic_fetch_add: _CtxUpdate[_U32, int, int]
shmem_ctx_uint64_atomic_fetch_add: _CtxUpdate[_U64, int, int]
shmem_ctx_size_atomic_fetch_add: _CtxUpdate[_U64, int, int]
shmem_ctx_ptrdiff_atomic_fetch_add: _CtxUpdate[_I64, int, int]
shmem_ctx_atomic_fetch_add: _CtxUpdate[Any, float, float]
shmem_ctx_int_atomic_fetch_add_nbi: _CtxUpdateTo[_I32, int]
shmem_ctx_long_atomic_fetch_add_nbi: _CtxUpdateTo[_I64, int]
shmem_ctx_longlong_atomic_fetch_add_nbi: _CtxUpdateTo[_I64, int]
shmem_ctx_uint_atomic_fetch_add_nbi: _CtxUpdateTo[_U32, int]
shmem_ctx_ulong_atomic_fetch_add_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_ulonglong_atomic_fetch_add_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_int32_atomic_fetch_add_nbi: _CtxUpdateTo[_I32, int]
shmem_ctx_int64_atomic_fetch_add_nbi: _CtxUpdateTo[_I64, int]
shmem_ctx_uint32_atomic_fetch_add_nbi: _CtxUpdateTo[_U32, int]
shmem_ctx_uint64_atomic_fetch_add_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_size_atomic_fetch_add_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_ptrdiff_atomic_fetch_add_nbi: _CtxUpdateTo[_I64, int]
shmem_ctx_atomic_fetch_add_nbi: _CtxUpdateTo[Any, float]
shmem_ctx_uint_atomic_and: _CtxUpdate[_U32, int, None]
shmem_ctx_ulong_atomic_and: _CtxUpdate[_U64, int, None]
shmem_ctx_ulonglong_atomic_and: _CtxUpdate[_U64, int, None]
shmem_ctx_int32_atomic_and: _CtxUpdate[_I32, int, None]
shmem_ctx_int64_atomic_and: _CtxUpdate[_I64, int, None]
shmem_ctx_uint32_atomic_and: _CtxUpdate[_U32, int, None]
shmem_ctx_uint64_atomic_and: _CtxUpdate[_U64, int, None]
shmem_ctx_atomic_and: _CtxUpdate[Any, float, None]
shmem_ctx_uint_atomic_fetch_and: _CtxUpdate[_U32, int, int]
shmem_ctx_ulong_atomic_fetch_and: _CtxUpdate[_U64, int, int]
shmem_ctx_ulonglong_atomic_fetch_and: _CtxUpdate[_U64, int, int]
shmem_ctx_int32_atomic_fetch_and: _CtxUpdate[_I32, int, int]
shmem_ctx_int64_atomic_fetch_and: _CtxUpdate[_I64, int, int]
shmem_ctx_uint32_atomic_fetch_and: _CtxUpdate[_U32, int, int]
shmem_ctx_uint64_atomic_fetch_and: _CtxUpdate[_U64, int, int]
shmem_ctx_atomic_fetch_and: _CtxUpdate[Any, float, float]
shmem_ctx_uint_atomic_fetch_and_nbi: _CtxUpdateTo[_U32, int]
shmem_ctx_ulong_atomic_fetch_and_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_ulonglong_atomic_fetch_and_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_int32_atomic_fetch_and_nbi: _CtxUpdateTo[_I32, int]
shmem_ctx_int64_atomic_fetch_and_nbi: _CtxUpdateTo[_I64, int]
shmem_ctx_uint32_atomic_fetch_and_nbi: _CtxUpdateTo[_U32, int]
shmem_ctx_uint64_atomic_fetch_and_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_atomic_fetch_and_nbi: _CtxUpdateTo[Any, float]
shmem_ctx_uint_atomic_or: _CtxUpdate[_U32, int, None]
shmem_ctx_ulong_atomic_or: _CtxUpdate[_U64, int, None]
shmem_ctx_ulonglong_atomic_or: _CtxUpdate[_U64, int, None]
shmem_ctx_int32_atomic_or: _CtxUpdate[_I32, int, None]
shmem_ctx_int64_atomic_or: _CtxUpdate[_I64, int, None]
shmem_ctx_uint32_atomic_or: _CtxUpdate[_U32, int, None]
shmem_ctx_uint64_atomic_or: _CtxUpdate[_U64, int, None]
shmem_ctx_atomic_or: _CtxUpdate[Any, float, None]
shmem_ctx_uint_atomic_fetch_or: _CtxUpdate[_U32, int, int]
shmem_ctx_ulong_atomic_fetch_or: _CtxUpdate[_U64, int, int]
shmem_ctx_ulonglong_atomic_fetch_or: _CtxUpdate[_U64, int, int]
shmem_ctx_int32_atomic_fetch_or: _CtxUpdate[_I32, int, int]
shmem_ctx_int64_atomic_fetch_or: _CtxUpdate[_I64, int, int]
shmem_ctx_uint32_atomic_fetch_or: _CtxUpdate[_U32, int, int]
shmem_ctx_uint64_atomic_fetch_or: _CtxUpdate[_U64, int, int]
shmem_ctx_atomic_fetch_or: _CtxUpdate[Any, float, float]
shmem_ctx_uint_atomic_fetch_or_nbi: _CtxUpdateTo[_U32, int]
shmem_ctx_ulong_atomic_fetch_or_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_ulonglong_atomic_fetch_or_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_int32_atomic_fetch_or_nbi: _CtxUpdateTo[_I32, int]
shmem_ctx_int64_atomic_fetch_or_nbi: _CtxUpdateTo[_I64, int]
shmem_ctx_uint32_atomic_fetch_or_nbi: _CtxUpdateTo[_U32, int]
shmem_ctx_uint64_atomic_fetch_or_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_atomic_fetch_or_nbi: _CtxUpdateTo[Any, float]
shmem_ctx_uint_atomic_xor: _CtxUpdate[_U32, int, None]
shmem_ctx_ulong_atomic_xor: _CtxUpdate[_U64, int, None]
shmem_ctx_ulonglong_atomic_xor: _CtxUpdate[_U64, int, None]
shmem_ctx_int32_atomic_xor: _CtxUpdate[_I32, int, None]
shmem_ctx_int64_atomic_xor: _CtxUpdate[_I64, int, None]
shmem_ctx_uint32_atomic_xor: _CtxUpdate[_U32, int, None]
shmem_ctx_uint64_atomic_xor: _CtxUpdate[_U64, int, None]
shmem_ctx_atomic_xor: _CtxUpdate[Any, float, None]
shmem_ctx_uint_atomic_fetch_xor: _CtxUpdate[_U32, int, int]
shmem_ctx_ulong_atomic_fetch_xor: _CtxUpdate[_U64, int, int]
shmem_ctx_ulonglong_atomic_fetch_xor: _CtxUpdate[_U64, int, int]
shmem_ctx_int32_atomic_fetch_xor: _CtxUpdate[_I32, int, int]
shmem_ctx_int64_atomic_fetch_xor: _CtxUpdate[_I64, int, int]
shmem_ctx_uint32_atomic_fetch_xor: _CtxUpdate[_U32, int, int]
shmem_ctx_uint64_atomic_fetch_xor: _CtxUpdate[_U64, int, int]
shmem_ctx_atomic_fetch_xor: _CtxUpdate[Any, float, float]
shmem_ctx_uint_atomic_fetch_xor_nbi: _CtxUpdateTo[_U32, int]
shmem_ctx_ulong_atomic_fetch_xor_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_ulonglong_atomic_fetch_xor_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_int32_atomic_fetch_xor_nbi: _CtxUpdateTo[_I32, int]
shmem_ctx_int64_atomic_fetch_xor_nbi: _CtxUpdateTo[_I64, int]
shmem_ctx_uint32_atomic_fetch_xor_nbi: _CtxUpdateTo[_U32, int]
shmem_ctx_uint64_atomic_fetch_xor_nbi: _CtxUpdateTo[_U64, int]
shmem_ctx_atomic_fetch_xor_nbi: _CtxUpdateTo[Any, float]
shmem_ctx_float_put_signal: _CtxPutSignal[_F32]
shmem_ctx_double_put_signal: _CtxPutSignal[_F64]
shmem_ctx_longdouble_put_signal: _CtxPutSignal[_LongDouble]
shmem_ctx_char_put_signal: _CtxPutSignal[_I8]
shmem_ctx_schar_put_signal: _CtxPutSignal[_I8]
shmem_ctx_short_put_signal: _CtxPutSignal[_I16]
shmem_ctx_int_put_signal: _CtxPutSignal[_I32]
shmem_ctx_long_put_signal: _CtxPutSignal[_I64]
shmem_ctx_longlong_put_signal: _CtxPutSignal[_I64]
shmem_ctx_uchar_put_signal: _CtxPutSignal[_U8]
shmem_ctx_ushort_put_signal: _CtxPutSignal[_U16]
shmem_ctx_uint_put_signal: _CtxPutSignal[_U32]
shmem_ctx_ulong_put_signal: _CtxPutSignal[_U64]
shmem_ctx_ulonglong_put_signal: _CtxPutSignal[_U64]
shmem_ctx_int8_put_signal: _CtxPutSignal[_I8]
shmem_ctx_int16_put_signal: _CtxPutSignal[_I16]
shmem_ctx_int32_put_signal: _CtxPutSignal[_I32]
shmem_ctx_int64_put_signal: _CtxPutSignal[_I64]
shmem_ctx_uint8_put_signal: _CtxPutSignal[_U8]
shmem_ctx_uint16_put_signal: _CtxPutSignal[_U16]
shmem_ctx_uint32_put_signal: _CtxPutSignal[_U32]
shmem_ctx_uint64_put_signal: _CtxPutSignal[_U64]
shmem_ctx_size_put_signal: _CtxPutSignal[_U64]
shmem_ctx_ptrdiff_put_signal: _CtxPutSignal[_I64]
shmem_ctx_put_signal: _CtxPutSignal[Any]
shmem_ctx_put8_signal: _CtxPutSignal[Any]
shmem_ctx_put16_signal: _CtxPutSignal[Any]
shmem_ctx_put32_signal: _CtxPutSignal[Any]
shmem_ctx_put64_signal: _CtxPutSignal[Any]
shmem_ctx_put128_signal: _CtxPutSignal[Any]
shmem_ctx_putmem_signal: _CtxPutSignal[Any]
shmem_ctx_float_put_signal_nbi: _CtxPutSignal[_F32]
shmem_ctx_double_put_signal_nbi: _CtxPutSignal[_F64]
shmem_ctx_longdouble_put_signal_nbi: _CtxPutSignal[_LongDouble]
shmem_ctx_char_put_signal_nbi: _CtxPutSignal[_I8]
shmem_ctx_schar_put_signal_nbi: _CtxPutSignal[_I8]
shmem_ctx_short_put_signal_nbi: _CtxPutSignal[_I16]
shmem_ctx_int_put_signal_nbi: _CtxPutSignal[_I32]
shmem_ctx_long_put_signal_nbi: _CtxPutSignal[_I64]
shmem_ctx_longlong_put_signal_nbi: _CtxPutSignal[_I64]
shmem_ctx_uchar_put_signal_nbi: _CtxPutSignal[_U8]
shmem_ctx_ushort_put_signal_nbi: _CtxPutSignal[_U16]
shmem_ctx_uint_put_signal_nbi: _CtxPutSignal[_U32]
shmem_ctx_ulong_put_signal_nbi: _CtxPutSignal[_U64]
shmem_ctx_ulonglong_put_signal_nbi: _CtxPutSignal[_U64]
shmem_ctx_int8_put_signal_nbi: _CtxPutSignal[_I8]
shmem_ctx_int16_put_signal_nbi: _CtxPutSignal[_I16]
shmem_ctx_int32_put_signal_nbi: _CtxPutSignal[_I32]
shmem_ctx_int64_put_signal_nbi: _CtxPutSignal[_I64]
shmem_ctx_uint8_put_signal_nbi: _CtxPutSignal[_U8]
shmem_ctx_uint16_put_signal_nbi: _CtxPutSignal[_U16]
shmem_ctx_uint32_put_signal_nbi: _CtxPutSignal[_U32]
shmem_ctx_uint64_put_signal_nbi: _CtxPutSignal[_U64]
shmem_ctx_size_put_signal_nbi: _CtxPutSignal[_U64]
shmem_ctx_ptrdiff_put_signal_nbi: _CtxPutSignal[_I64]
shmem_ctx_put_signal_nbi: _CtxPutSignal[Any]
shmem_ctx_put8_signal_nbi: _CtxPutSignal[Any]
shmem_ctx_put16_signal_nbi: _CtxPutSignal[Any]
shmem_ctx_put32_signal_nbi: _CtxPutSignal[Any]
shmem_ctx_put64_signal_nbi: _CtxPutSignal[Any]
shmem_ctx_put128_signal_nbi: _CtxPutSignal[Any]
shmem_ctx_putmem_signal_nbi: _CtxPutSignal[Any]
shmem_ctx_signal_set: _CtxSignal
shmem_ctx_signal_add: _CtxSignal
