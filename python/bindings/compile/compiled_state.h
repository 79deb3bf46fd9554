// CompiledState: the guard sets of a compiled Python function, and how a new one is made.
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
  // Null: none holds.
  [[nodiscard]] EntryPtr find(const GivenArguments& given, PythonEntry::Values& values) {
    return cache_.find([&](const PythonEntry& entry) { return entry.check(given, values); });
  }
  // Captures the function for these arguments and gives what it returns for them.
  [[nodiscard]] nanobind::object capture(PyObject* function, const GivenArguments& given);

  // A call of it is a call of the function from now on; empty: not.
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
  std::vector<std::string> reasons_;  // of the last captures but the first
  std::vector<std::string> breaks_;   // "<cause>, at <file>:<line>"
  std::string eager_reason_;
  uint64_t num_compiles_ = 0;
  uint32_t own_changes_ = 0;  // captures in a row after which their own guards did not hold
};

// Told of each reason to compile again, a str; null: nobody.
void set_recompile_hook(PyObject* hook);

}  // namespace opwright::python
