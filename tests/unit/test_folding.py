"""Test which vectors a fold passes to the kernel."""

from types import SimpleNamespace

import numpy as np
import pytest

from redcoll import ops
from redcoll.collectives import _folding
from redcoll.kernels._python.folds import Rows
from redcoll.kernels._python.folds import fold as fold_rows


@pytest.mark.parametrize("upto", [0, 1, 3, 4])
def test_a_fold_of_all_vectors_keeps_their_matrix(upto):
    """The NumPy kernel folds a whole matrix in one call, but a list in a call for each vector."""
    matrix = np.array([[1.0], [1e16], [3.0], [-1e16]])
    rows = Rows(matrix)
    rows.matrix = matrix
    passed = []

    def fold(op, operands, out):
        passed.append(operands)
        fold_rows(op, operands, out)

    team = SimpleNamespace(
        index=0,
        size=len(matrix),
        channel=SimpleNamespace(exchange=lambda _, __: rows),
        kernel=SimpleNamespace(fold=fold),
        run_silently=lambda function, *arguments: function(*arguments),
    )
    call = SimpleNamespace(op=ops.PLAIN_SUM, is_small=True, is_widened=False)
    target = np.zeros(1)
    _folding.fold(team, call, target, matrix[0].copy(), upto)
    if upto == 0:
        assert not passed
        return
    [operands] = passed
    assert (operands is rows) == (upto == len(matrix))
    assert len(operands) == upto
    total = 1.0
    for number in (1e16, 3.0, -1e16)[: upto - 1]:
        total += number
    assert target[0] == total
