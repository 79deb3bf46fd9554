#include "bridges/onnxruntime/predicted_outputs.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "bridges/onnxruntime/node_arguments.h"
#include "bridges/onnxruntime/node_inputs.h"
#include "bridges/onnxruntime/ort_operator.h"
#include "bridges/onnxruntime/ort_tensor.h"
#include "bridges/operators/results.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::ort_bridge {
namespace {

// The results for fake tensors.
std::vector<Tensor> predict(const OrtOperator& op, std::span<const InputPlace> places,
                            std::span<const Value> attributes, std::span<const OrtTensor> inputs) {
  FakeCall call;
  std::vector<Tensor> fakes;
  std::vector<OpwTensor*> pointers;
  for (const OrtTensor& each : inputs) {
    const auto dtype = to_dtype(each.dtype);
    const std::vector<SymInt> sizes(each.sizes().begin(), each.sizes().end());
    fakes.push_back(dtype ? FakeCall::tensor(*dtype, sizes) : Tensor());
    pointers.push_back(fakes.back().get());
  }
  const NodeArguments args(op, places, attributes, pointers);
  const std::vector<Value> results = call.run(op.description.name, args.values());
  std::vector<Tensor> tensors;
  for (const size_t each : op.results) bridges::append_tensors(tensors, results[each].get());
  return tensors;
}

}  // namespace

bool PredictedOutputs::Entry::is_of(std::span<const OrtTensor> given) const {
  const int64_t* next = inputs.data();
  for (const OrtTensor& each : given) {
    if (next[0] != static_cast<int64_t>(each.dtype) || next[1] != static_cast<int64_t>(each.rank))
      return false;
    next += 2;
    for (const int64_t size : each.sizes()) {
      if (*next++ != size) return false;
    }
  }
  return true;
}

void PredictedOutputs::Entry::keep(std::span<const Tensor> results) {
  for (const Tensor& each : results)
    numbers.insert(numbers.end(), each.sizes().begin(), each.sizes().end());
  const int64_t* next = numbers.data();
  for (const Tensor& each : results) {
    outputs.push_back({each.dtype(), {next, each.sizes().size()}});
    next += each.sizes().size();
  }
}

std::span<const PredictedOutput> PredictedOutputs::find(const OrtOperator& op,
                                                        std::span<const InputPlace> places,
                                                        std::span<const Value> attributes,
                                                        std::span<const OrtTensor> inputs) {
  for (const std::atomic<const Entry*>& each : entries_) {
    const Entry* entry = each.load(std::memory_order_acquire);
    if (!entry) break;
    if (entry->is_of(inputs)) return entry->outputs;
  }
  const std::lock_guard lock(mutex_);
  if (owned_.size() == kMost) return {};
  auto made = std::make_unique<Entry>();
  for (const OrtTensor& each : inputs) {
    made->inputs.push_back(static_cast<int64_t>(each.dtype));
    made->inputs.push_back(static_cast<int64_t>(each.rank));
    made->inputs.insert(made->inputs.end(), each.sizes().begin(), each.sizes().end());
  }
  try {
    const std::vector<Tensor> results = predict(op, places, attributes, inputs);
    const bool is_told = std::ranges::all_of(
        results, [](const Tensor& each) { return each.is_defined() && !each.is_symbolic(); });
    if (is_told) made->keep(results);
  } catch (const Error&) {  // the kernel reports its own error
  }
  const Entry& entry = *made;
  entries_[owned_.size()].store(made.get(), std::memory_order_release);
  owned_.push_back(std::move(made));
  return entry.outputs;
}

}  // namespace opwright::ort_bridge
