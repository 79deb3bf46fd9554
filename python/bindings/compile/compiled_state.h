// CompiledState: the guard sets of a compiled Python function, and how new ones are created.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/compile/python_entry.h"
#include "bindings/operator/binding_plan.h"
#include "opwright/compile/backend/executable.h"
#include "opwright/compile/capture/entry_cache.h"
#include "opwright/compile/capture/size_history.h"

namespace opwright::python {

struct PythonCompileOptions {
  bool fullgraph = false;
  std::optional<bool> dynamic;
  Backend backend;
};

class CompiledState {
 public:
  explicit CompiledState(PythonCompileOptions options)
      : options_(std::move(options)), sizes_(options_.dynamic) {}

  using EntryPtr = EntryCache<PythonEntry>::EntryPtr;
  // Null if none holds.
  [[nodiscard]] EntryPtr find(const GivenArguments& given, PythonEntry::Values& values) {
    return cache_.find([&](const PythonEntry& entry) { return entry.check(given, values); });
  }
  // Captures the function for these arguments and returns its result for them.
  [[nodiscard]] nanobind::object capture(PyObject* function, const GivenArguments& given);

  // Why every call runs the function itself from now on; empty if it does not.
  [[nodiscard]] const std::string& eager_reason() const noexcept { return eager_reason_; }
  [[nodiscard]] uint64_t num_compiles() const noexcept { return num_compiles_; }
  [[nodiscard]] const std::vector<std::string>& reasons() const noexcept { return reasons_; }
  [[nodiscard]] const std::vector<std::string>& breaks() const noexcept { return breaks_; }
  [[nodiscard]] const std::vector<EntryPtr>& entries() const noexcept { return cache_.entries(); }
  void reset();
  int traverse(visitproc visit, void* arg) const;

 private:
  void note_reason(PyObject* function, const GivenArguments& given);
  [[nodiscard]] nanobind::object finish(const EntryPtr& entry, Capture& capture,
                                        const std::vector<CapturedArgument>& arguments,
                                        PythonResults results, PyObject* function);
  void note_break(const EntryPtr& entry, std::span<const CapturedArgument> arguments,
                  std::string reason, PyObject* function);
  void note_own_changes(const PythonEntry& entry, PythonEntry::Values values, PyObject* function);

  PythonCompileOptions options_;
  EntryCache<PythonEntry> cache_;
  SizeHistory sizes_;
  std::vector<std::string> reasons_;  // of the latest captures except the first
  std::vector<std::string> breaks_;   // "<cause>, at <file>:<line>"
  std::string eager_reason_;
  uint64_t num_compiles_ = 0;
  uint32_t own_changes_ = 0;  // consecutive captures whose own guards failed right after
};

// Called with each recompilation reason, a str; null if there is no hook.
void set_recompile_hook(PyObject* hook);

}  // namespace opwright::python
