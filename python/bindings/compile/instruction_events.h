// InstructionEvents: has Python report the instructions of some code before they run.
//
// Python 3.11 reports them to the trace function of the thread (PyTrace_OPCODE); later versions
// to a tool of sys.monitoring, on every thread that runs the code.
#pragma once

#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

namespace opwright::python {

class InstructionEvents {
 public:
  // Gets the frame that is about to run an instruction; nonzero: it raised an exception.
  using Report = int (*)(PyFrameObject* frame);

  // One report function per process.
  explicit InstructionEvents(Report report);
  ~InstructionEvents() { stop(); }
  InstructionEvents(const InstructionEvents&) = delete;
  InstructionEvents& operator=(const InstructionEvents&) = delete;

  // Whether Python can report instructions: not if all tools of sys.monitoring are taken.
  [[nodiscard]] static bool is_possible() noexcept;

  // Sets which events of a frame are reported, when it begins; lines only if another trace function
  // wants them.
  void set_frame(PyFrameObject* frame, bool instructions, bool lines);
  void stop() noexcept;

 private:
  std::vector<nanobind::object> codes_;  // those whose instructions are reported for it
};

}  // namespace opwright::python
