#include "bridges/jax/jax_pullback.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bridges/jax/jax_operator.h"
#include "bridges/jax/xla_arguments.h"
#include "bridges/jax/xla_buffer.h"
#include "bridges/jax/xla_ffi.h"
#include "bridges/jax/xla_results.h"
#include "bridges/operators/results.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/runtime/func.h"
#include "opwright/tensor.h"

namespace opwright::jax_bridge {
namespace {

Tensor copy_buffer(const XlaBuffer& buffer) {
  XlaTensor view(buffer, XlaTensor::Use::Read);
  return Tensor::borrow(&view);
}

// The operator as a function of the arguments that have gradients.
class Differentiated {
 public:
  Differentiated(JaxOperator& op, const XlaCallFrame& frame)
      : op_(op), attributes_(frame.attributes), layout_(op, frame.attributes) {
    OPWRIGHT_CHECK_TYPE(frame.args.size >= static_cast<int64_t>(layout_->size()),
                        op.description.name, ": it has ", layout_->size(),
                        " tensor arguments, but the call has ", frame.args.size);
    for (size_t i = 0; i < layout_->size(); ++i) {
      inputs_.push_back(copy_buffer(*frame.args.buffers[i]));
      if (is_floating(inputs_[i].dtype())) places_.push_back(i);
    }
  }

  [[nodiscard]] size_t input_count() const { return inputs_.size(); }
  [[nodiscard]] std::vector<Tensor> chosen() const {
    std::vector<Tensor> chosen;
    for (const size_t place : places_) chosen.push_back(inputs_[place]);
    return chosen;
  }

  FunctionOutputs operator()(std::span<const Tensor> chosen) {
    std::vector<OpwTensor*> tensors;
    for (const Tensor& each : inputs_) tensors.push_back(each.get());
    for (size_t i = 0; i < places_.size(); ++i) tensors[places_[i]] = chosen[i].get();
    const BoundArguments args(op_, *layout_, attributes_, tensors);
    bridges::OwnedResults results(op_.description.results.size());
    op_.in_core.call(args.values().data(), static_cast<uint32_t>(args.values().size()),
                     results.data(), static_cast<uint32_t>(results.size()));
    std::vector<Tensor> all;
    for (size_t i = 0; i < results.size(); ++i) bridges::append_tensors(all, results[i]);
    FunctionOutputs given;
    for (Tensor& each : all) {
      if (is_floating(each.dtype())) given.outputs.push_back(std::move(each));
    }
    return given;
  }

 private:
  JaxOperator& op_;
  const XlaAttributes& attributes_;
  CallLayout layout_;
  std::vector<Tensor> inputs_;
  std::vector<size_t> places_;  // of the inputs that have gradients
};

}  // namespace

void run_pullback(JaxOperator& op, const XlaCallFrame& frame) {
  Differentiated function(op, frame);
  const VjpResult run = vjp_function(function.chosen(), FunctionBody(function));
  std::vector<Tensor> cotangents;
  for (auto i = static_cast<int64_t>(function.input_count()); i < frame.args.size; ++i)
    cotangents.push_back(copy_buffer(*frame.args.buffers[i]));
  OPWRIGHT_CHECK_TYPE(cotangents.size() == run.outputs.size(), op.description.name, ": it has ",
                      run.outputs.size(), " results with a gradient, but the call gives ",
                      cotangents.size());
  const std::vector<Tensor> gradients = run.pull(cotangents);
  OPWRIGHT_CHECK_TYPE(static_cast<int64_t>(gradients.size()) == frame.results.size,
                      op.description.name, ": it has ", gradients.size(),
                      " arguments with a gradient, but the call takes ", frame.results.size);
  for (size_t i = 0; i < gradients.size(); ++i) {
    const XlaBuffer& buffer = *frame.results.buffers[i];
    if (!gradients[i].is_defined()) {
      fill_with_zeros(buffer);
    } else {
      fill_buffer(buffer, gradients[i], concatenate(op.description.name, ": gradient ", i));
    }
  }
}

}  // namespace opwright::jax_bridge
