"""List the names of SHMEM's reductions, from the specifications and not from redcoll.

The C and Fortran names are those of the active-set reductions in OpenSHMEM 1.2 to 1.4. The INT2 and
the fixed-width ``shmemx`` names are those of Open MPI.
"""

import numpy as np

ALL_SEVEN = ("and", "or", "xor", "max", "min", "sum", "prod")

_C_BITWISE = ("short", "int", "long", "longlong")
_C_ORDERED = (*_C_BITWISE, "float", "double", "longdouble")
_C_NUMBERS = (*_C_ORDERED, "complexf", "complexd")
_FORTRAN_BITWISE = ("int4", "int8")
_FORTRAN_ORDERED = (*_FORTRAN_BITWISE, "real4", "real8", "real16")
_FORTRAN_NUMBERS = (*_FORTRAN_ORDERED, "comp4", "comp8")


def _names(bitwise, ordered, numbers, prefix="shmem"):
    types = {
        **dict.fromkeys(("and", "or", "xor"), bitwise),
        **dict.fromkeys(("max", "min"), ordered),
        **dict.fromkeys(("sum", "prod"), numbers),
    }
    return [
        f"{prefix}_{type_name}_{operation}_to_all"
        for operation in ALL_SEVEN
        for type_name in types[operation]
    ]


C_NAMES = _names(_C_BITWISE, _C_ORDERED, _C_NUMBERS)
FORTRAN_NAMES = _names(_FORTRAN_BITWISE, _FORTRAN_ORDERED, _FORTRAN_NUMBERS)
INT2_NAMES = _names(("int2",), ("int2",), ("int2",))
SHMEMX_NAMES = _names(*[("int16", "int32", "int64")] * 3, prefix="shmemx")
NAMES = [*C_NAMES, *FORTRAN_NAMES, *INT2_NAMES, *SHMEMX_NAMES]

# The C types are those of an LP64 system. The names of Fortran's types give the number of bytes in
# an element, or in each part of a complex element.
_ELEMENTS = dict(
    word.split(":")
    for text in (
        "short:i2 int:i4 long:i8 longlong:i8 float:f4 double:f8 longdouble:g complexf:c8",
        "complexd:c16 int2:i2 int4:i4 int8:i8 real4:f4 real8:f8 real16:g comp4:c8 comp8:c16",
        "int16:i2 int32:i4 int64:i8",
    )
    for word in text.split()
)


def operation(name):
    """Return the name of a routine's operation, such as ``"SUM"``."""
    return name.split("_")[2].upper()


def dtype(name):
    """Return the element type of a routine."""
    return np.dtype(_ELEMENTS[name.split("_")[1]])


def is_fortran(name):
    return name in FORTRAN_NAMES or name in INT2_NAMES
