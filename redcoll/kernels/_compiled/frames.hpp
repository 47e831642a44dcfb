// Read the frames of the running Python code, which takes nanoseconds. CPython's public functions take longer,
// because they make frame objects. With a version of Python that is not listed here, a rank records
// its call site only in long waits.
#pragma once

#include <Python.h>

#if PY_VERSION_HEX < 0x030B0000
#include <frameobject.h>
#elif PY_VERSION_HEX < 0x030E0000
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#else
#include <internal/pycore_frame.h>
#endif
#endif

namespace redcoll {

#if PY_VERSION_HEX < 0x030B0000
using Frame = PyFrameObject;
inline Frame* top_frame() { return PyThreadState_Get()->frame; }
inline Frame* previous_frame(Frame* frame) { return frame->f_back; }
inline PyCodeObject* code_of(Frame* frame) { return frame->f_code; }
inline int instruction_of(Frame* frame) { return 2 * frame->f_lasti; }
#elif PY_VERSION_HEX < 0x030E0000
using Frame = _PyInterpreterFrame;
#if PY_VERSION_HEX < 0x030D0000
inline Frame* top_frame() { return PyThreadState_Get()->cframe->current_frame; }
inline PyObject* executable_of(Frame* frame) { return (PyObject*)frame->f_code; }
#else
inline Frame* top_frame() { return PyThreadState_Get()->current_frame; }
inline PyObject* executable_of(Frame* frame) { return frame->f_executable; }
#endif
inline Frame* previous_frame(Frame* frame) { return frame->previous; }
// Return the code of a frame; null for a frame of the interpreter itself.
inline PyCodeObject* code_of(Frame* frame) {
#if PY_VERSION_HEX >= 0x030C0000
    if (frame->owner == FRAME_OWNED_BY_CSTACK) return nullptr;
#endif
    PyObject* code = executable_of(frame);
    return code != nullptr && PyCode_Check(code) ? (PyCodeObject*)code : nullptr;
}
inline int instruction_of(Frame* frame) {
    return _PyInterpreterFrame_LASTI(frame) * (int)sizeof(_Py_CODEUNIT);
}
#else
struct Frame {};
inline Frame* top_frame() { return nullptr; }
inline Frame* previous_frame(Frame*) { return nullptr; }
inline PyCodeObject* code_of(Frame*) { return nullptr; }
inline int instruction_of(Frame*) { return 0; }
#endif

inline bool has_frames() { return PY_VERSION_HEX < 0x030E0000; }

}  // namespace redcoll
