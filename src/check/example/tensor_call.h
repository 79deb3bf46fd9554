// A call as a function of its tensors: what a transform is given in place of the example's own.
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

// While a call is compared with another run of it: nothing is recorded, and both draw the same
// random numbers.
class [[nodiscard]] ComparedRunScope {
 public:
  ComparedRunScope();

 private:
  NoGradScope no_grad_;
  Generator generator_;
  DefaultGeneratorScope random_;
};

// Calls the example's operator at the current level, on `tensors` in the places of its own.
[[nodiscard]] std::vector<Value> call_with(const Example& example,
                                           const std::vector<Tensor>& tensors);
// What a plain call gives, on a copy.
[[nodiscard]] Outcome run_compared(const Example& example);

// Some values with other tensors in the places of theirs.
[[nodiscard]] std::vector<Value> replace_tensors(std::span<const Value> values,
                                                 std::span<const Tensor> tensors);

// The tensors of an example, each once however often it is given.
class DistinctTensors {
 public:
  explicit DistinctTensors(const Example& example);
  [[nodiscard]] const std::vector<Tensor>& get() const noexcept { return tensors_; }
  [[nodiscard]] const std::string& name(size_t which) const { return names_[which]; }
  [[nodiscard]] bool is_written(size_t which) const { return is_written_[which]; }
  // Others, one for each, in all the places of Example::tensors().
  [[nodiscard]] std::vector<Tensor> spread(std::span<const Tensor> others) const;
  // Whether two of them have one storage.
  [[nodiscard]] bool share_memory() const;

 private:
  std::vector<Tensor> tensors_;
  std::vector<std::string> names_;
  std::vector<bool> is_written_;
  std::vector<size_t> places_;  // of Example::tensors()
};

// The example in double precision, which tells rounding from a fault; none where it is already.
[[nodiscard]] std::optional<Example> widen(const Example& example);
// Everything but the values of fractions is compared.
[[nodiscard]] ComparisonOptions any_values();

// The function of `slot` has a place in the author's code: " (gain.cpp:12)"; else nothing.
[[nodiscard]] std::string site_text(const Operator& op, Slot slot);
[[nodiscard]] SourceSite find_site(const Operator& op, Slot slot);

// Whether an error says that data were asked for where a tensor has none.
[[nodiscard]] bool is_about_data(const Error& error);
// Whether its results depend on how the elements lie in memory.
[[nodiscard]] bool depends_on_strides(const Operator& op);
// Whether an argument is an object, a generator or a graph, which a trace holds as it is.
[[nodiscard]] bool holds_objects(const Example& example);

}  // namespace opwright
