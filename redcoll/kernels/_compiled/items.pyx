# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Recognise the values of a call that comes again, copy their arrays, and keep dropped results.

NumPy takes longer to return the shape, element type and memory of an array than to copy 1 KiB. So
this module reads the fields of NumPy's array objects. Their layout is part of NumPy's binary
interface.
"""

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from weakref import ref as _ref

from numpy import arange as _arange, ndarray as _ndarray


cdef extern from *:
    """
    struct ArrayFields {
        PyObject_HEAD
        char* data;
        int nd;
        Py_ssize_t* dimensions;
        Py_ssize_t* strides;
        PyObject* base;
        PyObject* descr;
        int flags;
        PyObject* weakrefs;
    };
    """
    struct ArrayFields:
        char* data
        int nd
        Py_ssize_t* dimensions
        Py_ssize_t* strides
        void* descr
        int flags
        void* weakrefs
    Py_ssize_t Py_REFCNT(void* object)


cdef enum:
    # Flags of arrays: in C order, and all flags of a new array (C order, aligned, writeable).
    C_CONTIGUOUS = 0x0001
    NEW_FLAGS = 0x0501
    WRITEABLE = 0x0400


cdef inline ArrayFields* _fields(object array) noexcept:
    return <ArrayFields*> <void*> array


def _are_fields_known():
    """Return whether the fields of an array have the expected values."""
    array = _arange(6.0).reshape(2, 3)
    cdef ArrayFields* fields = _fields(array)
    cdef ArrayFields* columns
    if (fields.nd != 2 or fields.descr != <void*> array.dtype or fields.weakrefs != NULL
            or fields.flags & NEW_FLAGS != NEW_FLAGS):
        return False
    reference = _ref(array)
    turned = array.T
    columns = _fields(turned)
    array.flags.writeable = False
    return (
        fields.weakrefs == <void*> reference
        and fields.flags & NEW_FLAGS == NEW_FLAGS - WRITEABLE
        and <size_t> fields.data == array.ctypes.data
        and fields.dimensions[0] == 2 and fields.dimensions[1] == 3
        and fields.strides[0] == 24 and fields.strides[1] == 8
        and columns.dimensions[0] == 3 and not columns.flags & C_CONTIGUOUS
    )


cdef bint _has_fields = _are_fields_known()


cdef struct Node:
    # A container or an item. `length` is -1 for an item, and `dtype` is NULL except for arrays.
    void* kind
    Py_ssize_t length
    void* keys
    void* dtype
    int nd
    Py_ssize_t* dimensions


cdef class Pattern:
    """The structure of values: containers, types, and shapes of arrays."""

    cdef Node* _nodes
    cdef Py_ssize_t _n
    # Keeps the objects alive to which the nodes point.
    cdef list _kept

    def __cinit__(self, values, is_container):
        parts = []
        self._kept = []
        _flatten(values, is_container, parts)
        self._nodes = <Node*> calloc(len(parts), sizeof(Node))
        if self._nodes == NULL:
            raise MemoryError
        for part in parts:
            self._add(part, is_container(part))

    def __dealloc__(self):
        cdef Py_ssize_t index
        for index in range(self._n):
            free(self._nodes[index].dimensions)
        free(self._nodes)

    cdef int _add(self, part, bint is_container) except -1:
        cdef Node* node = &self._nodes[self._n]
        cdef ArrayFields* fields
        kind = type(part)
        keys = dtype = None
        node.kind = <void*> kind
        node.length = -1
        if is_container:
            node.length = len(part)
            if isinstance(part, dict):
                keys = tuple(part)
                node.keys = <void*> keys
        elif kind is _ndarray:
            fields = _fields(part)
            dtype = part.dtype
            node.dtype = <void*> dtype
            node.nd = fields.nd
            node.dimensions = <Py_ssize_t*> calloc(fields.nd + 1, sizeof(Py_ssize_t))
            if node.dimensions == NULL:
                raise MemoryError
            memcpy(node.dimensions, fields.dimensions, fields.nd * sizeof(Py_ssize_t))
        self._kept.append((kind, keys, dtype))
        self._n += 1
        return 0

    def items(self, values):
        """Return the items in ``values``; None if the values have another structure."""
        cdef Py_ssize_t at = 0
        items = []
        if not self._match(values, items, &at) or at != self._n:
            return None  # if `at` is too small, a container has shrunk during the comparison
        return items

    cdef bint _match(self, value, list items, Py_ssize_t* at) except -1:
        cdef Node* node
        cdef ArrayFields* fields
        cdef Py_ssize_t index = 0
        if at[0] == self._n:
            return False  # a container has grown during the comparison
        node = &self._nodes[at[0]]
        at[0] += 1
        kind = type(value)
        if <void*> kind != node.kind:
            return False
        if node.length < 0:
            if node.dtype != NULL:
                fields = _fields(value)
                if (fields.descr != node.dtype or fields.nd != node.nd
                        or memcmp(fields.dimensions, node.dimensions,
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


cdef int _flatten(value, is_container, list parts) except -1:
    parts.append(value)
    if is_container(value):
        for each in value.values() if isinstance(value, dict) else value:
            _flatten(each, is_container, parts)
    return 0


def pattern_of(values, is_container, scalars):
    """Return the pattern of values; None if an item is neither a number nor a plain array.

    Parameters
    ----------
    is_container
        A function that returns whether a value is a container.
    scalars
        The types of numbers.
    """
    parts = []
    if not _has_fields:
        return None
    _flatten(values, is_container, parts)
    for part in parts:
        kind = type(part)
        if kind is not _ndarray and kind not in scalars and not is_container(part):
            return None
    return Pattern(values, is_container)


def copy_arrays(arrays, out):
    """Copy arrays one after the other into a vector of their type; False if this is impossible.

    All arrays must be plain arrays of the vector's type. They must be in C order.
    """
    cdef Py_buffer view
    cdef ArrayFields* fields
    cdef char* to
    cdef Py_ssize_t left, n_bytes
    cdef int axis
    if not _has_fields:
        return False
    dtype = out.dtype
    PyObject_GetBuffer(out, &view, PyBUF_WRITABLE)
    try:
        to, left = <char*> view.buf, view.len
        for array in arrays:
            if type(array) is not _ndarray:
                return False
            fields = _fields(array)
            n_bytes = view.itemsize
            for axis in range(fields.nd):
                n_bytes *= fields.dimensions[axis]
            if (fields.descr != <void*> dtype or not fields.flags & C_CONTIGUOUS or n_bytes > left):
                return False
            memcpy(to, fields.data, n_bytes)
            to += n_bytes
            left -= n_bytes
        return left == 0
    finally:
        PyBuffer_Release(&view)


cdef class Results:
    """The results of an earlier call: a vector, and arrays that are views of it.

    If the program has dropped the arrays, a later call can return them again. Making 100 arrays
    can take as long as reducing 100 KiB.
    """

    cdef object _vector
    cdef list _arrays
    cdef Pattern _pattern

    def __cinit__(self, vector, list arrays):
        self._vector, self._arrays = vector, arrays
        self._pattern = Pattern(arrays, _is_list)

    def again(self):
        """Return the vector, and the arrays in a new list; None if the program can reach them."""
        cdef ArrayFields* fields
        # Each array refers to the vector, and so does each view that the program made of an array.
        if Py_REFCNT(<void*> self._vector) != 1 + len(self._arrays):
            return None
        for array in self._arrays:
            fields = _fields(array)
            # The list and this loop refer to the array.
            if (Py_REFCNT(<void*> array) != 2 or fields.weakrefs != NULL
                    or fields.flags & NEW_FLAGS != NEW_FLAGS):
                return None
        # The program can have changed shapes or types of the arrays.
        arrays = self._pattern.items(self._arrays)
        return None if arrays is None else (self._vector, arrays)


def _is_list(value):
    return type(value) is list


def keep_results(vector, list arrays):
    """Return results that :meth:`Results.again` checks; None if this is impossible."""
    return Results(vector, arrays) if _has_fields else None
