"""Test that hosts have their own names, share no memory, and communicate by messages only."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hosts import network
from jobs.conftest import LAUNCHER

pytestmark = pytest.mark.root

RUN = Path(__file__).with_name("run.py")

MESSAGE_BYTES = 10_000_000

PLACES = """
    import json, os
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    node = world.Split_type(MPI.COMM_TYPE_SHARED)
    own = [MPI.Get_processor_name(), os.uname().nodename, node.size, sorted(os.listdir("/dev/shm"))]
    places = world.gather(own)
    if world.rank == 0:
        print("PLACES " + json.dumps(places), flush=True)
    """

TRAFFIC = f"""
    from mpi4py import MPI
    import numpy as np

    world = MPI.COMM_WORLD
    rank, size = world.rank, world.size
    count = {MESSAGE_BYTES} // 8

    total = np.empty(3)
    world.Allreduce(np.full(3, rank + 1.0), total)
    assert total.tolist() == [size * (size + 1) / 2] * 3, total

    # Each rank sends to the next rank. With one rank on each host, or with ranks placed
    # round-robin, every message crosses the links.
    received = np.empty(count)
    request = world.Irecv(received, (rank - 1) % size)
    world.Send(np.arange(count) + float(rank), (rank + 1) % size)
    request.Wait()
    assert (received == np.arange(count) + (rank - 1) % size).all()
    world.Barrier()
    print("done", rank, flush=True)
    """


def places(job) -> list[list]:
    job.succeed()
    line = next(line for line in job.out.splitlines() if line.startswith("PLACES "))
    return json.loads(line.removeprefix("PLACES "))


def test_a_host_has_its_own_name_and_its_own_shared_memory(start_on, two_hosts):
    told = places(start_on(two_hosts, [2, 2], PLACES))
    assert [(name, nodename, size) for name, nodename, size, _ in told] == [
        ("host1", "host1", 2),
        ("host1", "host1", 2),
        ("host2", "host2", 2),
        ("host2", "host2", 2),
    ]
    files = [set(each) for *_, each in told]
    assert files[0] == files[1]
    assert files[2] == files[3]
    assert not files[0] & files[2]
    assert not files[0] & {file.name for file in Path("/dev/shm").iterdir()}


@pytest.mark.parametrize(
    ("cyclic", "hosts"), [(False, [1, 2, 2, 3, 3, 3]), (True, [1, 2, 3, 2, 3, 3])]
)
def test_unequal_numbers_of_pes(start_on, three_hosts, cyclic, hosts):
    told = places(start_on(three_hosts, [1, 2, 3], PLACES, cyclic=cyclic))
    assert [(name, size) for _, name, size, _ in told] == [(f"host{h}", h) for h in hosts]


@pytest.mark.parametrize(("pes", "cyclic"), [([1, 1], False), ([2, 2], True)])
def test_messages_cross_the_links(start_on, two_hosts, pes, cyclic):
    before = two_hosts.link_bytes()
    job = start_on(two_hosts, pes, TRAFFIC, cyclic=cyclic)
    job.succeed()
    assert job.out.count("done") == sum(pes)
    after = two_hosts.link_bytes()
    for host, count in enumerate(pes, 1):
        for direction in (0, 1):
            crossed = after[host][direction] - before[host][direction]
            # Headers and the launcher's own traffic are small compared with the messages.
            assert count * MESSAGE_BYTES < crossed < 1.5 * count * MESSAGE_BYTES


def test_link_packets_counts_the_packets_of_a_datagram(two_hosts):
    send = f"""
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
    for _ in range(200):
        end.sendto(b"x", ({network.address(2)!r}, 9))
"""
    before = two_hosts.link_packets()
    subprocess.run([*two_hosts.on_host(1), sys.executable, "-c", send], check=True, timeout=60)
    after = two_hosts.link_packets()
    # The hosts also exchange ARP requests, and host 2 may answer that the port is closed.
    assert 200 <= after[1][0] - before[1][0] < 220
    assert 200 <= after[2][1] - before[2][1] < 220


def test_messages_within_a_host_cross_no_link(start_on, two_hosts):
    # With PEs numbered host by host, two of the ring's four messages cross the links, one each way.
    before = two_hosts.link_bytes()
    start_on(two_hosts, [2, 2], TRAFFIC).succeed()
    after = two_hosts.link_bytes()
    for host in (1, 2):
        crossed = after[host][0] - before[host][0]
        assert MESSAGE_BYTES < crossed < 1.5 * MESSAGE_BYTES


def test_three_hosts_send_to_each_other(start_on, three_hosts):
    before = three_hosts.link_bytes()
    start_on(three_hosts, [1, 2, 3], TRAFFIC, cyclic=True).succeed()
    after = three_hosts.link_bytes()
    # PEs 0 to 5 are on the hosts 1 2 3 2 3 3, so only the message of PE 4 stays on its host.
    for host, messages in ((1, 1), (2, 2), (3, 2)):
        crossed = after[host][0] - before[host][0]
        assert messages * MESSAGE_BYTES < crossed < (messages + 0.5) * MESSAGE_BYTES


def test_a_cut_link_passes_nothing_until_it_is_mended(two_hosts):
    listen = """
import socket
with socket.create_server(("", 7777)) as server:
    print("listening", flush=True)
    connection, _ = server.accept()
    with connection:
        print(connection.recv(5), flush=True)
"""
    send = f"""
import socket
with socket.create_connection(("{network.address(1)}", 7777), timeout=20) as connection:
    connection.sendall(b"hello")
"""
    try_to_connect = send.replace("timeout=20", "timeout=0.5")
    python = [sys.executable, "-c"]
    with subprocess.Popen(
        [*two_hosts.on_host(1), *python, listen], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout.readline() == "listening\n"
            assert two_hosts.processes(1) == [server.pid]
            two_hosts.cut(1)
            tried = subprocess.run(
                [*two_hosts.on_host(2), *python, try_to_connect], capture_output=True, check=False
            )
            assert tried.returncode != 0
            two_hosts.mend(1)
            subprocess.run([*two_hosts.on_host(2), *python, send], check=True)
            assert server.stdout.readline() == "b'hello'\n"
        finally:
            two_hosts.mend(1)
            two_hosts.kill(1)
    assert two_hosts.processes(1) == []


def test_killing_a_host_kills_its_processes_only(two_hosts):
    sleepers = [subprocess.Popen([*two_hosts.on_host(host), "sleep", "60"]) for host in (1, 1, 2)]
    try:
        wait_for(lambda: len(two_hosts.processes(1)) == 2 and two_hosts.processes(2))
        two_hosts.kill(1)
        assert [each.wait(10) for each in sleepers[:2]] == [-signal.SIGKILL] * 2
        assert sleepers[2].poll() is None
    finally:
        for each in sleepers:
            each.kill()
            each.wait()


def test_a_host_vanishes_and_the_others_stay(start_on, two_hosts, vendor):
    program = """
        import os, sys, time
        from mpi4py import MPI

        rank = MPI.COMM_WORLD.rank
        name = os.path.join(os.path.dirname(__file__), f"pid-{rank}")
        open(name, "w").write(str(os.getpid()))
        MPI.COMM_WORLD.Barrier()
        os.write(1, b"started\\n")
        while not os.path.exists(os.path.join(os.path.dirname(__file__), "go")):
            time.sleep(0.02)
        os.rename(name, name.replace("pid", "stayed"))
        time.sleep(60)
        """
    job = start_on(two_hosts, [1, 2], program, options=network.SURVIVORS[vendor])
    try:
        wait_for(lambda: job.out.count("started") == 3, 60)
        pids = [job.pid(pe) for pe in range(3)]
        two_hosts.vanish(2)
        wait_for(lambda: not runs(pids[1]) and not runs(pids[2]))
        time.sleep(0.5)  # time for a launcher that would end the other PEs
        (job.directory / "go").touch()
        wait_for((job.directory / "stayed-0").exists)
        assert runs(pids[0])
        daemons = two_hosts.processes(2)
        assert daemons
        assert {state(pid) for pid in daemons} == {"T"}  # stopped
    finally:
        two_hosts.mend(2)
        job.end()


# -- cleaning up --------------------------------------------------------------------------------


def wait_for(condition, timeout_s: float = 20) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "the condition did not become true"
        time.sleep(0.02)


def networks() -> set[str]:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    return {line.split()[0] for line in listed.stdout.splitlines()}


def made_by(pid: int) -> set[str]:
    return {name for name in networks() if name.startswith(f"redcoll-{pid}-")}


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def runs(pid: int) -> bool:
    return state(pid) != "Z"


@pytest.fixture
def start_run(tmp_path, vendor):
    """Return a function that starts tests/hosts/run.py with two PEs that only sleep."""
    script = tmp_path / "sleeper.py"
    script.write_text(
        "import os, sys, time\n"
        "from mpi4py import MPI\n"
        f"name = os.path.join({str(tmp_path)!r}, f'pid-{{MPI.COMM_WORLD.rank}}')\n"
        "open(name + '.new', 'w').write(str(os.getpid()))\n"
        "os.rename(name + '.new', name)\n"
        "time.sleep(float(sys.argv[1]))\n"
        "sys.exit(int(sys.argv[2]))\n"
    )
    command = [sys.executable, str(RUN), "--mpi", vendor, "--mpiexec", LAUNCHER[0], "--pes", "1,1"]
    started = []

    def start(sleep_s: float, code: int = 0):
        process = subprocess.Popen(
            [*command, "--", "python", str(script), str(sleep_s), str(code)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        started.append(process)
        files = [tmp_path / "pid-0", tmp_path / "pid-1"]
        wait_for(lambda: all(file.exists() for file in files), 60)
        return process, [int(file.read_text()) for file in files]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()
    network.remove_abandoned()


@pytest.mark.parametrize("code", [0, 3])
def test_nothing_is_left_after_the_program(start_run, code):
    process, pids = start_run(0.5, code)
    assert process.wait(60) == code
    assert not made_by(process.pid)
    assert not [pid for pid in pids if runs(pid)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("to_all", [True, False], ids=["to-all", "to-it-alone"])
def test_nothing_is_left_after_a_signal(start_run, number, to_all):
    process, pids = start_run(120)
    assert len(made_by(process.pid)) == 3
    if to_all:
        os.killpg(process.pid, number)  # like Ctrl-C in a terminal
    else:
        process.send_signal(number)
    assert process.wait(60) != 0
    assert not made_by(process.pid)
    assert not [pid for pid in pids if runs(pid)]


def test_the_next_start_removes_the_remains_of_a_killed_run(start_run):
    process, pids = start_run(120)
    # Check this before the kill. After the kill, another test that makes a network may remove this
    # network.
    assert made_by(process.pid)
    process.kill()
    process.wait()
    with network.Hosts(1) as hosts:
        assert not made_by(process.pid)
        assert len(made_by(os.getpid())) >= 2
        assert hosts.link_bytes().keys() == {1}
    wait_for(lambda: not [pid for pid in pids if runs(pid)])


def test_two_may_remove_the_same_network(monkeypatch):
    with network.Hosts(1) as hosts:
        everything = networks()
        hosts._remove()
        assert not made_by(os.getpid()) & {hosts._namespace(1), hosts._namespace(network.HUB)}
        # The second removal sees the namespaces that existed before the first removal.
        monkeypatch.setattr(network, "_namespaces", iter([sorted(everything)] + [[]] * 9).__next__)
        hosts._remove()
        monkeypatch.undo()


def test_hosts_have_cores_of_their_own_if_asked_to(vendor):
    ours = os.sched_getaffinity(0)
    if len(ours) < 2:
        pytest.skip("two hosts need two cores, and this process has one")
    program = (
        "import json, os; from mpi4py import MPI; "
        "got = MPI.COMM_WORLD.gather((os.uname().nodename, sorted(os.sched_getaffinity(0)))); "
        "MPI.COMM_WORLD.rank or print(json.dumps(got))"
    )
    with network.Hosts(2, own_cores=True) as hosts:
        command = [*hosts.launcher(vendor, [2, 1], mpiexec=LAUNCHER[0]), sys.executable, "-c"]
        done = subprocess.run(
            [*command, program],
            env={**os.environ, **hosts.environment(vendor)},
            capture_output=True,
            text=True,
            check=True,
        )
    (name, first), mate, (other, second) = json.loads(done.stdout)
    assert (name, other) == ("host1", "host2")
    assert mate == [name, first]
    assert not set(first) & set(second)
    assert set(first) | set(second) == ours
    assert len(second) - len(first) in {0, 1}


def test_more_hosts_than_cores_are_dealt_to_the_cores():
    ours = sorted(os.sched_getaffinity(0))
    program = [sys.executable, "-c", "import os; print(*sorted(os.sched_getaffinity(0)))"]
    with network.Hosts(len(ours) + 1, own_cores=True) as hosts:
        told = [
            subprocess.run(
                [*hosts.on_host(host), *program], capture_output=True, text=True, check=True
            ).stdout
            for host in hosts.hosts
        ]
    assert told == [f"{core}\n" for core in [*ours, ours[0]]]


def test_nothing_is_left_when_the_hosts_cannot_be_made(monkeypatch):
    before = made_by(os.getpid())
    real_ip = network._ip

    def broken_ip(arguments):
        if "host2" in arguments:
            raise network.HostsError("no more links")
        return real_ip(arguments)

    monkeypatch.setattr(network, "_ip", broken_ip)
    with pytest.raises(network.HostsError, match="no more links"):
        network.Hosts(2).__enter__()
    assert made_by(os.getpid()) == before


# -- wrong arguments ----------------------------------------------------------------------------


def test_the_command_prints_the_bytes_on_the_links(vendor):
    command = [sys.executable, str(RUN), "--mpi", vendor, "--mpiexec", LAUNCHER[0]]
    program = ["python", "-c", "from mpi4py import MPI; MPI.COMM_WORLD.Barrier()"]
    done = subprocess.run(
        [*command, "--hosts", "2", "--pes", "1", "--bytes", "--", *program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    last = done.stderr.splitlines()[-1]
    assert re.fullmatch(
        r"bytes on the links: host1 \d+ sent \d+ received, host2 \d+ sent \d+ received", last
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--hosts", "3", "--pes", "1,2"], "--pes has 2 numbers for 3 hosts"),
        (["--pes", "1,0"], "each host has at least 1 PE"),
        (["--pes", "x"], "invalid numbers value: 'x'"),
    ],
)
def test_wrong_words_are_refused(vendor, words, why):
    command = [sys.executable, str(RUN), "--mpi", vendor, *words, "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert why in done.stderr


def test_wrong_arguments_are_named(two_hosts):
    with pytest.raises(ValueError, match="n=0: from 1 to"):
        network.Hosts(0)
    with pytest.raises(ValueError, match=r"pes=\[2\]: one number of PEs.*for 2 hosts"):
        two_hosts.launcher("mpich", [2])
    with pytest.raises(ValueError, match=r"pes=\[2, 0\]"):
        two_hosts.launcher("mpich", [2, 0])
    with pytest.raises(ValueError, match="host=3: there are the hosts 1 to 2"):
        two_hosts.cut(3)
