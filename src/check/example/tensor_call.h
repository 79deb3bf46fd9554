// Calls an example as a function of its tensors, so that transforms can replace them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/check/example/comparison.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/slot.h"
#include "opwright/generator.h"
#include "opwright/grad_mode.h"
#include "opwright/tensor.h"
#include "opwright/tensor/random_state.h"
#include "opwright/value.h"

namespace opwright {

// While two runs of a call are compared: nothing is recorded, and both draw the same random
// numbers.
class [[nodiscard]] ComparedRunScope {
 public:
  ComparedRunScope();

 private:
  NoGradScope no_grad_;
  Generator generator_;
  DefaultGeneratorScope random_;
};

// Calls the example's operator at the current level, with its tensors replaced by `tensors`.
[[nodiscard]] std::vector<Value> call_with(const Example& example,
                                           const std::vector<Tensor>& tensors);
// The outcome of a plain call on a copy.
[[nodiscard]] Outcome run_compared(const Example& example);

// The same values with their tensors replaced.
[[nodiscard]] std::vector<Value> replace_tensors(std::span<const Value> values,
                                                 std::span<const Tensor> tensors);

// The tensors of an example without duplicates.
class DistinctTensors {
 public:
  explicit DistinctTensors(const Example& example);
  [[nodiscard]] const std::vector<Tensor>& get() const noexcept { return tensors_; }
  [[nodiscard]] const std::string& name(size_t which) const { return names_[which]; }
  [[nodiscard]] bool is_written(size_t which) const { return is_written_[which]; }
  // Maps one replacement per distinct tensor back to the positions of Example::tensors().
  [[nodiscard]] std::vector<Tensor> spread(std::span<const Tensor> others) const;
  // Whether two of them share a storage.
  [[nodiscard]] bool share_memory() const;

 private:
  std::vector<Tensor> tensors_;
  std::vector<std::string> names_;
  std::vector<bool> is_written_;
  std::vector<size_t> places_;  // for each of Example::tensors(), its index here
};

// The example in double precision, to tell rounding from a fault; nullopt if it already is.
[[nodiscard]] std::optional<Example> widen(const Example& example);
// Compares everything except the values of fractions.
[[nodiscard]] ComparisonOptions any_values();

// Where the author's code defines the function of `slot`: " (gain.cpp:12)"; empty if unknown.
[[nodiscard]] std::string site_text(const Operator& op, Slot slot);
[[nodiscard]] SourceSite find_site(const Operator& op, Slot slot);

// Whether code read the data of a tensor that has none, or decided by a size that depends on data.
[[nodiscard]] bool is_data_dependent(const Error& error);
// Whether the results depend on the memory layout.
[[nodiscard]] bool depends_on_strides(const Operator& op);
// Whether an argument is an object, a generator or a graph, which a trace stores as is.
[[nodiscard]] bool holds_objects(const Example& example);

}  // namespace opwright
