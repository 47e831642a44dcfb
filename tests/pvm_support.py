"""Provide the recorded runs of PVM, and fixtures and functions for the tests of the PVM API."""

from __future__ import annotations

import gzip
import itertools
import json
import time
from pathlib import Path

import numpy as np
import pytest

import redcoll_pvm as pvm
from redcoll.liveness import shutdown
from redcoll_pvm import _buffers, _task
from redcoll_pvm.runtime import pvm_runtime
from redcoll_pvm.runtime.group_client import RemoteGroupStore
from redcoll_pvm.runtime.group_server import GroupServer
from redcoll_pvm.runtime.group_table import GroupTable

GOLDEN = json.loads(
    gzip.decompress((Path(__file__).parent / "data" / "pvm_golden.json.gz").read_bytes())
)

DTYPES = {
    "PVM_STR": np.uint8,
    "PVM_BYTE": np.int8,
    "PVM_SHORT": np.int16,
    "PVM_INT": np.int32,
    "PVM_FLOAT": np.float32,
    "PVM_CPLX": np.complex64,
    "PVM_DOUBLE": np.float64,
    "PVM_DCPLX": np.complex128,
    "PVM_LONG": np.int64,
    "PVM_USHORT": np.uint16,
    "PVM_UINT": np.uint32,
    "PVM_ULONG": np.uint64,
}

_numbers = itertools.count(1)


@pytest.fixture(autouse=True)
def fresh_task():
    """Let this task start again if a failed test has ended the tasks on all ranks."""
    runtime = _task.task.runtime
    if runtime is not None and runtime not in shutdown._live:
        pvm_runtime._runtime = None
        _task.task.runtime = None
        _buffers.buffers.__init__()
    pvm.pvm_setopt(pvm.PvmAutoErr, 0)
    _task.task.errno = 0
    pvm.pvm_mytid()


def me() -> int:
    return pvm.pvm_mytid() - 0x40001


def n_tasks() -> int:
    return pvm.pvm_siblings(None)


def needs(n: int) -> None:
    """Skip the test if there are fewer than ``n`` tasks."""
    if n_tasks() < n:
        pytest.skip(f"needs {n} PEs, there are {n_tasks()}")


def new_group() -> str:
    """Return an unused name. The n-th call returns the same name on all ranks."""
    return f"group {next(_numbers)}"


def job():
    return pvm_runtime.start()


def is_far() -> bool:
    """Return whether the tasks are on several nodes."""
    return isinstance(job().store, RemoteGroupStore)


def group_table() -> GroupTable | None:
    """Return the table of groups, or None if this task cannot read it.

    On a single node all tasks can read the table. On several nodes only the first task can read it.
    """
    store = job().store
    if not is_far():
        return store._table
    return None if store._server is None else store._server._table


def is_counted(table: GroupTable, task: int) -> bool:
    mark = table.words[table._line(task) + 2]
    at, generation = mark >> 24, mark & 0xFFFFFF
    return bool(mark) and table.words[at] >> 40 == generation


# Only the tests use this request. It asks whether a task waits in a barrier.
GroupServer._OPERATIONS["waits"] = lambda server, _asker, task: is_counted(server._table, task)


def waits(task: int) -> bool:
    """Return whether another task waits in a barrier."""
    return job().store._call("waits", task) if is_far() else is_counted(group_table(), task)


def await_waiting(task: int) -> None:
    """Wait until another task waits in a barrier."""
    deadline = time.monotonic() + 20
    while not waits(task):
        assert time.monotonic() < deadline
        time.sleep(0)
    time.sleep(0.01)


def join_in_order(members: int | None = None, order=None) -> str:
    """Make a group whose instance i is the task order[i], and return its name.

    All tasks make this call. By default the first ``members`` tasks join the group.
    """
    group = new_group()
    members = n_tasks() if members is None else members
    order = list(range(members)) if order is None else list(order)
    if me() in order:
        instance = order.index(me())
        await_size(group, instance)
        assert pvm.pvm_joingroup(group) == instance
        assert pvm.pvm_barrier(group, members) == 0
    return group


def await_size(group: str, size: int) -> None:
    deadline = time.monotonic() + 30
    while max(pvm.pvm_gsize(group), 0) < size:
        assert time.monotonic() < deadline, f"{group} has not reached size {size}"
        time.sleep(0)


def leave(group: str) -> None:
    """Leave the group after a barrier of its members. Other tasks do nothing."""
    if pvm.pvm_getinst(group, pvm.pvm_mytid()) >= 0:
        assert pvm.pvm_barrier(group, -1) == 0
        assert pvm.pvm_lvgroup(group) == 0


def decode(values, datatype: str) -> np.ndarray:
    """Return the array that a recorded run describes by ``values``."""
    dtype = np.dtype(DTYPES[datatype])
    if dtype.kind in "iu":
        return np.array(values, dtype)
    part = np.dtype(f"f{dtype.itemsize // (2 if dtype.kind == 'c' else 1)}")
    flat = np.array(values, object).reshape(-1)
    return np.array([_bits(text, part) for text in flat], f"u{part.itemsize}").view(dtype)


def _bits(text: str, part: np.dtype) -> int:
    if text.startswith("nan:"):
        return int(text[4:], 16)
    return int(part.type(float.fromhex(text)).view(f"u{part.itemsize}"))


def same_but_nan_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether each pair of elements has the same bits, or consists of two NaNs."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "c":
        part = f"f{a.itemsize // 2}"
        a, b = a.view(part), b.view(part)
    unsigned = f"u{a.itemsize}"
    equal = a.view(unsigned) == b.view(unsigned)
    if a.dtype.kind == "f":
        equal |= np.isnan(a) & np.isnan(b)
    return bool(equal.all())
