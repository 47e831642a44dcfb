"""Make operations from Python functions, compiled functions, and functions for numba."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from redcoll.arguments import Array, shown
from redcoll.c_functions import address_of, is_compiled, jit, loop_at
from redcoll.c_functions import name_of as name_of_compiled
from redcoll.datatypes import any_element_type
from redcoll.errors import OpError
from redcoll.ops import BY_NAME, USER_CODE, Op

RULE = (
    "it must be a redcoll operation, an MPI.Op, a ufunc, a callable on two arrays, or one of the "
    f"names {', '.join(BY_NAME)}"
)
"""The rule for operations in messages."""


def mark_of(name: str) -> int:
    """Return the number that stands for a user function's name in headers."""
    return zlib.crc32(name.encode())


def _mark(label: str, elementwise: bool) -> int:
    """Return the mark of a function. The mark also depends on ``elementwise``."""
    return mark_of(f"{label}, elementwise" if elementwise else label)


def label_of(function: object) -> str:
    """Return the name that ranks compare: the ``__qualname__`` of a function or of its type."""
    label = getattr(function, "__qualname__", None)
    return label if isinstance(label, str) and label else type(function).__qualname__


def user_op(
    function: Any, *, name: str | None = None, elementwise: bool = False, dtype: Any = None
) -> Op:
    """Make an operation of a function of two arrays.

    Parameters
    ----------
    function
        A binary ``numpy.ufunc``, or a callable ``f(a, b)`` that returns an array of the same shape.
        ``a`` is the result of the lower ranks. The function must not change its arguments. It need
        not be commutative. If it is not associative, the result depends on the order of the fold.
    name
        The name in messages (default: the function's own name). Members that pass functions with
        different names get a mismatch.
    elementwise
        Whether each element of the result depends only on the same element of the operands. If so,
        the ranks share the work on long vectors. This always holds for a ufunc. For other functions
        the default is False, and redcoll combines whole vectors. All ranks must pass the same
        ``elementwise``.
    dtype
        The element type of a compiled function: a numba ``cfunc``, or a function pointer of ctypes
        or cffi. Other functions take no ``dtype``. A compiled function must have the C type
        ``void f(const T *a, const T *b, T *out, int64_t n)``. ``out`` can be ``a`` or ``b``. If the
        function is elementwise, the compiled kernel calls it without Python.

    Raises
    ------
    OpError
        ``function`` is not callable, or is a ufunc that is not binary. Or it is a compiled function
        that has another C type, no name, or no ``dtype``.
    DatatypeError
        Reductions do not take elements of ``dtype``.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> farther = redcoll.user_op(lambda a, b: np.where(abs(b) > abs(a), b, a), name="farther")
    >>> result = np.zeros(1)
    >>> redcoll.allreduce(result, np.array([-1.0 - redcoll.my_pe()]), farther)
    >>> int(result[0]) == -redcoll.n_pes()
    True
    """
    if is_compiled(function):
        return _of_compiled(function, name, elementwise, dtype)
    if dtype is not None:
        raise OpError(f"dtype is {shown(dtype)}; only compiled functions have one")
    if isinstance(function, np.ufunc):
        if function.nin != 2 or function.nout != 1 or function.signature is not None:
            raise OpError(f"op {function!r}: a ufunc must take two operands and give one result")
        ufunc = function

        def combine(a: Array, b: Array, out: Array) -> None:
            ufunc(a, b, out=out, casting="same_kind")

        label = name or f"numpy.{ufunc.__name__}"
        return Op(label, USER_CODE, "biufcp", combine, True, True, _mark(label, True))
    if not callable(function):
        raise OpError(f"op is {shown(function)}; {RULE}")

    def combine_by_call(a: Array, b: Array, out: Array) -> None:
        if not out.size:  # many functions fail for empty arrays
            return
        result = np.asarray(function(a, b))
        if result.shape != out.shape:
            raise OpError(
                f"user op {label} returned shape {result.shape} for operands of {out.shape}"
            )
        np.copyto(out, result, casting="same_kind")

    label = name or label_of(function)
    mark = _mark(label, elementwise)
    return Op(label, USER_CODE, "biufcp", combine_by_call, elementwise, True, mark)


def _of_compiled(function: Any, name: str | None, elementwise: bool, dtype: Any) -> Op:
    label = name or name_of_compiled(function)
    if not label:
        raise OpError("op is a compiled function without a name; pass name, equal on all ranks")
    if dtype is None:
        raise OpError(f"op {label} is compiled; pass dtype, the type of its elements")
    element = any_element_type(np.dtype(dtype))
    loop = loop_at(address := address_of(function, element.dtype))

    def combine(a: Array, b: Array, out: Array, function: object = function) -> None:  # noqa: ARG001 - kept alive
        loop(a, b, out)

    mark = _mark(f"{label} of {element.dtype!r}", elementwise)
    address_in = (lambda _: address) if elementwise else None
    return Op(
        label, USER_CODE, "biufcp", combine, elementwise, True, mark, None, element, address_in
    )


def jit_op(function: Callable[[Any, Any], Any], *, name: str | None = None) -> Op:
    """Make an operation of a function of two numbers, which numba compiles.

    In the first reduction of elements of a type, numba compiles the function for this type. The
    operation is elementwise, so the ranks share the work on long vectors.

    Parameters
    ----------
    function
        ``function(a, b)`` returns the result for one element. ``a`` is the result of the lower
        ranks.
    name
        The name that ranks compare (default: the function's own name).

    Raises
    ------
    OpError
        numba is not installed, or ``function`` is not callable.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> farther = redcoll.jit_op(lambda a, b: b if abs(b) > abs(a) else a, name="farther")
    >>> result = np.zeros(1)
    >>> redcoll.allreduce(result, np.array([-1.0 - redcoll.my_pe()]), farther)
    >>> int(result[0]) == -redcoll.n_pes()
    True
    """
    if not callable(function):
        raise OpError(f"op is {shown(function)}; it must be a function of two numbers")
    label = name or label_of(function)
    address_in = jit(function)

    def combine(a: Array, b: Array, out: Array) -> None:
        loop_at(address_in(out.dtype))(a, b, out)

    mark = mark_of(f"{label} compiled by numba")
    return Op(label, USER_CODE, "biufc", combine, True, True, mark, address_of=address_in)
