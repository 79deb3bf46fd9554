#include "opwright/transforms/vmap/vmap_loop.h"

#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

#include "opwright/base/small_vector.h"
#include "opwright/base/warning.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dispatch/rule.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Once per operator: operators are never freed.
void warn_once(const Operator& op) {
  static std::mutex mutex;
  static auto& warned = *new std::unordered_set<const Operator*>;
  {
    const std::lock_guard lock(mutex);
    if (!warned.insert(&op).second) return;
  }
  const std::string advice =
      is_of_core(op)
          ? std::string()
          : concatenate("\n  Register a rule with opwright.library.register_vmap(\"", op.name(),
                        "\", rule) or, in C++, m.register_vmap(\"", op.schema().name.base,
                        "\", &rule); an operator that works element by element needs the tag "
                        "pointwise instead.");
  warn("PerformanceWarning",
       concatenate(op.name(),
                   " has no vmap rule, so vmap runs it once for each sample, which is slow",
                   advice));
}

bool is_tensor(const OpwValue& value) { return value.tag == kOpwTensor && value.as_tensor; }

}  // namespace

SampleLoop::SampleLoop(const Vmap& level, const Operator& op, Arguments args)
    : level_(level), op_(op), args_(args), num_samples_(level.batch_size().specialise()) {}

void SampleLoop::call_and_keep(Arguments args) {
  OwnedResults results(op_.num_results());
  call(op_, args, results.get());
  for (OpwValue& result : results.get())
    kept_.push_back(Value::take(std::exchange(result, OpwValue{})));
  ++num_runs_;
}

void SampleLoop::run_sample(int64_t index) {
  SmallVector<Tensor, 8> samples;
  const ReplacedArguments sample(args_, [&](OpwTensor* tensor) {
    if (!level_.owns(tensor)) return tensor;
    const BorrowedTensor batch(Vmap::inner_of(tensor));
    samples.push_back(static_cast<const Tensor&>(batch).select(Vmap::dim_of(tensor), index));
    return samples.back().get();
  });
  call_and_keep(sample.get());
}

// There is no sample to take the results from, so run on zeros to learn their sizes.
void SampleLoop::run_on_zeros() {
  SmallVector<Tensor, 8> samples;
  const ReplacedArguments sample(args_, [&](OpwTensor* tensor) {
    if (!level_.owns(tensor)) return tensor;
    const BorrowedTensor batch(Vmap::inner_of(tensor));
    const SymSizes sizes = sym_geometry_of(BorrowedTensor(tensor)).sizes;
    samples.push_back(static_cast<const Tensor&>(batch).new_zeros(sizes));
    return samples.back().get();
  });
  call_and_keep(sample.get());
}

Tensor SampleLoop::stack_tensors(uint32_t result, std::span<const Tensor> samples) const {
  if (num_samples_ == 0) {
    SymSizes sizes = sym_geometry_of(samples.front()).sizes;
    sizes.insert(sizes.begin(), SymInt(0));
    return samples.front().new_empty(sizes);
  }
  const SymSizes sizes = sym_geometry_of(samples.front()).sizes;
  for (const Tensor& sample : samples) {
    OPWRIGHT_CHECK(has_sizes(sample, sizes), op_.name(), ": result ", result + 1, " has sizes ",
                   to_text(sizes), " for one sample of vmap and ",
                   to_text(sym_geometry_of(sample).sizes),
                   " for another, but the samples of a batch have the same");
  }
  return stack(samples);
}

OpwValue SampleLoop::stack_lists(uint32_t result) const {
  const uint32_t length = result_of(0, result).get().length;
  for (size_t i = 0; i < num_runs_; ++i) {
    const uint32_t other = result_of(i, result).get().length;
    OPWRIGHT_CHECK(other == length, op_.name(), ": result ", result + 1, " is a list of ", length,
                   " for one sample of vmap and of ", other, " for another");
  }
  std::vector<Tensor> stacked;
  std::vector<Tensor> samples(num_runs_);
  for (uint32_t k = 0; k < length; ++k) {
    for (size_t i = 0; i < num_runs_; ++i)
      samples[i] = Tensor::borrow(result_of(i, result).get().as_tensors[k]);
    stacked.push_back(stack_tensors(result, samples));
  }
  return ValueOf<std::vector<Tensor>>::give(stacked);
}

OpwValue SampleLoop::stack_result(uint32_t result, OpwValue& dim) const {
  const OpwValue& first = result_of(0, result).get();
  const bool is_list = first.tag == kOpwTensorList;
  for (size_t i = 0; i < num_runs_; ++i) {
    const OpwValue& other = result_of(i, result).get();
    const bool agrees =
        other.tag == first.tag && (is_tensor(first) || is_list || equal_values(other, first));
    OPWRIGHT_CHECK(agrees, op_.name(), ": result ", result + 1,
                   " differs between the samples of vmap, but it is not a tensor, so it cannot "
                   "hold one value per sample");
  }
  if (!is_tensor(first) && !is_list) return copy_value(first);
  dim = make_value(kOpwInt, 0);
  if (is_list) return stack_lists(result);
  std::vector<Tensor> samples;
  samples.reserve(num_runs_);
  for (size_t i = 0; i < num_runs_; ++i)
    samples.push_back(Tensor::borrow(result_of(i, result).get().as_tensor));
  return ValueOf<Tensor>::give(stack_tensors(result, samples));
}

void SampleLoop::give(Results raw, std::span<OpwValue> dims) {
  for (uint32_t i = 0; i < op_.num_results(); ++i) {
    if (!op_.gives_argument(i)) raw[i] = stack_result(i, dims[i]);
  }
}

void Vmap::run_by_sample(const Operator& op, Arguments args, Results results) {
  OPWRIGHT_CHECK_KIND("NotImplementedError", !is_view(op), op.name(),
                      ": it returns a view and has no vmap rule; run once per sample it would "
                      "return a copy\n  Register a rule with register_vmap.");
  warn_once(op);
  run_samples(*this, op, args, results, [](int64_t /*sample*/) {});
}

}  // namespace opwright
