"""Test the names of the SHMEM API against lists of the specification."""

import inspect
import pickle
import re
import subprocess
import sys
import typing
from pathlib import Path

import numpy as np
import pytest
import shmem_stub
from numpy.typing import NDArray
from shmem_names import C_NAMES, FORTRAN_NAMES, INT2_NAMES, NAMES, SHMEMX_NAMES, dtype

import redcoll_shmem as shmem
from redcoll_shmem._routines import LazyRoutines


def reductions():
    return {name for name in shmem.__all__ if name.endswith("_to_all") and name != "redcoll_to_all"}


def test_numbers_of_names():
    assert len(set(C_NAMES)) == 44
    assert len(set(FORTRAN_NAMES)) == 30
    assert len({*C_NAMES, *FORTRAN_NAMES}) == 74
    assert len({*C_NAMES, *FORTRAN_NAMES, *INT2_NAMES}) == 81
    assert len({*C_NAMES, *FORTRAN_NAMES, *INT2_NAMES, *SHMEMX_NAMES}) == len(NAMES) == 102


def test_the_reductions_are_those():
    assert reductions() == set(NAMES)


def test_names_that_do_not_exist_anywhere():
    """Some man pages list these names, but no library has them."""
    for name in ("shmem_comp8_max_to_all", "shmem_comp4_xor_to_all", "shmem_real8_xor_to_all"):
        assert not hasattr(shmem, name)


@pytest.mark.parametrize("name", NAMES)
def test_a_reduction_looks_like_a_function(name):
    routine = getattr(shmem, name)
    assert inspect.isfunction(routine)
    assert routine.__name__ == routine.__qualname__ == name == routine.__code__.co_name
    assert routine.__module__ == "redcoll_shmem"
    assert pickle.loads(pickle.dumps(routine)) is routine
    assert list(inspect.signature(routine).parameters) == [
        *("target", "source", "nreduce", "PE_start", "logPE_stride", "PE_size", "pWrk", "pSync"),
    ]
    assert typing.get_type_hints(routine)["nreduce"] is int
    operation = name.split("_")[2]
    word = {"and": "AND", "or": "OR", "xor": "exclusive", "max": "maximum", "min": "minimum"}
    first = routine.__doc__.splitlines()[0]
    assert word.get(operation, {"sum": "sum", "prod": "product"}.get(operation)) in first
    assert f"ndarray of {dtype(name)}" in routine.__doc__


def test_arguments_can_be_left_out_of_no_call():
    for given, missing in (((), "target"), ((1, 2, 3, 4, 5, 6, 7), "pSync")):
        with pytest.raises(TypeError, match=f"shmem_int_sum_to_all.*missing.*{missing}"):
            shmem.shmem_int_sum_to_all(*given)
    with pytest.raises(TypeError, match="source, nreduce"):
        shmem.shmem_int_sum_to_all(None, PE_start=0, logPE_stride=0, PE_size=1, pWrk=0, pSync=0)
    with pytest.raises(TypeError, match="'target' and 'dest'"):
        shmem.shmem_int_sum_to_all(1, 2, 3, 0, 0, 1, None, None, dest=1)
    with pytest.raises(TypeError, match="unexpected keyword"):
        shmem.shmem_int_sum_to_all(1, 2, 3, 0, 0, 1, None, None, size=1)


# -- all other names ------------------------------------------------------------------------------


def words(text):
    return text.split()


OTHERS = words(
    """
    shmem_init start_pes shmem_finalize shmem_init_thread shmem_query_thread shmem_global_exit
    shmem_query_initialized
    globalexit shmem_my_pe shmem_n_pes _my_pe _num_pes my_pe num_pes n_pes
    shmem_malloc shmem_calloc shmem_align shmem_realloc shmem_free
    shmalloc shmemalign shrealloc shfree
    shmem_barrier_all shmem_barrier shmem_sync_all shmem_sync shmem_fence shmem_quiet
    shmem_pe_quiet
    shmem_broadcast32 shmem_broadcast64 shmem_collect32 shmem_collect64 shmem_fcollect32
    shmem_fcollect64 shmem_alltoall32 shmem_alltoall64 shmem_alltoalls32 shmem_alltoalls64
    shmem_wait shmem_wait_until shmem_test shmem_short_wait shmem_int_wait shmem_long_wait
    shmem_longlong_wait
    shmem_pe_accessible shmem_addr_accessible shmem_ptr shmem_info_get_version shmem_info_get_name
    shmem_set_lock shmem_test_lock shmem_clear_lock shmem_malloc_with_hints shmem_pcontrol
    shmem_set_cache_inv shmem_set_cache_line_inv shmem_clear_cache_inv shmem_clear_cache_line_inv
    shmem_udcflush shmem_udcflush_line
    redcoll_allreduce redcoll_reduce redcoll_inscan redcoll_exscan redcoll_to_all redcoll_to_one
    redcoll_exact_sum redcoll_exact_dot redcoll_allreduce_many redcoll_reduce_many
    redcoll_mean redcoll_var redcoll_std redcoll_minmax redcoll_topk redcoll_histogram
    redcoll_logsumexp
    free array empty zeros ones full
    """
)

RMA_TYPES = words(
    """
    float double longdouble char schar short int long longlong uchar ushort uint ulong ulonglong
    int8 int16 int32 int64 uint8 uint16 uint32 uint64 size ptrdiff
    """
)
WAIT_TYPES = words(
    """
    short int long longlong ushort uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff
    """
)

WITH_OLD_TWIN = words(
    """
    SYNC_VALUE BARRIER_SYNC_SIZE BCAST_SYNC_SIZE COLLECT_SYNC_SIZE REDUCE_SYNC_SIZE
    REDUCE_MIN_WRKDATA_SIZE CMP_EQ CMP_NE CMP_GT CMP_LE CMP_LT CMP_GE
    MAJOR_VERSION MINOR_VERSION MAX_NAME_LEN VENDOR_STRING
    """
)
WITHOUT_TWIN = words(
    """
    ALLTOALL_SYNC_SIZE ALLTOALLS_SYNC_SIZE SYNC_SIZE
    THREAD_SINGLE THREAD_FUNNELED THREAD_SERIALIZED THREAD_MULTIPLE
    """
)


NEWER_CONSTANTS = words(
    """
    SHMEM_CTX_SESSION_BATCH SHMEM_CTX_SESSION_TOTAL_OPS
    SHMEM_CTX_SERIALIZED SHMEM_CTX_PRIVATE SHMEM_CTX_NOSTORE SHMEM_SIGNAL_SET SHMEM_SIGNAL_ADD
    SHMEM_MALLOC_ATOMICS_REMOTE SHMEM_MALLOC_SIGNAL_REMOTE SIZE_MAX
    """
)

# The types in tables 6 to 8 of OpenSHMEM 1.5.
ATOMIC_TYPES = words(
    "int long longlong uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff"
)
BITWISE_ATOMIC_TYPES = words("uint ulong ulonglong int32 int64 uint32 uint64")


def atomics():
    extended = [*ATOMIC_TYPES, "float", "double"]
    for types, verbs in (
        (extended, "fetch set swap fetch_nbi swap_nbi"),
        (ATOMIC_TYPES, "compare_swap inc fetch_inc add fetch_add"),
        (ATOMIC_TYPES, "compare_swap_nbi fetch_inc_nbi fetch_add_nbi"),
        (BITWISE_ATOMIC_TYPES, "and fetch_and or fetch_or xor fetch_xor"),
        (BITWISE_ATOMIC_TYPES, "fetch_and_nbi fetch_or_nbi fetch_xor_nbi"),
    ):
        for verb in words(verbs):
            yield f"shmem_atomic_{verb}"
            yield from (f"shmem_{name}_atomic_{verb}" for name in types)
    for types, verbs in (
        ("int long longlong float double", "fetch set swap"),
        ("int long longlong", "cswap inc finc add fadd"),
    ):
        yield from (f"shmem_{name}_{verb}" for name in words(types) for verb in words(verbs))
        # OpenSHMEM 1.3 added these generic names for C11.
        yield from (f"shmem_{verb}" for verb in words(verbs))


def copies():
    """Yield the names in OpenSHMEM 1.5, sections 9.6 and 9.7, and ibput and ibget of 1.6."""
    for verb in words("put get put_nbi get_nbi p g iput iget ibput ibget"):
        yield f"shmem_{verb}"
        yield from (f"shmem_{name}_{verb}" for name in RMA_TYPES)
    for verb in words("put get iput iget ibput ibget"):
        yield from (f"shmem_{verb}{bits}" for bits in (8, 16, 32, 64, 128))
    for verb in words("put get"):
        yield from (f"shmem_{verb}{bits}_nbi" for bits in (8, 16, 32, 64, 128))
        yield from (f"shmem_{verb}mem", f"shmem_{verb}mem_nbi")


def waits():
    """Yield the names of waits and tests in OpenSHMEM 1.5, section 9.12."""
    for verb in words("wait_until test"):
        for which in words("all any some all_vector any_vector some_vector"):
            yield f"shmem_{verb}_{which}"
            yield from (f"shmem_{name}_{verb}_{which}" for name in ATOMIC_TYPES)


def signals():
    """Yield the signal routines of OpenSHMEM 1.5, section 9.11, and set and add of 1.6."""
    for suffix in ("", "_nbi"):
        kinds = [*(f"{name}_put" for name in RMA_TYPES), "put", "putmem"]
        kinds += [f"put{bits}" for bits in (8, 16, 32, 64, 128)]
        yield from (f"shmem_{kind}_signal{suffix}" for kind in kinds)
    yield from (f"shmem_signal_{verb}" for verb in words("fetch wait_until set add"))


def contexts():
    """Yield the names of OpenSHMEM 1.5, section 9.5, and every routine's form with a context."""
    has = {*copies(), *signals(), *(name for name in atomics() if "_atomic_" in name)}
    has -= {"shmem_signal_fetch", "shmem_signal_wait_until"}
    yield from (name.replace("shmem_", "shmem_ctx_") for name in has)
    yield from (f"shmem_ctx_{verb}" for verb in words("create destroy fence quiet get_team t"))
    # The next four names come from OpenSHMEM 1.6.
    yield from (f"shmem_ctx_{verb}" for verb in words("pe_quiet session_start session_stop"))
    yield "shmem_ctx_session_config_t"
    yield from ("shmem_team_create_ctx", "SHMEM_CTX_DEFAULT", "SHMEM_CTX_INVALID")


def teams():
    """Yield the team routines of OpenSHMEM 1.5, sections 9.4 and 9.10, and the scans of 1.6."""
    kinds = words("uchar ushort uint ulong ulonglong int8 int16 int32 int64 uint8 uint16 uint32")
    bitwise = [*kinds, "uint64", "size"]
    kept = words("short int long longlong")
    ordered = [*bitwise, *kept, *words("char schar ptrdiff float double longdouble")]
    numbers = [*ordered, "complexf", "complexd"]
    assert [len(each) for each in (bitwise, ordered, numbers)] == [14, 24, 26]
    for types, operations in (
        ([*bitwise, *kept], "and or xor"),
        (ordered, "max min"),
        (numbers, "sum prod"),
    ):
        for operation in words(operations):
            yield f"shmem_{operation}_reduce"
            yield from (f"shmem_{name}_{operation}_reduce" for name in types)
    for scan in ("sum_inscan", "sum_exscan"):
        yield f"shmem_{scan}"
        yield from (f"shmem_{name}_{scan}" for name in numbers)
    for verb in words("broadcast collect fcollect alltoall alltoalls"):
        yield from (f"shmem_{verb}", f"shmem_{verb}mem")
        yield from (f"shmem_{name}_{verb}" for name in RMA_TYPES)
    for verb in words("my_pe n_pes translate_pe split_strided split_2d get_config destroy sync t"):
        yield f"shmem_team_{verb}"
    yield from ("shmem_team_config_t", "shmem_team_ptr")
    for name in words("WORLD SHARED NODE INVALID NUM_CONTEXTS"):
        yield f"SHMEM_TEAM_{name}"


def test_all_names():
    wanted = {
        *reductions(),
        *OTHERS,
        *copies(),
        *(f"shmem_{name}_{verb}" for name in WAIT_TYPES for verb in ("wait_until", "test")),
        *atomics(),
        *teams(),
        *waits(),
        *signals(),
        *contexts(),
        *(f"SHMEM_{name}" for name in (*WITH_OLD_TWIN, *WITHOUT_TWIN)),
        *(f"_SHMEM_{name}" for name in WITH_OLD_TWIN),
        *NEWER_CONSTANTS,
    }
    assert len(RMA_TYPES) == 24
    assert len(WAIT_TYPES) == 14
    assert set(shmem.__all__) == wanted
    assert len(shmem.__all__) == len(wanted)
    assert all(hasattr(shmem, name) for name in wanted)


def test_star_import_brings_the_old_names():
    scope = {}
    exec("from redcoll_shmem import *", scope)
    assert callable(scope["_my_pe"])
    assert scope["_SHMEM_SYNC_VALUE"] == scope["SHMEM_SYNC_VALUE"]


def test_newer_constants():
    for options in (
        words("CTX_SERIALIZED CTX_PRIVATE CTX_NOSTORE"),
        words("MALLOC_ATOMICS_REMOTE MALLOC_SIGNAL_REMOTE"),
    ):
        values = [getattr(shmem, f"SHMEM_{name}") for name in options]
        assert sum(values) == (1 << len(options)) - 1  # each option has its own bit
    assert shmem.SHMEM_SIGNAL_SET != shmem.SHMEM_SIGNAL_ADD
    assert shmem.SHMEM_TEAM_NUM_CONTEXTS == 1
    assert shmem.SHMEM_CTX_SESSION_BATCH == shmem.SHMEM_CTX_SESSION_TOTAL_OPS == 1
    assert shmem.shmem_ctx_session_config_t().total_ops == shmem.SIZE_MAX
    assert shmem.SIZE_MAX == 2**64 - 1


def test_constants():
    for name in WITH_OLD_TWIN:
        assert getattr(shmem, f"SHMEM_{name}") == getattr(shmem, f"_SHMEM_{name}")
    compare = [getattr(shmem, f"SHMEM_CMP_{each}") for each in ("EQ", "NE", "GT", "LE", "LT", "GE")]
    assert compare == [0, 1, 2, 3, 4, 5]
    sizes = [name for name in (*WITH_OLD_TWIN, *WITHOUT_TWIN) if name.endswith("SYNC_SIZE")]
    assert len(sizes) == 7
    assert max(getattr(shmem, f"SHMEM_{name}") for name in sizes) == shmem.SHMEM_SYNC_SIZE
    assert min(getattr(shmem, f"SHMEM_{name}") for name in sizes) >= 1
    assert shmem.SHMEM_REDUCE_MIN_WRKDATA_SIZE >= 1
    assert shmem.SHMEM_SYNC_VALUE != 0  # so that forgotten initializations are found
    assert len(shmem.SHMEM_VENDOR_STRING) < shmem.SHMEM_MAX_NAME_LEN
    levels = [shmem.SHMEM_THREAD_SINGLE, shmem.SHMEM_THREAD_FUNNELED]
    assert [*levels, shmem.SHMEM_THREAD_SERIALIZED, shmem.SHMEM_THREAD_MULTIPLE] == [0, 1, 2, 3]


def test_all_routines_are_documented():
    count = 0
    for name in shmem.__all__:
        value = getattr(shmem, name)
        if callable(value):
            doc = inspect.getdoc(value)
            assert doc, name
            assert doc.splitlines()[0].endswith("."), name
            for parameter in inspect.signature(value).parameters:
                if "shmem" in name and "Otherwise as" not in doc and "are those of" not in doc:
                    assert parameter in doc, f"{name} does not document {parameter}"
            count += 1
    assert count > 300


# -- the stub -------------------------------------------------------------------------------------


def test_generated_files_are_up_to_date():
    assert shmem_stub.STUB.read_text() == shmem_stub.stub(), "run python release/shmem_stub.py"
    assert shmem_stub.NAMES.read_text() == shmem_stub.names(), "run python release/shmem_stub.py"


def mypy(module, *arguments):
    pytest.importorskip("mypy", reason="mypy is not installed")
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=Path(shmem.__file__).parents[1],
    )


def test_static_tools_see_every_name(tmp_path):
    program = tmp_path / "names.py"
    asked = [*shmem.__all__, "shmem_int_q"]
    program.write_text("import redcoll_shmem as shmem\n" + "\n".join(f"shmem.{x}" for x in asked))
    result = mypy("mypy", "--strict", str(program))
    assert 'has no attribute "shmem_int_q"' in result.stdout
    assert "Found 1 error in 1 file" in result.stdout, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("package", "names"),
    [
        ("redcoll_shmem", "shmem_double_put, shmem_init, SHMEM_SYNC_VALUE, zeros"),
        ("redcoll_shmem.shmem", "put, Team, CMP_EQ, zeros"),
    ],
)
def test_static_tools_see_the_names_of_a_star_import(tmp_path, package, names):
    program = tmp_path / "stars.py"
    program.write_text(f"from {package} import *\nprint({names})\n")
    result = mypy("mypy", "--strict", str(program))
    assert result.returncode == 0, result.stdout + result.stderr


TYPED = """
import numpy as np
import redcoll_shmem as shmem
from numpy.typing import NDArray

i2: NDArray[np.int16] = np.zeros(1, np.int16)
i4: NDArray[np.int32] = np.zeros(1, np.int32)
i8: NDArray[np.int64] = np.zeros(1, np.int64)
u8: NDArray[np.uint64] = np.zeros(1, np.uint64)
f4: NDArray[np.float32] = np.zeros(1, np.float32)
f8: NDArray[np.float64] = np.zeros(1)
of_int, of_long, of_longlong = np.zeros(1, int), np.zeros(1, np.long), np.zeros(1, np.longlong)
world, default = shmem.SHMEM_TEAM_WORLD, shmem.SHMEM_CTX_DEFAULT
"""

RIGHT = """
shmem.shmem_double_put(f8, f8, 1, 0)
shmem.shmem_long_put(i8, of_int, 1, 0)
shmem.shmem_longlong_get(of_long, of_longlong, 1, 0)
shmem.shmem_put(f4, f4, 1, 0)
shmem.shmem_put32(f4, i4, 1, 0)
shmem.shmem_ctx_int_put(default, i4, i4, 1, 0)
shmem.shmem_double_sum_to_all(f8, f8, 1, 0, 0, 1, None, i8)
shmem.shmem_int8_sum_to_all(i8, i8, 1, 0, 0, 1, i8, i4)
shmem.shmem_double_sum_reduce(world, None, None, 0)
shmem.shmem_int_atomic_add(i4, 1, 0)
number: float = shmem.shmem_double_g(f8, 0)
shmem.shmem_long_wait_until_some(i8, 1, i2, None, shmem.SHMEM_CMP_EQ, 0)
shmem.shmem_double_put_signal(f8, f8, 1, u8, 1, shmem.SHMEM_SIGNAL_SET, 0)
"""

WRONG = """
shmem.shmem_double_put(i4, f8, 1, 0)
shmem.shmem_double_put(f8, f4, 1, 0)
shmem.shmem_ctx_int_put(default, f8, i4, 1, 0)
shmem.shmem_double_sum_to_all(f8, f4, 1, 0, 0, 1, None, i8)
shmem.shmem_double_sum_to_all(f8, f8, 1, 0, 0, 1, None, f8)
shmem.shmem_int8_sum_to_all(i4, i8, 1, 0, 0, 1, None, i8)
shmem.shmem_int8_put(i2, None, 1, 0)
shmem.shmem_double_sum_reduce(world, f8, i8, 1)
shmem.shmem_double_sum_reduce(0, f8, f8, 1)
shmem.shmem_int_atomic_add(i4, 1.5, 0)
shmem.shmem_int_atomic_add(f4, 1, 0)
shmem.shmem_long_wait_until(f8, shmem.SHMEM_CMP_EQ, 0)
shmem.shmem_double_put_signal(f8, f8, 1, i8, 1, shmem.SHMEM_SIGNAL_SET, 0)
"""


def test_static_tools_see_a_wrong_element_type(tmp_path):
    program = tmp_path / "typed.py"
    program.write_text(TYPED + RIGHT + WRONG)
    result = mypy("mypy", "--strict", str(program))
    first = (TYPED + RIGHT).count("\n") + 2
    wanted = [f"{first + at}" for at in range(WRONG.count("\n") - 1)]
    assert re.findall(r"typed.py:([0-9]+): error: Arg", result.stdout) == wanted, result.stdout
    assert f"Found {len(wanted)} errors in 1 file" in result.stdout


def test_stubtest_agrees(tmp_path):
    # The stubs have no __all__, because it would double their length. Other tests check the names.
    # The signature of shmem_sync lacks C11's form shmem_sync(team), for which there is an overload.
    names = ("__all__", "shmem.__all__", "barriers.shmem_sync")
    allowed = tmp_path / "allowed.txt"
    allowed.write_text("".join(f"{re.escape('redcoll_shmem.' + name)}\n" for name in names))
    result = mypy("mypy.stubtest", "redcoll_shmem", "--allowlist", str(allowed))
    assert result.returncode == 0, result.stdout + result.stderr


def test_type_hints_of_every_routine():
    for name in shmem.__all__:
        routine = getattr(shmem, name)
        if inspect.isfunction(routine):
            hints = typing.get_type_hints(routine)
            assert set(hints) == {*inspect.signature(routine).parameters, "return"}, name
    for name, kind in (("double_put", "d"), ("int8_put", "i1"), ("int8_sum_to_all", "i8")):
        hints = typing.get_type_hints(getattr(shmem, f"shmem_{name}"))
        assert NDArray[np.dtype(kind).type] in (hints["source"], *typing.get_args(hints["source"]))
    assert typing.get_type_hints(shmem.shmem_ctx_int_p)["ctx"] is shmem.shmem_ctx_t
    assert typing.get_type_hints(shmem.shmem_longdouble_g)["return"] is np.longdouble


def test_routines_are_made_when_looked_up():
    asked = []
    table = LazyRoutines(
        {name: lambda name=name: asked.append(name) or (lambda: name) for name in "ab"}
    )
    assert list(table) == ["a", "b"]
    assert "a" in table
    assert not asked
    assert table["b"] is table["b"]
    assert table["b"]() == "b"
    assert asked == ["b"]
    with pytest.raises(KeyError):
        table["c"]
    # The package returns the same objects as the tables.
    assert set(shmem.__all__) <= set(dir(shmem))
    assert shmem.shmem_int_p is shmem.shmem_int_p is shmem.rma.ROUTINES["shmem_int_p"]
    with pytest.raises(AttributeError, match="no attribute 'shmem_int_q'"):
        _ = shmem.shmem_int_q
