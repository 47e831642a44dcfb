"""Reduce the columns of a Toeplitz matrix: PVM's example ``gexample``.

    mpiexec -n 4 python examples/pvm_gexample.py [dimension]

The matrix is symmetric, and its first row contains the integers from 1 to the dimension. The rows
are distributed over the tasks. The first reduction adds the rows, to get the matrix's 1-norm. The
second reduction multiplies the rows, element by element, with an operation that the program
defines.
"""

from __future__ import annotations

import sys

import numpy as np

from redcoll_pvm import (
    PVM_DOUBLE,
    PVM_INT,
    PvmDataDefault,
    PvmSum,
    pvm_barrier,
    pvm_exit,
    pvm_freezegroup,
    pvm_initsend,
    pvm_joingroup,
    pvm_lvgroup,
    pvm_mcast,
    pvm_mytid,
    pvm_perror,
    pvm_pkint,
    pvm_recv,
    pvm_reduce,
    pvm_siblings,
    pvm_upkint,
)

Array = np.ndarray

GROUP = "matrix"
DEFAULT_DIMENSION = 100
INITTAG = 1000
SUMTAG = INITTAG + 1
PRODTAG = SUMTAG + 1


def multiply(_datatype: int, x: Array, y: Array, _num: int, _info: Array) -> None:
    """Multiply ``x`` by ``y`` in place. The function can leave ``info`` unchanged."""
    x *= y


def main() -> int:
    """Run a task; return the exit code."""
    pvm_mytid()
    # mpiexec has started all tasks, so the program does not spawn tasks.
    tids: list[int] = []
    ntasks = pvm_siblings(tids)

    myinst = pvm_joingroup(GROUP)
    if myinst < 0:
        pvm_perror("Could not join group")
        pvm_exit()
        return 1

    if myinst == 0:
        dimension = int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_DIMENSION
        print(" This program demonstrates some group and reduction operations in PVM.")
        print(f"       --> Using {ntasks} processors <--")
        pvm_initsend(PvmDataDefault)
        pvm_pkint([ntasks, dimension], 2, 1)
        pvm_mcast(tids, ntasks, INITTAG)
    else:
        values = [0, 0]
        pvm_recv(-1, INITTAG)
        pvm_upkint(values, 2, 1)
        ntasks, dimension = values

    # Close the group to new members. The call waits until all tasks have joined.
    pvm_freezegroup(GROUP, ntasks)

    # If the rows cannot be divided evenly, the first tasks get one more row.
    rows, extra = divmod(dimension, ntasks)
    first = rows * myinst + min(myinst, extra)
    rows += myinst < extra
    block = 1 + np.abs(np.subtract.outer(np.arange(first, first + rows), np.arange(dimension)))
    column_sums = block.sum(axis=0, dtype=np.int32)
    column_products = block.prod(axis=0, dtype=np.float64)

    if pvm_reduce(PvmSum, column_sums, dimension, PVM_INT, SUMTAG, GROUP, 0) < 0:
        pvm_perror("pvm_reduce had an error")
    pvm_reduce(multiply, column_products, dimension, PVM_DOUBLE, PRODTAG, GROUP, 0)

    if myinst == 0:
        print(f" The 1-Norm is {column_sums.max()}")
        print(f" ( Should be the sum of the integers from 1 to {dimension} )")
        print(f" The product of column 1 is {column_products[0]:g}")
        print(f" ( Should be {dimension} factorial)")

    info = pvm_barrier(GROUP, -1)
    if info < 0:
        print(f"Barrier failed with result code {info}")
    pvm_lvgroup(GROUP)
    pvm_exit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
