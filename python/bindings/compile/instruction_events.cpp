#include "bindings/compile/instruction_events.h"

#include <algorithm>
#include <unordered_map>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/compile/interpreter_frame.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"

namespace nb = nanobind;

namespace opwright::python {

#if OPWRIGHT_KNOWS_INTERPRETER && PY_VERSION_HEX >= 0x030C0000
namespace {

constexpr int kNumTools = 6;

// All of it under the GIL.
InstructionEvents::Report report_instruction = nullptr;
int tool = -1;  // of sys.monitoring; kept once it is taken

// How many observers want the instructions of a code.
std::unordered_map<PyObject*, int>& num_users() {
  static auto* users = new std::unordered_map<PyObject*, int>;
  return *users;
}

PyObject* on_instruction(PyObject* /*self*/, PyObject* const* /*args*/, Py_ssize_t /*count*/) {
  PyFrameObject* frame = PyEval_GetFrame();
  if (frame && report_instruction && report_instruction(frame) != 0) return nullptr;
  Py_RETURN_NONE;
}

nb::object monitoring() { return nb::borrow(PySys_GetObject("monitoring")); }

nb::object instruction_event() { return monitoring().attr("events").attr("INSTRUCTION"); }

// From the id for optimizers downwards.
bool take_tool() {
  for (int id = kNumTools - 1; id >= 0; --id) {
    if (!monitoring().attr("get_tool")(id).is_none()) continue;
    static PyMethodDef method{"report_instruction", as_method(on_instruction), METH_FASTCALL,
                              nullptr};
    const nb::object callback = own(PyCFunction_New(&method, nullptr));
    monitoring().attr("use_tool_id")(id, "opwright.compile");
    monitoring().attr("register_callback")(id, instruction_event(), callback);
    tool = id;
    return true;
  }
  return false;
}

void set_instructions(PyObject* code, bool are_reported) {
  const nb::object events = are_reported ? instruction_event() : nb::object(nb::int_(0));
  monitoring().attr("set_local_events")(tool, nb::handle(code), events);
}

}  // namespace

InstructionEvents::InstructionEvents(Report report) { report_instruction = report; }

bool InstructionEvents::is_possible() noexcept {
  try {
    return tool >= 0 || take_tool();
  } catch (nb::python_error&) {
    return false;
  }
}

void InstructionEvents::set_frame(PyFrameObject* frame, bool instructions, bool lines) {
  if (!lines) frame->f_trace_lines = 0;
  if (!instructions) return;
  auto* code = reinterpret_cast<PyObject*>(InterpreterFrame(frame).code);
  const auto is_code = [&](const nb::object& each) { return each.ptr() == code; };
  if (std::ranges::any_of(codes_, is_code)) return;
  codes_.push_back(nb::borrow(code));
  if (++num_users()[code] == 1) set_instructions(code, true);
}

void InstructionEvents::stop() noexcept {
  PyObject* raised = PyErr_GetRaisedException();
  for (const nb::object& code : codes_) {
    if (--num_users()[code.ptr()] != 0) continue;
    num_users().erase(code.ptr());
    try {
      set_instructions(code.ptr(), false);
    } catch (nb::python_error&) {
      // The code stays reported, which costs time alone.
      PyErr_Clear();
    }
  }
  codes_.clear();
  PyErr_SetRaisedException(raised);
}

#else

InstructionEvents::InstructionEvents(Report /*report*/) {}

bool InstructionEvents::is_possible() noexcept { return kKnowsInterpreter; }

void InstructionEvents::set_frame([[maybe_unused]] PyFrameObject* frame,
                                  [[maybe_unused]] bool instructions, [[maybe_unused]] bool lines) {
#if OPWRIGHT_KNOWS_INTERPRETER
  frame->f_trace_opcodes = instructions ? 1 : 0;
  if (!lines) frame->f_trace_lines = 0;
#endif
}

void InstructionEvents::stop() noexcept {}

#endif

}  // namespace opwright::python
