// The memory of a C-contiguous object that has Python's buffer protocol.
#pragma once

#include <Python.h>

namespace redcoll {

// A Buffer releases the object at the end of its own life. The caller must hold the GIL then.
class Buffer {
public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    ~Buffer() { PyBuffer_Release(&view_); }

    // Take the memory of an object, at most once. Return -1 if an exception was raised.
    int take(PyObject* object, bool is_writable) {
        return PyObject_GetBuffer(object, &view_, is_writable ? PyBUF_WRITABLE : PyBUF_SIMPLE);
    }

    char* at() const { return static_cast<char*>(view_.buf); }
    Py_ssize_t n_bytes() const { return view_.len; }
    Py_ssize_t itemsize() const { return view_.itemsize; }

private:
    Py_buffer view_{};
};

}  // namespace redcoll
