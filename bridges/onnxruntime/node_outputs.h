// The outputs of one call: ONNX Runtime's memory for results, lent to the kernel where it asks for
// a tensor of that size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bridges/onnxruntime/foretold_outputs.h"
#include "bridges/onnxruntime/node_kernel.h"
#include "bridges/onnxruntime/ort_api.h"
#include "bridges/operators/allocation_request.h"
#include "bridges/operators/inline_array.h"
#include "bridges/operators/lent_tensors.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright::ort_bridge {

class NodeOutputs {
 public:
  // Takes the memory of the outputs that were foretold. TypeError where the model has another
  // dtype for one.
  NodeOutputs(const NodeKernel& kernel, OrtKernelContext* context,
              std::span<const ForetoldOutput> foretold, bridges::LentTensors& lent);
  NodeOutputs(const NodeOutputs&) = delete;
  NodeOutputs& operator=(const NodeOutputs&) = delete;

  // Memory for output `index`; null where nobody reads it.
  void* take(size_t index, DType dtype, std::span<const int64_t> sizes);
  // A tensor over an output that fits, lent; null: there is none. Of the thread that made this.
  [[nodiscard]] OpwTensor* serve(const bridges::AllocationRequest& request);
  // Copies what does not lie where it shall. ValueError for a result that differs from what was
  // foretold.
  void fill(std::span<Tensor> results);

 private:
  struct Output {
    void* memory = nullptr;
    bool is_lent = false;
  };
  [[nodiscard]] bool is_lent_memory(const Tensor& result) const;
  void require_foretold(size_t index, const Tensor& result) const;

  static constexpr size_t kUsualOutputs = 4;

  const NodeKernel& kernel_;
  OrtKernelContext* context_;
  std::span<const ForetoldOutput> foretold_;
  bridges::InlineArray<Output, kUsualOutputs> outputs_;  // those that were foretold
  bridges::LentTensors& lent_;
};

}  // namespace opwright::ort_bridge
