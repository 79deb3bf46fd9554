// The history of a root after a write to one of its views: scatter(old root, new value).
#pragma once

#include <span>
#include <string>

#include "opwright/autograd/history.h"
#include "opwright/autograd/tape.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"

namespace opwright {

class ScatterNode final : public TapeNode {
 public:
  ScatterNode(const Tensor& root, const Tensor& view, ViewSteps steps);

  [[nodiscard]] std::string name() const override { return "scatter"; }
  [[nodiscard]] std::string backward_name() const override { return "CopySlices"; }
  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override;

 private:
  ViewSteps steps_;
  SymGeometry root_;
  ValueMeta view_;
};

}  // namespace opwright
