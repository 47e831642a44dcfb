# Made by `python -m redcoll_shmem._generate` from the tables in this folder: do not edit.

from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from redcoll_shmem._rc import (
    rc as rc,
)
from redcoll_shmem.arrays import (
    alloc,
    and_reduce,
    array,
    barrier_all,
    empty,
    free,
    full,
    get,
    max_reduce,
    min_reduce,
    ones,
    or_reduce,
    prod_reduce,
    put,
    reduce,
    sum_reduce,
    sync_all,
    xor_reduce,
    zeros,
)
from redcoll_shmem.barriers import (
    shmem_barrier,
    shmem_barrier_all,
    shmem_sync,
    shmem_sync_all,
)
from redcoll_shmem.caches import (
    shmem_clear_cache_inv,
    shmem_clear_cache_line_inv,
    shmem_set_cache_inv,
    shmem_set_cache_line_inv,
    shmem_udcflush,
    shmem_udcflush_line,
)
from redcoll_shmem.constants import (
    _SHMEM_BARRIER_SYNC_SIZE,
    _SHMEM_BCAST_SYNC_SIZE,
    _SHMEM_CMP_EQ,
    _SHMEM_CMP_GE,
    _SHMEM_CMP_GT,
    _SHMEM_CMP_LE,
    _SHMEM_CMP_LT,
    _SHMEM_CMP_NE,
    _SHMEM_COLLECT_SYNC_SIZE,
    _SHMEM_MAJOR_VERSION,
    _SHMEM_MAX_NAME_LEN,
    _SHMEM_MINOR_VERSION,
    _SHMEM_REDUCE_MIN_WRKDATA_SIZE,
    _SHMEM_REDUCE_SYNC_SIZE,
    _SHMEM_SYNC_VALUE,
    _SHMEM_VENDOR_STRING,
    SHMEM_ALLTOALL_SYNC_SIZE,
    SHMEM_ALLTOALLS_SYNC_SIZE,
    SHMEM_BARRIER_SYNC_SIZE,
    SHMEM_BCAST_SYNC_SIZE,
    SHMEM_CMP_EQ,
    SHMEM_CMP_GE,
    SHMEM_CMP_GT,
    SHMEM_CMP_LE,
    SHMEM_CMP_LT,
    SHMEM_CMP_NE,
    SHMEM_COLLECT_SYNC_SIZE,
    SHMEM_CTX_NOSTORE,
    SHMEM_CTX_PRIVATE,
    SHMEM_CTX_SERIALIZED,
    SHMEM_CTX_SESSION_BATCH,
    SHMEM_CTX_SESSION_TOTAL_OPS,
    SHMEM_MAJOR_VERSION,
    SHMEM_MALLOC_ATOMICS_REMOTE,
    SHMEM_MALLOC_SIGNAL_REMOTE,
    SHMEM_MAX_NAME_LEN,
    SHMEM_MINOR_VERSION,
    SHMEM_REDUCE_MIN_WRKDATA_SIZE,
    SHMEM_REDUCE_SYNC_SIZE,
    SHMEM_SIGNAL_ADD,
    SHMEM_SIGNAL_SET,
    SHMEM_SYNC_SIZE,
    SHMEM_SYNC_VALUE,
    SHMEM_TEAM_NUM_CONTEXTS,
    SHMEM_THREAD_FUNNELED,
    SHMEM_THREAD_MULTIPLE,
    SHMEM_THREAD_SERIALIZED,
    SHMEM_THREAD_SINGLE,
    SHMEM_VENDOR_STRING,
    SIZE_MAX,
)
from redcoll_shmem.contexts import (
    SHMEM_CTX_DEFAULT,
    SHMEM_CTX_INVALID,
    shmem_ctx_create,
    shmem_ctx_destroy,
    shmem_ctx_fence,
    shmem_ctx_get_team,
    shmem_ctx_pe_quiet,
    shmem_ctx_quiet,
    shmem_ctx_session_config_t,
    shmem_ctx_session_start,
    shmem_ctx_session_stop,
    shmem_ctx_t,
    shmem_team_create_ctx,
)
from redcoll_shmem.library import (
    _my_pe,
    _num_pes,
    globalexit,
    my_pe,
    n_pes,
    num_pes,
    shmem_finalize,
    shmem_global_exit,
    shmem_info_get_name,
    shmem_info_get_version,
    shmem_init,
    shmem_init_thread,
    shmem_my_pe,
    shmem_n_pes,
    shmem_pcontrol,
    shmem_query_initialized,
    shmem_query_thread,
    start_pes,
)
from redcoll_shmem.locks import (
    shmem_clear_lock,
    shmem_set_lock,
    shmem_test_lock,
)
from redcoll_shmem.memory import (
    shfree,
    shmalloc,
    shmem_addr_accessible,
    shmem_align,
    shmem_calloc,
    shmem_free,
    shmem_malloc,
    shmem_malloc_with_hints,
    shmem_pe_accessible,
    shmem_ptr,
    shmem_realloc,
    shmemalign,
    shrealloc,
)
from redcoll_shmem.signals import (
    shmem_signal_fetch,
    shmem_signal_wait_until,
)
from redcoll_shmem.synchronization import (
    shmem_fence,
    shmem_pe_quiet,
    shmem_quiet,
)
from redcoll_shmem.teams import (
    SHMEM_TEAM_INVALID,
    SHMEM_TEAM_NODE,
    SHMEM_TEAM_SHARED,
    SHMEM_TEAM_WORLD,
    shmem_team_config_t,
    shmem_team_destroy,
    shmem_team_get_config,
    shmem_team_my_pe,
    shmem_team_n_pes,
    shmem_team_ptr,
    shmem_team_split_2d,
    shmem_team_split_strided,
    shmem_team_sync,
    shmem_team_t,
    shmem_team_translate_pe,
)

__all__ = [
    "SHMEM_ALLTOALLS_SYNC_SIZE",
    "SHMEM_ALLTOALL_SYNC_SIZE",
    "SHMEM_BARRIER_SYNC_SIZE",
    "SHMEM_BCAST_SYNC_SIZE",
    "SHMEM_CMP_EQ",
    "SHMEM_CMP_GE",
    "SHMEM_CMP_GT",
    "SHMEM_CMP_LE",
    "SHMEM_CMP_LT",
    "SHMEM_CMP_NE",
    "SHMEM_COLLECT_SYNC_SIZE",
    "SHMEM_CTX_DEFAULT",
    "SHMEM_CTX_INVALID",
    "SHMEM_CTX_NOSTORE",
    "SHMEM_CTX_PRIVATE",
    "SHMEM_CTX_SERIALIZED",
    "SHMEM_CTX_SESSION_BATCH",
    "SHMEM_CTX_SESSION_TOTAL_OPS",
    "SHMEM_MAJOR_VERSION",
    "SHMEM_MALLOC_ATOMICS_REMOTE",
    "SHMEM_MALLOC_SIGNAL_REMOTE",
    "SHMEM_MAX_NAME_LEN",
    "SHMEM_MINOR_VERSION",
    "SHMEM_REDUCE_MIN_WRKDATA_SIZE",
    "SHMEM_REDUCE_SYNC_SIZE",
    "SHMEM_SIGNAL_ADD",
    "SHMEM_SIGNAL_SET",
    "SHMEM_SYNC_SIZE",
    "SHMEM_SYNC_VALUE",
    "SHMEM_TEAM_INVALID",
    "SHMEM_TEAM_NODE",
    "SHMEM_TEAM_NUM_CONTEXTS",
    "SHMEM_TEAM_SHARED",
    "SHMEM_TEAM_WORLD",
    "SHMEM_THREAD_FUNNELED",
    "SHMEM_THREAD_MULTIPLE",
    "SHMEM_THREAD_SERIALIZED",
    "SHMEM_THREAD_SINGLE",
    "SHMEM_VENDOR_STRING",
    "SIZE_MAX",
    "_SHMEM_BARRIER_SYNC_SIZE",
    "_SHMEM_BCAST_SYNC_SIZE",
    "_SHMEM_CMP_EQ",
    "_SHMEM_CMP_GE",
    "_SHMEM_CMP_GT",
    "_SHMEM_CMP_LE",
    "_SHMEM_CMP_LT",
    "_SHMEM_CMP_NE",
    "_SHMEM_COLLECT_SYNC_SIZE",
    "_SHMEM_MAJOR_VERSION",
    "_SHMEM_MAX_NAME_LEN",
    "_SHMEM_MINOR_VERSION",
    "_SHMEM_REDUCE_MIN_WRKDATA_SIZE",
    "_SHMEM_REDUCE_SYNC_SIZE",
    "_SHMEM_SYNC_VALUE",
    "_SHMEM_VENDOR_STRING",
    "_my_pe",
    "_num_pes",
    "alloc",
    "and_reduce",
    "array",
    "barrier_all",
    "empty",
    "free",
    "full",
    "get",
    "globalexit",
    "max_reduce",
    "min_reduce",
    "my_pe",
    "n_pes",
    "num_pes",
    "ones",
    "or_reduce",
    "prod_reduce",
    "put",
    "redcoll_allreduce",
    "redcoll_exscan",
    "redcoll_inscan",
    "redcoll_reduce",
    "redcoll_to_all",
    "redcoll_to_one",
    "reduce",
    "shfree",
    "shmalloc",
    "shmem_add",
    "shmem_addr_accessible",
    "shmem_align",
    "shmem_alltoall",
    "shmem_alltoall32",
    "shmem_alltoall64",
    "shmem_alltoallmem",
    "shmem_alltoalls",
    "shmem_alltoalls32",
    "shmem_alltoalls64",
    "shmem_alltoallsmem",
    "shmem_and_reduce",
    "shmem_atomic_add",
    "shmem_atomic_and",
    "shmem_atomic_compare_swap",
    "shmem_atomic_compare_swap_nbi",
    "shmem_atomic_fetch",
    "shmem_atomic_fetch_add",
    "shmem_atomic_fetch_add_nbi",
    "shmem_atomic_fetch_and",
    "shmem_atomic_fetch_and_nbi",
    "shmem_atomic_fetch_inc",
    "shmem_atomic_fetch_inc_nbi",
    "shmem_atomic_fetch_nbi",
    "shmem_atomic_fetch_or",
    "shmem_atomic_fetch_or_nbi",
    "shmem_atomic_fetch_xor",
    "shmem_atomic_fetch_xor_nbi",
    "shmem_atomic_inc",
    "shmem_atomic_or",
    "shmem_atomic_set",
    "shmem_atomic_swap",
    "shmem_atomic_swap_nbi",
    "shmem_atomic_xor",
    "shmem_barrier",
    "shmem_barrier_all",
    "shmem_broadcast",
    "shmem_broadcast32",
    "shmem_broadcast64",
    "shmem_broadcastmem",
    "shmem_calloc",
    "shmem_char_alltoall",
    "shmem_char_alltoalls",
    "shmem_char_broadcast",
    "shmem_char_collect",
    "shmem_char_fcollect",
    "shmem_char_g",
    "shmem_char_get",
    "shmem_char_get_nbi",
    "shmem_char_ibget",
    "shmem_char_ibput",
    "shmem_char_iget",
    "shmem_char_iput",
    "shmem_char_max_reduce",
    "shmem_char_min_reduce",
    "shmem_char_p",
    "shmem_char_prod_reduce",
    "shmem_char_put",
    "shmem_char_put_nbi",
    "shmem_char_put_signal",
    "shmem_char_put_signal_nbi",
    "shmem_char_sum_exscan",
    "shmem_char_sum_inscan",
    "shmem_char_sum_reduce",
    "shmem_clear_cache_inv",
    "shmem_clear_cache_line_inv",
    "shmem_clear_lock",
    "shmem_collect",
    "shmem_collect32",
    "shmem_collect64",
    "shmem_collectmem",
    "shmem_comp4_prod_to_all",
    "shmem_comp4_sum_to_all",
    "shmem_comp8_prod_to_all",
    "shmem_comp8_sum_to_all",
    "shmem_complexd_prod_reduce",
    "shmem_complexd_prod_to_all",
    "shmem_complexd_sum_exscan",
    "shmem_complexd_sum_inscan",
    "shmem_complexd_sum_reduce",
    "shmem_complexd_sum_to_all",
    "shmem_complexf_prod_reduce",
    "shmem_complexf_prod_to_all",
    "shmem_complexf_sum_exscan",
    "shmem_complexf_sum_inscan",
    "shmem_complexf_sum_reduce",
    "shmem_complexf_sum_to_all",
    "shmem_cswap",
    "shmem_ctx_atomic_add",
    "shmem_ctx_atomic_and",
    "shmem_ctx_atomic_compare_swap",
    "shmem_ctx_atomic_compare_swap_nbi",
    "shmem_ctx_atomic_fetch",
    "shmem_ctx_atomic_fetch_add",
    "shmem_ctx_atomic_fetch_add_nbi",
    "shmem_ctx_atomic_fetch_and",
    "shmem_ctx_atomic_fetch_and_nbi",
    "shmem_ctx_atomic_fetch_inc",
    "shmem_ctx_atomic_fetch_inc_nbi",
    "shmem_ctx_atomic_fetch_nbi",
    "shmem_ctx_atomic_fetch_or",
    "shmem_ctx_atomic_fetch_or_nbi",
    "shmem_ctx_atomic_fetch_xor",
    "shmem_ctx_atomic_fetch_xor_nbi",
    "shmem_ctx_atomic_inc",
    "shmem_ctx_atomic_or",
    "shmem_ctx_atomic_set",
    "shmem_ctx_atomic_swap",
    "shmem_ctx_atomic_swap_nbi",
    "shmem_ctx_atomic_xor",
    "shmem_ctx_char_g",
    "shmem_ctx_char_get",
    "shmem_ctx_char_get_nbi",
    "shmem_ctx_char_ibget",
    "shmem_ctx_char_ibput",
    "shmem_ctx_char_iget",
    "shmem_ctx_char_iput",
    "shmem_ctx_char_p",
    "shmem_ctx_char_put",
    "shmem_ctx_char_put_nbi",
    "shmem_ctx_char_put_signal",
    "shmem_ctx_char_put_signal_nbi",
    "shmem_ctx_create",
    "shmem_ctx_destroy",
    "shmem_ctx_double_atomic_fetch",
    "shmem_ctx_double_atomic_fetch_nbi",
    "shmem_ctx_double_atomic_set",
    "shmem_ctx_double_atomic_swap",
    "shmem_ctx_double_atomic_swap_nbi",
    "shmem_ctx_double_g",
    "shmem_ctx_double_get",
    "shmem_ctx_double_get_nbi",
    "shmem_ctx_double_ibget",
    "shmem_ctx_double_ibput",
    "shmem_ctx_double_iget",
    "shmem_ctx_double_iput",
    "shmem_ctx_double_p",
    "shmem_ctx_double_put",
    "shmem_ctx_double_put_nbi",
    "shmem_ctx_double_put_signal",
    "shmem_ctx_double_put_signal_nbi",
    "shmem_ctx_fence",
    "shmem_ctx_float_atomic_fetch",
    "shmem_ctx_float_atomic_fetch_nbi",
    "shmem_ctx_float_atomic_set",
    "shmem_ctx_float_atomic_swap",
    "shmem_ctx_float_atomic_swap_nbi",
    "shmem_ctx_float_g",
    "shmem_ctx_float_get",
    "shmem_ctx_float_get_nbi",
    "shmem_ctx_float_ibget",
    "shmem_ctx_float_ibput",
    "shmem_ctx_float_iget",
    "shmem_ctx_float_iput",
    "shmem_ctx_float_p",
    "shmem_ctx_float_put",
    "shmem_ctx_float_put_nbi",
    "shmem_ctx_float_put_signal",
    "shmem_ctx_float_put_signal_nbi",
    "shmem_ctx_g",
    "shmem_ctx_get",
    "shmem_ctx_get8",
    "shmem_ctx_get8_nbi",
    "shmem_ctx_get16",
    "shmem_ctx_get16_nbi",
    "shmem_ctx_get32",
    "shmem_ctx_get32_nbi",
    "shmem_ctx_get64",
    "shmem_ctx_get64_nbi",
    "shmem_ctx_get128",
    "shmem_ctx_get128_nbi",
    "shmem_ctx_get_nbi",
    "shmem_ctx_get_team",
    "shmem_ctx_getmem",
    "shmem_ctx_getmem_nbi",
    "shmem_ctx_ibget",
    "shmem_ctx_ibget8",
    "shmem_ctx_ibget16",
    "shmem_ctx_ibget32",
    "shmem_ctx_ibget64",
    "shmem_ctx_ibget128",
    "shmem_ctx_ibput",
    "shmem_ctx_ibput8",
    "shmem_ctx_ibput16",
    "shmem_ctx_ibput32",
    "shmem_ctx_ibput64",
    "shmem_ctx_ibput128",
    "shmem_ctx_iget",
    "shmem_ctx_iget8",
    "shmem_ctx_iget16",
    "shmem_ctx_iget32",
    "shmem_ctx_iget64",
    "shmem_ctx_iget128",
    "shmem_ctx_int8_g",
    "shmem_ctx_int8_get",
    "shmem_ctx_int8_get_nbi",
    "shmem_ctx_int8_ibget",
    "shmem_ctx_int8_ibput",
    "shmem_ctx_int8_iget",
    "shmem_ctx_int8_iput",
    "shmem_ctx_int8_p",
    "shmem_ctx_int8_put",
    "shmem_ctx_int8_put_nbi",
    "shmem_ctx_int8_put_signal",
    "shmem_ctx_int8_put_signal_nbi",
    "shmem_ctx_int16_g",
    "shmem_ctx_int16_get",
    "shmem_ctx_int16_get_nbi",
    "shmem_ctx_int16_ibget",
    "shmem_ctx_int16_ibput",
    "shmem_ctx_int16_iget",
    "shmem_ctx_int16_iput",
    "shmem_ctx_int16_p",
    "shmem_ctx_int16_put",
    "shmem_ctx_int16_put_nbi",
    "shmem_ctx_int16_put_signal",
    "shmem_ctx_int16_put_signal_nbi",
    "shmem_ctx_int32_atomic_add",
    "shmem_ctx_int32_atomic_and",
    "shmem_ctx_int32_atomic_compare_swap",
    "shmem_ctx_int32_atomic_compare_swap_nbi",
    "shmem_ctx_int32_atomic_fetch",
    "shmem_ctx_int32_atomic_fetch_add",
    "shmem_ctx_int32_atomic_fetch_add_nbi",
    "shmem_ctx_int32_atomic_fetch_and",
    "shmem_ctx_int32_atomic_fetch_and_nbi",
    "shmem_ctx_int32_atomic_fetch_inc",
    "shmem_ctx_int32_atomic_fetch_inc_nbi",
    "shmem_ctx_int32_atomic_fetch_nbi",
    "shmem_ctx_int32_atomic_fetch_or",
    "shmem_ctx_int32_atomic_fetch_or_nbi",
    "shmem_ctx_int32_atomic_fetch_xor",
    "shmem_ctx_int32_atomic_fetch_xor_nbi",
    "shmem_ctx_int32_atomic_inc",
    "shmem_ctx_int32_atomic_or",
    "shmem_ctx_int32_atomic_set",
    "shmem_ctx_int32_atomic_swap",
    "shmem_ctx_int32_atomic_swap_nbi",
    "shmem_ctx_int32_atomic_xor",
    "shmem_ctx_int32_g",
    "shmem_ctx_int32_get",
    "shmem_ctx_int32_get_nbi",
    "shmem_ctx_int32_ibget",
    "shmem_ctx_int32_ibput",
    "shmem_ctx_int32_iget",
    "shmem_ctx_int32_iput",
    "shmem_ctx_int32_p",
    "shmem_ctx_int32_put",
    "shmem_ctx_int32_put_nbi",
    "shmem_ctx_int32_put_signal",
    "shmem_ctx_int32_put_signal_nbi",
    "shmem_ctx_int64_atomic_add",
    "shmem_ctx_int64_atomic_and",
    "shmem_ctx_int64_atomic_compare_swap",
    "shmem_ctx_int64_atomic_compare_swap_nbi",
    "shmem_ctx_int64_atomic_fetch",
    "shmem_ctx_int64_atomic_fetch_add",
    "shmem_ctx_int64_atomic_fetch_add_nbi",
    "shmem_ctx_int64_atomic_fetch_and",
    "shmem_ctx_int64_atomic_fetch_and_nbi",
    "shmem_ctx_int64_atomic_fetch_inc",
    "shmem_ctx_int64_atomic_fetch_inc_nbi",
    "shmem_ctx_int64_atomic_fetch_nbi",
    "shmem_ctx_int64_atomic_fetch_or",
    "shmem_ctx_int64_atomic_fetch_or_nbi",
    "shmem_ctx_int64_atomic_fetch_xor",
    "shmem_ctx_int64_atomic_fetch_xor_nbi",
    "shmem_ctx_int64_atomic_inc",
    "shmem_ctx_int64_atomic_or",
    "shmem_ctx_int64_atomic_set",
    "shmem_ctx_int64_atomic_swap",
    "shmem_ctx_int64_atomic_swap_nbi",
    "shmem_ctx_int64_atomic_xor",
    "shmem_ctx_int64_g",
    "shmem_ctx_int64_get",
    "shmem_ctx_int64_get_nbi",
    "shmem_ctx_int64_ibget",
    "shmem_ctx_int64_ibput",
    "shmem_ctx_int64_iget",
    "shmem_ctx_int64_iput",
    "shmem_ctx_int64_p",
    "shmem_ctx_int64_put",
    "shmem_ctx_int64_put_nbi",
    "shmem_ctx_int64_put_signal",
    "shmem_ctx_int64_put_signal_nbi",
    "shmem_ctx_int_atomic_add",
    "shmem_ctx_int_atomic_compare_swap",
    "shmem_ctx_int_atomic_compare_swap_nbi",
    "shmem_ctx_int_atomic_fetch",
    "shmem_ctx_int_atomic_fetch_add",
    "shmem_ctx_int_atomic_fetch_add_nbi",
    "shmem_ctx_int_atomic_fetch_inc",
    "shmem_ctx_int_atomic_fetch_inc_nbi",
    "shmem_ctx_int_atomic_fetch_nbi",
    "shmem_ctx_int_atomic_inc",
    "shmem_ctx_int_atomic_set",
    "shmem_ctx_int_atomic_swap",
    "shmem_ctx_int_atomic_swap_nbi",
    "shmem_ctx_int_g",
    "shmem_ctx_int_get",
    "shmem_ctx_int_get_nbi",
    "shmem_ctx_int_ibget",
    "shmem_ctx_int_ibput",
    "shmem_ctx_int_iget",
    "shmem_ctx_int_iput",
    "shmem_ctx_int_p",
    "shmem_ctx_int_put",
    "shmem_ctx_int_put_nbi",
    "shmem_ctx_int_put_signal",
    "shmem_ctx_int_put_signal_nbi",
    "shmem_ctx_iput",
    "shmem_ctx_iput8",
    "shmem_ctx_iput16",
    "shmem_ctx_iput32",
    "shmem_ctx_iput64",
    "shmem_ctx_iput128",
    "shmem_ctx_long_atomic_add",
    "shmem_ctx_long_atomic_compare_swap",
    "shmem_ctx_long_atomic_compare_swap_nbi",
    "shmem_ctx_long_atomic_fetch",
    "shmem_ctx_long_atomic_fetch_add",
    "shmem_ctx_long_atomic_fetch_add_nbi",
    "shmem_ctx_long_atomic_fetch_inc",
    "shmem_ctx_long_atomic_fetch_inc_nbi",
    "shmem_ctx_long_atomic_fetch_nbi",
    "shmem_ctx_long_atomic_inc",
    "shmem_ctx_long_atomic_set",
    "shmem_ctx_long_atomic_swap",
    "shmem_ctx_long_atomic_swap_nbi",
    "shmem_ctx_long_g",
    "shmem_ctx_long_get",
    "shmem_ctx_long_get_nbi",
    "shmem_ctx_long_ibget",
    "shmem_ctx_long_ibput",
    "shmem_ctx_long_iget",
    "shmem_ctx_long_iput",
    "shmem_ctx_long_p",
    "shmem_ctx_long_put",
    "shmem_ctx_long_put_nbi",
    "shmem_ctx_long_put_signal",
    "shmem_ctx_long_put_signal_nbi",
    "shmem_ctx_longdouble_g",
    "shmem_ctx_longdouble_get",
    "shmem_ctx_longdouble_get_nbi",
    "shmem_ctx_longdouble_ibget",
    "shmem_ctx_longdouble_ibput",
    "shmem_ctx_longdouble_iget",
    "shmem_ctx_longdouble_iput",
    "shmem_ctx_longdouble_p",
    "shmem_ctx_longdouble_put",
    "shmem_ctx_longdouble_put_nbi",
    "shmem_ctx_longdouble_put_signal",
    "shmem_ctx_longdouble_put_signal_nbi",
    "shmem_ctx_longlong_atomic_add",
    "shmem_ctx_longlong_atomic_compare_swap",
    "shmem_ctx_longlong_atomic_compare_swap_nbi",
    "shmem_ctx_longlong_atomic_fetch",
    "shmem_ctx_longlong_atomic_fetch_add",
    "shmem_ctx_longlong_atomic_fetch_add_nbi",
    "shmem_ctx_longlong_atomic_fetch_inc",
    "shmem_ctx_longlong_atomic_fetch_inc_nbi",
    "shmem_ctx_longlong_atomic_fetch_nbi",
    "shmem_ctx_longlong_atomic_inc",
    "shmem_ctx_longlong_atomic_set",
    "shmem_ctx_longlong_atomic_swap",
    "shmem_ctx_longlong_atomic_swap_nbi",
    "shmem_ctx_longlong_g",
    "shmem_ctx_longlong_get",
    "shmem_ctx_longlong_get_nbi",
    "shmem_ctx_longlong_ibget",
    "shmem_ctx_longlong_ibput",
    "shmem_ctx_longlong_iget",
    "shmem_ctx_longlong_iput",
    "shmem_ctx_longlong_p",
    "shmem_ctx_longlong_put",
    "shmem_ctx_longlong_put_nbi",
    "shmem_ctx_longlong_put_signal",
    "shmem_ctx_longlong_put_signal_nbi",
    "shmem_ctx_p",
    "shmem_ctx_pe_quiet",
    "shmem_ctx_ptrdiff_atomic_add",
    "shmem_ctx_ptrdiff_atomic_compare_swap",
    "shmem_ctx_ptrdiff_atomic_compare_swap_nbi",
    "shmem_ctx_ptrdiff_atomic_fetch",
    "shmem_ctx_ptrdiff_atomic_fetch_add",
    "shmem_ctx_ptrdiff_atomic_fetch_add_nbi",
    "shmem_ctx_ptrdiff_atomic_fetch_inc",
    "shmem_ctx_ptrdiff_atomic_fetch_inc_nbi",
    "shmem_ctx_ptrdiff_atomic_fetch_nbi",
    "shmem_ctx_ptrdiff_atomic_inc",
    "shmem_ctx_ptrdiff_atomic_set",
    "shmem_ctx_ptrdiff_atomic_swap",
    "shmem_ctx_ptrdiff_atomic_swap_nbi",
    "shmem_ctx_ptrdiff_g",
    "shmem_ctx_ptrdiff_get",
    "shmem_ctx_ptrdiff_get_nbi",
    "shmem_ctx_ptrdiff_ibget",
    "shmem_ctx_ptrdiff_ibput",
    "shmem_ctx_ptrdiff_iget",
    "shmem_ctx_ptrdiff_iput",
    "shmem_ctx_ptrdiff_p",
    "shmem_ctx_ptrdiff_put",
    "shmem_ctx_ptrdiff_put_nbi",
    "shmem_ctx_ptrdiff_put_signal",
    "shmem_ctx_ptrdiff_put_signal_nbi",
    "shmem_ctx_put",
    "shmem_ctx_put8",
    "shmem_ctx_put8_nbi",
    "shmem_ctx_put8_signal",
    "shmem_ctx_put8_signal_nbi",
    "shmem_ctx_put16",
    "shmem_ctx_put16_nbi",
    "shmem_ctx_put16_signal",
    "shmem_ctx_put16_signal_nbi",
    "shmem_ctx_put32",
    "shmem_ctx_put32_nbi",
    "shmem_ctx_put32_signal",
    "shmem_ctx_put32_signal_nbi",
    "shmem_ctx_put64",
    "shmem_ctx_put64_nbi",
    "shmem_ctx_put64_signal",
    "shmem_ctx_put64_signal_nbi",
    "shmem_ctx_put128",
    "shmem_ctx_put128_nbi",
    "shmem_ctx_put128_signal",
    "shmem_ctx_put128_signal_nbi",
    "shmem_ctx_put_nbi",
    "shmem_ctx_put_signal",
    "shmem_ctx_put_signal_nbi",
    "shmem_ctx_putmem",
    "shmem_ctx_putmem_nbi",
    "shmem_ctx_putmem_signal",
    "shmem_ctx_putmem_signal_nbi",
    "shmem_ctx_quiet",
    "shmem_ctx_schar_g",
    "shmem_ctx_schar_get",
    "shmem_ctx_schar_get_nbi",
    "shmem_ctx_schar_ibget",
    "shmem_ctx_schar_ibput",
    "shmem_ctx_schar_iget",
    "shmem_ctx_schar_iput",
    "shmem_ctx_schar_p",
    "shmem_ctx_schar_put",
    "shmem_ctx_schar_put_nbi",
    "shmem_ctx_schar_put_signal",
    "shmem_ctx_schar_put_signal_nbi",
    "shmem_ctx_session_config_t",
    "shmem_ctx_session_start",
    "shmem_ctx_session_stop",
    "shmem_ctx_short_g",
    "shmem_ctx_short_get",
    "shmem_ctx_short_get_nbi",
    "shmem_ctx_short_ibget",
    "shmem_ctx_short_ibput",
    "shmem_ctx_short_iget",
    "shmem_ctx_short_iput",
    "shmem_ctx_short_p",
    "shmem_ctx_short_put",
    "shmem_ctx_short_put_nbi",
    "shmem_ctx_short_put_signal",
    "shmem_ctx_short_put_signal_nbi",
    "shmem_ctx_signal_add",
    "shmem_ctx_signal_set",
    "shmem_ctx_size_atomic_add",
    "shmem_ctx_size_atomic_compare_swap",
    "shmem_ctx_size_atomic_compare_swap_nbi",
    "shmem_ctx_size_atomic_fetch",
    "shmem_ctx_size_atomic_fetch_add",
    "shmem_ctx_size_atomic_fetch_add_nbi",
    "shmem_ctx_size_atomic_fetch_inc",
    "shmem_ctx_size_atomic_fetch_inc_nbi",
    "shmem_ctx_size_atomic_fetch_nbi",
    "shmem_ctx_size_atomic_inc",
    "shmem_ctx_size_atomic_set",
    "shmem_ctx_size_atomic_swap",
    "shmem_ctx_size_atomic_swap_nbi",
    "shmem_ctx_size_g",
    "shmem_ctx_size_get",
    "shmem_ctx_size_get_nbi",
    "shmem_ctx_size_ibget",
    "shmem_ctx_size_ibput",
    "shmem_ctx_size_iget",
    "shmem_ctx_size_iput",
    "shmem_ctx_size_p",
    "shmem_ctx_size_put",
    "shmem_ctx_size_put_nbi",
    "shmem_ctx_size_put_signal",
    "shmem_ctx_size_put_signal_nbi",
    "shmem_ctx_t",
    "shmem_ctx_uchar_g",
    "shmem_ctx_uchar_get",
    "shmem_ctx_uchar_get_nbi",
    "shmem_ctx_uchar_ibget",
    "shmem_ctx_uchar_ibput",
    "shmem_ctx_uchar_iget",
    "shmem_ctx_uchar_iput",
    "shmem_ctx_uchar_p",
    "shmem_ctx_uchar_put",
    "shmem_ctx_uchar_put_nbi",
    "shmem_ctx_uchar_put_signal",
    "shmem_ctx_uchar_put_signal_nbi",
    "shmem_ctx_uint8_g",
    "shmem_ctx_uint8_get",
    "shmem_ctx_uint8_get_nbi",
    "shmem_ctx_uint8_ibget",
    "shmem_ctx_uint8_ibput",
    "shmem_ctx_uint8_iget",
    "shmem_ctx_uint8_iput",
    "shmem_ctx_uint8_p",
    "shmem_ctx_uint8_put",
    "shmem_ctx_uint8_put_nbi",
    "shmem_ctx_uint8_put_signal",
    "shmem_ctx_uint8_put_signal_nbi",
    "shmem_ctx_uint16_g",
    "shmem_ctx_uint16_get",
    "shmem_ctx_uint16_get_nbi",
    "shmem_ctx_uint16_ibget",
    "shmem_ctx_uint16_ibput",
    "shmem_ctx_uint16_iget",
    "shmem_ctx_uint16_iput",
    "shmem_ctx_uint16_p",
    "shmem_ctx_uint16_put",
    "shmem_ctx_uint16_put_nbi",
    "shmem_ctx_uint16_put_signal",
    "shmem_ctx_uint16_put_signal_nbi",
    "shmem_ctx_uint32_atomic_add",
    "shmem_ctx_uint32_atomic_and",
    "shmem_ctx_uint32_atomic_compare_swap",
    "shmem_ctx_uint32_atomic_compare_swap_nbi",
    "shmem_ctx_uint32_atomic_fetch",
    "shmem_ctx_uint32_atomic_fetch_add",
    "shmem_ctx_uint32_atomic_fetch_add_nbi",
    "shmem_ctx_uint32_atomic_fetch_and",
    "shmem_ctx_uint32_atomic_fetch_and_nbi",
    "shmem_ctx_uint32_atomic_fetch_inc",
    "shmem_ctx_uint32_atomic_fetch_inc_nbi",
    "shmem_ctx_uint32_atomic_fetch_nbi",
    "shmem_ctx_uint32_atomic_fetch_or",
    "shmem_ctx_uint32_atomic_fetch_or_nbi",
    "shmem_ctx_uint32_atomic_fetch_xor",
    "shmem_ctx_uint32_atomic_fetch_xor_nbi",
    "shmem_ctx_uint32_atomic_inc",
    "shmem_ctx_uint32_atomic_or",
    "shmem_ctx_uint32_atomic_set",
    "shmem_ctx_uint32_atomic_swap",
    "shmem_ctx_uint32_atomic_swap_nbi",
    "shmem_ctx_uint32_atomic_xor",
    "shmem_ctx_uint32_g",
    "shmem_ctx_uint32_get",
    "shmem_ctx_uint32_get_nbi",
    "shmem_ctx_uint32_ibget",
    "shmem_ctx_uint32_ibput",
    "shmem_ctx_uint32_iget",
    "shmem_ctx_uint32_iput",
    "shmem_ctx_uint32_p",
    "shmem_ctx_uint32_put",
    "shmem_ctx_uint32_put_nbi",
    "shmem_ctx_uint32_put_signal",
    "shmem_ctx_uint32_put_signal_nbi",
    "shmem_ctx_uint64_atomic_add",
    "shmem_ctx_uint64_atomic_and",
    "shmem_ctx_uint64_atomic_compare_swap",
    "shmem_ctx_uint64_atomic_compare_swap_nbi",
    "shmem_ctx_uint64_atomic_fetch",
    "shmem_ctx_uint64_atomic_fetch_add",
    "shmem_ctx_uint64_atomic_fetch_add_nbi",
    "shmem_ctx_uint64_atomic_fetch_and",
    "shmem_ctx_uint64_atomic_fetch_and_nbi",
    "shmem_ctx_uint64_atomic_fetch_inc",
    "shmem_ctx_uint64_atomic_fetch_inc_nbi",
    "shmem_ctx_uint64_atomic_fetch_nbi",
    "shmem_ctx_uint64_atomic_fetch_or",
    "shmem_ctx_uint64_atomic_fetch_or_nbi",
    "shmem_ctx_uint64_atomic_fetch_xor",
    "shmem_ctx_uint64_atomic_fetch_xor_nbi",
    "shmem_ctx_uint64_atomic_inc",
    "shmem_ctx_uint64_atomic_or",
    "shmem_ctx_uint64_atomic_set",
    "shmem_ctx_uint64_atomic_swap",
    "shmem_ctx_uint64_atomic_swap_nbi",
    "shmem_ctx_uint64_atomic_xor",
    "shmem_ctx_uint64_g",
    "shmem_ctx_uint64_get",
    "shmem_ctx_uint64_get_nbi",
    "shmem_ctx_uint64_ibget",
    "shmem_ctx_uint64_ibput",
    "shmem_ctx_uint64_iget",
    "shmem_ctx_uint64_iput",
    "shmem_ctx_uint64_p",
    "shmem_ctx_uint64_put",
    "shmem_ctx_uint64_put_nbi",
    "shmem_ctx_uint64_put_signal",
    "shmem_ctx_uint64_put_signal_nbi",
    "shmem_ctx_uint_atomic_add",
    "shmem_ctx_uint_atomic_and",
    "shmem_ctx_uint_atomic_compare_swap",
    "shmem_ctx_uint_atomic_compare_swap_nbi",
    "shmem_ctx_uint_atomic_fetch",
    "shmem_ctx_uint_atomic_fetch_add",
    "shmem_ctx_uint_atomic_fetch_add_nbi",
    "shmem_ctx_uint_atomic_fetch_and",
    "shmem_ctx_uint_atomic_fetch_and_nbi",
    "shmem_ctx_uint_atomic_fetch_inc",
    "shmem_ctx_uint_atomic_fetch_inc_nbi",
    "shmem_ctx_uint_atomic_fetch_nbi",
    "shmem_ctx_uint_atomic_fetch_or",
    "shmem_ctx_uint_atomic_fetch_or_nbi",
    "shmem_ctx_uint_atomic_fetch_xor",
    "shmem_ctx_uint_atomic_fetch_xor_nbi",
    "shmem_ctx_uint_atomic_inc",
    "shmem_ctx_uint_atomic_or",
    "shmem_ctx_uint_atomic_set",
    "shmem_ctx_uint_atomic_swap",
    "shmem_ctx_uint_atomic_swap_nbi",
    "shmem_ctx_uint_atomic_xor",
    "shmem_ctx_uint_g",
    "shmem_ctx_uint_get",
    "shmem_ctx_uint_get_nbi",
    "shmem_ctx_uint_ibget",
    "shmem_ctx_uint_ibput",
    "shmem_ctx_uint_iget",
    "shmem_ctx_uint_iput",
    "shmem_ctx_uint_p",
    "shmem_ctx_uint_put",
    "shmem_ctx_uint_put_nbi",
    "shmem_ctx_uint_put_signal",
    "shmem_ctx_uint_put_signal_nbi",
    "shmem_ctx_ulong_atomic_add",
    "shmem_ctx_ulong_atomic_and",
    "shmem_ctx_ulong_atomic_compare_swap",
    "shmem_ctx_ulong_atomic_compare_swap_nbi",
    "shmem_ctx_ulong_atomic_fetch",
    "shmem_ctx_ulong_atomic_fetch_add",
    "shmem_ctx_ulong_atomic_fetch_add_nbi",
    "shmem_ctx_ulong_atomic_fetch_and",
    "shmem_ctx_ulong_atomic_fetch_and_nbi",
    "shmem_ctx_ulong_atomic_fetch_inc",
    "shmem_ctx_ulong_atomic_fetch_inc_nbi",
    "shmem_ctx_ulong_atomic_fetch_nbi",
    "shmem_ctx_ulong_atomic_fetch_or",
    "shmem_ctx_ulong_atomic_fetch_or_nbi",
    "shmem_ctx_ulong_atomic_fetch_xor",
    "shmem_ctx_ulong_atomic_fetch_xor_nbi",
    "shmem_ctx_ulong_atomic_inc",
    "shmem_ctx_ulong_atomic_or",
    "shmem_ctx_ulong_atomic_set",
    "shmem_ctx_ulong_atomic_swap",
    "shmem_ctx_ulong_atomic_swap_nbi",
    "shmem_ctx_ulong_atomic_xor",
    "shmem_ctx_ulong_g",
    "shmem_ctx_ulong_get",
    "shmem_ctx_ulong_get_nbi",
    "shmem_ctx_ulong_ibget",
    "shmem_ctx_ulong_ibput",
    "shmem_ctx_ulong_iget",
    "shmem_ctx_ulong_iput",
    "shmem_ctx_ulong_p",
    "shmem_ctx_ulong_put",
    "shmem_ctx_ulong_put_nbi",
    "shmem_ctx_ulong_put_signal",
    "shmem_ctx_ulong_put_signal_nbi",
    "shmem_ctx_ulonglong_atomic_add",
    "shmem_ctx_ulonglong_atomic_and",
    "shmem_ctx_ulonglong_atomic_compare_swap",
    "shmem_ctx_ulonglong_atomic_compare_swap_nbi",
    "shmem_ctx_ulonglong_atomic_fetch",
    "shmem_ctx_ulonglong_atomic_fetch_add",
    "shmem_ctx_ulonglong_atomic_fetch_add_nbi",
    "shmem_ctx_ulonglong_atomic_fetch_and",
    "shmem_ctx_ulonglong_atomic_fetch_and_nbi",
    "shmem_ctx_ulonglong_atomic_fetch_inc",
    "shmem_ctx_ulonglong_atomic_fetch_inc_nbi",
    "shmem_ctx_ulonglong_atomic_fetch_nbi",
    "shmem_ctx_ulonglong_atomic_fetch_or",
    "shmem_ctx_ulonglong_atomic_fetch_or_nbi",
    "shmem_ctx_ulonglong_atomic_fetch_xor",
    "shmem_ctx_ulonglong_atomic_fetch_xor_nbi",
    "shmem_ctx_ulonglong_atomic_inc",
    "shmem_ctx_ulonglong_atomic_or",
    "shmem_ctx_ulonglong_atomic_set",
    "shmem_ctx_ulonglong_atomic_swap",
    "shmem_ctx_ulonglong_atomic_swap_nbi",
    "shmem_ctx_ulonglong_atomic_xor",
    "shmem_ctx_ulonglong_g",
    "shmem_ctx_ulonglong_get",
    "shmem_ctx_ulonglong_get_nbi",
    "shmem_ctx_ulonglong_ibget",
    "shmem_ctx_ulonglong_ibput",
    "shmem_ctx_ulonglong_iget",
    "shmem_ctx_ulonglong_iput",
    "shmem_ctx_ulonglong_p",
    "shmem_ctx_ulonglong_put",
    "shmem_ctx_ulonglong_put_nbi",
    "shmem_ctx_ulonglong_put_signal",
    "shmem_ctx_ulonglong_put_signal_nbi",
    "shmem_ctx_ushort_g",
    "shmem_ctx_ushort_get",
    "shmem_ctx_ushort_get_nbi",
    "shmem_ctx_ushort_ibget",
    "shmem_ctx_ushort_ibput",
    "shmem_ctx_ushort_iget",
    "shmem_ctx_ushort_iput",
    "shmem_ctx_ushort_p",
    "shmem_ctx_ushort_put",
    "shmem_ctx_ushort_put_nbi",
    "shmem_ctx_ushort_put_signal",
    "shmem_ctx_ushort_put_signal_nbi",
    "shmem_double_alltoall",
    "shmem_double_alltoalls",
    "shmem_double_atomic_fetch",
    "shmem_double_atomic_fetch_nbi",
    "shmem_double_atomic_set",
    "shmem_double_atomic_swap",
    "shmem_double_atomic_swap_nbi",
    "shmem_double_broadcast",
    "shmem_double_collect",
    "shmem_double_fcollect",
    "shmem_double_fetch",
    "shmem_double_g",
    "shmem_double_get",
    "shmem_double_get_nbi",
    "shmem_double_ibget",
    "shmem_double_ibput",
    "shmem_double_iget",
    "shmem_double_iput",
    "shmem_double_max_reduce",
    "shmem_double_max_to_all",
    "shmem_double_min_reduce",
    "shmem_double_min_to_all",
    "shmem_double_p",
    "shmem_double_prod_reduce",
    "shmem_double_prod_to_all",
    "shmem_double_put",
    "shmem_double_put_nbi",
    "shmem_double_put_signal",
    "shmem_double_put_signal_nbi",
    "shmem_double_set",
    "shmem_double_sum_exscan",
    "shmem_double_sum_inscan",
    "shmem_double_sum_reduce",
    "shmem_double_sum_to_all",
    "shmem_double_swap",
    "shmem_fadd",
    "shmem_fcollect",
    "shmem_fcollect32",
    "shmem_fcollect64",
    "shmem_fcollectmem",
    "shmem_fence",
    "shmem_fetch",
    "shmem_finalize",
    "shmem_finc",
    "shmem_float_alltoall",
    "shmem_float_alltoalls",
    "shmem_float_atomic_fetch",
    "shmem_float_atomic_fetch_nbi",
    "shmem_float_atomic_set",
    "shmem_float_atomic_swap",
    "shmem_float_atomic_swap_nbi",
    "shmem_float_broadcast",
    "shmem_float_collect",
    "shmem_float_fcollect",
    "shmem_float_fetch",
    "shmem_float_g",
    "shmem_float_get",
    "shmem_float_get_nbi",
    "shmem_float_ibget",
    "shmem_float_ibput",
    "shmem_float_iget",
    "shmem_float_iput",
    "shmem_float_max_reduce",
    "shmem_float_max_to_all",
    "shmem_float_min_reduce",
    "shmem_float_min_to_all",
    "shmem_float_p",
    "shmem_float_prod_reduce",
    "shmem_float_prod_to_all",
    "shmem_float_put",
    "shmem_float_put_nbi",
    "shmem_float_put_signal",
    "shmem_float_put_signal_nbi",
    "shmem_float_set",
    "shmem_float_sum_exscan",
    "shmem_float_sum_inscan",
    "shmem_float_sum_reduce",
    "shmem_float_sum_to_all",
    "shmem_float_swap",
    "shmem_free",
    "shmem_g",
    "shmem_get",
    "shmem_get8",
    "shmem_get8_nbi",
    "shmem_get16",
    "shmem_get16_nbi",
    "shmem_get32",
    "shmem_get32_nbi",
    "shmem_get64",
    "shmem_get64_nbi",
    "shmem_get128",
    "shmem_get128_nbi",
    "shmem_get_nbi",
    "shmem_getmem",
    "shmem_getmem_nbi",
    "shmem_global_exit",
    "shmem_ibget",
    "shmem_ibget8",
    "shmem_ibget16",
    "shmem_ibget32",
    "shmem_ibget64",
    "shmem_ibget128",
    "shmem_ibput",
    "shmem_ibput8",
    "shmem_ibput16",
    "shmem_ibput32",
    "shmem_ibput64",
    "shmem_ibput128",
    "shmem_iget",
    "shmem_iget8",
    "shmem_iget16",
    "shmem_iget32",
    "shmem_iget64",
    "shmem_iget128",
    "shmem_inc",
    "shmem_info_get_name",
    "shmem_info_get_version",
    "shmem_init",
    "shmem_init_thread",
    "shmem_int2_and_to_all",
    "shmem_int2_max_to_all",
    "shmem_int2_min_to_all",
    "shmem_int2_or_to_all",
    "shmem_int2_prod_to_all",
    "shmem_int2_sum_to_all",
    "shmem_int2_xor_to_all",
    "shmem_int4_and_to_all",
    "shmem_int4_max_to_all",
    "shmem_int4_min_to_all",
    "shmem_int4_or_to_all",
    "shmem_int4_prod_to_all",
    "shmem_int4_sum_to_all",
    "shmem_int4_xor_to_all",
    "shmem_int8_alltoall",
    "shmem_int8_alltoalls",
    "shmem_int8_and_reduce",
    "shmem_int8_and_to_all",
    "shmem_int8_broadcast",
    "shmem_int8_collect",
    "shmem_int8_fcollect",
    "shmem_int8_g",
    "shmem_int8_get",
    "shmem_int8_get_nbi",
    "shmem_int8_ibget",
    "shmem_int8_ibput",
    "shmem_int8_iget",
    "shmem_int8_iput",
    "shmem_int8_max_reduce",
    "shmem_int8_max_to_all",
    "shmem_int8_min_reduce",
    "shmem_int8_min_to_all",
    "shmem_int8_or_reduce",
    "shmem_int8_or_to_all",
    "shmem_int8_p",
    "shmem_int8_prod_reduce",
    "shmem_int8_prod_to_all",
    "shmem_int8_put",
    "shmem_int8_put_nbi",
    "shmem_int8_put_signal",
    "shmem_int8_put_signal_nbi",
    "shmem_int8_sum_exscan",
    "shmem_int8_sum_inscan",
    "shmem_int8_sum_reduce",
    "shmem_int8_sum_to_all",
    "shmem_int8_xor_reduce",
    "shmem_int8_xor_to_all",
    "shmem_int16_alltoall",
    "shmem_int16_alltoalls",
    "shmem_int16_and_reduce",
    "shmem_int16_broadcast",
    "shmem_int16_collect",
    "shmem_int16_fcollect",
    "shmem_int16_g",
    "shmem_int16_get",
    "shmem_int16_get_nbi",
    "shmem_int16_ibget",
    "shmem_int16_ibput",
    "shmem_int16_iget",
    "shmem_int16_iput",
    "shmem_int16_max_reduce",
    "shmem_int16_min_reduce",
    "shmem_int16_or_reduce",
    "shmem_int16_p",
    "shmem_int16_prod_reduce",
    "shmem_int16_put",
    "shmem_int16_put_nbi",
    "shmem_int16_put_signal",
    "shmem_int16_put_signal_nbi",
    "shmem_int16_sum_exscan",
    "shmem_int16_sum_inscan",
    "shmem_int16_sum_reduce",
    "shmem_int16_xor_reduce",
    "shmem_int32_alltoall",
    "shmem_int32_alltoalls",
    "shmem_int32_and_reduce",
    "shmem_int32_atomic_add",
    "shmem_int32_atomic_and",
    "shmem_int32_atomic_compare_swap",
    "shmem_int32_atomic_compare_swap_nbi",
    "shmem_int32_atomic_fetch",
    "shmem_int32_atomic_fetch_add",
    "shmem_int32_atomic_fetch_add_nbi",
    "shmem_int32_atomic_fetch_and",
    "shmem_int32_atomic_fetch_and_nbi",
    "shmem_int32_atomic_fetch_inc",
    "shmem_int32_atomic_fetch_inc_nbi",
    "shmem_int32_atomic_fetch_nbi",
    "shmem_int32_atomic_fetch_or",
    "shmem_int32_atomic_fetch_or_nbi",
    "shmem_int32_atomic_fetch_xor",
    "shmem_int32_atomic_fetch_xor_nbi",
    "shmem_int32_atomic_inc",
    "shmem_int32_atomic_or",
    "shmem_int32_atomic_set",
    "shmem_int32_atomic_swap",
    "shmem_int32_atomic_swap_nbi",
    "shmem_int32_atomic_xor",
    "shmem_int32_broadcast",
    "shmem_int32_collect",
    "shmem_int32_fcollect",
    "shmem_int32_g",
    "shmem_int32_get",
    "shmem_int32_get_nbi",
    "shmem_int32_ibget",
    "shmem_int32_ibput",
    "shmem_int32_iget",
    "shmem_int32_iput",
    "shmem_int32_max_reduce",
    "shmem_int32_min_reduce",
    "shmem_int32_or_reduce",
    "shmem_int32_p",
    "shmem_int32_prod_reduce",
    "shmem_int32_put",
    "shmem_int32_put_nbi",
    "shmem_int32_put_signal",
    "shmem_int32_put_signal_nbi",
    "shmem_int32_sum_exscan",
    "shmem_int32_sum_inscan",
    "shmem_int32_sum_reduce",
    "shmem_int32_test",
    "shmem_int32_test_all",
    "shmem_int32_test_all_vector",
    "shmem_int32_test_any",
    "shmem_int32_test_any_vector",
    "shmem_int32_test_some",
    "shmem_int32_test_some_vector",
    "shmem_int32_wait_until",
    "shmem_int32_wait_until_all",
    "shmem_int32_wait_until_all_vector",
    "shmem_int32_wait_until_any",
    "shmem_int32_wait_until_any_vector",
    "shmem_int32_wait_until_some",
    "shmem_int32_wait_until_some_vector",
    "shmem_int32_xor_reduce",
    "shmem_int64_alltoall",
    "shmem_int64_alltoalls",
    "shmem_int64_and_reduce",
    "shmem_int64_atomic_add",
    "shmem_int64_atomic_and",
    "shmem_int64_atomic_compare_swap",
    "shmem_int64_atomic_compare_swap_nbi",
    "shmem_int64_atomic_fetch",
    "shmem_int64_atomic_fetch_add",
    "shmem_int64_atomic_fetch_add_nbi",
    "shmem_int64_atomic_fetch_and",
    "shmem_int64_atomic_fetch_and_nbi",
    "shmem_int64_atomic_fetch_inc",
    "shmem_int64_atomic_fetch_inc_nbi",
    "shmem_int64_atomic_fetch_nbi",
    "shmem_int64_atomic_fetch_or",
    "shmem_int64_atomic_fetch_or_nbi",
    "shmem_int64_atomic_fetch_xor",
    "shmem_int64_atomic_fetch_xor_nbi",
    "shmem_int64_atomic_inc",
    "shmem_int64_atomic_or",
    "shmem_int64_atomic_set",
    "shmem_int64_atomic_swap",
    "shmem_int64_atomic_swap_nbi",
    "shmem_int64_atomic_xor",
    "shmem_int64_broadcast",
    "shmem_int64_collect",
    "shmem_int64_fcollect",
    "shmem_int64_g",
    "shmem_int64_get",
    "shmem_int64_get_nbi",
    "shmem_int64_ibget",
    "shmem_int64_ibput",
    "shmem_int64_iget",
    "shmem_int64_iput",
    "shmem_int64_max_reduce",
    "shmem_int64_min_reduce",
    "shmem_int64_or_reduce",
    "shmem_int64_p",
    "shmem_int64_prod_reduce",
    "shmem_int64_put",
    "shmem_int64_put_nbi",
    "shmem_int64_put_signal",
    "shmem_int64_put_signal_nbi",
    "shmem_int64_sum_exscan",
    "shmem_int64_sum_inscan",
    "shmem_int64_sum_reduce",
    "shmem_int64_test",
    "shmem_int64_test_all",
    "shmem_int64_test_all_vector",
    "shmem_int64_test_any",
    "shmem_int64_test_any_vector",
    "shmem_int64_test_some",
    "shmem_int64_test_some_vector",
    "shmem_int64_wait_until",
    "shmem_int64_wait_until_all",
    "shmem_int64_wait_until_all_vector",
    "shmem_int64_wait_until_any",
    "shmem_int64_wait_until_any_vector",
    "shmem_int64_wait_until_some",
    "shmem_int64_wait_until_some_vector",
    "shmem_int64_xor_reduce",
    "shmem_int_add",
    "shmem_int_alltoall",
    "shmem_int_alltoalls",
    "shmem_int_and_reduce",
    "shmem_int_and_to_all",
    "shmem_int_atomic_add",
    "shmem_int_atomic_compare_swap",
    "shmem_int_atomic_compare_swap_nbi",
    "shmem_int_atomic_fetch",
    "shmem_int_atomic_fetch_add",
    "shmem_int_atomic_fetch_add_nbi",
    "shmem_int_atomic_fetch_inc",
    "shmem_int_atomic_fetch_inc_nbi",
    "shmem_int_atomic_fetch_nbi",
    "shmem_int_atomic_inc",
    "shmem_int_atomic_set",
    "shmem_int_atomic_swap",
    "shmem_int_atomic_swap_nbi",
    "shmem_int_broadcast",
    "shmem_int_collect",
    "shmem_int_cswap",
    "shmem_int_fadd",
    "shmem_int_fcollect",
    "shmem_int_fetch",
    "shmem_int_finc",
    "shmem_int_g",
    "shmem_int_get",
    "shmem_int_get_nbi",
    "shmem_int_ibget",
    "shmem_int_ibput",
    "shmem_int_iget",
    "shmem_int_inc",
    "shmem_int_iput",
    "shmem_int_max_reduce",
    "shmem_int_max_to_all",
    "shmem_int_min_reduce",
    "shmem_int_min_to_all",
    "shmem_int_or_reduce",
    "shmem_int_or_to_all",
    "shmem_int_p",
    "shmem_int_prod_reduce",
    "shmem_int_prod_to_all",
    "shmem_int_put",
    "shmem_int_put_nbi",
    "shmem_int_put_signal",
    "shmem_int_put_signal_nbi",
    "shmem_int_set",
    "shmem_int_sum_exscan",
    "shmem_int_sum_inscan",
    "shmem_int_sum_reduce",
    "shmem_int_sum_to_all",
    "shmem_int_swap",
    "shmem_int_test",
    "shmem_int_test_all",
    "shmem_int_test_all_vector",
    "shmem_int_test_any",
    "shmem_int_test_any_vector",
    "shmem_int_test_some",
    "shmem_int_test_some_vector",
    "shmem_int_wait",
    "shmem_int_wait_until",
    "shmem_int_wait_until_all",
    "shmem_int_wait_until_all_vector",
    "shmem_int_wait_until_any",
    "shmem_int_wait_until_any_vector",
    "shmem_int_wait_until_some",
    "shmem_int_wait_until_some_vector",
    "shmem_int_xor_reduce",
    "shmem_int_xor_to_all",
    "shmem_iput",
    "shmem_iput8",
    "shmem_iput16",
    "shmem_iput32",
    "shmem_iput64",
    "shmem_iput128",
    "shmem_long_add",
    "shmem_long_alltoall",
    "shmem_long_alltoalls",
    "shmem_long_and_reduce",
    "shmem_long_and_to_all",
    "shmem_long_atomic_add",
    "shmem_long_atomic_compare_swap",
    "shmem_long_atomic_compare_swap_nbi",
    "shmem_long_atomic_fetch",
    "shmem_long_atomic_fetch_add",
    "shmem_long_atomic_fetch_add_nbi",
    "shmem_long_atomic_fetch_inc",
    "shmem_long_atomic_fetch_inc_nbi",
    "shmem_long_atomic_fetch_nbi",
    "shmem_long_atomic_inc",
    "shmem_long_atomic_set",
    "shmem_long_atomic_swap",
    "shmem_long_atomic_swap_nbi",
    "shmem_long_broadcast",
    "shmem_long_collect",
    "shmem_long_cswap",
    "shmem_long_fadd",
    "shmem_long_fcollect",
    "shmem_long_fetch",
    "shmem_long_finc",
    "shmem_long_g",
    "shmem_long_get",
    "shmem_long_get_nbi",
    "shmem_long_ibget",
    "shmem_long_ibput",
    "shmem_long_iget",
    "shmem_long_inc",
    "shmem_long_iput",
    "shmem_long_max_reduce",
    "shmem_long_max_to_all",
    "shmem_long_min_reduce",
    "shmem_long_min_to_all",
    "shmem_long_or_reduce",
    "shmem_long_or_to_all",
    "shmem_long_p",
    "shmem_long_prod_reduce",
    "shmem_long_prod_to_all",
    "shmem_long_put",
    "shmem_long_put_nbi",
    "shmem_long_put_signal",
    "shmem_long_put_signal_nbi",
    "shmem_long_set",
    "shmem_long_sum_exscan",
    "shmem_long_sum_inscan",
    "shmem_long_sum_reduce",
    "shmem_long_sum_to_all",
    "shmem_long_swap",
    "shmem_long_test",
    "shmem_long_test_all",
    "shmem_long_test_all_vector",
    "shmem_long_test_any",
    "shmem_long_test_any_vector",
    "shmem_long_test_some",
    "shmem_long_test_some_vector",
    "shmem_long_wait",
    "shmem_long_wait_until",
    "shmem_long_wait_until_all",
    "shmem_long_wait_until_all_vector",
    "shmem_long_wait_until_any",
    "shmem_long_wait_until_any_vector",
    "shmem_long_wait_until_some",
    "shmem_long_wait_until_some_vector",
    "shmem_long_xor_reduce",
    "shmem_long_xor_to_all",
    "shmem_longdouble_alltoall",
    "shmem_longdouble_alltoalls",
    "shmem_longdouble_broadcast",
    "shmem_longdouble_collect",
    "shmem_longdouble_fcollect",
    "shmem_longdouble_g",
    "shmem_longdouble_get",
    "shmem_longdouble_get_nbi",
    "shmem_longdouble_ibget",
    "shmem_longdouble_ibput",
    "shmem_longdouble_iget",
    "shmem_longdouble_iput",
    "shmem_longdouble_max_reduce",
    "shmem_longdouble_max_to_all",
    "shmem_longdouble_min_reduce",
    "shmem_longdouble_min_to_all",
    "shmem_longdouble_p",
    "shmem_longdouble_prod_reduce",
    "shmem_longdouble_prod_to_all",
    "shmem_longdouble_put",
    "shmem_longdouble_put_nbi",
    "shmem_longdouble_put_signal",
    "shmem_longdouble_put_signal_nbi",
    "shmem_longdouble_sum_exscan",
    "shmem_longdouble_sum_inscan",
    "shmem_longdouble_sum_reduce",
    "shmem_longdouble_sum_to_all",
    "shmem_longlong_add",
    "shmem_longlong_alltoall",
    "shmem_longlong_alltoalls",
    "shmem_longlong_and_reduce",
    "shmem_longlong_and_to_all",
    "shmem_longlong_atomic_add",
    "shmem_longlong_atomic_compare_swap",
    "shmem_longlong_atomic_compare_swap_nbi",
    "shmem_longlong_atomic_fetch",
    "shmem_longlong_atomic_fetch_add",
    "shmem_longlong_atomic_fetch_add_nbi",
    "shmem_longlong_atomic_fetch_inc",
    "shmem_longlong_atomic_fetch_inc_nbi",
    "shmem_longlong_atomic_fetch_nbi",
    "shmem_longlong_atomic_inc",
    "shmem_longlong_atomic_set",
    "shmem_longlong_atomic_swap",
    "shmem_longlong_atomic_swap_nbi",
    "shmem_longlong_broadcast",
    "shmem_longlong_collect",
    "shmem_longlong_cswap",
    "shmem_longlong_fadd",
    "shmem_longlong_fcollect",
    "shmem_longlong_fetch",
    "shmem_longlong_finc",
    "shmem_longlong_g",
    "shmem_longlong_get",
    "shmem_longlong_get_nbi",
    "shmem_longlong_ibget",
    "shmem_longlong_ibput",
    "shmem_longlong_iget",
    "shmem_longlong_inc",
    "shmem_longlong_iput",
    "shmem_longlong_max_reduce",
    "shmem_longlong_max_to_all",
    "shmem_longlong_min_reduce",
    "shmem_longlong_min_to_all",
    "shmem_longlong_or_reduce",
    "shmem_longlong_or_to_all",
    "shmem_longlong_p",
    "shmem_longlong_prod_reduce",
    "shmem_longlong_prod_to_all",
    "shmem_longlong_put",
    "shmem_longlong_put_nbi",
    "shmem_longlong_put_signal",
    "shmem_longlong_put_signal_nbi",
    "shmem_longlong_set",
    "shmem_longlong_sum_exscan",
    "shmem_longlong_sum_inscan",
    "shmem_longlong_sum_reduce",
    "shmem_longlong_sum_to_all",
    "shmem_longlong_swap",
    "shmem_longlong_test",
    "shmem_longlong_test_all",
    "shmem_longlong_test_all_vector",
    "shmem_longlong_test_any",
    "shmem_longlong_test_any_vector",
    "shmem_longlong_test_some",
    "shmem_longlong_test_some_vector",
    "shmem_longlong_wait",
    "shmem_longlong_wait_until",
    "shmem_longlong_wait_until_all",
    "shmem_longlong_wait_until_all_vector",
    "shmem_longlong_wait_until_any",
    "shmem_longlong_wait_until_any_vector",
    "shmem_longlong_wait_until_some",
    "shmem_longlong_wait_until_some_vector",
    "shmem_longlong_xor_reduce",
    "shmem_longlong_xor_to_all",
    "shmem_malloc",
    "shmem_malloc_with_hints",
    "shmem_max_reduce",
    "shmem_min_reduce",
    "shmem_my_pe",
    "shmem_n_pes",
    "shmem_or_reduce",
    "shmem_p",
    "shmem_pcontrol",
    "shmem_pe_accessible",
    "shmem_pe_quiet",
    "shmem_prod_reduce",
    "shmem_ptr",
    "shmem_ptrdiff_alltoall",
    "shmem_ptrdiff_alltoalls",
    "shmem_ptrdiff_atomic_add",
    "shmem_ptrdiff_atomic_compare_swap",
    "shmem_ptrdiff_atomic_compare_swap_nbi",
    "shmem_ptrdiff_atomic_fetch",
    "shmem_ptrdiff_atomic_fetch_add",
    "shmem_ptrdiff_atomic_fetch_add_nbi",
    "shmem_ptrdiff_atomic_fetch_inc",
    "shmem_ptrdiff_atomic_fetch_inc_nbi",
    "shmem_ptrdiff_atomic_fetch_nbi",
    "shmem_ptrdiff_atomic_inc",
    "shmem_ptrdiff_atomic_set",
    "shmem_ptrdiff_atomic_swap",
    "shmem_ptrdiff_atomic_swap_nbi",
    "shmem_ptrdiff_broadcast",
    "shmem_ptrdiff_collect",
    "shmem_ptrdiff_fcollect",
    "shmem_ptrdiff_g",
    "shmem_ptrdiff_get",
    "shmem_ptrdiff_get_nbi",
    "shmem_ptrdiff_ibget",
    "shmem_ptrdiff_ibput",
    "shmem_ptrdiff_iget",
    "shmem_ptrdiff_iput",
    "shmem_ptrdiff_max_reduce",
    "shmem_ptrdiff_min_reduce",
    "shmem_ptrdiff_p",
    "shmem_ptrdiff_prod_reduce",
    "shmem_ptrdiff_put",
    "shmem_ptrdiff_put_nbi",
    "shmem_ptrdiff_put_signal",
    "shmem_ptrdiff_put_signal_nbi",
    "shmem_ptrdiff_sum_exscan",
    "shmem_ptrdiff_sum_inscan",
    "shmem_ptrdiff_sum_reduce",
    "shmem_ptrdiff_test",
    "shmem_ptrdiff_test_all",
    "shmem_ptrdiff_test_all_vector",
    "shmem_ptrdiff_test_any",
    "shmem_ptrdiff_test_any_vector",
    "shmem_ptrdiff_test_some",
    "shmem_ptrdiff_test_some_vector",
    "shmem_ptrdiff_wait_until",
    "shmem_ptrdiff_wait_until_all",
    "shmem_ptrdiff_wait_until_all_vector",
    "shmem_ptrdiff_wait_until_any",
    "shmem_ptrdiff_wait_until_any_vector",
    "shmem_ptrdiff_wait_until_some",
    "shmem_ptrdiff_wait_until_some_vector",
    "shmem_put",
    "shmem_put8",
    "shmem_put8_nbi",
    "shmem_put8_signal",
    "shmem_put8_signal_nbi",
    "shmem_put16",
    "shmem_put16_nbi",
    "shmem_put16_signal",
    "shmem_put16_signal_nbi",
    "shmem_put32",
    "shmem_put32_nbi",
    "shmem_put32_signal",
    "shmem_put32_signal_nbi",
    "shmem_put64",
    "shmem_put64_nbi",
    "shmem_put64_signal",
    "shmem_put64_signal_nbi",
    "shmem_put128",
    "shmem_put128_nbi",
    "shmem_put128_signal",
    "shmem_put128_signal_nbi",
    "shmem_put_nbi",
    "shmem_put_signal",
    "shmem_put_signal_nbi",
    "shmem_putmem",
    "shmem_putmem_nbi",
    "shmem_putmem_signal",
    "shmem_putmem_signal_nbi",
    "shmem_query_initialized",
    "shmem_query_thread",
    "shmem_quiet",
    "shmem_real4_max_to_all",
    "shmem_real4_min_to_all",
    "shmem_real4_prod_to_all",
    "shmem_real4_sum_to_all",
    "shmem_real8_max_to_all",
    "shmem_real8_min_to_all",
    "shmem_real8_prod_to_all",
    "shmem_real8_sum_to_all",
    "shmem_real16_max_to_all",
    "shmem_real16_min_to_all",
    "shmem_real16_prod_to_all",
    "shmem_real16_sum_to_all",
    "shmem_realloc",
    "shmem_schar_alltoall",
    "shmem_schar_alltoalls",
    "shmem_schar_broadcast",
    "shmem_schar_collect",
    "shmem_schar_fcollect",
    "shmem_schar_g",
    "shmem_schar_get",
    "shmem_schar_get_nbi",
    "shmem_schar_ibget",
    "shmem_schar_ibput",
    "shmem_schar_iget",
    "shmem_schar_iput",
    "shmem_schar_max_reduce",
    "shmem_schar_min_reduce",
    "shmem_schar_p",
    "shmem_schar_prod_reduce",
    "shmem_schar_put",
    "shmem_schar_put_nbi",
    "shmem_schar_put_signal",
    "shmem_schar_put_signal_nbi",
    "shmem_schar_sum_exscan",
    "shmem_schar_sum_inscan",
    "shmem_schar_sum_reduce",
    "shmem_set",
    "shmem_set_cache_inv",
    "shmem_set_cache_line_inv",
    "shmem_set_lock",
    "shmem_short_alltoall",
    "shmem_short_alltoalls",
    "shmem_short_and_reduce",
    "shmem_short_and_to_all",
    "shmem_short_broadcast",
    "shmem_short_collect",
    "shmem_short_fcollect",
    "shmem_short_g",
    "shmem_short_get",
    "shmem_short_get_nbi",
    "shmem_short_ibget",
    "shmem_short_ibput",
    "shmem_short_iget",
    "shmem_short_iput",
    "shmem_short_max_reduce",
    "shmem_short_max_to_all",
    "shmem_short_min_reduce",
    "shmem_short_min_to_all",
    "shmem_short_or_reduce",
    "shmem_short_or_to_all",
    "shmem_short_p",
    "shmem_short_prod_reduce",
    "shmem_short_prod_to_all",
    "shmem_short_put",
    "shmem_short_put_nbi",
    "shmem_short_put_signal",
    "shmem_short_put_signal_nbi",
    "shmem_short_sum_exscan",
    "shmem_short_sum_inscan",
    "shmem_short_sum_reduce",
    "shmem_short_sum_to_all",
    "shmem_short_test",
    "shmem_short_wait",
    "shmem_short_wait_until",
    "shmem_short_xor_reduce",
    "shmem_short_xor_to_all",
    "shmem_signal_add",
    "shmem_signal_fetch",
    "shmem_signal_set",
    "shmem_signal_wait_until",
    "shmem_size_alltoall",
    "shmem_size_alltoalls",
    "shmem_size_and_reduce",
    "shmem_size_atomic_add",
    "shmem_size_atomic_compare_swap",
    "shmem_size_atomic_compare_swap_nbi",
    "shmem_size_atomic_fetch",
    "shmem_size_atomic_fetch_add",
    "shmem_size_atomic_fetch_add_nbi",
    "shmem_size_atomic_fetch_inc",
    "shmem_size_atomic_fetch_inc_nbi",
    "shmem_size_atomic_fetch_nbi",
    "shmem_size_atomic_inc",
    "shmem_size_atomic_set",
    "shmem_size_atomic_swap",
    "shmem_size_atomic_swap_nbi",
    "shmem_size_broadcast",
    "shmem_size_collect",
    "shmem_size_fcollect",
    "shmem_size_g",
    "shmem_size_get",
    "shmem_size_get_nbi",
    "shmem_size_ibget",
    "shmem_size_ibput",
    "shmem_size_iget",
    "shmem_size_iput",
    "shmem_size_max_reduce",
    "shmem_size_min_reduce",
    "shmem_size_or_reduce",
    "shmem_size_p",
    "shmem_size_prod_reduce",
    "shmem_size_put",
    "shmem_size_put_nbi",
    "shmem_size_put_signal",
    "shmem_size_put_signal_nbi",
    "shmem_size_sum_exscan",
    "shmem_size_sum_inscan",
    "shmem_size_sum_reduce",
    "shmem_size_test",
    "shmem_size_test_all",
    "shmem_size_test_all_vector",
    "shmem_size_test_any",
    "shmem_size_test_any_vector",
    "shmem_size_test_some",
    "shmem_size_test_some_vector",
    "shmem_size_wait_until",
    "shmem_size_wait_until_all",
    "shmem_size_wait_until_all_vector",
    "shmem_size_wait_until_any",
    "shmem_size_wait_until_any_vector",
    "shmem_size_wait_until_some",
    "shmem_size_wait_until_some_vector",
    "shmem_size_xor_reduce",
    "shmem_sum_exscan",
    "shmem_sum_inscan",
    "shmem_sum_reduce",
    "shmem_swap",
    "shmem_sync",
    "shmem_sync_all",
    "shmem_team_config_t",
    "shmem_team_create_ctx",
    "shmem_team_destroy",
    "shmem_team_get_config",
    "shmem_team_my_pe",
    "shmem_team_n_pes",
    "shmem_team_ptr",
    "shmem_team_split_2d",
    "shmem_team_split_strided",
    "shmem_team_sync",
    "shmem_team_t",
    "shmem_team_translate_pe",
    "shmem_test",
    "shmem_test_all",
    "shmem_test_all_vector",
    "shmem_test_any",
    "shmem_test_any_vector",
    "shmem_test_lock",
    "shmem_test_some",
    "shmem_test_some_vector",
    "shmem_uchar_alltoall",
    "shmem_uchar_alltoalls",
    "shmem_uchar_and_reduce",
    "shmem_uchar_broadcast",
    "shmem_uchar_collect",
    "shmem_uchar_fcollect",
    "shmem_uchar_g",
    "shmem_uchar_get",
    "shmem_uchar_get_nbi",
    "shmem_uchar_ibget",
    "shmem_uchar_ibput",
    "shmem_uchar_iget",
    "shmem_uchar_iput",
    "shmem_uchar_max_reduce",
    "shmem_uchar_min_reduce",
    "shmem_uchar_or_reduce",
    "shmem_uchar_p",
    "shmem_uchar_prod_reduce",
    "shmem_uchar_put",
    "shmem_uchar_put_nbi",
    "shmem_uchar_put_signal",
    "shmem_uchar_put_signal_nbi",
    "shmem_uchar_sum_exscan",
    "shmem_uchar_sum_inscan",
    "shmem_uchar_sum_reduce",
    "shmem_uchar_xor_reduce",
    "shmem_udcflush",
    "shmem_udcflush_line",
    "shmem_uint8_alltoall",
    "shmem_uint8_alltoalls",
    "shmem_uint8_and_reduce",
    "shmem_uint8_broadcast",
    "shmem_uint8_collect",
    "shmem_uint8_fcollect",
    "shmem_uint8_g",
    "shmem_uint8_get",
    "shmem_uint8_get_nbi",
    "shmem_uint8_ibget",
    "shmem_uint8_ibput",
    "shmem_uint8_iget",
    "shmem_uint8_iput",
    "shmem_uint8_max_reduce",
    "shmem_uint8_min_reduce",
    "shmem_uint8_or_reduce",
    "shmem_uint8_p",
    "shmem_uint8_prod_reduce",
    "shmem_uint8_put",
    "shmem_uint8_put_nbi",
    "shmem_uint8_put_signal",
    "shmem_uint8_put_signal_nbi",
    "shmem_uint8_sum_exscan",
    "shmem_uint8_sum_inscan",
    "shmem_uint8_sum_reduce",
    "shmem_uint8_xor_reduce",
    "shmem_uint16_alltoall",
    "shmem_uint16_alltoalls",
    "shmem_uint16_and_reduce",
    "shmem_uint16_broadcast",
    "shmem_uint16_collect",
    "shmem_uint16_fcollect",
    "shmem_uint16_g",
    "shmem_uint16_get",
    "shmem_uint16_get_nbi",
    "shmem_uint16_ibget",
    "shmem_uint16_ibput",
    "shmem_uint16_iget",
    "shmem_uint16_iput",
    "shmem_uint16_max_reduce",
    "shmem_uint16_min_reduce",
    "shmem_uint16_or_reduce",
    "shmem_uint16_p",
    "shmem_uint16_prod_reduce",
    "shmem_uint16_put",
    "shmem_uint16_put_nbi",
    "shmem_uint16_put_signal",
    "shmem_uint16_put_signal_nbi",
    "shmem_uint16_sum_exscan",
    "shmem_uint16_sum_inscan",
    "shmem_uint16_sum_reduce",
    "shmem_uint16_xor_reduce",
    "shmem_uint32_alltoall",
    "shmem_uint32_alltoalls",
    "shmem_uint32_and_reduce",
    "shmem_uint32_atomic_add",
    "shmem_uint32_atomic_and",
    "shmem_uint32_atomic_compare_swap",
    "shmem_uint32_atomic_compare_swap_nbi",
    "shmem_uint32_atomic_fetch",
    "shmem_uint32_atomic_fetch_add",
    "shmem_uint32_atomic_fetch_add_nbi",
    "shmem_uint32_atomic_fetch_and",
    "shmem_uint32_atomic_fetch_and_nbi",
    "shmem_uint32_atomic_fetch_inc",
    "shmem_uint32_atomic_fetch_inc_nbi",
    "shmem_uint32_atomic_fetch_nbi",
    "shmem_uint32_atomic_fetch_or",
    "shmem_uint32_atomic_fetch_or_nbi",
    "shmem_uint32_atomic_fetch_xor",
    "shmem_uint32_atomic_fetch_xor_nbi",
    "shmem_uint32_atomic_inc",
    "shmem_uint32_atomic_or",
    "shmem_uint32_atomic_set",
    "shmem_uint32_atomic_swap",
    "shmem_uint32_atomic_swap_nbi",
    "shmem_uint32_atomic_xor",
    "shmem_uint32_broadcast",
    "shmem_uint32_collect",
    "shmem_uint32_fcollect",
    "shmem_uint32_g",
    "shmem_uint32_get",
    "shmem_uint32_get_nbi",
    "shmem_uint32_ibget",
    "shmem_uint32_ibput",
    "shmem_uint32_iget",
    "shmem_uint32_iput",
    "shmem_uint32_max_reduce",
    "shmem_uint32_min_reduce",
    "shmem_uint32_or_reduce",
    "shmem_uint32_p",
    "shmem_uint32_prod_reduce",
    "shmem_uint32_put",
    "shmem_uint32_put_nbi",
    "shmem_uint32_put_signal",
    "shmem_uint32_put_signal_nbi",
    "shmem_uint32_sum_exscan",
    "shmem_uint32_sum_inscan",
    "shmem_uint32_sum_reduce",
    "shmem_uint32_test",
    "shmem_uint32_test_all",
    "shmem_uint32_test_all_vector",
    "shmem_uint32_test_any",
    "shmem_uint32_test_any_vector",
    "shmem_uint32_test_some",
    "shmem_uint32_test_some_vector",
    "shmem_uint32_wait_until",
    "shmem_uint32_wait_until_all",
    "shmem_uint32_wait_until_all_vector",
    "shmem_uint32_wait_until_any",
    "shmem_uint32_wait_until_any_vector",
    "shmem_uint32_wait_until_some",
    "shmem_uint32_wait_until_some_vector",
    "shmem_uint32_xor_reduce",
    "shmem_uint64_alltoall",
    "shmem_uint64_alltoalls",
    "shmem_uint64_and_reduce",
    "shmem_uint64_atomic_add",
    "shmem_uint64_atomic_and",
    "shmem_uint64_atomic_compare_swap",
    "shmem_uint64_atomic_compare_swap_nbi",
    "shmem_uint64_atomic_fetch",
    "shmem_uint64_atomic_fetch_add",
    "shmem_uint64_atomic_fetch_add_nbi",
    "shmem_uint64_atomic_fetch_and",
    "shmem_uint64_atomic_fetch_and_nbi",
    "shmem_uint64_atomic_fetch_inc",
    "shmem_uint64_atomic_fetch_inc_nbi",
    "shmem_uint64_atomic_fetch_nbi",
    "shmem_uint64_atomic_fetch_or",
    "shmem_uint64_atomic_fetch_or_nbi",
    "shmem_uint64_atomic_fetch_xor",
    "shmem_uint64_atomic_fetch_xor_nbi",
    "shmem_uint64_atomic_inc",
    "shmem_uint64_atomic_or",
    "shmem_uint64_atomic_set",
    "shmem_uint64_atomic_swap",
    "shmem_uint64_atomic_swap_nbi",
    "shmem_uint64_atomic_xor",
    "shmem_uint64_broadcast",
    "shmem_uint64_collect",
    "shmem_uint64_fcollect",
    "shmem_uint64_g",
    "shmem_uint64_get",
    "shmem_uint64_get_nbi",
    "shmem_uint64_ibget",
    "shmem_uint64_ibput",
    "shmem_uint64_iget",
    "shmem_uint64_iput",
    "shmem_uint64_max_reduce",
    "shmem_uint64_min_reduce",
    "shmem_uint64_or_reduce",
    "shmem_uint64_p",
    "shmem_uint64_prod_reduce",
    "shmem_uint64_put",
    "shmem_uint64_put_nbi",
    "shmem_uint64_put_signal",
    "shmem_uint64_put_signal_nbi",
    "shmem_uint64_sum_exscan",
    "shmem_uint64_sum_inscan",
    "shmem_uint64_sum_reduce",
    "shmem_uint64_test",
    "shmem_uint64_test_all",
    "shmem_uint64_test_all_vector",
    "shmem_uint64_test_any",
    "shmem_uint64_test_any_vector",
    "shmem_uint64_test_some",
    "shmem_uint64_test_some_vector",
    "shmem_uint64_wait_until",
    "shmem_uint64_wait_until_all",
    "shmem_uint64_wait_until_all_vector",
    "shmem_uint64_wait_until_any",
    "shmem_uint64_wait_until_any_vector",
    "shmem_uint64_wait_until_some",
    "shmem_uint64_wait_until_some_vector",
    "shmem_uint64_xor_reduce",
    "shmem_uint_alltoall",
    "shmem_uint_alltoalls",
    "shmem_uint_and_reduce",
    "shmem_uint_atomic_add",
    "shmem_uint_atomic_and",
    "shmem_uint_atomic_compare_swap",
    "shmem_uint_atomic_compare_swap_nbi",
    "shmem_uint_atomic_fetch",
    "shmem_uint_atomic_fetch_add",
    "shmem_uint_atomic_fetch_add_nbi",
    "shmem_uint_atomic_fetch_and",
    "shmem_uint_atomic_fetch_and_nbi",
    "shmem_uint_atomic_fetch_inc",
    "shmem_uint_atomic_fetch_inc_nbi",
    "shmem_uint_atomic_fetch_nbi",
    "shmem_uint_atomic_fetch_or",
    "shmem_uint_atomic_fetch_or_nbi",
    "shmem_uint_atomic_fetch_xor",
    "shmem_uint_atomic_fetch_xor_nbi",
    "shmem_uint_atomic_inc",
    "shmem_uint_atomic_or",
    "shmem_uint_atomic_set",
    "shmem_uint_atomic_swap",
    "shmem_uint_atomic_swap_nbi",
    "shmem_uint_atomic_xor",
    "shmem_uint_broadcast",
    "shmem_uint_collect",
    "shmem_uint_fcollect",
    "shmem_uint_g",
    "shmem_uint_get",
    "shmem_uint_get_nbi",
    "shmem_uint_ibget",
    "shmem_uint_ibput",
    "shmem_uint_iget",
    "shmem_uint_iput",
    "shmem_uint_max_reduce",
    "shmem_uint_min_reduce",
    "shmem_uint_or_reduce",
    "shmem_uint_p",
    "shmem_uint_prod_reduce",
    "shmem_uint_put",
    "shmem_uint_put_nbi",
    "shmem_uint_put_signal",
    "shmem_uint_put_signal_nbi",
    "shmem_uint_sum_exscan",
    "shmem_uint_sum_inscan",
    "shmem_uint_sum_reduce",
    "shmem_uint_test",
    "shmem_uint_test_all",
    "shmem_uint_test_all_vector",
    "shmem_uint_test_any",
    "shmem_uint_test_any_vector",
    "shmem_uint_test_some",
    "shmem_uint_test_some_vector",
    "shmem_uint_wait_until",
    "shmem_uint_wait_until_all",
    "shmem_uint_wait_until_all_vector",
    "shmem_uint_wait_until_any",
    "shmem_uint_wait_until_any_vector",
    "shmem_uint_wait_until_some",
    "shmem_uint_wait_until_some_vector",
    "shmem_uint_xor_reduce",
    "shmem_ulong_alltoall",
    "shmem_ulong_alltoalls",
    "shmem_ulong_and_reduce",
    "shmem_ulong_atomic_add",
    "shmem_ulong_atomic_and",
    "shmem_ulong_atomic_compare_swap",
    "shmem_ulong_atomic_compare_swap_nbi",
    "shmem_ulong_atomic_fetch",
    "shmem_ulong_atomic_fetch_add",
    "shmem_ulong_atomic_fetch_add_nbi",
    "shmem_ulong_atomic_fetch_and",
    "shmem_ulong_atomic_fetch_and_nbi",
    "shmem_ulong_atomic_fetch_inc",
    "shmem_ulong_atomic_fetch_inc_nbi",
    "shmem_ulong_atomic_fetch_nbi",
    "shmem_ulong_atomic_fetch_or",
    "shmem_ulong_atomic_fetch_or_nbi",
    "shmem_ulong_atomic_fetch_xor",
    "shmem_ulong_atomic_fetch_xor_nbi",
    "shmem_ulong_atomic_inc",
    "shmem_ulong_atomic_or",
    "shmem_ulong_atomic_set",
    "shmem_ulong_atomic_swap",
    "shmem_ulong_atomic_swap_nbi",
    "shmem_ulong_atomic_xor",
    "shmem_ulong_broadcast",
    "shmem_ulong_collect",
    "shmem_ulong_fcollect",
    "shmem_ulong_g",
    "shmem_ulong_get",
    "shmem_ulong_get_nbi",
    "shmem_ulong_ibget",
    "shmem_ulong_ibput",
    "shmem_ulong_iget",
    "shmem_ulong_iput",
    "shmem_ulong_max_reduce",
    "shmem_ulong_min_reduce",
    "shmem_ulong_or_reduce",
    "shmem_ulong_p",
    "shmem_ulong_prod_reduce",
    "shmem_ulong_put",
    "shmem_ulong_put_nbi",
    "shmem_ulong_put_signal",
    "shmem_ulong_put_signal_nbi",
    "shmem_ulong_sum_exscan",
    "shmem_ulong_sum_inscan",
    "shmem_ulong_sum_reduce",
    "shmem_ulong_test",
    "shmem_ulong_test_all",
    "shmem_ulong_test_all_vector",
    "shmem_ulong_test_any",
    "shmem_ulong_test_any_vector",
    "shmem_ulong_test_some",
    "shmem_ulong_test_some_vector",
    "shmem_ulong_wait_until",
    "shmem_ulong_wait_until_all",
    "shmem_ulong_wait_until_all_vector",
    "shmem_ulong_wait_until_any",
    "shmem_ulong_wait_until_any_vector",
    "shmem_ulong_wait_until_some",
    "shmem_ulong_wait_until_some_vector",
    "shmem_ulong_xor_reduce",
    "shmem_ulonglong_alltoall",
    "shmem_ulonglong_alltoalls",
    "shmem_ulonglong_and_reduce",
    "shmem_ulonglong_atomic_add",
    "shmem_ulonglong_atomic_and",
    "shmem_ulonglong_atomic_compare_swap",
    "shmem_ulonglong_atomic_compare_swap_nbi",
    "shmem_ulonglong_atomic_fetch",
    "shmem_ulonglong_atomic_fetch_add",
    "shmem_ulonglong_atomic_fetch_add_nbi",
    "shmem_ulonglong_atomic_fetch_and",
    "shmem_ulonglong_atomic_fetch_and_nbi",
    "shmem_ulonglong_atomic_fetch_inc",
    "shmem_ulonglong_atomic_fetch_inc_nbi",
    "shmem_ulonglong_atomic_fetch_nbi",
    "shmem_ulonglong_atomic_fetch_or",
    "shmem_ulonglong_atomic_fetch_or_nbi",
    "shmem_ulonglong_atomic_fetch_xor",
    "shmem_ulonglong_atomic_fetch_xor_nbi",
    "shmem_ulonglong_atomic_inc",
    "shmem_ulonglong_atomic_or",
    "shmem_ulonglong_atomic_set",
    "shmem_ulonglong_atomic_swap",
    "shmem_ulonglong_atomic_swap_nbi",
    "shmem_ulonglong_atomic_xor",
    "shmem_ulonglong_broadcast",
    "shmem_ulonglong_collect",
    "shmem_ulonglong_fcollect",
    "shmem_ulonglong_g",
    "shmem_ulonglong_get",
    "shmem_ulonglong_get_nbi",
    "shmem_ulonglong_ibget",
    "shmem_ulonglong_ibput",
    "shmem_ulonglong_iget",
    "shmem_ulonglong_iput",
    "shmem_ulonglong_max_reduce",
    "shmem_ulonglong_min_reduce",
    "shmem_ulonglong_or_reduce",
    "shmem_ulonglong_p",
    "shmem_ulonglong_prod_reduce",
    "shmem_ulonglong_put",
    "shmem_ulonglong_put_nbi",
    "shmem_ulonglong_put_signal",
    "shmem_ulonglong_put_signal_nbi",
    "shmem_ulonglong_sum_exscan",
    "shmem_ulonglong_sum_inscan",
    "shmem_ulonglong_sum_reduce",
    "shmem_ulonglong_test",
    "shmem_ulonglong_test_all",
    "shmem_ulonglong_test_all_vector",
    "shmem_ulonglong_test_any",
    "shmem_ulonglong_test_any_vector",
    "shmem_ulonglong_test_some",
    "shmem_ulonglong_test_some_vector",
    "shmem_ulonglong_wait_until",
    "shmem_ulonglong_wait_until_all",
    "shmem_ulonglong_wait_until_all_vector",
    "shmem_ulonglong_wait_until_any",
    "shmem_ulonglong_wait_until_any_vector",
    "shmem_ulonglong_wait_until_some",
    "shmem_ulonglong_wait_until_some_vector",
    "shmem_ulonglong_xor_reduce",
    "shmem_ushort_alltoall",
    "shmem_ushort_alltoalls",
    "shmem_ushort_and_reduce",
    "shmem_ushort_broadcast",
    "shmem_ushort_collect",
    "shmem_ushort_fcollect",
    "shmem_ushort_g",
    "shmem_ushort_get",
    "shmem_ushort_get_nbi",
    "shmem_ushort_ibget",
    "shmem_ushort_ibput",
    "shmem_ushort_iget",
    "shmem_ushort_iput",
    "shmem_ushort_max_reduce",
    "shmem_ushort_min_reduce",
    "shmem_ushort_or_reduce",
    "shmem_ushort_p",
    "shmem_ushort_prod_reduce",
    "shmem_ushort_put",
    "shmem_ushort_put_nbi",
    "shmem_ushort_put_signal",
    "shmem_ushort_put_signal_nbi",
    "shmem_ushort_sum_exscan",
    "shmem_ushort_sum_inscan",
    "shmem_ushort_sum_reduce",
    "shmem_ushort_test",
    "shmem_ushort_wait_until",
    "shmem_ushort_xor_reduce",
    "shmem_wait",
    "shmem_wait_until",
    "shmem_wait_until_all",
    "shmem_wait_until_all_vector",
    "shmem_wait_until_any",
    "shmem_wait_until_any_vector",
    "shmem_wait_until_some",
    "shmem_wait_until_some_vector",
    "shmem_xor_reduce",
    "shmemalign",
    "shmemx_int16_and_to_all",
    "shmemx_int16_max_to_all",
    "shmemx_int16_min_to_all",
    "shmemx_int16_or_to_all",
    "shmemx_int16_prod_to_all",
    "shmemx_int16_sum_to_all",
    "shmemx_int16_xor_to_all",
    "shmemx_int32_and_to_all",
    "shmemx_int32_max_to_all",
    "shmemx_int32_min_to_all",
    "shmemx_int32_or_to_all",
    "shmemx_int32_prod_to_all",
    "shmemx_int32_sum_to_all",
    "shmemx_int32_xor_to_all",
    "shmemx_int64_and_to_all",
    "shmemx_int64_max_to_all",
    "shmemx_int64_min_to_all",
    "shmemx_int64_or_to_all",
    "shmemx_int64_prod_to_all",
    "shmemx_int64_sum_to_all",
    "shmemx_int64_xor_to_all",
    "shrealloc",
    "start_pes",
    "sum_reduce",
    "sync_all",
    "xor_reduce",
    "zeros",
]

_Array: TypeAlias = NDArray[Any]

CHAPTERS: tuple[ModuleType, ...]

# Remote memory access (OpenSHMEM 1.5, sections 9.6 and 9.7): put, get, single values.

def shmem_float_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_double_put(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_longdouble_put(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_char_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_schar_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_short_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_int_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_long_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_longlong_put(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uchar_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_ushort_put(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_ulong_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_ulonglong_put(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int8_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_int16_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_int32_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_int64_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_uint8_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_uint16_put(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint32_put(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint64_put(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_size_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_ptrdiff_put(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_put(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_put8(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_put16(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_put32(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_put64(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_put128(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_putmem(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_float_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_double_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_longdouble_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_char_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_schar_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_short_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_long_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_longlong_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uchar_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ushort_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ulong_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int8_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int16_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int32_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int64_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint8_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint16_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint32_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint64_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_size_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ptrdiff_put_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_put_nbi(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_put8_nbi(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_put16_nbi(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_put32_nbi(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_put64_nbi(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_put128_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_putmem_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_float_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_double_get(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_longdouble_get(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_char_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_schar_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_short_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_int_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_long_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_longlong_get(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uchar_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_ushort_get(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_ulong_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_ulonglong_get(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int8_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_int16_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_int32_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_int64_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_uint8_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_uint16_get(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint32_get(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint64_get(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_size_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_ptrdiff_get(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_get(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_get8(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_get16(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_get32(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_get64(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_get128(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_getmem(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_float_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_double_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_longdouble_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_char_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_schar_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_short_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_long_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_longlong_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uchar_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ushort_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ulong_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int8_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int16_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int32_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int64_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint8_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint16_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint32_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint64_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_size_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ptrdiff_get_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_get_nbi(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_get8_nbi(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_get16_nbi(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_get32_nbi(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_get64_nbi(target: _Array | None, source: _Array | None, nelems: int, pe: int) -> None: ...
def shmem_get128_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_getmem_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_float_p(target: _Array, value: float, pe: int) -> None: ...
def shmem_double_p(target: _Array, value: float, pe: int) -> None: ...
def shmem_longdouble_p(target: _Array, value: np.longdouble, pe: int) -> None: ...
def shmem_char_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_schar_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_short_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_int_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_long_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_longlong_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_uchar_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_ushort_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulong_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulonglong_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_int8_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_int16_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_int32_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_int64_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint8_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint16_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint32_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint64_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_size_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_ptrdiff_p(target: _Array, value: int, pe: int) -> None: ...
def shmem_p(target: _Array, value: float, pe: int) -> None: ...
def shmem_float_g(source: _Array, pe: int) -> float: ...
def shmem_double_g(source: _Array, pe: int) -> float: ...
def shmem_longdouble_g(source: _Array, pe: int) -> np.longdouble: ...
def shmem_char_g(source: _Array, pe: int) -> int: ...
def shmem_schar_g(source: _Array, pe: int) -> int: ...
def shmem_short_g(source: _Array, pe: int) -> int: ...
def shmem_int_g(source: _Array, pe: int) -> int: ...
def shmem_long_g(source: _Array, pe: int) -> int: ...
def shmem_longlong_g(source: _Array, pe: int) -> int: ...
def shmem_uchar_g(source: _Array, pe: int) -> int: ...
def shmem_ushort_g(source: _Array, pe: int) -> int: ...
def shmem_uint_g(source: _Array, pe: int) -> int: ...
def shmem_ulong_g(source: _Array, pe: int) -> int: ...
def shmem_ulonglong_g(source: _Array, pe: int) -> int: ...
def shmem_int8_g(source: _Array, pe: int) -> int: ...
def shmem_int16_g(source: _Array, pe: int) -> int: ...
def shmem_int32_g(source: _Array, pe: int) -> int: ...
def shmem_int64_g(source: _Array, pe: int) -> int: ...
def shmem_uint8_g(source: _Array, pe: int) -> int: ...
def shmem_uint16_g(source: _Array, pe: int) -> int: ...
def shmem_uint32_g(source: _Array, pe: int) -> int: ...
def shmem_uint64_g(source: _Array, pe: int) -> int: ...
def shmem_size_g(source: _Array, pe: int) -> int: ...
def shmem_ptrdiff_g(source: _Array, pe: int) -> int: ...
def shmem_g(source: _Array, pe: int) -> float: ...

# Strided put and get (OpenSHMEM 1.5, sections 9.6.4 and 9.6.8), and of blocks (1.6).

def shmem_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_float_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_double_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_longdouble_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_char_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_schar_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_short_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_long_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_longlong_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uchar_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ushort_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ulong_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int8_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int16_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int32_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int64_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint8_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint16_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint32_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint64_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_size_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ptrdiff_iput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_iput8(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_iput16(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_iput32(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_iput64(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_iput128(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_float_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_double_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_longdouble_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_char_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_schar_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_short_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_long_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_longlong_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uchar_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ushort_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ulong_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int8_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int16_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int32_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_int64_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint8_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint16_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint32_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_uint64_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_size_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ptrdiff_iget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_iget8(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_iget16(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_iget32(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_iget64(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_iget128(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_float_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_double_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_longdouble_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_char_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_schar_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_short_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_int_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_long_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_longlong_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uchar_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ushort_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uint_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ulong_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_int8_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_int16_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_int32_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_int64_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uint8_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uint16_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uint32_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uint64_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_size_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ptrdiff_ibput(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ibput8(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ibput16(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ibput32(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ibput64(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ibput128(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_float_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_double_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_longdouble_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_char_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_schar_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_short_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_int_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_long_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_longlong_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uchar_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ushort_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uint_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ulong_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_int8_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_int16_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_int32_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_int64_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uint8_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uint16_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uint32_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_uint64_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_size_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ptrdiff_ibget(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ibget8(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ibget16(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ibget32(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ibget64(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ibget128(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...

# Atomic memory operations (OpenSHMEM 1.5, sections 9.8 and 9.9).

def shmem_float_atomic_fetch(source: _Array, pe: int) -> float: ...
def shmem_float_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_double_atomic_fetch(source: _Array, pe: int) -> float: ...
def shmem_double_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_int_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_int_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_long_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_long_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_longlong_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_longlong_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_uint_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_uint_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_ulong_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_ulong_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_ulonglong_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_ulonglong_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_int32_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_int32_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_int64_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_int64_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_uint32_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_uint32_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_uint64_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_uint64_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_size_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_size_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_ptrdiff_atomic_fetch(source: _Array, pe: int) -> int: ...
def shmem_ptrdiff_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_atomic_fetch(source: _Array, pe: int) -> float: ...
def shmem_atomic_fetch_nbi(fetch: _Array, source: _Array, pe: int) -> None: ...
def shmem_float_atomic_set(target: _Array, value: float, pe: int) -> None: ...
def shmem_double_atomic_set(target: _Array, value: float, pe: int) -> None: ...
def shmem_int_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_long_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_longlong_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulong_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulonglong_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_int32_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_int64_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint32_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint64_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_size_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_ptrdiff_atomic_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_atomic_set(target: _Array, value: float, pe: int) -> None: ...
def shmem_float_atomic_swap(target: _Array, value: float, pe: int) -> float: ...
def shmem_float_atomic_swap_nbi(fetch: _Array, target: _Array, value: float, pe: int) -> None: ...
def shmem_double_atomic_swap(target: _Array, value: float, pe: int) -> float: ...
def shmem_double_atomic_swap_nbi(fetch: _Array, target: _Array, value: float, pe: int) -> None: ...
def shmem_int_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_int_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_long_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_long_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_longlong_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_longlong_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_uint_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_ulong_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_ulong_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_ulonglong_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_ulonglong_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_int32_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_int32_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_int64_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_int64_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_uint32_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint32_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_uint64_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint64_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_size_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_size_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_ptrdiff_atomic_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_ptrdiff_atomic_swap_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_atomic_swap(target: _Array, value: float, pe: int) -> float: ...
def shmem_atomic_swap_nbi(fetch: _Array, target: _Array, value: float, pe: int) -> None: ...
def shmem_int_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_int_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_long_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_long_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_longlong_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_longlong_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_uint_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_uint_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ulong_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_ulong_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_ulonglong_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_int32_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_int32_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_int64_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_int64_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_uint32_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_uint32_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_uint64_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_uint64_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_size_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_size_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ptrdiff_atomic_compare_swap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_ptrdiff_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_atomic_compare_swap(target: _Array, cond: float, value: float, pe: int) -> float: ...
def shmem_atomic_compare_swap_nbi(
    fetch: _Array,
    target: _Array,
    cond: float,
    value: float,
    pe: int,
) -> None: ...
def shmem_int_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_long_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_longlong_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_uint_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_ulong_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_ulonglong_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_int32_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_int64_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_uint32_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_uint64_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_size_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_ptrdiff_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_atomic_inc(target: _Array, pe: int) -> None: ...
def shmem_int_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_int_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_long_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_long_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_longlong_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_longlong_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_uint_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_uint_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_ulong_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_ulong_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_ulonglong_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_ulonglong_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_int32_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_int32_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_int64_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_int64_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_uint32_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_uint32_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_uint64_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_uint64_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_size_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_size_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_ptrdiff_atomic_fetch_inc(target: _Array, pe: int) -> int: ...
def shmem_ptrdiff_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_atomic_fetch_inc(target: _Array, pe: int) -> float: ...
def shmem_atomic_fetch_inc_nbi(fetch: _Array, target: _Array, pe: int) -> None: ...
def shmem_int_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_long_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_longlong_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulong_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulonglong_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_int32_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_int64_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint32_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint64_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_size_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_ptrdiff_atomic_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_atomic_add(target: _Array, value: float, pe: int) -> None: ...
def shmem_int_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_int_atomic_fetch_add_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_long_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_long_atomic_fetch_add_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_longlong_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_longlong_atomic_fetch_add_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_uint_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint_atomic_fetch_add_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_ulong_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_ulong_atomic_fetch_add_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_ulonglong_atomic_fetch_add_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_int32_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_int32_atomic_fetch_add_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_int64_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_int64_atomic_fetch_add_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_uint32_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint32_atomic_fetch_add_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_uint64_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint64_atomic_fetch_add_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_size_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_size_atomic_fetch_add_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_ptrdiff_atomic_fetch_add(target: _Array, value: int, pe: int) -> int: ...
def shmem_ptrdiff_atomic_fetch_add_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_atomic_fetch_add(target: _Array, value: float, pe: int) -> float: ...
def shmem_atomic_fetch_add_nbi(fetch: _Array, target: _Array, value: float, pe: int) -> None: ...
def shmem_uint_atomic_and(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulong_atomic_and(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulonglong_atomic_and(target: _Array, value: int, pe: int) -> None: ...
def shmem_int32_atomic_and(target: _Array, value: int, pe: int) -> None: ...
def shmem_int64_atomic_and(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint32_atomic_and(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint64_atomic_and(target: _Array, value: int, pe: int) -> None: ...
def shmem_atomic_and(target: _Array, value: float, pe: int) -> None: ...
def shmem_uint_atomic_fetch_and(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint_atomic_fetch_and_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_ulong_atomic_fetch_and(target: _Array, value: int, pe: int) -> int: ...
def shmem_ulong_atomic_fetch_and_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_atomic_fetch_and(target: _Array, value: int, pe: int) -> int: ...
def shmem_ulonglong_atomic_fetch_and_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_int32_atomic_fetch_and(target: _Array, value: int, pe: int) -> int: ...
def shmem_int32_atomic_fetch_and_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_int64_atomic_fetch_and(target: _Array, value: int, pe: int) -> int: ...
def shmem_int64_atomic_fetch_and_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_uint32_atomic_fetch_and(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint32_atomic_fetch_and_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_uint64_atomic_fetch_and(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint64_atomic_fetch_and_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_atomic_fetch_and(target: _Array, value: float, pe: int) -> float: ...
def shmem_atomic_fetch_and_nbi(fetch: _Array, target: _Array, value: float, pe: int) -> None: ...
def shmem_uint_atomic_or(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulong_atomic_or(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulonglong_atomic_or(target: _Array, value: int, pe: int) -> None: ...
def shmem_int32_atomic_or(target: _Array, value: int, pe: int) -> None: ...
def shmem_int64_atomic_or(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint32_atomic_or(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint64_atomic_or(target: _Array, value: int, pe: int) -> None: ...
def shmem_atomic_or(target: _Array, value: float, pe: int) -> None: ...
def shmem_uint_atomic_fetch_or(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint_atomic_fetch_or_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_ulong_atomic_fetch_or(target: _Array, value: int, pe: int) -> int: ...
def shmem_ulong_atomic_fetch_or_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_ulonglong_atomic_fetch_or(target: _Array, value: int, pe: int) -> int: ...
def shmem_ulonglong_atomic_fetch_or_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_int32_atomic_fetch_or(target: _Array, value: int, pe: int) -> int: ...
def shmem_int32_atomic_fetch_or_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_int64_atomic_fetch_or(target: _Array, value: int, pe: int) -> int: ...
def shmem_int64_atomic_fetch_or_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_uint32_atomic_fetch_or(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint32_atomic_fetch_or_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_uint64_atomic_fetch_or(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint64_atomic_fetch_or_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_atomic_fetch_or(target: _Array, value: float, pe: int) -> float: ...
def shmem_atomic_fetch_or_nbi(fetch: _Array, target: _Array, value: float, pe: int) -> None: ...
def shmem_uint_atomic_xor(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulong_atomic_xor(target: _Array, value: int, pe: int) -> None: ...
def shmem_ulonglong_atomic_xor(target: _Array, value: int, pe: int) -> None: ...
def shmem_int32_atomic_xor(target: _Array, value: int, pe: int) -> None: ...
def shmem_int64_atomic_xor(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint32_atomic_xor(target: _Array, value: int, pe: int) -> None: ...
def shmem_uint64_atomic_xor(target: _Array, value: int, pe: int) -> None: ...
def shmem_atomic_xor(target: _Array, value: float, pe: int) -> None: ...
def shmem_uint_atomic_fetch_xor(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint_atomic_fetch_xor_nbi(fetch: _Array, target: _Array, value: int, pe: int) -> None: ...
def shmem_ulong_atomic_fetch_xor(target: _Array, value: int, pe: int) -> int: ...
def shmem_ulong_atomic_fetch_xor_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_atomic_fetch_xor(target: _Array, value: int, pe: int) -> int: ...
def shmem_ulonglong_atomic_fetch_xor_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_int32_atomic_fetch_xor(target: _Array, value: int, pe: int) -> int: ...
def shmem_int32_atomic_fetch_xor_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_int64_atomic_fetch_xor(target: _Array, value: int, pe: int) -> int: ...
def shmem_int64_atomic_fetch_xor_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_uint32_atomic_fetch_xor(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint32_atomic_fetch_xor_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_uint64_atomic_fetch_xor(target: _Array, value: int, pe: int) -> int: ...
def shmem_uint64_atomic_fetch_xor_nbi(
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_atomic_fetch_xor(target: _Array, value: float, pe: int) -> float: ...
def shmem_atomic_fetch_xor_nbi(fetch: _Array, target: _Array, value: float, pe: int) -> None: ...
def shmem_float_fetch(source: _Array, pe: int) -> float: ...
def shmem_double_fetch(source: _Array, pe: int) -> float: ...
def shmem_int_fetch(source: _Array, pe: int) -> int: ...
def shmem_long_fetch(source: _Array, pe: int) -> int: ...
def shmem_longlong_fetch(source: _Array, pe: int) -> int: ...
def shmem_fetch(source: _Array, pe: int) -> float: ...
def shmem_float_set(target: _Array, value: float, pe: int) -> None: ...
def shmem_double_set(target: _Array, value: float, pe: int) -> None: ...
def shmem_int_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_long_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_longlong_set(target: _Array, value: int, pe: int) -> None: ...
def shmem_set(target: _Array, value: float, pe: int) -> None: ...
def shmem_float_swap(target: _Array, value: float, pe: int) -> float: ...
def shmem_double_swap(target: _Array, value: float, pe: int) -> float: ...
def shmem_int_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_long_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_longlong_swap(target: _Array, value: int, pe: int) -> int: ...
def shmem_swap(target: _Array, value: float, pe: int) -> float: ...
def shmem_int_cswap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_long_cswap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_longlong_cswap(target: _Array, cond: int, value: int, pe: int) -> int: ...
def shmem_cswap(target: _Array, cond: float, value: float, pe: int) -> float: ...
def shmem_int_inc(target: _Array, pe: int) -> None: ...
def shmem_long_inc(target: _Array, pe: int) -> None: ...
def shmem_longlong_inc(target: _Array, pe: int) -> None: ...
def shmem_inc(target: _Array, pe: int) -> None: ...
def shmem_int_finc(target: _Array, pe: int) -> int: ...
def shmem_long_finc(target: _Array, pe: int) -> int: ...
def shmem_longlong_finc(target: _Array, pe: int) -> int: ...
def shmem_finc(target: _Array, pe: int) -> float: ...
def shmem_int_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_long_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_longlong_add(target: _Array, value: int, pe: int) -> None: ...
def shmem_add(target: _Array, value: float, pe: int) -> None: ...
def shmem_int_fadd(target: _Array, value: int, pe: int) -> int: ...
def shmem_long_fadd(target: _Array, value: int, pe: int) -> int: ...
def shmem_longlong_fadd(target: _Array, value: int, pe: int) -> int: ...
def shmem_fadd(target: _Array, value: float, pe: int) -> float: ...

# Broadcast, collect and alltoall (OpenSHMEM 1.4, sections 9.8.5 to 9.8.7 and 9.8.9).

def shmem_broadcast32(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> None: ...
def shmem_collect32(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> None: ...
def shmem_fcollect32(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> None: ...
def shmem_alltoall32(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> None: ...
def shmem_alltoalls32(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> None: ...
def shmem_broadcast64(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> None: ...
def shmem_collect64(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> None: ...
def shmem_fcollect64(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> None: ...
def shmem_alltoall64(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> None: ...
def shmem_alltoalls64(
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> None: ...

# Collective copies on teams (OpenSHMEM 1.5, section 9.10): by type, and of plain bytes.

def shmem_float_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_double_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_longdouble_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_char_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_schar_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_short_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_int_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_long_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_longlong_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_uchar_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_ushort_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_uint_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_ulong_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_ulonglong_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_int8_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_int16_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_int32_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_int64_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_uint8_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_uint16_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_uint32_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_uint64_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_size_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_ptrdiff_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_broadcast(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_broadcastmem(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    PE_root: int,
) -> int: ...
def shmem_float_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_double_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_longdouble_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_char_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_schar_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_short_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_long_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_longlong_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uchar_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ushort_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ulong_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ulonglong_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int8_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int16_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int32_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int64_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint8_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint16_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint32_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint64_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_size_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ptrdiff_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_collect(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_collectmem(
    team: shmem_team_t,
    target: _Array,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_float_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_double_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_longdouble_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_char_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_schar_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_short_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_long_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_longlong_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uchar_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ushort_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ulong_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ulonglong_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int8_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int16_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int32_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int64_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint8_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint16_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint32_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint64_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_size_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ptrdiff_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_fcollect(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_fcollectmem(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_float_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_double_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_longdouble_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_char_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_schar_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_short_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_long_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_longlong_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uchar_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ushort_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ulong_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ulonglong_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int8_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int16_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int32_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_int64_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint8_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint16_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint32_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_uint64_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_size_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_ptrdiff_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_alltoall(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_alltoallmem(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
) -> int: ...
def shmem_float_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_double_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_longdouble_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_char_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_schar_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_short_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_int_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_long_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_longlong_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_uchar_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_ushort_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_uint_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_ulong_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_ulonglong_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_int8_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_int16_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_int32_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_int64_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_uint8_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_uint16_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_uint32_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_uint64_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_size_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_ptrdiff_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_alltoalls(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...
def shmem_alltoallsmem(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
) -> int: ...

# Reductions over active sets (OpenSHMEM 1.4, section 9.8.8; the man pages shmem_sum(3) etc.).

def shmem_short_and_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_short_or_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_short_xor_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_short_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_short_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_short_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_short_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int_and_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int_or_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int_xor_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_long_and_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_long_or_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_long_xor_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_long_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_long_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_long_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_long_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_longlong_and_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_longlong_or_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_longlong_xor_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_longlong_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_longlong_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_longlong_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_longlong_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_float_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_float_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_float_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_float_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_double_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_double_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_double_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_double_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_longdouble_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_longdouble_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_longdouble_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_longdouble_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_complexf_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_complexf_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_complexd_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_complexd_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int2_and_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int2_or_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int2_xor_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int2_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int2_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int2_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int2_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int4_and_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int4_or_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int4_xor_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int4_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int4_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int4_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int4_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int8_and_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int8_or_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int8_xor_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int8_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int8_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int8_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_int8_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real4_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real4_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real4_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real4_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real8_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real8_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real8_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real8_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real16_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real16_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real16_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_real16_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_comp4_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_comp4_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_comp8_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmem_comp8_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int16_and_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int16_or_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int16_xor_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int16_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int16_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int16_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int16_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int32_and_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int32_or_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int32_xor_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int32_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int32_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int32_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int32_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int64_and_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int64_or_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int64_xor_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int64_max_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int64_min_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int64_sum_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...
def shmemx_int64_prod_to_all(
    target: _Array,
    source: _Array,
    nreduce: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pWrk: _Array | None,
    pSync: _Array,
) -> None: ...

# Reductions and scans on teams (OpenSHMEM 1.5, section 9.10.7; scans: 1.6).

def shmem_uchar_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ushort_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulong_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulonglong_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int8_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int16_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int32_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int64_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint8_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint16_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint32_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint64_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_size_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uchar_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ushort_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulong_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulonglong_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int8_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int16_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int32_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int64_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint8_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint16_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint32_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint64_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_size_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uchar_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ushort_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulong_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulonglong_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int8_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int16_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int32_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int64_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint8_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint16_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint32_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint64_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_size_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_char_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_schar_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_short_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_long_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longlong_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ptrdiff_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uchar_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ushort_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulong_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulonglong_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int8_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int16_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int32_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int64_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint8_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint16_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint32_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint64_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_size_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_float_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_double_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longdouble_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_char_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_schar_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_short_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_long_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longlong_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ptrdiff_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uchar_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ushort_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulong_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulonglong_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int8_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int16_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int32_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int64_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint8_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint16_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint32_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint64_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_size_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_float_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_double_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longdouble_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_char_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_schar_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_short_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_long_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longlong_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ptrdiff_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uchar_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ushort_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulong_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulonglong_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int8_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int16_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int32_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int64_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint8_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint16_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint32_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint64_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_size_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_float_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_double_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longdouble_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_complexf_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_complexd_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_char_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_schar_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_short_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_long_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longlong_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ptrdiff_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uchar_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ushort_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulong_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulonglong_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int8_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int16_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int32_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int64_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint8_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint16_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint32_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint64_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_size_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_float_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_double_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longdouble_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_complexf_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_complexd_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_short_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_long_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longlong_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_short_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_long_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longlong_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_short_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_long_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longlong_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_and_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_or_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_xor_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_max_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_min_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_sum_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_prod_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_char_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_char_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_schar_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_schar_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_short_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_short_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_long_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_long_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longlong_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longlong_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ptrdiff_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ptrdiff_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uchar_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uchar_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ushort_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ushort_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulong_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulong_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulonglong_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_ulonglong_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int8_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int8_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int16_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int16_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int32_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int32_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int64_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_int64_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint8_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint8_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint16_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint16_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint32_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint32_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint64_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_uint64_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_size_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_size_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_float_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_float_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_double_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_double_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longdouble_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_longdouble_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_complexf_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_complexf_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_complexd_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_complexd_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_sum_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...
def shmem_sum_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
) -> int: ...

# Signaling operations (OpenSHMEM 1.5, section 9.11): a put that also tells that it is there.

def shmem_float_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_double_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_longdouble_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_char_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_schar_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_short_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_int_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_long_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_longlong_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uchar_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ushort_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uint_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ulong_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_int8_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_int16_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_int32_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_int64_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uint8_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uint16_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uint32_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uint64_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_size_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ptrdiff_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put8_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put16_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put32_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put64_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put128_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_putmem_signal(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_float_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_double_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_longdouble_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_char_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_schar_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_short_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_int_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_long_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_longlong_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uchar_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ushort_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uint_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ulong_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ulonglong_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_int8_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_int16_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_int32_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_int64_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uint8_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uint16_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uint32_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_uint64_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_size_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ptrdiff_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put8_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put16_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put32_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put64_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_put128_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_putmem_signal_nbi(
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_signal_set(sig_addr: _Array, signal: int, pe: int) -> None: ...
def shmem_signal_add(sig_addr: _Array, signal: int, pe: int) -> None: ...

# Point-to-point synchronization and memory ordering (OpenSHMEM 1.5, sections 9.12 and 9.13).

def shmem_short_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_int_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_long_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_longlong_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_ushort_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_uint_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_ulong_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_ulonglong_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_int32_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_int64_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_uint32_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_uint64_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_size_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_ptrdiff_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_wait_until(ivar: _Array, cmp: int, cmp_value: int) -> None: ...
def shmem_short_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_int_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_long_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_longlong_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_ushort_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_uint_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_ulong_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_ulonglong_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_int32_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_int64_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_uint32_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_uint64_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_size_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_ptrdiff_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_test(ivar: _Array, cmp: int, cmp_value: int) -> bool: ...
def shmem_short_wait(ivar: _Array, cmp_value: int) -> None: ...
def shmem_int_wait(ivar: _Array, cmp_value: int) -> None: ...
def shmem_long_wait(ivar: _Array, cmp_value: int) -> None: ...
def shmem_longlong_wait(ivar: _Array, cmp_value: int) -> None: ...
def shmem_wait(ivar: _Array, cmp_value: int) -> None: ...

# Waiting for and testing several values (OpenSHMEM 1.5, sections 9.12.2 to 9.12.13).

def shmem_int_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_long_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_longlong_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_uint_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_ulong_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_ulonglong_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_int32_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_int64_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_uint32_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_uint64_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_size_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_ptrdiff_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_wait_until_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> None: ...
def shmem_int_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_long_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_longlong_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_uint_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_ulong_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_ulonglong_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_int32_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_int64_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_uint32_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_uint64_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_size_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_ptrdiff_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_wait_until_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> None: ...
def shmem_int_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_long_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_longlong_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ulong_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ulonglong_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int32_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int64_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint32_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint64_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_size_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ptrdiff_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_wait_until_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_long_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_longlong_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ulong_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ulonglong_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_int32_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_int64_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint32_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint64_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_size_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ptrdiff_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_wait_until_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_int_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_long_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_longlong_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ulong_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ulonglong_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int32_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int64_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint32_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint64_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_size_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ptrdiff_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_wait_until_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_long_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_longlong_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ulong_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ulonglong_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_int32_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_int64_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint32_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint64_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_size_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ptrdiff_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_wait_until_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_int_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_long_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_longlong_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_uint_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_ulong_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_ulonglong_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_int32_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_int64_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_uint32_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_uint64_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_size_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_ptrdiff_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_test_all(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> bool: ...
def shmem_int_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_long_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_longlong_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_uint_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_ulong_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_ulonglong_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_int32_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_int64_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_uint32_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_uint64_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_size_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_ptrdiff_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_test_all_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> bool: ...
def shmem_int_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_long_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_longlong_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ulong_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ulonglong_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int32_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int64_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint32_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint64_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_size_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ptrdiff_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_test_any(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_long_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_longlong_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ulong_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ulonglong_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_int32_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_int64_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint32_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint64_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_size_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ptrdiff_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_test_any_vector(
    ivars: _Array,
    nelems: int,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_int_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_long_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_longlong_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ulong_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ulonglong_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int32_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int64_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint32_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_uint64_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_size_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_ptrdiff_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_test_some(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_value: int,
) -> int: ...
def shmem_int_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_long_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_longlong_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ulong_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ulonglong_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_int32_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_int64_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint32_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_uint64_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_size_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_ptrdiff_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...
def shmem_test_some_vector(
    ivars: _Array,
    nelems: int,
    indices: _Array,
    status: _Array | None,
    cmp: int,
    cmp_values: _Array,
) -> int: ...

# Communication contexts (OpenSHMEM 1.5, section 9.5), and all routines that take one.

def shmem_ctx_float_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_double_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longdouble_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_char_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_schar_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_short_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uchar_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ushort_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int8_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int16_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint8_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint16_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put8(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put16(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put32(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put64(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put128(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_putmem(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_float_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_double_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longdouble_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_char_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_schar_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_short_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uchar_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ushort_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int8_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int16_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint8_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint16_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put8_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put16_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put32_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put64_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_put128_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_putmem_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_float_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_double_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longdouble_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_char_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_schar_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_short_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uchar_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ushort_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int8_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int16_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint8_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint16_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get8(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get16(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get32(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get64(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get128(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_getmem(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_float_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_double_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longdouble_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_char_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_schar_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_short_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uchar_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ushort_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int8_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int16_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint8_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint16_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get8_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get16_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get32_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get64_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_get128_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_getmem_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_float_p(ctx: shmem_ctx_t, target: _Array, value: float, pe: int) -> None: ...
def shmem_ctx_double_p(ctx: shmem_ctx_t, target: _Array, value: float, pe: int) -> None: ...
def shmem_ctx_longdouble_p(
    ctx: shmem_ctx_t,
    target: _Array,
    value: np.longdouble,
    pe: int,
) -> None: ...
def shmem_ctx_char_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_schar_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_short_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_int_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_long_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_longlong_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uchar_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ushort_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulong_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulonglong_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_int8_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_int16_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_int32_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_int64_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint8_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint16_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint32_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint64_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_size_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ptrdiff_p(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_p(ctx: shmem_ctx_t, target: _Array, value: float, pe: int) -> None: ...
def shmem_ctx_float_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> float: ...
def shmem_ctx_double_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> float: ...
def shmem_ctx_longdouble_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> np.longdouble: ...
def shmem_ctx_char_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_schar_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_short_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_int_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_long_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_longlong_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_uchar_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_ushort_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_uint_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_ulong_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_ulonglong_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_int8_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_int16_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_int32_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_int64_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_uint8_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_uint16_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_uint32_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_uint64_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_size_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_ptrdiff_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_g(ctx: shmem_ctx_t, source: _Array, pe: int) -> float: ...
def shmem_ctx_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_float_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_double_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longdouble_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_char_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_schar_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_short_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uchar_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ushort_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int8_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int16_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint8_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint16_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_iput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_iput8(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_iput16(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_iput32(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_iput64(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_iput128(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_float_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_double_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longdouble_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_char_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_schar_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_short_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uchar_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ushort_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int8_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int16_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint8_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint16_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_iget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_iget8(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_iget16(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_iget32(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_iget64(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_iget128(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    nelems: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_float_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_double_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_longdouble_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_char_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_schar_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_short_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_int_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uchar_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ushort_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_int8_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_int16_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint8_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint16_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_ibput(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibput8(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibput16(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibput32(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibput64(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibput128(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_float_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_double_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_longdouble_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_char_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_schar_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_short_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_int_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uchar_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ushort_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_int8_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_int16_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint8_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint16_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_ibget(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibget8(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibget16(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibget32(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibget64(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_ibget128(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    dst: int,
    sst: int,
    bsize: int,
    nblocks: int,
    pe: int,
) -> None: ...
def shmem_ctx_float_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> float: ...
def shmem_ctx_float_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_double_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> float: ...
def shmem_ctx_double_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_int_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_int_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_long_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_long_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_longlong_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_uint_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_uint_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_ulong_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_ulonglong_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_int32_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_int64_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_int64_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_uint32_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_uint64_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_size_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_size_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> int: ...
def shmem_ctx_ptrdiff_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_atomic_fetch(ctx: shmem_ctx_t, source: _Array, pe: int) -> float: ...
def shmem_ctx_atomic_fetch_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    source: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_float_atomic_set(ctx: shmem_ctx_t, target: _Array, value: float, pe: int) -> None: ...
def shmem_ctx_double_atomic_set(
    ctx: shmem_ctx_t,
    target: _Array,
    value: float,
    pe: int,
) -> None: ...
def shmem_ctx_int_atomic_set(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_long_atomic_set(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_longlong_atomic_set(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_atomic_set(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulong_atomic_set(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulonglong_atomic_set(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_set(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_int64_atomic_set(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint32_atomic_set(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint64_atomic_set(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_size_atomic_set(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ptrdiff_atomic_set(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_atomic_set(ctx: shmem_ctx_t, target: _Array, value: float, pe: int) -> None: ...
def shmem_ctx_float_atomic_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    value: float,
    pe: int,
) -> float: ...
def shmem_ctx_float_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: float,
    pe: int,
) -> None: ...
def shmem_ctx_double_atomic_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    value: float,
    pe: int,
) -> float: ...
def shmem_ctx_double_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: float,
    pe: int,
) -> None: ...
def shmem_ctx_int_atomic_swap(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> int: ...
def shmem_ctx_int_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_atomic_swap(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> int: ...
def shmem_ctx_long_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_atomic_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_longlong_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_atomic_swap(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> int: ...
def shmem_ctx_uint_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_atomic_swap(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> int: ...
def shmem_ctx_ulong_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_atomic_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ulonglong_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_swap(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> int: ...
def shmem_ctx_int32_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_atomic_swap(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> int: ...
def shmem_ctx_int64_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_atomic_swap(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> int: ...
def shmem_ctx_uint32_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_atomic_swap(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> int: ...
def shmem_ctx_uint64_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_atomic_swap(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> int: ...
def shmem_ctx_size_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_atomic_swap(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> int: ...
def shmem_ctx_ptrdiff_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_atomic_swap(ctx: shmem_ctx_t, target: _Array, value: float, pe: int) -> float: ...
def shmem_ctx_atomic_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: float,
    pe: int,
) -> None: ...
def shmem_ctx_int_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_long_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_longlong_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ulong_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ulonglong_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int32_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int64_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint32_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint64_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_size_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ptrdiff_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: int,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_atomic_compare_swap(
    ctx: shmem_ctx_t,
    target: _Array,
    cond: float,
    value: float,
    pe: int,
) -> float: ...
def shmem_ctx_atomic_compare_swap_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    cond: float,
    value: float,
    pe: int,
) -> None: ...
def shmem_ctx_int_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_long_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_longlong_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_uint_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_ulong_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_ulonglong_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_int32_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_int64_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_uint32_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_uint64_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_size_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_ptrdiff_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_atomic_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> None: ...
def shmem_ctx_int_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_int_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_long_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_long_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_longlong_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_uint_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_uint_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_ulong_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_ulonglong_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_int32_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_int64_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_int64_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_uint32_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_uint64_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_size_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_size_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> int: ...
def shmem_ctx_ptrdiff_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_atomic_fetch_inc(ctx: shmem_ctx_t, target: _Array, pe: int) -> float: ...
def shmem_ctx_atomic_fetch_inc_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    pe: int,
) -> None: ...
def shmem_ctx_int_atomic_add(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_long_atomic_add(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_longlong_atomic_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_atomic_add(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulong_atomic_add(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulonglong_atomic_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_add(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_int64_atomic_add(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint32_atomic_add(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint64_atomic_add(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_size_atomic_add(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ptrdiff_atomic_add(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_atomic_add(ctx: shmem_ctx_t, target: _Array, value: float, pe: int) -> None: ...
def shmem_ctx_int_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_long_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_longlong_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ulong_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ulonglong_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int32_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int64_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint32_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint64_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_size_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ptrdiff_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_atomic_fetch_add(
    ctx: shmem_ctx_t,
    target: _Array,
    value: float,
    pe: int,
) -> float: ...
def shmem_ctx_atomic_fetch_add_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: float,
    pe: int,
) -> None: ...
def shmem_ctx_uint_atomic_and(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulong_atomic_and(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulonglong_atomic_and(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_and(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_int64_atomic_and(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint32_atomic_and(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint64_atomic_and(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_atomic_and(ctx: shmem_ctx_t, target: _Array, value: float, pe: int) -> None: ...
def shmem_ctx_uint_atomic_fetch_and(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint_atomic_fetch_and_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_atomic_fetch_and(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ulong_atomic_fetch_and_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_atomic_fetch_and(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ulonglong_atomic_fetch_and_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_fetch_and(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int32_atomic_fetch_and_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_atomic_fetch_and(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int64_atomic_fetch_and_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_atomic_fetch_and(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint32_atomic_fetch_and_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_atomic_fetch_and(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint64_atomic_fetch_and_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_atomic_fetch_and(
    ctx: shmem_ctx_t,
    target: _Array,
    value: float,
    pe: int,
) -> float: ...
def shmem_ctx_atomic_fetch_and_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: float,
    pe: int,
) -> None: ...
def shmem_ctx_uint_atomic_or(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulong_atomic_or(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulonglong_atomic_or(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_or(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_int64_atomic_or(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint32_atomic_or(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint64_atomic_or(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_atomic_or(ctx: shmem_ctx_t, target: _Array, value: float, pe: int) -> None: ...
def shmem_ctx_uint_atomic_fetch_or(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint_atomic_fetch_or_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_atomic_fetch_or(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ulong_atomic_fetch_or_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_atomic_fetch_or(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ulonglong_atomic_fetch_or_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_fetch_or(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int32_atomic_fetch_or_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_atomic_fetch_or(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int64_atomic_fetch_or_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_atomic_fetch_or(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint32_atomic_fetch_or_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_atomic_fetch_or(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint64_atomic_fetch_or_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_atomic_fetch_or(ctx: shmem_ctx_t, target: _Array, value: float, pe: int) -> float: ...
def shmem_ctx_atomic_fetch_or_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: float,
    pe: int,
) -> None: ...
def shmem_ctx_uint_atomic_xor(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulong_atomic_xor(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_ulonglong_atomic_xor(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_xor(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_int64_atomic_xor(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint32_atomic_xor(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_uint64_atomic_xor(ctx: shmem_ctx_t, target: _Array, value: int, pe: int) -> None: ...
def shmem_ctx_atomic_xor(ctx: shmem_ctx_t, target: _Array, value: float, pe: int) -> None: ...
def shmem_ctx_uint_atomic_fetch_xor(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint_atomic_fetch_xor_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_atomic_fetch_xor(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ulong_atomic_fetch_xor_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_atomic_fetch_xor(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_ulonglong_atomic_fetch_xor_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_atomic_fetch_xor(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int32_atomic_fetch_xor_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_atomic_fetch_xor(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_int64_atomic_fetch_xor_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_atomic_fetch_xor(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint32_atomic_fetch_xor_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_atomic_fetch_xor(
    ctx: shmem_ctx_t,
    target: _Array,
    value: int,
    pe: int,
) -> int: ...
def shmem_ctx_uint64_atomic_fetch_xor_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: int,
    pe: int,
) -> None: ...
def shmem_ctx_atomic_fetch_xor(
    ctx: shmem_ctx_t,
    target: _Array,
    value: float,
    pe: int,
) -> float: ...
def shmem_ctx_atomic_fetch_xor_nbi(
    ctx: shmem_ctx_t,
    fetch: _Array,
    target: _Array,
    value: float,
    pe: int,
) -> None: ...
def shmem_ctx_float_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_double_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_longdouble_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_char_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_schar_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_short_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_int_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uchar_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_ushort_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_int8_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_int16_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint8_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint16_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put8_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put16_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put32_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put64_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put128_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_putmem_signal(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_float_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_double_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_longdouble_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_char_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_schar_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_short_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_int_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_long_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_longlong_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uchar_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_ushort_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulong_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_ulonglong_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_int8_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_int16_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_int32_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_int64_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint8_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint16_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint32_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_uint64_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_size_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_ptrdiff_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put8_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put16_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put32_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put64_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_put128_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_putmem_signal_nbi(
    ctx: shmem_ctx_t,
    target: _Array | None,
    source: _Array | None,
    nelems: int,
    sig_addr: _Array,
    signal: int,
    sig_op: int,
    pe: int,
) -> None: ...
def shmem_ctx_signal_set(ctx: shmem_ctx_t, sig_addr: _Array, signal: int, pe: int) -> None: ...
def shmem_ctx_signal_add(ctx: shmem_ctx_t, sig_addr: _Array, signal: int, pe: int) -> None: ...

# Reductions that no SHMEM has: any operation on any element type, and to one PE only.

def redcoll_allreduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
    op: Any,
) -> int: ...
def redcoll_inscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
    op: Any,
) -> int: ...
def redcoll_exscan(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
    op: Any,
) -> int: ...
def redcoll_reduce(
    team: shmem_team_t,
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
    op: Any,
    PE_root: int,
) -> int: ...
def redcoll_to_all(
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
    op: Any,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> int: ...
def redcoll_to_one(
    target: _Array | None,
    source: _Array | None,
    nreduce: int,
    op: Any,
    PE_root: int,
    PE_start: int,
    logPE_stride: int,
    PE_size: int,
    pSync: _Array,
) -> int: ...
