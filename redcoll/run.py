"""Implement ``python -m redcoll run``, which runs a program written for mpi4py on redcoll.

The program runs as ``python`` itself would run it: with its own ``__main__``, ``sys.argv`` and
``sys.path``. The program gets ``redcoll.MPI`` as ``mpi4py.MPI``. If the program raises an exception
or exits with a code other than 0, the job is aborted, as under ``python -m mpi4py``.
"""

from __future__ import annotations

import argparse
import builtins
import io
import os
import pkgutil
import runpy
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader
from pathlib import Path
from signal import SIGINT
from types import CodeType, ModuleType, TracebackType
from typing import Any

from redcoll import config

USAGE = (
    "%(prog)s [-h] [--report[=FILE]] [--profile[=FILE]] [--shared-arrays] "
    "(FILE | -m MODULE | -c CODE | -) [ARGUMENT ...]"
)

Program = Callable[[], object]


def split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the command line into options of ``run``, and the program with its arguments."""
    for at, word in enumerate(words):
        if word == "--":
            rest = list(words[at + 1 :])
            return list(words[:at]), ["--", *rest] if rest else []
        if word == "-" or word[:1] != "-" or word[:2] in ("-m", "-c"):
            return list(words[:at]), list(words[at:])
    return list(words), []


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``run`` to a parser. The parser takes the first list of :func:`split`."""
    parser.usage = USAGE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = """\
Run a program written for mpi4py with redcoll's reductions, unedited.

  FILE        run this script, directory or zip file
  -m MODULE   run this module, as python -m does
  -c CODE     run this code
  -           run what rank 0 has on standard input
  ARGUMENT    an argument of the program, in its sys.argv[1:]"""
    parser.add_argument(
        "--report",
        metavar="FILE",
        nargs="?",
        const=config.TO_STDERR,
        help="at the end print on rank 0 how many reductions redcoll made, how many MPI, and why; "
        f"or write it to FILE (default: as {config.REPORT.name} says)",
    )
    parser.add_argument(
        "--profile",
        metavar="FILE",
        nargs="?",
        const=config.TO_STDERR,
        help="at the end print on rank 0 which rank was late, and where; or write it to FILE, as a "
        f"trace if it ends in .json (default: as {config.PROFILE.name} says)",
    )
    parser.add_argument(
        "--shared-arrays",
        action="store_true",
        help="let NumPy allocate large arrays in memory that the ranks of a node share, so that "
        f"reductions need no copies (default: as {config.SHARED_ARRAYS.name} says)",
    )
    parser.epilog = "example: mpiexec -n 4 python -m redcoll run -m pytest --with-mpi tests"


def main(words: list[str], options: argparse.Namespace, refuse: Callable[[str], Any]) -> int:
    """Run a program; return the exit code.

    ``words`` is the second list of :func:`split`. If the program does not exist or a setting is
    wrong, this function calls ``refuse`` with a message. ``refuse`` must not return.
    """
    program = _program(words, refuse)
    for setting, value in ((config.REPORT, options.report), (config.PROFILE, options.profile)):
        if value is not None:
            os.environ[setting.name] = value
    problem = config.REPORT.problem() or config.PROFILE.problem()
    if problem is not None:
        refuse(problem)
    from redcoll import MPI
    from redcoll.liveness import shutdown
    from redcoll.memory import arena

    if options.shared_arrays:
        arena.shared_arrays()
    MPI.install()
    shutdown.install_hook()
    try:
        program()
    except SystemExit as error:
        shutdown.abort_at_exit(_code(error))
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the program raises
        _print(error.with_traceback(_of_program(error.__traceback__)))
        code = SIGINT + 128 if isinstance(error, KeyboardInterrupt) else 1
        shutdown.abort(code)
        return code
    return 0


def _program(words: list[str], refuse: Callable[[str], Any]) -> Program:
    """Set ``sys.argv`` and ``sys.path`` for the program; return the function that runs it."""
    if not words:
        refuse("there is no program: FILE, -m MODULE, -c CODE or - is required")
    first, *arguments = words
    if first == "--":
        return _file(arguments[0], arguments[1:], refuse)
    if first == "-":
        return _text("-", "<stdin>", _standard_input, arguments)
    option, value = first[:2], first[2:]
    if option not in ("-m", "-c"):
        return _file(first, arguments, refuse)
    if not value:
        if not arguments:
            refuse(f"argument {option}: expected one argument")
        value, *arguments = arguments
    if option == "-c":
        return _text("-c", "<string>", lambda: value, arguments)
    sys.argv[:] = ["-m", *arguments]
    _new_main({})
    return lambda: runpy._run_module_as_main(value)  # type: ignore[attr-defined]  # noqa: SLF001 - as python does


def _standard_input() -> str:
    """Return the standard input of rank 0.  Collective over the job if MPI runs.

    Launchers connect standard input to rank 0 only. compat(mpich 5.0.2): the standard input of
    other ranks stays open, so reading from it would never end.
    """
    from redcoll._mpi4py import MPI

    if not MPI.Is_initialized():
        return sys.stdin.read()
    comm = MPI.COMM_WORLD
    return str(comm.bcast(None if comm.Get_rank() else sys.stdin.read()))


def _text(argument: str, name: str, read: Callable[[], str], arguments: list[str]) -> Program:
    sys.argv[:] = [argument, *arguments]
    _set_path("")
    names = {"__file__": name, "__cached__": None} if argument == "-" else {}
    main = _new_main({"__loader__": BuiltinImporter, **names})
    return lambda: exec(compile(read(), name, "exec", 0, True), main)  # noqa: S102 - the user's program


def _file(path: str, arguments: list[str], refuse: Callable[[str], Any]) -> Program:
    sys.argv[:] = [path, *arguments]
    full = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118 - which keeps ".", as python does
    if pkgutil.get_importer(path) is not None:  # a directory or a zip file
        _set_path(full)
        _new_main({})
        return lambda: runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]  # noqa: SLF001 - as python does
    try:
        with io.open_code(full) as file:
            code = pkgutil.read_code(file)
            file.seek(0)
            source = file.read()
    except OSError as error:
        refuse(f"can't open file {full!r}: [Errno {error.errno}] {error.strerror}")
    _set_path(str(Path(path).resolve().parent))
    loader = (SourcelessFileLoader if code else SourceFileLoader)("__main__", full)
    main = _new_main({"__file__": full, "__cached__": None, "__loader__": loader})

    def run() -> None:
        its_code: CodeType = code or compile(source, full, "exec", 0, True)
        exec(its_code, main)  # noqa: S102 - the user's program

    return run


def _set_path(first: str) -> None:
    # Replace the first entry of sys.path, which Python has set for `-m redcoll`.
    if not getattr(sys.flags, "safe_path", sys.flags.isolated):
        sys.path[0] = first


def _new_main(names: Mapping[str, Any]) -> dict[str, Any]:
    """Replace ``__main__`` by a new module; return its namespace.

    The new module stays, because threads may use it after the program's end.
    """
    module = ModuleType("__main__")
    module.__dict__.update(names, __builtins__=builtins)
    sys.modules["__main__"] = module
    return module.__dict__


def _code(error: SystemExit) -> int:
    """Return the exit code of a process that ends with this exception."""
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    return 1


def _of_program(frames: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that starts at the program's first frame."""
    ours = (__file__, runpy.__file__, "<frozen runpy>")
    while frames is not None and frames.tb_frame.f_code.co_filename in ours:
        frames = frames.tb_next
    return frames


def _print(error: BaseException) -> None:
    from redcoll.liveness import aborting, shutdown

    if shutdown.is_hook(sys.excepthook):
        aborting.print_in_one_piece(error)
        return
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except Exception:  # noqa: BLE001 - of the program's hook
        aborting.report(f"Error in sys.excepthook:\n{traceback.format_exc()}")
        aborting.print_in_one_piece(error)
