// ModuleSnapshot: the contents of modules before a capture, to find what the function set in them.
#pragma once

#include <string>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/compile/function_state.h"
#include "opwright/dispatch/interpreter.h"

namespace opwright::python {

class ModuleSnapshot {
 public:
  explicit ModuleSnapshot(const std::vector<WatchedModule>& modules);

  // RuntimeError if an attribute of a module holds a tensor of the capture; it names both, and all
  // modules are restored first.
  void refuse_traced(const Interpreter& level) const;

 private:
  struct Held {
    WatchedModule module;
    // Shallow copies.
    nanobind::object attributes;
    nanobind::object buffers;
    nanobind::object parameters;
  };
  void restore() const;

  std::vector<Held> held_;
};

}  // namespace opwright::python
