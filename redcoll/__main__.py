"""Run the command-line tools: ``python -m redcoll COMMAND``."""

from __future__ import annotations

import argparse
import shutil
import sys

from redcoll import config, run
from redcoll._version import __version__
from redcoll.bench import cli


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m redcoll", description="Tools of redcoll.")
    parser.add_argument("--version", action="version", version=f"redcoll {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    commands.add_parser(
        "info",
        help="print versions, nodes, kernel, heap, settings and hints; alone or under mpiexec",
    ).set_defaults(run=_info)
    commands.add_parser(
        "config", help="print all settings with the values in force; this does not start MPI"
    ).set_defaults(run=_config)
    runner = commands.add_parser(
        "run", help="run a program written for mpi4py on redcoll, unedited; under mpiexec"
    )
    run.add_arguments(runner)
    bench = commands.add_parser("bench", help="time redcoll next to its peers; under mpiexec")
    cli.add_arguments(bench)
    bench.set_defaults(run=cli.main)
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["run"]:
        # Split the words here, because argparse would parse the program's options as redcoll's.
        own, program = run.split(words[1:])
        return run.main(program, runner.parse_args(own), runner.error)
    options = parser.parse_args(words)
    return int(options.run(options))


def _info(_: argparse.Namespace) -> int:
    from redcoll import info

    return info.main()


def _config(_: argparse.Namespace) -> int:
    config.load_all()
    print(config.table(shutil.get_terminal_size((100, 24)).columns))
    problems = config.wrong_values() + config.unknown_names()
    for text in problems:
        sys.stderr.write(f"redcoll: {text}\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
