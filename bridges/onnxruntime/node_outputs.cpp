#include "bridges/onnxruntime/node_outputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bridges/onnxruntime/node_kernel.h"
#include "bridges/onnxruntime/ort_api.h"
#include "bridges/onnxruntime/predicted_outputs.h"
#include "bridges/operators/allocation_request.h"
#include "bridges/operators/lent_tensors.h"
#include "bridges/operators/results.h"
#include "bridges/operators/view_tensor.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/opwright.h"  // IWYU pragma: keep
#include "opwright/tensor.h"

namespace opwright::ort_bridge {
namespace {

int64_t count_elements(std::span<const int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

bool fits(const PredictedOutput& output, const bridges::AllocationRequest& request) {
  return output.dtype == from_dlpack(request.dtype) &&
         std::ranges::equal(output.sizes,
                            std::span(request.sizes, static_cast<size_t>(request.ndim)));
}

Tensor copy_of(const Tensor& tensor) {
  bridges::ViewTensor* lent = bridges::ViewTensor::from(tensor.get());
  return (lent ? lent->in_core() : tensor).clone();
}

}  // namespace

NodeOutputs::NodeOutputs(const NodeKernel& kernel, OrtKernelContext* context,
                         std::span<const PredictedOutput> predicted, bridges::LentTensors& lent)
    : kernel_(kernel),
      context_(context),
      predicted_(predicted.first(std::min(predicted.size(), kernel.num_outputs()))),
      outputs_(predicted_.size()),
      lent_(lent) {
  for (size_t i = 0; i < predicted_.size(); ++i)
    outputs_[i].memory = take(i, predicted_[i].dtype, predicted_[i].sizes);
}

void* NodeOutputs::take(size_t index, DType dtype, std::span<const int64_t> sizes) {
  const OrtApi& api = kernel_.op().api;
  OrtValue* value = nullptr;
  api.require(entry::kGetOutput, context_, index, sizes.data(), sizes.size(), &value);
  if (!value) return nullptr;
  kernel_.require_output_dtype(index, value, dtype);
  void* memory = nullptr;
  api.require(entry::kGetData, value, &memory);
  return memory;
}

OpwTensor* NodeOutputs::serve(const bridges::AllocationRequest& request) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Output& output = outputs_[i];
    if (!output.memory || output.is_lent || !fits(predicted_[i], request)) continue;
    if (count_elements(predicted_[i].sizes) == 0) return nullptr;
    output.is_lent = true;
    return lent_.lend(output.memory, predicted_[i].dtype, predicted_[i].sizes,
                      bridges::ViewTensor::Use::Lent);
  }
  return nullptr;
}

void NodeOutputs::require_predicted(size_t index, const Tensor& result) const {
  const PredictedOutput& predicted = predicted_[index];
  if (result.dtype() == predicted.dtype && std::ranges::equal(result.sizes(), predicted.sizes))
      [[likely]]
    return;
  std::string sizes;
  for (const int64_t size : predicted.sizes) sizes += concatenate(sizes.empty() ? "" : ", ", size);
  throw_error("ValueError", kernel_.op().description.name, ": result ", index, " is ", result,
              ", but the fake kernel says ", predicted.dtype, "[", sizes, "]; they must agree");
}

bool NodeOutputs::is_lent_memory(const Tensor& result) const {
  const auto* data = static_cast<const char*>(result.data());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const auto* begin = static_cast<const char*>(outputs_[i].memory);
    const auto bytes =
        static_cast<size_t>(count_elements(predicted_[i].sizes)) * item_size(predicted_[i].dtype);
    if (outputs_[i].is_lent && data >= begin && data < begin + bytes) return true;
  }
  return false;
}

void NodeOutputs::fill(std::span<Tensor> results) {
  const auto is_in_place = [&](size_t index) {
    return index < outputs_.size() && outputs_[index].memory &&
           results[index].data() == outputs_[index].memory && results[index].is_contiguous();
  };
  for (size_t i = 0; i < results.size(); ++i) {
    OPWRIGHT_CHECK(results[i].is_defined(), kernel_.op().description.name, ": result ", i,
                   " was left undefined");
    if (i < outputs_.size()) require_predicted(i, results[i]);
    // A result in another output's memory is saved before that is written.
    if (!is_in_place(i) && is_lent_memory(results[i])) results[i] = copy_of(results[i]);
  }
  for (size_t i = 0; i < results.size() && i < kernel_.num_outputs(); ++i) {
    if (is_in_place(i)) continue;
    void* memory =
        i < outputs_.size() ? outputs_[i].memory : take(i, results[i].dtype(), results[i].sizes());
    if (memory) bridges::copy_elements(memory, results[i]);
  }
}

}  // namespace opwright::ort_bridge
