// CompiledState: the guard sets of a compiled Python function, and how new ones are created.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/compile/python_entry.h"
#include "bindings/operator/binding_plan.h"
#include "opwright/compile/capture/capture_driver.h"
#include "opwright/compile/capture/entry_cache.h"

namespace opwright::python {

class CompiledState {
 public:
  explicit CompiledState(CaptureOptions options) : driver_(std::move(options)) {}

  using EntryPtr = EntryCache<PythonEntry>::EntryPtr;
  // Null if none holds.
  [[nodiscard]] EntryPtr find(const GivenArguments& given, PythonEntry::Values& values) {
    return cache_.find([&](const PythonEntry& entry) { return entry.check(given, values); });
  }
  // Captures the function for these arguments and returns its result for them.
  [[nodiscard]] nanobind::object capture(PyObject* function, const GivenArguments& given);

  // Why every call runs the function itself from now on; empty if it does not.
  [[nodiscard]] const std::string& eager_reason() const noexcept { return eager_reason_; }
  [[nodiscard]] uint64_t num_compiles() const noexcept { return driver_.num_compiles(); }
  [[nodiscard]] const std::vector<std::string>& reasons() const noexcept {
    return driver_.reasons();
  }
  [[nodiscard]] const std::vector<std::string>& breaks() const noexcept { return driver_.breaks(); }
  [[nodiscard]] const std::vector<EntryPtr>& entries() const noexcept { return cache_.entries(); }
  void reset();
  int traverse(visitproc visit, void* arg) const;

 private:
  class Call;
  // Python is a version that compile does not observe: runs eagerly, with one warning.
  void note_unknown_interpreter();
  void note_own_change(const std::string& change, const std::string& function_name);

  EntryCache<PythonEntry> cache_;
  CaptureDriver driver_;
  std::string eager_reason_;
  uint32_t own_changes_ = 0;  // consecutive captures of runs that changed what they read
};

// Called with each recompilation reason, a str; null if there is no hook.
void set_recompile_hook(PyObject* hook);

}  // namespace opwright::python
