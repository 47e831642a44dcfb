"""
Make several hosts on one machine, as network namespaces with host names and a bridge.

Each host is a namespace with one link, ``eth0``, to a bridge. The bridge is in a further namespace,
the hub, where ``mpiexec`` runs. The namespaces are separate from the machine's own network and from
other networks that this module makes. Hosts are numbered from 1. Host ``h`` has the name ``hosth``
and the address ``10.77.0.h``.

The script ``enter`` gives each host its own shared memory. MPICH and Open MPI start one daemon on
each host, and regard the processes of a daemon as one node. So ``COMM_TYPE_SHARED`` splits by
hosts. Both libraries are set to use only TCP between hosts.

The module needs root, and ``ip`` (iproute2).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ENTER = Path(__file__).with_name("enter")

SUBNET = "10.77.0"
HUB = 254
MAX_HOSTS = HUB - 1

# Seconds that processes on the hosts get to end by themselves, and then after each signal.
GRACES_S = {None: 0.5, signal.SIGTERM: 3, signal.SIGKILL: 3}

# The longest time in seconds until a link is up.
LINK_S = 10

NETMODS = {
    # Without UCX_TLS, UCX detects that the hosts are on one machine, and bypasses the links.
    "ucx": {"MPIR_CVAR_CH4_NETMOD": "ucx", "UCX_TLS": "tcp,self"},
    "ofi": {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"},
}
"""Variables that select MPICH's netmod: UCX, or libfabric (OFI). The wheels have both netmods."""

ENVIRONMENTS = {
    "mpich": {},
    "openmpi": {
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "tcp,sm,self",
        # PEs share cores, so a waiting PE must yield its core. By default the PE would spin,
        # because Open MPI sees a slot for each PE of a host.
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "PRTE_MCA_plm_ssh_agent": str(ENTER),
        "PRTE_MCA_prte_if_include": f"{SUBNET}.0/24",
        # The processes on the hosts run as root.
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    },
}

# Options of the launcher that keep PEs alive when other PEs die.
SURVIVORS = {"mpich": ["-disable-auto-cleanup"], "openmpi": ["--enable-recovery"]}

# The launchers' daemons on each host, and the shell that starts a daemon.
DAEMONS = ("hydra_pmi_proxy", "prted", "sh")

# The names of a network's namespaces and of the network's directory start with the owner: the name
# that _owner() gives to the process that made the network.
PREFIX = re.compile(r"(?P<owner>redcoll-(?P<pid>\d+)-\d+)-\d+")

_counter = itertools.count()


class HostsError(Exception):
    """The hosts cannot be made; the message has the reason."""


class Hosts:
    """
    ``n`` hosts that exist during a ``with`` statement.

    The hosts share this process's cores. With ``own_cores`` each host uses its own part of the
    cores, so that a benchmark does not depend on which processes share a core. If there are more
    hosts than cores, the hosts get the cores round-robin.

    The end of the statement ends all processes on the hosts, and removes the network. The start of
    a statement also removes the networks of processes that were killed.
    """

    def __init__(self, n: int, *, own_cores: bool = False) -> None:
        if not 1 <= n <= MAX_HOSTS:
            raise ValueError(f"n={n}: from 1 to {MAX_HOSTS} hosts can be made")
        cores = sorted(os.sched_getaffinity(0))
        self.n = n
        self._prefix = f"{_owner(os.getpid())}-{next(_counter)}"
        self._variables = {"TEST_HOSTS": self._prefix}
        if own_cores:
            for host in self.hosts:
                own = cores[(host - 1) * len(cores) // n : host * len(cores) // n]
                if n > len(cores):
                    own = [cores[(host - 1) % len(cores)]]
                self._variables[f"TEST_CORES_{host}"] = ",".join(map(str, own))
        # The directory holds Open MPI's files, which a killed daemon does not remove.
        self._directory = Path(tempfile.gettempdir(), self._prefix)

    def __enter__(self) -> Hosts:  # noqa: PYI034 - Self is Python 3.11's
        remove_abandoned()
        try:
            self._make()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    def _make(self) -> None:
        self._directory.mkdir()
        hub = self._namespace(HUB)
        _ip(f"netns add {hub}")
        _ip(f"-netns {hub} link set lo up")
        _ip(f"-netns {hub} link add bridge type bridge")
        _ip(f"-netns {hub} address add {address(HUB)}/24 dev bridge")
        _ip(f"-netns {hub} link set bridge up")
        for host in self.hosts:
            namespace = self._namespace(host)
            _ip(f"netns add {namespace}")
            _ip(f"-netns {hub} link add host{host} type veth peer name eth0 netns {namespace}")
            _ip(f"-netns {hub} link set host{host} master bridge up")
            _ip(f"-netns {namespace} address add {address(host)}/24 dev eth0")
            _ip(f"-netns {namespace} link set eth0 up")
            _ip(f"-netns {namespace} link set lo up")

    def _remove(self) -> None:
        _remove([self._prefix])

    def _namespace(self, host: int) -> str:
        return f"{self._prefix}-{host}"

    def _check(self, host: int) -> None:
        if host not in self.hosts:
            raise ValueError(f"host={host}: there are the hosts 1 to {self.n}")

    @property
    def hosts(self) -> range:
        """Return the hosts' numbers."""
        return range(1, self.n + 1)

    def launcher(
        self,
        mpi: str,
        pes: Sequence[int],
        *,
        cyclic: bool = False,
        mpiexec: str | None = None,
        options: Sequence[str] = (),
    ) -> list[str]:
        """
        Return the start of a command line that runs a program on the hosts.

        ``mpi`` is ``mpich`` or ``openmpi``. ``pes`` has the number of PEs of each host. The PEs are
        numbered host by host, or round-robin if ``cyclic`` is true. ``mpiexec`` is the launcher
        (default: the launcher next to this Python), and ``options`` are passed to it. The command
        also needs the variables that :meth:`environment` returns.
        """
        if len(pes) != self.n or min(pes) < 1:
            raise ValueError(f"pes={list(pes)}: one number of PEs, at least 1, for {self.n} hosts")
        hosts = ",".join(f"{address(host)}:{count}" for host, count in enumerate(pes, 1))
        common = [*self.on_hub(), mpiexec or beside_python(), *options]
        if mpi == "mpich":
            ssh = ["-launcher", "ssh", "-launcher-exec", str(ENTER), "-localhost", address(HUB)]
            places = ",".join(map(str, _deal(pes) if cyclic else _fill(pes)))
            placement = [*ssh, "-hosts", hosts, "-rankmap", places]
        else:
            numbered = ["--rank-by", "node"] if cyclic else []
            mapping = ["--map-by", "slot:nooversubscribe", *numbered, "--bind-to", "none"]
            placement = [*mapping, "--host", hosts]
        return [*common, *placement, "-n", str(sum(pes))]

    def environment(self, mpi: str, netmod: str | None = None) -> dict[str, str]:
        """
        Return the variables that a launcher needs in addition to those that it inherits.

        ``netmod`` is a key of :data:`NETMODS` (default: :func:`default_netmod`). With Open MPI,
        ``netmod`` has no effect.
        """
        directory = {"PRTE_MCA_prte_tmpdir_base": str(self._directory)}
        sending = NETMODS[netmod or default_netmod()] if mpi == "mpich" else {}
        return {**ENVIRONMENTS[mpi], **sending, **self._variables, **directory}

    def on_host(self, host: int) -> list[str]:
        """Return the start of a command line that runs a program on a host."""
        self._check(host)
        return self._enter(host)

    def on_hub(self) -> list[str]:
        """Return the start of a command line that runs a program on the hub."""
        return self._enter(HUB)

    def _enter(self, host: int) -> list[str]:
        variables = (f"{name}={value}" for name, value in self._variables.items())
        return ["env", *variables, str(ENTER), address(host), "--"]

    def link_bytes(self) -> dict[int, tuple[int, int]]:
        """Return the bytes that each host has sent and received over its link."""
        return self._counters("bytes")

    def link_packets(self) -> dict[int, tuple[int, int]]:
        """Return the packets that each host has sent and received over its link."""
        return self._counters("packets")

    def _counters(self, unit: str) -> dict[int, tuple[int, int]]:
        hub = self._namespace(HUB)
        links = {
            link["ifname"]: link for link in json.loads(_ip(f"-json -stats -netns {hub} link"))
        }
        # The bridge receives (rx) the data that the host sends.
        counters = {host: links[f"host{host}"]["stats64"] for host in self.hosts}
        return {host: (each["rx"][unit], each["tx"][unit]) for host, each in counters.items()}

    def cut(self, host: int) -> None:
        """Cut a host's link: messages to and from the host are lost without notice."""
        self._set_link(host, "down")

    def mend(self, host: int) -> None:
        """Restore a host's link. On return the host can be reached."""
        self._set_link(host, "up")
        ends = [(self._namespace(HUB), f"host{host}"), (self._namespace(host), "eth0")]
        end_s = time.monotonic() + LINK_S
        while not all(_is_up(*each) for each in ends):
            if time.monotonic() > end_s:
                raise HostsError(f"host {host}'s link has not come up within {LINK_S} s")
            time.sleep(0.02)
        # The neighbour tables still list the host as unreachable, so empty these tables.
        for each in (HUB, *self.hosts):
            _ip(f"-netns {self._namespace(each)} neighbour flush all")

    def _set_link(self, host: int, state: str) -> None:
        self._check(host)
        _ip(f"-netns {self._namespace(HUB)} link set host{host} {state}")

    def processes(self, host: int) -> list[int]:
        """Return the ids of the processes on a host, including MPI's daemon."""
        self._check(host)
        return _processes(self._namespace(host))

    def kill(self, host: int) -> None:
        """Kill all processes on a host at once, including MPI's daemon."""
        for pid in self.processes(host):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def vanish(self, host: int) -> None:
        """
        Cut a host off and kill its processes, as if the machine lost its power.

        The method does not kill MPI's daemon, but stops it (SIGSTOP). The daemon is a child of the
        launcher, so the launcher would notice the end of the daemon at once. A real machine does
        not report its own death. A
        launcher that must keep the other PEs alive needs the options in :data:`SURVIVORS`.
        """
        self.cut(host)
        running = {pid: _program(pid) for pid in self.processes(host)}
        for pid, program in sorted(running.items(), key=lambda item: item[1] not in DAEMONS):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP if program in DAEMONS else signal.SIGKILL)


def _is_up(namespace: str, link: str) -> bool:
    [state] = json.loads(_ip(f"-json -netns {namespace} link show dev {link}"))
    return bool(state["operstate"] == "UP")


def default_netmod() -> str:
    """Return MPICH's default netmod: the value of ``REDCOLL_TEST_NETMOD``, or UCX if not set."""
    netmod = os.environ.get("REDCOLL_TEST_NETMOD", "ucx")
    if netmod not in NETMODS:
        raise HostsError(f"REDCOLL_TEST_NETMOD={netmod}: it must be {' or '.join(NETMODS)}")
    return netmod


def address(host: int) -> str:
    """Return a host's address."""
    return f"{SUBNET}.{host}"


def beside_python() -> str:
    """Return the launcher next to this Python or, with a system MPI, on the PATH."""
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise HostsError("no mpiexec, neither beside this Python nor on the PATH")
    return found


@functools.cache
def unavailable() -> str | None:
    """Return why no hosts can be made here; None if they can be made."""
    if os.geteuid() != 0:
        return "several hosts are made of network namespaces, and only root may make these"
    for program, package in (("ip", "iproute2"), ("unshare", "util-linux")):
        if shutil.which(program) is None:
            return f"several hosts are made by {program!r}, which is missing (package {package})"
    try:
        with Hosts(1) as hosts:
            subprocess.run(
                [*hosts.on_host(1), "true"], check=True, capture_output=True, text=True, timeout=60
            )
    except HostsError as error:
        return str(error)
    except subprocess.CalledProcessError as error:
        return f"several hosts cannot be made here: {error.stderr.strip()}"
    return None


def remove_abandoned() -> None:
    """Remove the networks whose makers were killed, and end the processes in them."""
    directories = [path.name for path in Path(tempfile.gettempdir()).iterdir()]
    makers = {
        match[0]: match for match in map(PREFIX.match, [*_namespaces(), *directories]) if match
    }
    _remove([name for name, match in makers.items() if _owner(int(match["pid"])) != match["owner"]])


def _owner(pid: int) -> str | None:
    """Return a name of a process, which no later process gets; None if the process has ended."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *others = status.rpartition(")")[2].split()
    started = others[18]
    return None if state == "Z" else f"redcoll-{pid}-{started}"


def _fill(pes: Sequence[int]) -> list[int]:
    """Return for each PE the index of its host, with PEs numbered host by host."""
    return [place for place, count in enumerate(pes) for _ in range(count)]


def _deal(pes: Sequence[int]) -> list[int]:
    """Return for each PE the index of its host, with PEs distributed round-robin."""
    turns = range(max(pes))
    return [place for turn in turns for place, count in enumerate(pes) if turn < count]


def _program(pid: int) -> str:
    """Return the name of a process's program; empty if the process has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _namespaces() -> list[str]:
    """Return the names of all network namespaces of the machine."""
    return [line.split()[0] for line in _ip("netns list").splitlines()]


def _processes(namespace: str) -> list[int]:
    return [int(word) for word in _of_namespace(f"netns pids {namespace}").split()]


def _of_namespace(arguments: str) -> str:
    """Return the output of ``ip`` for a namespace; empty if the namespace has been removed."""
    try:
        return _ip(arguments)
    except HostsError:
        if arguments.rsplit(maxsplit=1)[-1] in _namespaces():
            raise
        return ""


def _remove(prefixes: list[str]) -> None:
    """End the processes in the networks whose names have these prefixes; remove the networks."""
    namespaces = [
        name for name in _namespaces() if (match := PREFIX.match(name)) and match[0] in prefixes
    ]
    for number, grace_s in GRACES_S.items():
        end = time.monotonic() + grace_s
        told: set[int] = set()
        while left := {pid for name in namespaces for pid in _processes(name)}:
            if time.monotonic() > end:
                break
            # A process may start another process before it ends, so signal new processes as well.
            for pid in left - told:
                if number is None:
                    break
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
                    os.kill(pid, signal.SIGCONT)
            told |= left
            time.sleep(0.02)
    for name in namespaces:
        _of_namespace(f"netns delete {name}")
    for prefix in prefixes:
        shutil.rmtree(Path(tempfile.gettempdir(), prefix), ignore_errors=True)


def _ip(arguments: str) -> str:
    """Run ``ip``; return its output."""
    done = subprocess.run(["ip", *arguments.split()], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise HostsError(f"`ip {arguments}` failed: {done.stderr.strip()}")
    return done.stdout
