// The frame that runs in CPython 3.11 to 3.13, with its locals and operands, which the public C API
// does not show.
//
// A layout that is not known here gives a Python that compile does not observe.
#pragma once

#include <Python.h>

#if PY_VERSION_HEX < 0x030E0000 && !defined(Py_GIL_DISABLED) && !defined(PYPY_VERSION)
#define OPWRIGHT_KNOWS_INTERPRETER 1
#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#else
#define OPWRIGHT_KNOWS_INTERPRETER 0
#endif

namespace opwright::python {

// Whether the frames, instructions and events of this Python are known.
constexpr bool kKnowsInterpreter = OPWRIGHT_KNOWS_INTERPRETER != 0;

// All objects are borrowed from the frame.
struct InterpreterFrame {
  PyCodeObject* code = nullptr;
  PyObject* function = nullptr;  // null: the code of a module or a class
  PyObject* globals = nullptr;
  PyObject* builtins = nullptr;
  PyObject** slots = nullptr;  // locals and cells, then the operands

  explicit InterpreterFrame([[maybe_unused]] PyFrameObject* frame) noexcept {
#if OPWRIGHT_KNOWS_INTERPRETER
    _PyInterpreterFrame* inner = frame->f_frame;
#if PY_VERSION_HEX >= 0x030D0000
    code = _PyFrame_GetCode(inner);
#else
    code = inner->f_code;
#endif
#if PY_VERSION_HEX >= 0x030C0000
    PyObject* creator = inner->f_funcobj;
#else
    auto* creator = reinterpret_cast<PyObject*>(inner->f_func);
#endif
    function = creator && PyFunction_Check(creator) ? creator : nullptr;
    globals = inner->f_globals;
    builtins = inner->f_builtins;
    slots = inner->localsplus;
#endif
  }
};

}  // namespace opwright::python
