# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Recognise the values of a call that comes again, copy their arrays, and keep dropped results.

NumPy takes longer to return the shape, element type and memory of an array than to copy 1 KiB. So
this module reads the fields of arrays through NumPy's C interface.
"""

from libc.string cimport memcmp, memcpy
from libcpp.vector cimport vector

from redcoll.kernels._compiled.machine cimport Buffer

from numpy cimport (
    NPY_ARRAY_ALIGNED,
    NPY_ARRAY_C_CONTIGUOUS,
    NPY_ARRAY_WRITEABLE,
    PyArray_BYTES,
    PyArray_DESCR,
    PyArray_DIMS,
    PyArray_FLAGS,
    PyArray_NBYTES,
    PyArray_NDIM,
    import_array,
    ndarray,
)

import_array()


cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyArrayObject_fields:
        void* weakreflist
    Py_ssize_t Py_REFCNT(void* object)


# The flags that a new array has.
cdef int _NEW_FLAGS = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE


cdef struct Node:
    # A container or an item. `length` is -1 for an item, and `dtype` is NULL except for arrays.
    void* kind
    Py_ssize_t length
    void* keys
    void* dtype
    int nd
    # The index of the array's first dimension among the dimensions of all arrays.
    size_t at


cdef class Pattern:
    """The structure of values: containers, types, and shapes of arrays."""

    cdef vector[Node] _nodes
    cdef vector[Py_ssize_t] _dimensions
    # Keep alive the objects that the nodes point to.
    cdef list _kept

    def __cinit__(self):
        self._kept = []

    cdef bint _add(self, value, is_container, scalars) except -1:
        """Add the nodes of a value; return False if an item is not allowed."""
        cdef Node node = Node(<void*> type(value), -1, NULL, NULL, 0, 0)
        cdef ndarray array
        kind = type(value)
        keys = dtype = None
        children = ()
        if is_container(value):
            children = value
            node.length = len(value)
            if isinstance(value, dict):
                keys, children = tuple(value), value.values()
                node.keys = <void*> keys
        elif kind is ndarray:
            array = value
            dtype = value.dtype
            node.dtype = <void*> dtype
            node.nd, node.at = PyArray_NDIM(array), self._dimensions.size()
            self._dimensions.insert(self._dimensions.end(), PyArray_DIMS(array),
                                    PyArray_DIMS(array) + node.nd)
        elif kind not in scalars:
            return False
        self._kept.append((kind, keys, dtype))
        self._nodes.push_back(node)
        for child in children:
            if not self._add(child, is_container, scalars):
                return False
        return True

    def items(self, values):
        """Return the items in ``values``; None if the values have another structure."""
        cdef Py_ssize_t at = 0
        items = []
        if not self._match(values, items, &at) or at != <Py_ssize_t> self._nodes.size():
            return None  # if `at` is too small, a container has shrunk during the comparison
        return items

    cdef bint _match(self, value, list items, Py_ssize_t* at) except -1:
        cdef Node* node
        cdef ndarray array
        cdef Py_ssize_t index = 0
        if at[0] == <Py_ssize_t> self._nodes.size():
            return False  # a container has grown during the comparison
        node = &self._nodes[at[0]]
        at[0] += 1
        kind = type(value)
        if <void*> kind != node.kind:
            return False
        if node.length < 0:
            if node.dtype != NULL:
                array = <ndarray> value
                if (<void*> PyArray_DESCR(array) != node.dtype or PyArray_NDIM(array) != node.nd
                        or memcmp(PyArray_DIMS(array), self._dimensions.data() + node.at,
                                  node.nd * sizeof(Py_ssize_t))):
                    return False
            items.append(value)
            return True
        if len(value) != node.length:
            return False
        if node.keys == NULL:
            for each in value:
                if not self._match(each, items, at):
                    return False
            return True
        keys = <tuple> node.keys
        for key, each in value.items():
            if index == node.length:
                return False
            known = keys[index]
            if key is not known and (type(key) is not type(known) or key != known):
                return False
            index += 1
            if not self._match(each, items, at):
                return False
        return True


def pattern_of(values, is_container, scalars):
    """Return the pattern of values; None if an item is neither a number nor a plain array.

    Parameters
    ----------
    is_container
        A function that returns whether a value is a container.
    scalars
        The types of numbers.
    """
    cdef Pattern pattern = Pattern()
    return pattern if pattern._add(values, is_container, scalars) else None


def copy_arrays(arrays, out):
    """Copy arrays one after the other into a vector of their type; False if this is impossible.

    All arrays must be plain arrays of the vector's type. They must be in C order.
    """
    cdef Buffer into
    cdef ndarray plain
    cdef char* to
    cdef Py_ssize_t left, n_bytes
    dtype = out.dtype
    into.take(out, True)
    to, left = into.at(), into.n_bytes()
    for array in arrays:
        if type(array) is not ndarray:
            return False
        plain = <ndarray> array
        n_bytes = PyArray_NBYTES(plain)
        if (<void*> PyArray_DESCR(plain) != <void*> dtype
                or not PyArray_FLAGS(plain) & NPY_ARRAY_C_CONTIGUOUS or n_bytes > left):
            return False
        memcpy(to, PyArray_BYTES(plain), n_bytes)
        to += n_bytes
        left -= n_bytes
    return left == 0


cdef inline bint _is_as_new(array) noexcept:
    """Return whether an array has the flags of a new array, and no weak reference."""
    return (
        (<PyArrayObject_fields*> <void*> array).weakreflist == NULL
        and PyArray_FLAGS(<ndarray> array) & _NEW_FLAGS == _NEW_FLAGS
    )


cdef class Results:
    """The results of an earlier call: a vector, and arrays that are views of it.

    If the program has dropped the arrays, a later call can return them again. Making 100 arrays
    can take as long as reducing 100 KiB.
    """

    cdef object _vector, _dtype
    cdef list _arrays
    cdef Pattern _pattern

    def __cinit__(self, ndarray vector, list arrays):
        self._vector, self._dtype, self._arrays = vector, vector.dtype, arrays
        self._pattern = pattern_of(arrays, _is_list, ())

    def again(self):
        """Return the vector, and the arrays in a new list; None if the program can reach them."""
        # Each array refers to the vector, and so does each view that the program made of an array.
        if Py_REFCNT(<void*> self._vector) != 1 + len(self._arrays):
            return None
        # The program can have changed the vector, which is the base of the arrays.
        if (not _is_as_new(self._vector) or PyArray_NDIM(<ndarray> self._vector) != 1
                or <void*> PyArray_DESCR(<ndarray> self._vector) != <void*> self._dtype):
            return None
        for array in self._arrays:
            # If the program has dropped the array, only the list and this loop refer to it.
            if Py_REFCNT(<void*> array) != 2 or not _is_as_new(array):
                return None
        # The program may have changed the shapes or types of the arrays.
        arrays = self._pattern.items(self._arrays)
        return None if arrays is None else (self._vector, arrays)


def _is_list(value):
    return type(value) is list


def keep_results(vector, list arrays):
    """Return results that :meth:`Results.again` checks."""
    return Results(vector, arrays)
