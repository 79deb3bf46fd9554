// An operator in one of its node forms, in the form that ONNX Runtime calls.
//
// Tensors of any dtype are inputs; everything else is an attribute. Outputs are the results that
// are not written arguments, then the new value of each written argument, in schema order.
#pragma once

#include <cstddef>
#include <vector>

#include "bridges/onnxruntime/ort_api.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"
#include "opwright/runtime/onnx.h"

namespace opwright::ort_bridge {

// Never freed: sessions may call it at any time.
struct OrtOperator : OrtCustomOp {
  OperatorDescription description;
  onnx::NodeForm form;
  OrtApi api;
  const OpwRecord* kernel;  // of its binary, over this bridge's host; null: use the core
  mutable NamedOperator in_core;
  std::vector<OrtPresence> inputs;   // as declared
  std::vector<OrtPresence> outputs;  // as declared
  std::vector<size_t> results;       // those that are not written arguments
  std::vector<size_t> written;       // the arguments that are written
  bool has_list_result = false;

  // TypeError, with the type at fault, for an operator or a form that ONNX Runtime cannot call.
  OrtOperator(OperatorDescription of, onnx::NodeForm node, const OrtApi& ort,
              const OpwRecord* function);
  OrtOperator(const OrtOperator&) = delete;
  OrtOperator& operator=(const OrtOperator&) = delete;

  [[nodiscard]] static const OrtOperator& from(const OrtCustomOp* op) {
    return *static_cast<const OrtOperator*>(op);
  }
  // The number of outputs that are results, for a node with `num_outputs` whose written arguments
  // hold `num_written` tensors.
  [[nodiscard]] size_t num_result_outputs(size_t num_outputs, size_t num_written) const;

 private:
  void require_callable() const;
  void declare_inputs();
  void declare_outputs();
};

}  // namespace opwright::ort_bridge
