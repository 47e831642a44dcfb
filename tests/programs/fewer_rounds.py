"""
Run code of three programs. On redcoll, also run a version that uses ``allreduce_many``.

The script makes this version in memory, from the installed source. The results must agree, and the
changed code must make fewer reductions. The results and the numbers of reductions are printed.
"""

import inspect
import sys
import types

import numpy as np
import pylops_mpi
import pyomo.environ as pyo
from mpi4py import MPI
from mpisppy import spopt
from NuMPI.Optimization import CCGWithoutRestart
from pylops.basicoperators import MatrixMult
from pylops_mpi.optimization import cls_basic

COMM = MPI.COMM_WORLD


# -- the three programs ----------------------------------------------------------------------


def average_and_bounds(avg_min_max):
    """Use mpi-sppy to find average, minimum and maximum over the scenarios of all ranks."""
    scenarios = {}
    for number in range(3):
        model = pyo.ConcreteModel()
        model.x = pyo.Var(initialize=0.1 * (3 * COMM.rank + number) - 0.2)
        model._mpisppy_probability = 1 / (3 * COMM.size)
        scenarios[f"scenario {number}"] = model
    problem = types.SimpleNamespace(comms={"ROOT": COMM}, local_scenarios=scenarios)
    return [avg_min_max(problem, "x")]


def minimum_of_a_quadratic(conjugate_gradients):
    """Use NuMPI to run constrained conjugate gradients on a distributed vector."""
    factors = 1 + np.random.default_rng([7, COMM.rank]).random(10)

    def value_and_gradient(x):
        return np.sum(factors * x**2) / 2 - np.sum(x), factors * x - 1

    found = conjugate_gradients(
        value_and_gradient, lambda d: factors * d, np.zeros(10), communicator=COMM, gtol=1e-12
    )
    return [found.x, found.nit]


def least_squares(step):
    """Use pylops-mpi to solve a block-diagonal least-squares problem by conjugate gradients."""
    cls_basic.CGLS.step = step
    matrix = np.random.default_rng([7, COMM.rank]).standard_normal((12, 8))
    operator = pylops_mpi.MPIBlockDiag(ops=[MatrixMult(matrix)])
    data = pylops_mpi.DistributedArray(global_shape=12 * COMM.size)
    data[:] = np.linspace(0, 1, 12) * (COMM.rank + 1)
    start = pylops_mpi.DistributedArray(global_shape=8 * COMM.size)
    start[:] = 0
    found = pylops_mpi.cgls(operator, data, start, niter=10, damp=0.1, tol=0)
    return [found[0].local_array, found[2], found[5]]


# -- the changes -----------------------------------------------------------------------------


def changed(module, old: str, new: str):
    """Return a copy of a module with one part of its source replaced."""
    source = inspect.getsource(module)
    assert source.count(old) == 1, f"{module.__name__} does not have the lines to replace"
    copy = types.ModuleType(module.__name__)
    copy.__dict__.update(__package__=module.__package__, __file__=module.__file__)
    exec(compile(source.replace(old, new), module.__file__, "exec"), copy.__dict__)
    return copy


def between(module, first: str, last: str) -> str:
    """Return a module's source from the start of ``first`` to the end of ``last``."""
    source = inspect.getsource(module)
    start = source.index(first)
    return source[start : source.index(last, start) + len(last)]


def in_one_round(first, second):
    """Return two dot products of distributed arrays, computed by one reduction."""
    parts = [np.dot(x.local_array.ravel(), y.local_array.ravel()) for x, y in (first, second)]
    return COMM.allreduce_many(parts)


def changes():
    """Yield the changed function of each program."""
    yield changed(
        spopt,
        between(spopt, 'self.comms["ROOT"].Allreduce([localavg', "op=MPI.MAX)"),
        'globalavg, globalmin, globalmax = self.comms["ROOT"].allreduce_many('
        "(localavg, localmin, localmax), op=(MPI.SUM, MPI.MIN, MPI.MAX))",
    ).SPOpt.avg_min_max
    old = between(
        CCGWithoutRestart, "denominator_temp = comm.sum(", "comm.sum(residual.T * des_dir)"
    )
    new = old.replace(
        "denominator_temp = comm.sum(des_dir.T * hessp_val)",
        "denominator_temp, numerator = comm.comm.allreduce_many("
        "[np.sum(des_dir.T * hessp_val), np.sum(residual.T * des_dir)])",
    ).replace("-comm.sum(residual.T * des_dir)", "-numerator")
    yield changed(CCGWithoutRestart, old, new).constrained_conjugate_gradients
    copy = changed(
        cls_basic,
        "self.kold\n                / (self.q.dot(self.q.conj()) + self.damp * "
        "self.c.dot(self.c.conj()))",
        "self.kold / np.dot([1, self.damp], "
        "_in_one_round((self.q, self.q.conj()), (self.c, self.c.conj())))",
    )
    copy._in_one_round = in_one_round
    yield copy.CGLS.step


PROGRAMS = {
    "mpi-sppy": (average_and_bounds, spopt.SPOpt.avg_min_max),
    "NuMPI": (minimum_of_a_quadratic, CCGWithoutRestart.constrained_conjugate_gradients),
    "pylops-mpi": (least_squares, cls_basic.CGLS.step),
}


def run(program, function):
    """Return the results, and the number of reductions that this rank made."""
    before = reductions()
    results = program(function)
    return results, reductions() - before


def reductions() -> int:
    if "redcoll" not in sys.modules:
        return 0
    from redcoll import tally

    return sum(row.calls for row in tally.rows())


for (name, (program, function)), change in zip(
    PROGRAMS.items(), changes() if "redcoll" in sys.modules else [None] * 3, strict=True
):
    results, calls = run(program, function)
    if change is not None:
        fewer, its_calls = run(program, change)
        for one, other in zip(results, fewer, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-14)
        assert 0 < its_calls < calls, (name, calls, its_calls)
        print(f"{name}: {its_calls} reductions in place of {calls}")
        results = fewer
    for number, result in enumerate(results):
        values = " ".join(repr(float(each)) for each in np.ravel(result))
        print(f"{name} result {number} = {values}")
