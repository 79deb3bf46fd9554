// An operator in one of its node forms, as ONNX Runtime takes it.
//
// Tensors are inputs, any dtype; all else are attributes. Outputs are the results that are no
// written argument, then the new value of each written argument, in schema order.
#pragma once

#include <cstddef>
#include <vector>

#include "bridges/onnxruntime/ort_api.h"
#include "opwright/bridge.h"
#include "opwright/c_api.h"
#include "opwright/onnx.h"

namespace opwright::ort_bridge {

// Never freed: sessions may call it for ever.
struct OrtOperator : OrtCustomOp {
  OperatorDescription description;
  onnx::NodeForm form;
  OrtApi api;
  const OpwRecord* kernel;  // of its binary, over this bridge's host; null: the core runs
  mutable NamedOperator in_core;
  std::vector<OrtPresence> inputs;   // as they are declared
  std::vector<OrtPresence> outputs;  // as they are declared
  std::vector<size_t> results;       // those that are no written argument
  std::vector<size_t> written;       // the arguments that are written
  bool has_list_result = false;

  // TypeError for an operator or a form that ONNX Runtime cannot call; names what it takes or
  // gives.
  OrtOperator(OperatorDescription of, onnx::NodeForm node, const OrtApi& ort,
              const OpwRecord* function);
  OrtOperator(const OrtOperator&) = delete;
  OrtOperator& operator=(const OrtOperator&) = delete;

  [[nodiscard]] static const OrtOperator& from(const OrtCustomOp* op) {
    return *static_cast<const OrtOperator*>(op);
  }
  // How many outputs hold results; a node with `num_outputs` whose written arguments hold
  // `num_written` tensors.
  [[nodiscard]] size_t num_result_outputs(size_t num_outputs, size_t num_written) const;

 private:
  void require_callable() const;
  void declare_inputs();
  void declare_outputs();
};

}  // namespace opwright::ort_bridge
