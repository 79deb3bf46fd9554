// Captures functions with their gradients, as compile() does, and runs them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/compile/backend/planned_graph.h"
#include "opwright/compile/training/joint_graph.h"
#include "opwright/compile/training/training.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/transforms/trace/make_fx.h"

namespace opwright::testing {

using Function = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

inline std::vector<OpwValue> lend_all(std::span<const Tensor> tensors) {
  std::vector<OpwValue> values;
  for (const Tensor& tensor : tensors) values.push_back(ValueOf<Tensor>::lend(tensor));
  return values;
}

inline JointGraph capture_joint(const Function& function, std::span<const Tensor> inputs,
                                TracingMode mode = TracingMode::Fake) {
  TraceSession session({.mode = mode});
  std::vector<Tensor> own;
  for (const Tensor& input : inputs) own.push_back(session.add_tensor(input, "x"));
  own = session.enter(own);
  const InterpreterScope scope(session.level());
  const std::vector<Tensor> outputs = function(own);
  return finish_joint(session, own, lend_all(outputs));
}

class Trained {
 public:
  Trained(const Function& function, std::span<const Tensor> inputs,
          TracingMode mode = TracingMode::Fake)
      : joint_(capture_joint(function, inputs, mode)),
        executable_(compile_training(joint_, &plan_graph)) {}

  std::vector<Tensor> operator()(std::span<const Tensor> inputs) const {
    std::vector<OpwValue> raw(joint_.num_outputs);
    executable_->run(lend_all(inputs), raw);
    std::vector<Tensor> results;
    for (const OpwValue& value : raw) results.push_back(ValueOf<Tensor>::take(value));
    return results;
  }
  [[nodiscard]] const JointGraph& joint() const { return joint_; }
  [[nodiscard]] const Executable& executable() const { return *executable_; }

 private:
  JointGraph joint_;
  ExecutablePtr executable_;
};

}  // namespace opwright::testing
