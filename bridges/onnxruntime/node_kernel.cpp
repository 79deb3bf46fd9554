#include "bridges/onnxruntime/node_kernel.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "bridges/onnxruntime/node_attributes.h"
#include "bridges/onnxruntime/node_call.h"
#include "bridges/onnxruntime/node_inputs.h"
#include "bridges/onnxruntime/ort_api.h"
#include "bridges/onnxruntime/ort_operator.h"
#include "bridges/onnxruntime/ort_status.h"
#include "bridges/onnxruntime/ort_tensor.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"

namespace opwright::ort_bridge {

NodeKernel::NodeKernel(const OrtOperator& op, const NodeAttributes& attributes, size_t num_inputs,
                       size_t num_outputs)
    : op_(op),
      num_inputs_(num_inputs),
      num_outputs_(num_outputs),
      places_(place_inputs(op, attributes, num_inputs)),
      attributes_(read_attributes(op, attributes)),
      output_dtypes_(std::make_unique<std::atomic<OrtDType>[]>(num_outputs)) {
  for (const InputPlace& each : places_)
    argument_of_.insert(argument_of_.end(), each.count, each.argument);
}

void NodeKernel::run(OrtKernelContext* context) const {
  try {
    run_node(*this, context);
  } catch (...) {
    Error error = current_error();
    error.add_note("operator",
                   concatenate("in ", op_.description.name, ", called by ONNX Runtime"));
    throw error;
  }
}

void NodeKernel::require_output_dtype(size_t index, const OrtValue* output, DType dtype) const {
  OrtDType in_model = output_dtypes_[index].load(std::memory_order_relaxed);
  if (in_model == OrtDType::Undefined) [[unlikely]] {
    std::vector<int64_t> room;
    in_model = read_tensor(op_.api, output, room).dtype;
    output_dtypes_[index].store(in_model, std::memory_order_relaxed);
  }
  OPWRIGHT_CHECK_TYPE(to_dtype(in_model) == dtype, op_.description.name, ": result ", index,
                      " is of dtype ", dtype, ", but the model has an output of ",
                      dtype_text(in_model), " there");
}

OrtStatus* create_kernel(const OrtCustomOp* op, const void* /*api*/, const OrtKernelInfo* info,
                         void** kernel) {
  const OrtOperator& self = OrtOperator::from(op);
  return status_from(self.api, [&] {
    const ForeignCallScope scope;
    size_t num_inputs = 0;
    size_t num_outputs = 0;
    self.api.require(entry::kGetInputCount, info, &num_inputs);
    self.api.require(entry::kGetOutputCount, info, &num_outputs);
    *kernel = std::make_unique<NodeKernel>(self, KernelAttributes(self.api, info), num_inputs,
                                           num_outputs)
                  .release();
  });
}

OrtStatus* compute(void* kernel, OrtKernelContext* context) {
  const auto& self = *static_cast<const NodeKernel*>(kernel);
  return status_from(self.op().api, [&] {
    const ForeignCallScope scope;
    self.run(context);
  });
}

void destroy_kernel(void* kernel) { delete static_cast<NodeKernel*>(kernel); }

}  // namespace opwright::ort_bridge
