// PythonEntry: one guard set of a compiled Python function, and what its calls run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/compile/function_state.h"
#include "bindings/compile/read_guards.h"
#include "bindings/operator/binding_plan.h"
#include "bindings/pytree/object_guard.h"
#include "bindings/pytree/tree_spec.h"
#include "opwright/base/small_vector.h"
#include "opwright/compile/capture/capture_context.h"
#include "opwright/compile/capture/compiled_entry.h"
#include "opwright/value.h"

namespace opwright::python {

// Builds the function's results from the values of a graph.
class PythonResults {
 public:
  PythonResults() = default;
  // From the function's result, which a graph must be able to return.
  explicit PythonResults(PyObject* returned);
  // From a list of leaves, of which `rebuild` makes the function's result.
  PythonResults(PyObject* leaves, nanobind::object rebuild) : PythonResults(leaves) {
    rebuild_ = std::move(rebuild);
  }

  // Whether a graph can return the object as a leaf.
  [[nodiscard]] static bool fits(PyObject* leaf);
  // What a graph cannot return of a function's result: 'result["a"] of type x.Y'; or empty.
  [[nodiscard]] static std::string find_unfit(PyObject* returned);

  // The leaves that the graph returns: tensors and symbolic ints.
  [[nodiscard]] std::span<const nanobind::object> values() const noexcept { return values_; }
  // Whether the result is one value of the graph, in no container.
  [[nodiscard]] bool is_one() const noexcept { return is_one_; }
  // Drops them: they belong to the capture.
  void forget_values() noexcept { values_.clear(); }

  // Takes ownership of the values. A new reference, or null with the exception.
  [[nodiscard]] PyObject* take(std::span<OpwValue> values) const noexcept {
    if (is_one_) [[likely]]
      return take_one(values[0]);
    return take_tree(values);
  }
  int traverse(visitproc visit, void* arg) const;

 private:
  [[nodiscard]] static PyObject* take_one(OpwValue& value) noexcept;
  [[nodiscard]] PyObject* take_tree(std::span<OpwValue> values) const noexcept;

  bool is_one_ = false;  // one value of the graph, and no container around it
  std::optional<TreeSpec> spec_;
  nanobind::object rebuild_;                 // invalid: none is needed
  std::vector<nanobind::object> constants_;  // one for each leaf; invalid for a value of the graph
  std::vector<nanobind::object> values_;
};

class PythonEntry {
 public:
  // The guards of a call of `function`, for the current state.
  PythonEntry(PyObject* function, const GivenArguments& given,
              const std::vector<std::string>& names);

  // The number of tensors of a call: arguments, closure, then what the graph closes over.
  using Values = SmallVector<OpwValue, 32>;

  // Whether the entry applies to this call; then `values` has its tensors. The context is plain.
  [[nodiscard]] bool check(const GivenArguments& given, Values& values) const;
  // The first guard that fails.
  [[nodiscard]] std::string find_difference(const GivenArguments& given) const;
  // A new reference, or null with the exception.
  [[nodiscard]] PyObject* run(const Values& values) const noexcept;

  [[nodiscard]] const GuardedTensors& tensors() const noexcept { return tensors_; }
  [[nodiscard]] const FunctionState& state() const noexcept { return state_; }
  [[nodiscard]] FunctionState& state() noexcept { return state_; }
  // What the function reads while it runs.
  [[nodiscard]] ReadGuards& reads() noexcept { return reads_; }
  // The guards of the function's state that its own run made fail; empty: none.
  [[nodiscard]] std::string find_own_change() const;
  // The end of a capture: its result, or why calls run the function itself.
  void set_compiled(std::unique_ptr<CompiledEntry> compiled, PythonResults results);
  void set_eager(std::string reason, std::span<const CapturedArgument> arguments);
  [[nodiscard]] bool is_eager() const noexcept { return !compiled_; }
  [[nodiscard]] const std::string& eager_reason() const noexcept { return eager_reason_; }
  [[nodiscard]] const CompiledEntry* compiled() const noexcept { return compiled_.get(); }
  [[nodiscard]] std::string guards_text() const;
  int traverse(visitproc visit, void* arg) const;

 private:
  [[nodiscard]] bool check_arguments(const GivenArguments& given, OpwValue* values) const;
  [[nodiscard]] bool check_keywords(const GivenArguments& given, OpwValue* values) const;

  CaptureContext context_;
  GuardedTensors tensors_;  // emptied when the capture is over
  size_t num_tensors_ = 0;
  size_t num_positional_;
  std::vector<ObjectGuard> positional_;
  struct Keyword {
    nanobind::object name;
    ObjectGuard guard;
  };
  std::vector<Keyword> keywords_;
  FunctionState state_;
  ReadGuards reads_;
  std::unique_ptr<CompiledEntry> compiled_;  // null: calls run the function
  PythonResults results_;
  std::string eager_reason_;
  TensorGuards eager_tensors_;  // of calls that run the function
};

}  // namespace opwright::python
