#include "bridges/jax/jax_call.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "bridges/jax/jax_operator.h"
#include "bridges/jax/xla_arguments.h"
#include "bridges/jax/xla_ffi.h"
#include "bridges/jax/xla_results.h"
#include "bridges/jax/xla_tensor.h"
#include "opwright/bridge.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/func.h"
#include "opwright/opwright.h"  // IWYU pragma: keep
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::jax_bridge {
namespace {

// For each written argument the buffer that becomes its new value.
std::vector<int64_t> find_written_buffers(const OperatorDescription& op) {
  std::vector<int64_t> buffers(op.arguments.size(), -1);
  auto next = static_cast<int64_t>(op.results.size());
  for (size_t i = 0; i < op.results.size(); ++i) {
    const int32_t written = op.results[i].written_argument;
    if (written >= 0) buffers[static_cast<size_t>(written)] = static_cast<int64_t>(i);
  }
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    if (op.arguments[i].is_written && buffers[i] < 0) buffers[i] = next++;
  }
  return buffers;
}

class Call {
 public:
  Call(JaxOperator& op, const XlaCallFrame& frame)
      : op_(op), frame_(frame), layout_(op, frame.attributes) {}

  void run() {
    require_count("arguments", layout_.size(), frame_.args.size);
    show_buffers();
    {
      const BoundArguments args(op_, layout_, frame_.attributes, pointers_);
      OwnedResults results(op_.description.results.size());
      run_kernel(args.values(), results);
      fill_results(results);
    }
    end_memory();
  }

 private:
  void require_count(const char* what, size_t expected, int64_t got) const {
    OPWRIGHT_CHECK_TYPE(static_cast<int64_t>(expected) == got, op_.description.name, ": it has ",
                        expected, " tensor ", what, ", but the call has ", got);
  }

  void show_buffers() {
    const std::vector<int64_t> written = find_written_buffers(op_.description);
    for (size_t i = 0; i < layout_.size(); ++i) {
      const XlaBuffer& buffer = *frame_.args.buffers[i];
      const int64_t result = written[layout_.argument_of(i)];
      if (result < 0) {
        tensors_.emplace_back(buffer, XlaTensor::Use::Read);
      } else {
        tensors_.emplace_back(take_written(buffer, result), XlaTensor::Use::Written);
      }
      pointers_.push_back(&tensors_.back());
    }
  }

  // The result's buffer with the argument's contents: the same memory where XLA took the hint.
  const XlaBuffer& take_written(const XlaBuffer& argument, int64_t result) const {
    OPWRIGHT_CHECK_TYPE(result < frame_.results.size, op_.description.name,
                        ": the call has no result for an argument that is written");
    const XlaBuffer& buffer = *frame_.results.buffers[result];
    if (buffer.data != argument.data) {
      XlaTensor source(argument, XlaTensor::Use::Read);
      fill_buffer(buffer, source.in_core(), op_.description.name + ": a written argument");
    }
    return buffer;
  }

  void run_kernel(std::span<const OpwValue> args, OwnedResults& results) {
    const auto num_args = static_cast<uint32_t>(args.size());
    const auto num_results = static_cast<uint32_t>(results.size());
    if (op_.kernel) {
      require_ok(
          op_.kernel->function(op_.kernel, args.data(), num_args, results.data(), num_results));
      return;
    }
    // What Python made may keep its arguments: these are copies, but for the written ones.
    OwnedResults copies(args.size());
    for (size_t i = 0; i < args.size(); ++i) copies.data()[i] = copy_value(args[i]);
    op_.in_core.call(copies.data(), num_args, results.data(), num_results);
  }

  void fill_results(const OwnedResults& results) const {
    std::vector<Tensor> tensors;
    size_t written = 0;
    for (size_t i = 0; i < results.size(); ++i) append_tensors(tensors, results[i]);
    for (const int64_t buffer : find_written_buffers(op_.description))
      written += buffer >= static_cast<int64_t>(results.size()) ? 1 : 0;
    require_count("results", tensors.size() + written, frame_.results.size);
    for (size_t i = 0; i < tensors.size(); ++i) {
      OPWRIGHT_CHECK(tensors[i].is_defined(), op_.description.name, ": result ", i,
                     " was left undefined");
      const bool is_in_place = tensors.size() == results.size() &&
                               op_.description.results[i].written_argument >= 0;
      if (is_in_place) continue;
      fill_buffer(*frame_.results.buffers[i], tensors[i],
                  concatenate(op_.description.name, ": result ", i));
    }
  }

  void end_memory() {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      OPWRIGHT_CHECK(tensors_[i].end(), name_argument(op_, layout_.argument_of(i)),
                     " is still shown by a tensor that the kernel kept; XLA's memory ends with the "
                     "call, so keep a clone() instead");
    }
  }

  JaxOperator& op_;
  const XlaCallFrame& frame_;
  TensorLayout layout_;
  std::deque<XlaTensor> tensors_;  // by buffer; they do not move
  std::vector<OpwTensor*> pointers_;
};

Tensor copy_buffer(const XlaBuffer& buffer) {
  XlaTensor view(buffer, XlaTensor::Use::Read);
  return Tensor::borrow(&view);
}

// The operator as a function of the arguments that have gradients.
class Differentiated {
 public:
  Differentiated(JaxOperator& op, const XlaCallFrame& frame)
      : op_(op), attributes_(frame.attributes), layout_(op, frame.attributes) {
    OPWRIGHT_CHECK_TYPE(frame.args.size >= static_cast<int64_t>(layout_.size()),
                        op.description.name, ": it has ", layout_.size(),
                        " tensor arguments, but the call has ", frame.args.size);
    for (size_t i = 0; i < layout_.size(); ++i) {
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
    const BoundArguments args(op_, layout_, attributes_, tensors);
    OwnedResults results(op_.description.results.size());
    op_.in_core.call(args.values().data(), static_cast<uint32_t>(args.values().size()),
                     results.data(), static_cast<uint32_t>(results.size()));
    std::vector<Tensor> all;
    for (size_t i = 0; i < results.size(); ++i) append_tensors(all, results[i]);
    FunctionOutputs given;
    for (Tensor& each : all) {
      if (is_floating(each.dtype())) given.outputs.push_back(std::move(each));
    }
    return given;
  }

 private:
  JaxOperator& op_;
  const XlaAttributes& attributes_;
  TensorLayout layout_;
  std::vector<Tensor> inputs_;
  std::vector<size_t> places_;  // of the inputs that have gradients
};

}  // namespace

void run_call(JaxOperator& op, const XlaCallFrame& frame) { Call(op, frame).run(); }

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
