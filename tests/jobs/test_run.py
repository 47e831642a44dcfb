"""Test ``python -m redcoll run``, which runs programs for mpi4py on redcoll."""

import json
import os
import py_compile
import shutil
import signal
import subprocess
import sys
import sysconfig
import textwrap
import zipfile
from pathlib import Path

import pytest
from jobs.conftest import LAUNCHER, VENDOR

from redcoll import kernels

ROOT = Path(__file__).resolve().parents[2]
RUN = ("-m", "redcoll", "run")


# -- the program sees the same as under `python` ----------------------------------------------

# This program prints everything that depends on how it was started.
LOOK = """\
import json, pickle, sys

class Here:
    pass

def annotated(argument: int):
    pass

main = sys.modules["__main__"]
seen = {
    "argv": sys.argv,
    "path": sys.path[0],
    "is main": main.__dict__ is globals(),
    "names": sorted(set(globals()) - {"__annotations__"}),
    "values": [repr(globals().get(name)) for name in ("__name__", "__file__", "__package__")],
    "spec": None if __spec__ is None else [__spec__.name, __spec__.origin, __spec__.parent],
    "loader": getattr(__loader__, "__name__", type(__loader__).__name__),
    "builtins": repr(__builtins__),
    "class": repr(pickle.loads(pickle.dumps(Here))),
    "annotations": repr(annotated.__annotations__),
    "code": (lambda: 0).__code__.co_filename,
}
print(json.dumps(seen))
"""


def python(directory, *arguments, stdin="", **environment):
    """Run Python in ``directory``, with the source tree on its path."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": path, **environment},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def programs(tmp_path):
    """Return a directory that has the same program in each form that ``python`` runs."""
    (tmp_path / "look.py").write_text(LOOK)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__main__.py").write_text(LOOK)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "inner.py").write_text(LOOK)
    (tmp_path / "package" / "__main__.py").write_text(LOOK)
    with zipfile.ZipFile(tmp_path / "look.zip", "w") as archive:
        archive.writestr("__main__.py", LOOK)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "link.py").symlink_to(tmp_path / "package" / "inner.py")
    py_compile.compile(str(tmp_path / "look.py"), str(tmp_path / "compiled.pyc"))
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("look.py",),
        ("look.py", "one", "-m", "--", "-c", "--report"),
        ("./package/../look.py", "-h"),
        ("links/link.py",),
        ("compiled.pyc", "x"),
        ("folder", "x"),
        ("folder/",),
        ("look.zip", "x"),
        ("-m", "look", "a", "-m", "b"),
        ("-mlook", "--", "a"),
        ("-m", "package"),
        ("-m", "package.inner", "-"),
        ("-c", LOOK, "-c", "a"),
        ("-c" + LOOK, "--"),
        ("-", "a", "-"),
        ("--", "look.py", "--", "-x"),
    ],
    ids=lambda words: " ".join(word if len(word) < 30 else "CODE" for word in words),
)
def test_run_shows_the_program_what_python_shows_it(programs, arguments):
    plain = python(programs, *arguments, stdin=LOOK)
    assert plain.returncode == 0, plain.stderr
    ours = python(programs, *RUN, *arguments, stdin=LOOK)
    assert ours.returncode == 0, ours.stderr
    assert json.loads(ours.stdout) == json.loads(plain.stdout)
    assert ours.stderr == plain.stderr


@pytest.mark.skipif(
    VENDOR == "openmpi", reason="Open MPI 5.0.11: rank 0 never sees the end of standard input"
)
def test_run_gives_all_ranks_the_program_on_standard_input(tmp_path):
    text = """
from pathlib import Path
from mpi4py import MPI
comm = MPI.COMM_WORLD
Path(f"total-{comm.rank}").write_text(str(comm.allreduce(1)))
"""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    job = subprocess.Popen(
        [*LAUNCHER, "-n", "3", sys.executable, *RUN, "-"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        job.communicate(text, timeout=60)
    finally:
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
    assert job.returncode == 0
    totals = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert totals == {f"total-{rank}": "3" for rank in range(3)}


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("pass", 0),
        ("raise SystemExit", 0),
        ("raise SystemExit(0)", 0),
        ("raise SystemExit(False)", 0),
        ("raise SystemExit(3)", 3),
        ("raise SystemExit('a word')", 1),
        ("import pytest; raise SystemExit(pytest.ExitCode.NO_TESTS_COLLECTED)", 5),
        ("1 / 0", 1),
        ("x =", 1),
        ("import os; os._exit(9)", 9),
    ],
)
def test_run_exits_as_python_does(tmp_path, code, status):
    plain = python(tmp_path, "-c", code)
    ours = python(tmp_path, *RUN, "-c", code)
    assert plain.returncode == ours.returncode == status, ours.stderr
    # MPI appends its own message about the abort.
    assert ours.stderr.startswith(plain.stderr)


def test_run_exits_after_an_interrupt_with_the_code_of_a_shell(tmp_path):
    code = "raise KeyboardInterrupt('by hand')"
    plain = python(tmp_path, "-c", code)
    ours = python(tmp_path, *RUN, "-c", code)
    assert plain.returncode == -signal.SIGINT
    assert ours.returncode == 128 + signal.SIGINT
    assert ours.stderr.startswith(plain.stderr)


def test_run_prints_the_frames_of_the_program_alone(programs):
    (programs / "wrong.py").write_text("def f():\n    return 1 / 0\n\nf()\n")
    for arguments in (("wrong.py",), ("-m", "wrong")):
        plain = python(programs, *arguments)
        ours = python(programs, *RUN, *arguments)
        frames = [line for line in plain.stderr.splitlines() if "runpy" not in line]
        assert ours.stderr.splitlines()[: len(frames)] == frames


def test_run_calls_the_programs_own_excepthook_and_exit_handlers(tmp_path):
    code = """if True:
        import atexit, sys
        sys.excepthook = lambda kind, error, frames: print("seen:", kind.__name__, frames.tb_lineno)
        raise LookupError
    """
    ours = python(tmp_path, *RUN, "-c", code)
    assert ours.returncode == 1
    assert ours.stdout == "seen: LookupError 4\n"
    code = """if True:
        import atexit, sys
        from mpi4py import MPI
        MPI.COMM_WORLD.allreduce(1)
        atexit.register(print, "at exit")
        sys.exit(4)
    """
    ours = python(tmp_path, *RUN, "-c", code)
    assert ours.returncode == 4
    assert ours.stdout == "at exit\n"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "there is no program: FILE, -m MODULE, -c CODE or - is required"),
        (("--",), "there is no program: FILE, -m MODULE, -c CODE or - is required"),
        (("-m",), "argument -m: expected one argument"),
        (("-c",), "argument -c: expected one argument"),
        (("--nonsense", "x.py"), "unrecognized arguments: --nonsense"),
        (("none.py", "a"), "can't open file '{}/none.py': [Errno 2] No such file or directory"),
    ],
)
def test_run_refuses_a_wrong_command_line(tmp_path, arguments, problem):
    ours = python(tmp_path, *RUN, *arguments)
    assert ours.returncode == 2
    usage, *_, last = ours.stderr.splitlines()
    assert usage.startswith("usage: python -m redcoll run [-h] ")
    assert last == f"python -m redcoll run: error: {problem.format(tmp_path)}"


def test_run_reports_a_missing_module_as_python_does(tmp_path):
    plain = python(tmp_path, "-m", "no_such_module")
    ours = python(tmp_path, *RUN, "-m", "no_such_module")
    assert ours.returncode == plain.returncode == 1
    assert ours.stderr.startswith(plain.stderr)


# -- the program gets redcoll.MPI ----------------------------------------------------------------


@pytest.mark.quick
def test_every_spelling_of_the_import_gives_redcoll(start_job):
    job = start_job(
        """
        import importlib, pickle, sys
        import numpy as np
        import mpi4py
        from mpi4py import MPI
        import mpi4py.MPI as as_name
        from mpi4py.MPI import *
        from mpi4py.MPI import COMM_WORLD as world, Intracomm as Class

        by_name = importlib.import_module("mpi4py.MPI")
        import redcoll
        for other in (as_name, by_name, mpi4py.MPI, sys.modules["mpi4py.MPI"], redcoll.MPI):
            assert other is MPI
        assert COMM_WORLD is world is MPI.COMM_WORLD
        assert Class is Intracomm is MPI.Intracomm
        assert issubclass(Class, redcoll.MPI.mpi4py_MPI.Intracomm)
        assert Class is not redcoll.MPI.mpi4py_MPI.Intracomm
        assert "mpi4py_MPI" not in globals()
        sys.path.insert(0, "")
        for value in (world, SUM, MAXLOC, DOUBLE, INFO_NULL, BYTE, COMM_NULL, MPI.REQUEST_NULL):
            assert pickle.loads(pickle.dumps(value)) == value
        for value in (world, SUM, DOUBLE):
            assert pickle.loads(pickle.dumps(value)) is value

        target = np.zeros(3)
        world.Allreduce(np.full(3, world.rank + 1.0), target, op=SUM)
        assert target.tolist() == [6, 6, 6]

        class Mine:
            def __init__(self, rank):
                self.rank = rank
            def __add__(self, other):
                return Mine(self.rank + other.rank)

        total = world.allreduce(Mine(world.rank))
        assert type(total) is Mine and total.rank == 3
        assert [each.rank for each in world.allgather(Mine(world.rank))] == [0, 1, 2]

        from redcoll.team import comm_state
        assert comm_state.find(world).team is not None
        print("rank", world.rank, "is done", flush=True)
        """,
        3,
        prelude=False,
        through=RUN,
    )
    job.succeed()
    assert job.out.count("is done") == 3
    assert job.err == ""


def test_redcolls_own_parts_keep_mpi4pys_module(start_job):
    """Modules of redcoll get mpi4py's own module, even if they are imported after install()."""
    job = start_job(
        """
        import sys
        from mpi4py import MPI
        import redcoll_pvm, redcoll_shmem
        import redcoll_shmem as shmem, numpy as np

        shmem.shmem_init()
        array = shmem.full(2, shmem.my_pe() + 1)
        shmem.shmem_long_sum_reduce(shmem.SHMEM_TEAM_WORLD, array, array, 2)
        assert array.tolist() == [6, 6]
        me = redcoll_pvm.pvm_joingroup("all")
        redcoll_pvm.pvm_barrier("all", 3)
        from redcoll import info
        assert "ranks" in info.report() or "PEs" in info.report()
        own = MPI.mpi4py_MPI
        for name, module in list(sys.modules.items()):
            if name.split(".")[0] in ("redcoll", "redcoll_shmem", "redcoll_pvm"):
                assert vars(module).get("MPI", own) in (own, MPI), name
                assert vars(module).get("MPI") is not MPI or name == "redcoll", name
        print("done", flush=True)
        """,
        3,
        prelude=False,
        through=RUN,
    )
    job.succeed()
    assert job.out.count("done") == 3


def test_modules_of_mpi4py_work_on_redcoll(start_job):
    job = start_job(
        """
        import numpy as np
        from mpi4py import MPI
        from mpi4py.util import dtlib, pkl5
        from mpi4py.futures import MPICommExecutor

        world = MPI.COMM_WORLD
        assert dtlib.to_numpy_dtype(dtlib.from_numpy_dtype("f8")) == "f8"
        assert dtlib.to_numpy_dtype(MPI.INT) == "i4"
        comm = pkl5.Intracomm(world)
        assert comm.allreduce(world.rank) == 3
        sent = {"a": np.arange(3)} if world.rank == 0 else None
        assert comm.bcast(sent)["a"].tolist() == [0, 1, 2]
        y = np.zeros(1)
        comm.Allreduce(np.ones(1), y)
        assert y == 3
        with MPICommExecutor(world, root=0) as pool:
            if pool is not None:
                assert list(pool.map(abs, [-1, 2, -3])) == [1, 2, 3]
        print("done", flush=True)
        """,
        3,
        prelude=False,
        through=RUN,
    )
    job.succeed()
    assert job.out.count("done") == 3


def test_mpi4py_futures_runs_under_run(start_job):
    job = start_job(
        """
        from mpi4py import MPI
        from mpi4py.futures import MPIPoolExecutor

        def module_and_rank(number):
            return MPI.__name__, number + 1

        if __name__ == "__main__":
            with MPIPoolExecutor() as pool:
                print(list(pool.map(module_and_rank, range(3))), flush=True)
        """,
        3,
        prelude=False,
        through=(*RUN, "-m", "mpi4py.futures"),
    )
    job.succeed()
    assert job.out == f"{[('redcoll.MPI', i) for i in (1, 2, 3)]}\n"


def test_pytest_runs_under_run(start_job):
    job = start_job(
        """
        import numpy as np
        from mpi4py import MPI

        def test_sum():
            target = np.zeros(1)
            MPI.COMM_WORLD.Allreduce(np.ones(1), target)
            assert target == 3
            assert MPI.__name__ == "redcoll.MPI"
        """,
        3,
        prelude=False,
        through=(*RUN, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
    )
    job.succeed()
    assert job.out.count("1 passed") == 3


def test_spawned_processes_may_use_plain_mpi4py(start_job):
    """MPI reduces on a communicator of processes of both kinds."""
    job = start_job(
        """
        import sys
        import numpy as np
        from mpi4py import MPI

        child = "; ".join([  # in one line, as MPICH wants arguments
            "from mpi4py import MPI",
            "import numpy as np",
            "parent = MPI.Comm.Get_parent()",
            "comm = parent.Merge(True)",
            "comm.Allreduce(np.full(3, 1.0), y := np.zeros(3))",
            "assert (y == 4).all(), y",
            "assert comm.allreduce(1) == 4",
            "comm.Barrier()",
            "comm.Free()",
            "parent.Disconnect()",
        ])
        inter = MPI.COMM_WORLD.Spawn(sys.executable, ["-c", child], 2)
        comm = inter.Merge(False)
        assert type(comm) is MPI.Intracomm is not MPI.mpi4py_MPI.Intracomm
        y = np.zeros(3)
        comm.Allreduce(np.ones(3), y)
        assert (y == 4).all(), y
        assert comm.allreduce(1) == 4
        comm.Barrier()
        comm.Free()
        inter.Disconnect()
        assert MPI.COMM_WORLD.allreduce(1) == 2
        print("done", flush=True)
        """,
        2,
        prelude=False,
        through=(*RUN, "--report=counts.json"),
    )
    job.succeed()
    assert job.out.count("done") == 2
    rows = json.loads((job.directory / "counts.json").read_text())["rows"]
    why = "no team: the communicator spans several MPI_COMM_WORLDs"
    assert [(row["call"], row["way"], row["calls"]) for row in rows] == [
        ("Allreduce", why, 2),
        ("allreduce", why, 2),
        ("allreduce", "redcoll", 2),
    ]


@pytest.mark.parametrize("through", [(), RUN], ids=["drop-in", "run"])
def test_mpi_reduces_if_it_runs_only_in_sessions(start_job, through):
    """compat(mpich 5.0.2): mpi4py's own lower-case calls abort, so the program makes none."""
    job = start_job(
        """
        import numpy as np
        from redcoll import MPI

        session = MPI.Session.Init()
        group = session.Create_group("mpi://WORLD")
        comm = MPI.Intracomm.Create_from_group(group)
        assert type(comm) is MPI.Intracomm and not MPI.Is_initialized()
        x, y = np.full((2, 2), comm.rank + 1.0), np.zeros(2)
        comm.Allreduce(x[0], y)
        assert y.tolist() == [6, 6]
        comm.Allreduce(x[:, 0], y, "max")
        assert y.tolist() == [3, 3]
        comm.Reduce(np.ones(2), y, root=2)
        assert y.tolist() == [3, 3]
        for wrong in (MPI.BAND, MPI.OP_NULL):
            try:
                comm.Allreduce(x[0], y, wrong)
            except MPI.Exception:
                pass
            else:
                raise AssertionError(wrong)
        comm.Barrier()
        comm.Free()
        group.Free()
        session.Finalize()
        print("done", flush=True)
        """,
        3,
        prelude=False,
        through=through,
        MPI4PY_RC_INITIALIZE="0",
    )
    job.succeed()
    assert job.out.count("done") == 3


# -- install() ------------------------------------------------------------------------------------


def test_install_names_modules_that_imported_too_early(tmp_path):
    (tmp_path / "early.py").write_text("from mpi4py import MPI\n")
    (tmp_path / "early_names.py").write_text("from mpi4py.MPI import COMM_WORLD as world\n")
    (tmp_path / "harmless.py").write_text("from mpi4py.MPI import DOUBLE\nimport mpi4py\n")
    (tmp_path / "late.py").write_text("from mpi4py import MPI\n")
    code = """if True:
        import warnings, early, early_names, harmless
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import redcoll
            redcoll.MPI.install()
            redcoll.MPI.install()
        import late
        assert late.MPI is redcoll.MPI
        assert early.MPI is redcoll.MPI.mpi4py_MPI
        for each in caught:
            print(each.category.__name__, each.filename, each.message)
    """
    done = python(tmp_path, "-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "RuntimeWarning <string> redcoll.MPI.install: early, early_names imported mpi4py.MPI "
        "before; reductions called there stay with mpi4py. Call install() before these imports.\n"
    )


def test_install_before_everything_warns_of_nothing(tmp_path):
    code = """if True:
        import warnings
        warnings.simplefilter("error")
        import redcoll
        redcoll.MPI.install()
        import numpy, mpi4py.util.dtlib, mpi4py.futures
        redcoll.MPI.install()
        from mpi4py.MPI import COMM_WORLD
        assert type(COMM_WORLD) is redcoll.MPI.Intracomm
    """
    done = python(tmp_path, "-c", code)
    assert done.returncode == 0, done.stderr


# This module imports mpi4py.MPI when it is loaded, as Cython's `cimport` does, and again when its
# function is called, as `import_mpi4py()` in a function does.
EXTENSION = """
#include <Python.h>

static PyObject *look(PyObject *self, PyObject *args)
{
    PyObject *module = PyImport_ImportModule("mpi4py.MPI");
    PyObject *found = module ? PyObject_GetAttrString(module, "__pyx_capi__") : NULL;
    Py_XDECREF(module);
    return found;
}

static int fill(PyObject *self)
{
    const char *names[] = {"Comm", "Intracomm", "Op", "Datatype", "COMM_WORLD", NULL};
    PyObject *module = PyImport_ImportModule("mpi4py.MPI");
    if (module == NULL)
        return -1;
    for (int i = 0; names[i]; i++)
        if (PyModule_AddObject(self, names[i], PyObject_GetAttrString(module, names[i])) < 0)
            return -1;
    Py_DECREF(module);
    return 0;
}

static PyMethodDef methods[] = {{"look", look, METH_NOARGS, ""}, {NULL}};
#ifdef TWO_PHASES
static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "@name", "", 0, methods, slots};
PyMODINIT_FUNC PyInit_@name(void) { return PyModuleDef_Init(&definition); }
#else
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "@name", "", -1, methods};
PyMODINIT_FUNC PyInit_@name(void)
{
    PyObject *self = PyModule_Create(&definition);
    return self && fill(self) == 0 ? self : NULL;
}
#endif
"""


@pytest.fixture(scope="module")
def extensions(tmp_path_factory):
    """Build the extension modules ``one_phase`` and ``two_phases``; return their directory."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    include = sysconfig.get_path("include")
    if compiler is None or not Path(include, "Python.h").exists():
        pytest.skip(f"no C compiler (cc, gcc), or no {include}/Python.h")
    directory = tmp_path_factory.mktemp("extensions")
    for name in ("one_phase", "two_phases"):
        text = EXTENSION.replace("@name", name)
        (directory / f"{name}.c").write_text(text)
        target = directory / (name + sysconfig.get_config_var("EXT_SUFFIX"))
        flags = ["-shared", "-fPIC", f"-I{include}", *["-DTWO_PHASES"] * (name == "two_phases")]
        subprocess.run(
            [compiler, *flags, f"{name}.c", "-o", str(target)], cwd=directory, check=True
        )
    return directory


@pytest.mark.parametrize("name", ["one_phase", "two_phases"])
def test_extension_modules_get_mpi4pys_own_types_and_functions(extensions, name):
    code = f"""if True:
        import ctypes
        from mpi4py import MPI
        import {name} as extension
        import mpi4py, sys

        own = MPI.mpi4py_MPI
        for each in ("Comm", "Intracomm", "Op", "Datatype", "COMM_WORLD"):
            assert getattr(extension, each) is getattr(own, each), each
        assert extension.look() is own.__pyx_capi__
        assert sys.modules["mpi4py.MPI"] is mpi4py.MPI is MPI is not own

        # Convert communicators to C and back by mpi4py's C API, as C code does.
        def function(name, *types):
            capsule = extension.look()[name]
            get_name = ctypes.pythonapi.PyCapsule_GetName
            get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
            get = ctypes.pythonapi.PyCapsule_GetPointer
            get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
            return ctypes.PYFUNCTYPE(*types)(get(capsule, get_name(capsule)))

        size = MPI._sizeof(MPI.Comm)
        c_handle = {{4: ctypes.c_int, 8: ctypes.c_void_p}}[size]
        get = function("PyMPIComm_Get", ctypes.c_void_p, ctypes.py_object)
        new = function("PyMPIComm_New", ctypes.py_object, c_handle)
        for comm in (MPI.COMM_WORLD, MPI.COMM_SELF, own.COMM_WORLD):
            address = get(comm)
            assert address == MPI._addressof(comm)
            back = new(c_handle.from_address(address))
            assert back == comm
            assert type(back) is own.Intracomm
            assert MPI.Intracomm(back) == comm
    """
    done = python(extensions, *RUN, "-c", code)
    assert done.returncode == 0, done.stderr


def test_an_extension_module_that_fails_to_load_leaves_redcoll_in_place(tmp_path):
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    (tmp_path / f"broken{suffix}").write_bytes(b"no library")
    code = """if True:
        import sys
        from mpi4py import MPI
        try:
            import broken
        except ImportError:
            print("refused")
        assert sys.modules["mpi4py.MPI"] is MPI is not MPI.mpi4py_MPI
    """
    done = python(tmp_path, *RUN, "-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "refused\n"


# -- ends ---------------------------------------------------------------------------------------

HUB = """
    import os, sys, time
    import numpy as np
    {line}

    world = MPI.COMM_WORLD
    window = MPI.Win.Allocate(8, comm=world)
    if world.rank == 0:
        {end}
    end = time.monotonic() + 60
    answer = np.zeros(1)
    while time.monotonic() < end:  # until the hub sends a stop
        window.Lock(0)
        window.Get(answer, 0)
        window.Unlock(0)
        time.sleep(0.01)
    """


@pytest.mark.parametrize(
    ("line", "through"),
    [
        ("from redcoll import MPI", ()),
        ("from mpi4py import MPI", RUN),
    ],
    ids=["drop-in", "run"],
)
def test_exception_before_the_first_team_ends_the_job(start_job, line, through):
    end = "raise ValueError('of the hub')"
    job = start_job(HUB.format(line=line, end=end), 3, prelude=False, through=through)
    job.fail(30)
    assert "ValueError: of the hub" in job.err, job.describe()
    job.wait_until_gone()


@pytest.mark.parametrize("reduces", [False, True], ids=["no team", "team"])
def test_run_ends_the_job_when_one_rank_exits_with_a_code(start_job, reduces):
    line = "from mpi4py import MPI" + "; MPI.COMM_WORLD.allreduce(1)" * reduces
    job = start_job(HUB.format(line=line, end="sys.exit(7)"), 3, prelude=False, through=RUN)
    code = job.fail(30)
    assert "Traceback" not in job.err, job.describe()
    if VENDOR == "mpich":  # Open MPI's launcher returns another code
        assert code == 7, job.describe()
    job.wait_until_gone()


def test_run_ends_the_job_at_once_where_others_wait_in_a_reduction(start_job):
    job = start_job(
        """
        import time
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        world.allreduce(1)
        if world.rank == 1:
            raise LookupError("rank 1 alone")
        world.recv(source=1)
        """,
        3,
        prelude=False,
        through=RUN,
    )
    job.fail(30)
    assert "LookupError: rank 1 alone" in job.err
    job.wait_until_gone()


def test_a_forked_child_that_fails_does_not_end_the_job(start_job):
    job = start_job(
        """
        import os, sys
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        for team in range(2):
            child = os.fork()
            if not child:
                sys.excepthook(KeyboardInterrupt, KeyboardInterrupt("child"), None)
                os._exit(3)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
            assert world.allreduce(1) == 2
        print("done", flush=True)
        """,
        2,
        prelude=False,
        through=RUN,
    )
    job.succeed()
    assert job.out.count("done") == 2


def test_an_exception_at_the_prompt_ends_nothing(tmp_path):
    """At the interactive prompt Python continues after an uncaught exception."""
    text = textwrap.dedent(
        """
        from redcoll import MPI
        print(MPI.COMM_WORLD.allreduce(1))
        1 / 0
        raise KeyboardInterrupt

        print(MPI.COMM_WORLD.allreduce(41) + 1)
        """
    )
    done = python(tmp_path, "-i", stdin=text)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1\n42\n"
    assert "ZeroDivisionError" in done.stderr


# The sums of 1,400 clusters take 33 KiB, just enough for shared arrays. In 2 iterations no cluster
# loses all of its points.
MANY_CLUSTERS = {
    "POINTS = 24_000": "POINTS = 7_000",
    "CLUSTERS = 5\n": "CLUSTERS = 1_400\n",
    "MOST_ITERATIONS = 100": "MOST_ITERATIONS = 2",
}
KEEP_RESULTS = """
    from redcoll.memory import arena
    centres.tofile(f"centres-{comm.rank}")
    with open(f"is-shared-{comm.rank}", "w") as file:
        file.write(str(arena.offset(total.ctypes.data) >= 0))
"""


@pytest.mark.skipif(not kernels.is_built(), reason="the compiled kernel was not built")
def test_shared_arrays_give_the_same_results(start_job):
    program = (ROOT / "examples" / "mpi4py" / "kmeans.py").read_text()
    changes = {**MANY_CLUSTERS, "\n\n\nif __name__": f"\n{KEEP_RESULTS}\n\nif __name__"}
    for old, new in changes.items():
        assert program.count(old) == 1
        program = program.replace(old, new)
    centres, printed = set(), []
    for options in ((), ("--shared-arrays",)):
        job = start_job(program, 3, prelude=False, through=(*RUN, *options))
        job.succeed()
        for rank in range(3):
            assert (job.directory / f"is-shared-{rank}").read_text() == str(bool(options))
            centres.add((job.directory / f"centres-{rank}").read_bytes())
        printed.append(job.out.splitlines())
    assert [len(each) for each in centres] == [1_400 * 2 * 8]
    assert len(printed[0]) == 1 + 1_400
    assert printed[0] == printed[1]
