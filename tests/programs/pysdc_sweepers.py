"""
Print results of pySDC's parallel sweepers, with one collocation node on each rank.

The program follows pySDC's own tests of these sweepers. It makes one step of a problem with the
parallel and with the serial sweeper, for all kinds of nodes, residuals and initial guesses. The end
points and the residuals of both sweepers must agree to 1e-14. The program prints the residual and
the size of the end point.
"""

import itertools

import numpy as np
from mpi4py import MPI
from pySDC.implementations.controller_classes.controller_nonMPI import controller_nonMPI
from pySDC.implementations.problem_classes.HeatEquation_ND_FD import heatNd_forced, heatNd_unforced
from pySDC.implementations.problem_classes.TestEquation_0D import testequation0d
from pySDC.implementations.sweeper_classes.generic_implicit import generic_implicit
from pySDC.implementations.sweeper_classes.generic_implicit_MPI import generic_implicit_MPI
from pySDC.implementations.sweeper_classes.imex_1st_order import imex_1st_order
from pySDC.implementations.sweeper_classes.imex_1st_order_MPI import imex_1st_order_MPI
from pySDC.implementations.transfer_classes.BaseTransferMPI import base_transfer_MPI
from pySDC.implementations.transfer_classes.TransferMesh import mesh_to_mesh

DT = 0.1
SWEEPERS = {
    (False, False): generic_implicit,
    (False, True): generic_implicit_MPI,
    (True, False): imex_1st_order,
    (True, True): imex_1st_order_MPI,
}


def one_step(quad_type, residual_type, guess, levels, *, imex, parallel):
    problem = heatNd_forced if imex else heatNd_unforced if levels > 1 else testequation0d
    description = {
        "problem_class": problem,
        "problem_params": {},
        "sweeper_class": SWEEPERS[imex, parallel],
        "sweeper_params": {
            "num_nodes": MPI.COMM_WORLD.size,
            "quad_type": quad_type,
            "QI": "IEpar",
            "QE": "PIC",
            "initial_guess": guess,
        },
        "level_params": {"dt": DT, "residual_type": residual_type},
        "step_params": {"maxiter": 1},
    }
    if levels > 1:
        description["problem_params"]["nvars"] = [2 ** (levels - i) for i in range(levels)]
        description["space_transfer_class"] = mesh_to_mesh
        if parallel:
            description["base_transfer_class"] = base_transfer_MPI
    controller = controller_nonMPI(1, {"logger_level": 30}, description)
    level = controller.MS[0].levels[0]
    start = level.prob.u_exact(0)
    controller.run(start if imex else start + 1.0, 0, DT)
    level.sweep.compute_end_point()
    return np.array(level.uend).ravel(), float(level.status.residual)


for case in itertools.product(
    ("GAUSS", "RADAU-RIGHT"),
    ("last_abs", "full_rel"),
    ("spread", "zero"),
    (1, 2, 3),
    (False, True),
):
    *settings, imex = case
    end, residual = one_step(*settings, imex=imex, parallel=True)
    serial_end, serial_residual = one_step(*settings, imex=imex, parallel=False)
    np.testing.assert_allclose(end, serial_end, rtol=0, atol=1e-14, err_msg=str(case))
    np.testing.assert_allclose(residual, serial_residual, rtol=0, atol=1e-14, err_msg=str(case))
    numbers = [residual, abs(end).min(), abs(end).max(), np.linalg.norm(end)]
    print(f"{' '.join(map(str, case))} = {' '.join(repr(float(number)) for number in numbers)}")
