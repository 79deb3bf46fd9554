// ModuleSnapshot: what modules hold before a capture, to find what the function set in them.
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
  // The modules live longer.
  explicit ModuleSnapshot(const std::vector<WatchedModule>& modules);

  // RuntimeError for a tensor of the capture in an attribute of a module, which names both; all
  // modules are as they were before then.
  void refuse_traced(const Interpreter& level) const;

 private:
  struct Held {
    const WatchedModule* module;
    // Shallow copies.
    nanobind::object attributes;
    nanobind::object buffers;
    nanobind::object parameters;
  };
  void restore() const;

  std::vector<Held> held_;
};

}  // namespace opwright::python
