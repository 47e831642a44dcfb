"""Sum the squares of the first integers in several ways: PVM's example ``trsg``.

    mpiexec -n 4 python examples/pvm_trsg.py [elements per row] [tasks]

The example shows reduce, scatter and gather. The matrix has a row for each task, and contains the
integers from 1 on. The tasks square the elements of their rows, and add the squares in different
ways.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from redcoll_pvm import (
    PVM_FLOAT,
    PVM_INT,
    PvmAutoErr,
    PvmBadParam,
    PvmDataDefault,
    PvmNoParent,
    PvmOk,
    PvmProduct,
    PvmSum,
    pvm_barrier,
    pvm_bcast,
    pvm_exit,
    pvm_gather,
    pvm_gsize,
    pvm_initsend,
    pvm_joingroup,
    pvm_lvgroup,
    pvm_parent,
    pvm_pkint,
    pvm_recv,
    pvm_reduce,
    pvm_scatter,
    pvm_setopt,
    pvm_siblings,
    pvm_spawn,
    pvm_upkint,
)

Array = np.ndarray

GROUP = "group_rsg"
DEFAULT_COUNT = 5


def max_with_loc(datatype: int, x: Array, y: Array, num: int, info: Array) -> None:
    """Keep the larger value and its place; for equal values keep the smaller place.

    The first halves of x and y are values, and the second halves are their places.
    """
    if datatype != PVM_FLOAT:
        info[0] = PvmBadParam
        return
    half = num // 2
    values, places = x[:half], x[half:]
    larger = y[:half] > values
    equal = y[:half] == values
    places[:] = np.where(larger, y[half:], np.where(equal, np.minimum(places, y[half:]), places))
    values[:] = np.where(larger, y[:half], values)
    info[0] = PvmOk


def main() -> int:
    """Run a task; return the exit code."""
    # In PVM the children start after the parent has joined the group and spawned them. Under
    # mpiexec all tasks run from the start, so the children wait until the parent has joined. With
    # REDCOLL_PVM_HOLD=1 this wait is not needed.
    if pvm_parent() != PvmNoParent:
        while pvm_gsize(GROUP) < 1:
            time.sleep(1e-3)
    myginst = pvm_joingroup(GROUP)
    pvm_setopt(PvmAutoErr, 1)

    if myginst == 0:
        count = int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_COUNT
        nprocs = int(sys.argv[2]) if len(sys.argv) > 2 else pvm_siblings(None)
        if nprocs > 1:
            tids = [0] * (nprocs - 1)
            pvm_spawn("trsg", None, 0, "", nprocs - 1, tids)
        while pvm_gsize(GROUP) < nprocs:
            time.sleep(1e-3)
        pvm_initsend(PvmDataDefault)
        pvm_pkint(nprocs, 1, 1)
        pvm_pkint(count, 1, 1)
        if nprocs > 1:
            pvm_bcast(GROUP, 17)
    else:
        value = [0]
        pvm_recv(-1, 17)
        pvm_upkint(value, 1, 1)
        nprocs = value[0]
        pvm_upkint(value, 1, 1)
        count = value[0]

    root = 0
    matrix = np.arange(1, nprocs * count + 1, dtype=np.int32) if myginst == root else None
    myrow = np.zeros(count, np.int32)
    pvm_scatter(myrow, matrix, count, PVM_INT, 19, GROUP, root)

    # `duplicates` equals `myrow`, so the product squares each value.
    duplicates = np.arange(myginst * count + 1, (myginst + 1) * count + 1, dtype=np.int32)
    info = [0]
    PvmProduct(PVM_INT, myrow, duplicates, count, info)
    if myginst == root and info[0] < 0:
        print(f" ERROR: {info[0]} on PvmProduct call")

    part = np.array([myrow.sum()], np.int32)
    parts = np.zeros(nprocs, np.int32)
    pvm_gather(parts, part, 1, PVM_INT, 21, GROUP, root)
    pvm_reduce(PvmSum, myrow, count, PVM_INT, 23, GROUP, root)

    midpoint = nprocs // 2
    values = np.array([count - (myginst - midpoint) ** 2, myginst], np.float32)
    code = pvm_reduce(max_with_loc, values, 2, PVM_FLOAT, 25, GROUP, root)

    if myginst == root:
        n = nprocs * count
        squares = n * (n + 1) * (2 * n + 1) // 6
        sums = int(parts.sum()), int(myrow.sum())
        if sums == (squares, squares):
            print(f" Test OK: Sum of Squares of first {n} integers is {sums[0]}")
        else:
            print(f" ERROR: The Sum of Squares of the first {n} integers is {squares}, not {sums}")
        if code < 0:
            print(f" ERROR: {code} on Reduce with User Function")
        if values.tolist() != [count, midpoint]:
            print(f" ERROR: Should have ({count}, {midpoint}), but have {values}")
        else:
            print(f" Test Ok: Received ({values[0]:f}, {values[1]:f})")

    pvm_barrier(GROUP, nprocs)
    pvm_lvgroup(GROUP)
    pvm_exit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
