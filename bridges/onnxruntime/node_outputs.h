// The outputs of one call: ONNX Runtime's memory for results, lent to the kernel when it allocates
// a tensor of that size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bridges/onnxruntime/node_kernel.h"
#include "bridges/onnxruntime/ort_api.h"
#include "bridges/onnxruntime/predicted_outputs.h"
#include "bridges/operators/allocation_request.h"
#include "bridges/operators/inline_array.h"
#include "bridges/operators/lent_tensors.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright::ort_bridge {

class NodeOutputs {
 public:
  // Gets the memory of the predicted outputs. TypeError if the model has another dtype for one.
  NodeOutputs(const NodeKernel& kernel, OrtKernelContext* context,
              std::span<const PredictedOutput> predicted, bridges::LentTensors& lent);
  NodeOutputs(const NodeOutputs&) = delete;
  NodeOutputs& operator=(const NodeOutputs&) = delete;

  // Memory for output `index`; null if it is unused.
  void* take(size_t index, DType dtype, std::span<const int64_t> sizes);
  // A lent tensor over a matching output; null if there is none. Only on the thread that made this.
  [[nodiscard]] OpwTensor* serve(const bridges::AllocationRequest& request);
  // Copies results that are not in their output's memory. ValueError for a result that differs from
  // the prediction.
  void fill(std::span<Tensor> results);

 private:
  struct Output {
    void* memory = nullptr;
    bool is_lent = false;
  };
  [[nodiscard]] bool is_lent_memory(const Tensor& result) const;
  void require_predicted(size_t index, const Tensor& result) const;

  static constexpr size_t kUsualOutputs = 4;

  const NodeKernel& kernel_;
  OrtKernelContext* context_;
  std::span<const PredictedOutput> predicted_;
  bridges::InlineArray<Output, kUsualOutputs> outputs_;  // the predicted ones
  bridges::LentTensors& lent_;
};

}  // namespace opwright::ort_bridge
