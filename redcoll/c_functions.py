"""Call compiled functions of a program: numba cfuncs, and function pointers of ctypes and cffi.

The functions have the C type ``void f(const T *a, const T *b, T *out, int64_t n)``.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from redcoll.arguments import Array
from redcoll.errors import OpError

Loop = Callable[[Array, Array, Array], None]

_POINTERS: Final = 3
_LOOP = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * _POINTERS, ctypes.c_int64)
_FUNCTION_POINTER: Any = _LOOP.__mro__[1]
_POINTER: Any = ctypes.POINTER(ctypes.c_int).__mro__[1]
_WHOLE_BYTES: Final = 8
"""The size in bytes of the argument ``n``, a signed or unsigned integer."""
_MOST_KEPT: Final = 256


def is_compiled(function: object) -> bool:
    """Return whether ``function`` is a compiled function that :func:`address_of` takes."""
    return isinstance(function, _FUNCTION_POINTER) or _is_numba(function) or _is_cffi(function)


def name_of(function: object) -> str | None:
    """Return the name of a compiled function, if it has a name of its own."""
    return None if _is_cffi(function) else getattr(function, "__name__", None)


def _is_numba(function: object) -> bool:
    kind = type(function)
    return kind.__name__ == "CFunc" and kind.__module__.partition(".")[0] == "numba"


def _is_cffi(function: object) -> bool:
    return type(function).__module__ == "_cffi_backend"


def address_of(function: Any, dtype: np.dtype[Any]) -> int:
    """Return the address of a compiled function, which must take elements of type ``dtype``.

    Raise ``OpError`` if the function has another C type.
    """
    if _is_numba(function):
        found, is_right = function._sig, _check_numba(function._sig, dtype)  # noqa: SLF001
        address = function.address
    elif _is_cffi(function):
        backend = importlib.import_module("_cffi_backend")
        found, is_right = _check_cffi(backend, function, dtype)
        whole = backend.new_primitive_type("uintptr_t")
        address = int(backend.cast(whole, function)) if is_right else 0
    else:
        found = f"argtypes {function.argtypes} and restype {function.restype}"
        is_right = _check_ctypes(function, dtype)
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
    if not is_right or not address:
        raise OpError(
            f"op has the C type {found}; for elements of {dtype} it must be "
            "void f(const T *a, const T *b, T *out, int64_t n)"
        )
    return int(address)


@functools.lru_cache(_MOST_KEPT)
def loop_at(address: int) -> Loop:
    """Return a function that calls the compiled function at ``address`` without the GIL."""
    call = _LOOP(address)

    def loop(a: Array, b: Array, out: Array) -> None:
        if out.size:
            call(_start_of(a), _start_of(b), _start_of(out), out.size)

    return loop


def _start_of(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]  # faster than ndarray.ctypes
    return address


def _check_numba(signature: Any, dtype: np.dtype[Any]) -> bool:
    numba: Any = importlib.import_module("numba")
    types, arguments = numba.types, signature.args
    try:
        pointer = types.CPointer(numba.from_dtype(dtype))
    except numba.core.errors.NumbaError:
        pointer = types.voidptr  # numba has no type for this pointer
    return bool(
        signature.return_type == types.void
        and len(arguments) == _POINTERS + 1
        and all(each in (pointer, types.voidptr) for each in arguments[:_POINTERS])
        and arguments[_POINTERS] in (types.int64, types.uint64)
    )


def _check_ctypes(function: Any, dtype: np.dtype[Any]) -> bool:
    arguments = function.argtypes
    if arguments is None or function.restype is not None or len(arguments) != _POINTERS + 1:
        return False
    whole = arguments[_POINTERS]
    if getattr(whole, "_type_", "") not in tuple("lLqQ") or ctypes.sizeof(whole) != _WHOLE_BYTES:
        return False
    return all(
        each is ctypes.c_void_p or (issubclass(each, _POINTER) and np.dtype(each._type_) == dtype)
        for each in arguments[:_POINTERS]
    )


def _check_cffi(backend: Any, function: Any, dtype: np.dtype[Any]) -> tuple[object, bool]:
    kind = backend.typeof(function)
    if kind.kind == "pointer":
        kind = kind.item
    if kind.kind != "function" or kind.result.kind != "void" or len(kind.args) != _POINTERS + 1:
        return kind, False
    whole = kind.args[_POINTERS]
    is_right = whole.kind == "primitive" and backend.sizeof(whole) == _WHOLE_BYTES
    is_right = is_right and whole.cname not in ("double", "float _Complex")
    for each in kind.args[:_POINTERS]:
        if each.kind != "pointer":
            return kind, False
        item = each.item
        if item.kind == "void":
            continue
        is_real = item.cname in ("float", "double", "long double")
        is_right = is_right and backend.sizeof(item) == dtype.itemsize
        is_right = is_right and (item.kind != "primitive" or is_real == (dtype.kind == "f"))
    return kind, is_right


def jit(function: Callable[[Any, Any], Any]) -> Callable[[np.dtype[Any]], int]:
    """Return a function that gives the address of a compiled loop for elements of a type.

    The returned function compiles the loop at its first call with each type. Raise ``OpError`` if
    numba is not installed. The returned function raises ``OpError`` if numba cannot compile the
    loop.
    """
    try:
        numba: Any = importlib.import_module("numba")
    except ImportError as error:
        raise OpError("jit_op needs numba; install it with pip install numba") from error
    scalar = numba.njit(function)
    loops: dict[np.dtype[Any], Any] = {}

    def make(dtype: np.dtype[Any]) -> Any:
        pointer = numba.types.CPointer(numba.from_dtype(dtype))

        @numba.cfunc(numba.types.void(pointer, pointer, pointer, numba.types.int64))  # type: ignore[untyped-decorator]
        def compiled(a: Any, b: Any, out: Any, n: int) -> None:
            for index in range(n):
                out[index] = scalar(a[index], b[index])

        return compiled

    def address(dtype: np.dtype[Any]) -> int:
        loop = loops.get(dtype)
        if loop is None:
            try:
                loop = loops[dtype] = make(dtype)
            except numba.core.errors.NumbaError as error:
                raise OpError(
                    f"op {function!r}: numba cannot compile it for elements of {dtype} ({error})"
                ) from error
        return int(loop.address)

    return address
