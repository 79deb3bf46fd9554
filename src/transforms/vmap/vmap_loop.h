// Runs an operator without a Vmap rule once per sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/tensor.h"
#include "opwright/transforms/vmap/vmap.h"
#include "opwright/value.h"

namespace opwright {

// Use it with the level below current. Samples are views of their batch, so writes reach it.
class SampleLoop {
 public:
  SampleLoop(const Vmap& level, const Operator& op, Arguments args);

  // Runs `before(sample)`, then the operator, for each sample.
  template <class Before>
  void run(const Before& before) {
    for (int64_t i = 0; i < num_samples_; ++i) {
      before(i);
      run_sample(i);
    }
    if (num_samples_ == 0) run_on_zeros();
  }
  [[nodiscard]] bool is_empty() const noexcept { return num_samples_ == 0; }
  // The last result of the sample that ran last.
  [[nodiscard]] const Value& last_result() const { return kept_.back(); }
  // The results of all samples: tensors stacked along a new first dimension, with 0 in `dims`;
  // values that are not tensors once, with None. RuntimeError if samples disagree.
  void give(Results raw, std::span<OpwValue> dims);

 private:
  void run_sample(int64_t index);
  void run_on_zeros();
  void call_and_keep(Arguments args);
  [[nodiscard]] const Value& result_of(size_t sample, uint32_t result) const {
    return kept_[sample * op_.num_results() + result];
  }
  [[nodiscard]] Tensor stack_tensors(uint32_t result, std::span<const Tensor> samples) const;
  [[nodiscard]] OpwValue stack_lists(uint32_t result) const;
  [[nodiscard]] OpwValue stack_result(uint32_t result, OpwValue& dim) const;

  const Vmap& level_;
  const Operator& op_;
  Arguments args_;
  int64_t num_samples_;
  size_t num_runs_ = 0;
  std::vector<Value> kept_;  // the results of each sample
};

// The entire call: runs every sample, each after `before(sample)`, and wraps the results for the
// level.
template <class Before>
void run_samples(Vmap& level, const Operator& op, Arguments args, Results results,
                 const Before& before) {
  OwnedResults raw(op.num_results());
  SmallVector<OpwValue, 8> dims(op.num_results());
  {
    const ParentScope scope(level);
    SampleLoop loop(level, op, args);
    loop.run(before);
    loop.give(raw.get(), dims);
  }
  OpwValue out_dims = make_value(kOpwList, 0);
  out_dims.length = op.num_results();
  out_dims.as_values = dims.data();
  level.wrap_results(op, args, raw.get(), out_dims, results);
}

}  // namespace opwright
