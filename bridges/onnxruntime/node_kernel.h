// One node of a session: the operator with the node's attributes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bridges/onnxruntime/node_attributes.h"
#include "bridges/onnxruntime/node_inputs.h"
#include "bridges/onnxruntime/ort_api.h"
#include "bridges/onnxruntime/ort_operator.h"
#include "bridges/onnxruntime/predicted_outputs.h"
#include "opwright/dtype.h"
#include "opwright/value.h"

namespace opwright::ort_bridge {

// Any thread may run it.
class NodeKernel {
 public:
  // TypeError for attributes or inputs that do not match.
  NodeKernel(const OrtOperator& op, const NodeAttributes& attributes, size_t num_inputs,
             size_t num_outputs);
  NodeKernel(const NodeKernel&) = delete;
  NodeKernel& operator=(const NodeKernel&) = delete;

  void run(OrtKernelContext* context) const;

  [[nodiscard]] const OrtOperator& op() const { return op_; }
  [[nodiscard]] std::span<const InputPlace> places() const { return places_; }
  [[nodiscard]] std::span<const Value> attributes() const { return attributes_; }
  [[nodiscard]] size_t num_inputs() const { return num_inputs_; }
  [[nodiscard]] size_t num_outputs() const { return num_outputs_; }
  [[nodiscard]] PredictedOutputs& predicted() const { return predicted_; }
  // The argument that input `index` belongs to.
  [[nodiscard]] size_t argument_of(size_t index) const { return argument_of_[index]; }

  // The model's dtype of an output, once a call has seen its memory. TypeError for a result with
  // another dtype.
  void require_output_dtype(size_t index, const OrtValue* output, DType dtype) const;

 private:
  const OrtOperator& op_;
  size_t num_inputs_;
  size_t num_outputs_;
  std::vector<InputPlace> places_;
  std::vector<size_t> argument_of_;
  std::vector<Value> attributes_;
  mutable PredictedOutputs predicted_;
  std::unique_ptr<std::atomic<OrtDType>[]> output_dtypes_;  // Undefined: not seen yet
};

// ---- Callbacks of ONNX Runtime ----

OrtStatus* create_kernel(const OrtCustomOp* op, const void* api, const OrtKernelInfo* info,
                         void** kernel);
OrtStatus* compute(void* kernel, OrtKernelContext* context);
void destroy_kernel(void* kernel);

}  // namespace opwright::ort_bridge
