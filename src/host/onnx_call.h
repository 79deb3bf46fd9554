// A call of an example as an ONNX model, and who can run such models, for the checks of that.
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
#include "opwright/onnx.h"
#include "opwright/program/program/exported_call.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

struct OnnxCall {
  ExportedCall exported;
  onnx::Model model;
};

// Sizes are free as far as the operator leaves them so. Throws what the export throws.
[[nodiscard]] ExportedCall export_for_onnx(const Example& example);
// Throws what the conversion throws.
[[nodiscard]] onnx::Model to_model(const ExportedCall& exported);

// Runs models: ONNX Runtime, which the core does not know.
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
    std::string left_out = {};  // why it cannot be asked: "it has no kernel for int8"
  };
  // All outputs of the model, in order. An Error is the model's: it is refused, or its run is.
  [[nodiscard]] virtual Answer run(const Operator& op, const onnx::Model& model,
                                   std::span<const Tensor> inputs) = 0;
};
// Who is asked from now on; null: nobody. It is the host "onnxruntime", too.
OPWRIGHT_EXPORT void set_onnx_referee(std::shared_ptr<OnnxReferee> referee);
[[nodiscard]] std::shared_ptr<OnnxReferee> onnx_referee();

// What the model gives for the example's tensors, as a call would.
[[nodiscard]] HostAnswer run_model(OnnxReferee& referee, const OnnxCall& call,
                                   const Example& example);

}  // namespace opwright
