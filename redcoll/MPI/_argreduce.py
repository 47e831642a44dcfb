"""Implement argmax and argmin over ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpi4py import MPI as mpi
from numpy.typing import ArrayLike

from redcoll.arguments import Array, shown
from redcoll.datatypes import pair_dtype
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.MPI._reductions import reduction, refuse
from redcoll.protocol.descriptor import ALLREDUCE
from redcoll.team.comm_state import CommState

_MOST_INDEX = 2**63 - 1


def argreduce(
    comm: mpi.Intracomm, state: CommState, op: mpi.Op, values: ArrayLike, indices: ArrayLike | None
) -> tuple[Any, Any]:
    """Return each element's maximum or minimum, with the value's index.  Collective over ``comm``.

    ``op`` is ``MAXLOC`` or ``MINLOC``. ``Intracomm.argmax`` documents arguments and errors.
    """
    try:
        pairs, shape = _pairs(comm.Get_rank(), values, indices)
    except Exception as error:  # noqa: BLE001 - a program's object can raise any exception
        refuse(comm, state.team, ALLREDUCE, error)
    result = np.empty_like(pairs)
    reduction(comm, state, ALLREDUCE, pairs, result, op)
    value, index = result["value"].copy().reshape(shape), result["index"].copy().reshape(shape)
    return (value, index) if shape else (value[()], int(index))


def _array_of(values: ArrayLike, name: str) -> Array:
    try:
        return np.asarray(values)
    except Exception as error:
        raise ArgumentError(
            f"{name} is {shown(values)}; it must be an array or convertible to one "
            f"({type(error).__name__})"
        ) from error


def _pairs(
    rank: int, values: ArrayLike, indices: ArrayLike | None
) -> tuple[Array, tuple[int, ...]]:
    value = _array_of(values, "values")
    if value.dtype.kind not in "iuf":
        raise DatatypeError(f"values are of {value.dtype}; they must be integers or reals")
    index = np.asarray(rank) if indices is None else _array_of(indices, "indices")
    if index.dtype.kind not in "iu":
        raise DatatypeError(f"indices are of {index.dtype}; they must be integers")
    if index.dtype.kind == "u" and index.size and index.max() > _MOST_INDEX:
        raise ArgumentError(f"indices go up to {index.max()}; they must not exceed {_MOST_INDEX}")
    if indices is not None and index.shape != value.shape:
        raise ArgumentError(
            f"indices have shape {index.shape}, values {value.shape}; they must have one shape"
        )
    pairs = np.empty(value.size, pair_dtype(value.dtype.newbyteorder("=")))
    pairs["value"] = value.reshape(-1)
    pairs["index"] = index.reshape(-1)
    return pairs, value.shape
