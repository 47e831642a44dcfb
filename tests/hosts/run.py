"""
Run a program on several hosts that network.py makes on this machine.

The first two examples run two PEs on each of two hosts. The last
example runs one, two and three PEs on three hosts::

    python tests/hosts/run.py --mpi mpich --hosts 2 --pes 2 -- python program.py
    python tests/hosts/run.py --mpi mpich --netmod ofi --hosts 2 --pes 2 -- python program.py
    python tests/hosts/run.py --mpi openmpi --pes 1,2,3 -- python -m redcoll info

After ``--``, ``python`` means the Python that runs this script. By default, ``mpiexec`` is the
launcher next to that Python. The script's exit code is the exit code of ``mpiexec``. With
``--bytes`` the last line on stderr has the numbers of bytes that each host sent and received.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys

import network


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    def numbers(text: str) -> list[int]:
        return [int(word) for word in text.split(",")]

    parser = argparse.ArgumentParser(description="Run a program on several hosts made for it.")
    parser.add_argument("--mpi", choices=sorted(network.ENVIRONMENTS), required=True)
    parser.add_argument("--hosts", type=int, help="number of hosts (default: as --pes has numbers)")
    parser.add_argument(
        "--pes", type=numbers, required=True, help="PEs of each host, or of every host: 2,2 or 2"
    )
    parser.add_argument(
        "--netmod",
        choices=sorted(network.NETMODS),
        help="what MPICH sends by (default: $REDCOLL_TEST_NETMOD, or ucx)",
    )
    parser.add_argument("--cyclic", action="store_true", help="deal the PEs to the hosts in turn")
    parser.add_argument("--mpiexec", help="the launcher (default: the one beside this Python)")
    parser.add_argument("--own-cores", action="store_true", help="part the cores among the hosts")
    parser.add_argument("--bytes", action="store_true", help="print what crossed the links")
    parser.add_argument("program", nargs="+", help="after --: the program and its arguments")
    options = parser.parse_args(arguments)
    hosts = options.hosts or len(options.pes)
    if len(options.pes) == 1:
        options.pes *= hosts
    if len(options.pes) != hosts:
        parser.error(f"--pes has {len(options.pes)} numbers for {hosts} hosts")
    if min(options.pes) < 1:
        parser.error("--pes: each host has at least 1 PE")
    return options


def end(number: int, _: object) -> None:
    sys.exit(128 + number)


def main() -> int:
    options = parse_options()
    # A shell starts background jobs with SIGINT ignored, so restore Python's handler. By default,
    # SIGTERM and SIGHUP would end this script before it removes the hosts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGHUP, end)
    reason = network.unavailable()
    if reason:
        print(f"tests/hosts/run.py: {reason}", file=sys.stderr)
        return 1
    program = [sys.executable if word == "python" else word for word in options.program[:1]]
    try:
        with network.Hosts(len(options.pes), own_cores=options.own_cores) as hosts:
            launcher = hosts.launcher(
                options.mpi, options.pes, cyclic=options.cyclic, mpiexec=options.mpiexec
            )
            code = subprocess.run(
                [*launcher, *program, *options.program[1:]],
                env={**os.environ, **hosts.environment(options.mpi, options.netmod)},
                check=False,
            ).returncode
            if options.bytes:
                crossed = ", ".join(
                    f"host{host} {sent} sent {received} received"
                    for host, (sent, received) in hosts.link_bytes().items()
                )
                print(f"bytes on the links: {crossed}", file=sys.stderr)
    except network.HostsError as error:
        print(f"tests/hosts/run.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
