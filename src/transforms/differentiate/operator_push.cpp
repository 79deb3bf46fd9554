#include "opwright/transforms/differentiate/operator_push.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/autograd/engine.h"
#include "opwright/autograd/gradient_fit.h"
#include "opwright/autograd/history.h"
#include "opwright/autograd/tape.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dtype.h"
#include "opwright/functions.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/differentiate/grad.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// Receives the gradients of the arguments: a history, so that the operator may write to them.
class ArgumentsNode final : public TapeNode {
 public:
  [[nodiscard]] std::string name() const override { return "arguments"; }
  void apply(std::span<Tensor> /*gradients*/, std::span<Tensor> /*given*/) override {}
};

// Whether each output element depends only on the argument elements at the same index.
bool is_elementwise(const Operator& op, Arguments args) {
  if (!op.tags().has(Tag::Pointwise) || op.num_results() != 1) return false;
  OpwTensor* first = nullptr;
  bool is_alike = true;
  op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* tensor) {
    if (!first) first = tensor;
    const BorrowedTensor lent(tensor);
    const BorrowedTensor other(first);
    const Tensor& one = lent;
    is_alike &= is_floating(one.dtype()) && ValueMeta(other).fits(one);
  });
  return is_alike;
}

class OperatorPush {
 public:
  OperatorPush(Interpreter* level, const Operator& op)
      : op_(op), outer_(GradPtr::take(new Grad(level))) {
    const RecordingScope recording;
    inner_ = GradPtr::take(new Grad(outer_.get()));
  }

  std::vector<Tensor> run(Arguments args, std::span<const Tensor> tangents, Results results) {
    call_recorded(args, tangents, results);
    const bool is_direct = is_elementwise(op_, args) && outputs_.size() == 1 &&
                           is_floating(outputs_[0].primal.dtype()) &&
                           ValueMeta(outputs_[0].primal).fits(tangents_[0].tangent);
    return is_direct ? push_elementwise() : push_transposed();
  }

 private:
  struct ArgumentTangent {
    uint32_t place;  // index in the node
    Tensor tangent;
  };
  struct Output {
    Edge edge;  // at the inner level; none: it has no tangent
    Tensor primal;
  };

  // Calls the operator at the inner level.
  void call_recorded(Arguments args, std::span<const Tensor> tangents, Results results) {
    std::vector<Tensor> own;  // replacements for the arguments
    size_t next = 0;
    op_.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
      const Tensor& tangent = tangents[next++];
      const bool is_written = op_.writes_argument(index);
      Tensor each = Tensor::borrow(tensor);
      if (tangent.is_defined() || is_written) each = inner_->wrap(std::move(each));
      if (tangent.is_defined()) {
        const uint32_t place = arguments_->add_place(ValueMeta(each));
        set_history(each, arguments_, place);
        tangents_.push_back({place, fit_dtype(tangent, each.dtype())});
      }
      own.push_back(std::move(each));
    });
    next = 0;
    const ReplacedArguments replaced(args, [&](OpwTensor*) { return own[next++].get(); });
    {
      const InterpreterScope scope(inner_.get());
      const RecordingScope recording;
      call(op_, replaced.get(), results);
      for (const OpwValue& result : results) {
        visit_tensors(result, [&](OpwTensor* tensor) { add_output(Tensor::borrow(tensor)); });
      }
      for (uint64_t left = op_.unreturned_args(); left != 0; left &= left - 1) {
        visit_tensors(replaced.get()[static_cast<size_t>(std::countr_zero(left))],
                      [&](OpwTensor* tensor) { add_output(Tensor::borrow(tensor)); });
      }
    }
    for (OpwValue& result : results) {
      Value below =
          map_tensors(result, [&](OpwTensor* tensor) { return below_of(Tensor::borrow(tensor)); });
      release_value(result);
      result = below.give();
    }
  }

  void add_output(const Tensor& output) {
    const bool is_own = is_wrapper_of(*inner_, output.get());
    outputs_.push_back({is_own ? edge_of(output) : Edge{}, below_of(output)});
  }
  [[nodiscard]] Tensor below_of(const Tensor& tensor) const {
    return outer_->unwrap(inner_->unwrap(tensor));
  }

  // The gradients of the arguments in `places`, at the outer level.
  std::vector<Tensor> pull(std::span<const RootGradient> roots, std::span<const Edge> targets) {
    const InterpreterScope scope(inner_.get());
    const RecordingScope recording;
    const UnrecordedLevelScope unrecorded(*inner_);
    std::vector<Tensor> found = run_backward_to(roots, targets, {.keeps_graph = true});
    for (Tensor& each : found) {
      if (each.is_defined()) each = inner_->unwrap(each);
    }
    return found;
  }

  std::vector<Tensor> push_elementwise() {
    Tensor sum;
    for (const ArgumentTangent& argument : tangents_) {
      if (!outputs_[0].edge) break;
      const RootGradient root[] = {{outputs_[0].edge, argument.tangent}};
      const Edge target[] = {{arguments_, argument.place}};
      Tensor part = pull(root, target)[0];
      if (!part.is_defined()) continue;
      part = outer_->unwrap(part);
      sum = sum.is_defined() ? sum + part : part;
    }
    return {sum};
  }

  std::vector<Tensor> push_transposed() {
    std::vector<RootGradient> roots;
    std::vector<Edge> cotangents(outputs_.size());
    std::vector<Tensor> leaves;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!outputs_[i].edge) continue;
      // Any values work; not zero, where the derivative of a formula with logarithms does not
      // exist.
      Tensor leaf = outer_->wrap(ones_like(outputs_[i].primal));
      set_requires_grad(leaf, true);
      cotangents[i] = edge_of(leaf);
      roots.push_back({outputs_[i].edge, leaf});
      leaves.push_back(std::move(leaf));
    }
    std::vector<Edge> targets;
    for (const ArgumentTangent& argument : tangents_)
      targets.push_back({arguments_, argument.place});
    const std::vector<Tensor> gradients = pull(roots, targets);
    const InterpreterScope scope(outer_.get());
    const RecordingScope recording;
    const UnrecordedLevelScope unrecorded(*outer_);
    std::vector<RootGradient> forward;
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].is_defined() || !is_wrapper_of(*outer_, gradients[i].get())) continue;
      if (Edge edge = edge_of(gradients[i]))
        forward.push_back({std::move(edge), tangents_[i].tangent});
    }
    std::vector<Tensor> found = run_backward_to(forward, cotangents);
    for (Tensor& each : found) {
      if (each.is_defined()) each = outer_->unwrap(each);
    }
    return found;
  }

  const Operator& op_;
  GradPtr outer_;  // records the formula
  GradPtr inner_;  // records the operator
  TapeNodePtr arguments_ = TapeNodePtr::take(new ArgumentsNode);
  std::vector<ArgumentTangent> tangents_;
  std::vector<Output> outputs_;
};

}  // namespace

std::vector<Tensor> push_by_formula(Interpreter* level, const Operator& op, Arguments args,
                                    std::span<const Tensor> tangents, Results results) {
  return OperatorPush(level, op).run(args, tangents, results);
}

}  // namespace opwright
