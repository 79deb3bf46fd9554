// Converts the call of an example to an ONNX model, and sets what runs such models, for the checks.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/check/checks/foreign_host.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/dispatch/operator.h"
#include "opwright/program/program/exported_call.h"
#include "opwright/runtime/onnx.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

struct OnnxCall {
  ExportedCall exported;
  onnx::Model model;
};

// Sizes are dynamic as far as the operator allows. Errors of the export are passed on.
[[nodiscard]] ExportedCall export_for_onnx(const Example& example);
// Errors of the conversion are passed on.
[[nodiscard]] onnx::Model to_model(const ExportedCall& exported);

// Runs models. In practice ONNX Runtime, which the core does not know.
class OPWRIGHT_EXPORT OnnxReferee {
 public:
  OnnxReferee() = default;
  OnnxReferee(const OnnxReferee&) = delete;
  OnnxReferee& operator=(const OnnxReferee&) = delete;
  virtual ~OnnxReferee() = default;

  // Why it cannot run models with nodes of the operator: "onnxruntime is not installed; ...".
  [[nodiscard]] virtual std::optional<std::string> find_reason_to_skip(const Operator& op) = 0;

  struct Answer {
    std::vector<Tensor> outputs = {};
    std::string left_out = {};  // why it cannot run them: "it has no kernel for int8"
  };
  // All outputs of the model, in order. An Error means that the model or its run was rejected.
  [[nodiscard]] virtual Answer run(const Operator& op, const onnx::Model& model,
                                   std::span<const Tensor> inputs) = 0;
};
// Sets the referee; null: none. It is also the host "onnxruntime".
OPWRIGHT_EXPORT void set_onnx_referee(std::shared_ptr<OnnxReferee> referee);
[[nodiscard]] std::shared_ptr<OnnxReferee> onnx_referee();

// The outcome of running the model on the example's tensors, in the form of a call's.
[[nodiscard]] HostAnswer run_model(OnnxReferee& referee, const OnnxCall& call,
                                   const Example& example);

}  // namespace opwright
