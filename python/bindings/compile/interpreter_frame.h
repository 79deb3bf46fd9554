// The running frame of Python 3.11 with its operand stack, which the public C API does not show.
//
// While a trace function runs, `stacktop` is valid, and the operands of the next instruction are
// the top of `localsplus`.
#pragma once

#define Py_BUILD_CORE 1
#include <Python.h>
#if PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x030C0000
#error "compile observes the operand stack of Python 3.11; another version needs its layout here"
#endif
#include <internal/pycore_frame.h>
#include <opcode.h>
#undef Py_BUILD_CORE

namespace opwright::python {

using InterpreterFrame = _PyInterpreterFrame;

inline InterpreterFrame* interpreter_frame(PyFrameObject* frame) noexcept { return frame->f_frame; }

// Which events Python reports for a frame; lines only if another trace function wants them.
inline void set_frame_events(PyFrameObject* frame, bool instructions, bool lines) noexcept {
  frame->f_trace_opcodes = instructions ? 1 : 0;
  if (!lines) frame->f_trace_lines = 0;
}

}  // namespace opwright::python
