// Losses and their gradients. Where the operator returns a tensor without dimensions, the engine
// has one element.
#include <array>
#include <cstddef>
#include <span>

#include "opwright/convert/ge/rules.h"
#include "opwright/dtype.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright::graph_engine {
namespace {

constexpr std::array<const char*, 3> kReductions{"none", "mean", "sum"};

const char* reduction_at(const Call& call, size_t index) {
  return kReductions.at(static_cast<size_t>(call.integer(index)));
}

OutputPlace reshaped(GraphBuilder& g, OutputPlace value, const ValueType& type) {
  return g.op("Reshape", {value, g.sizes(type.sizes)}, {}, type);
}
// The argument, with a dimension added if it has none.
OutputPlace as_element(GraphBuilder& g, const Call& call, size_t index) {
  const Tensor given = call.tensor(index);
  if (given.dim() != 0) return call.input(index);
  return reshaped(g, call.input(index), {given.dtype(), {SymInt(1)}});
}

void check_batch(const Call& call, size_t self) {
  if (call.tensor(self).dim() < 2) call.refuse("GE has this loss for batches alone");
}

// (self, target, weight, reduction, ignore_index)
GeValues convert_nll(GraphBuilder& g, const Call& call, const char* op) {
  check_batch(call, 0);
  GeValues made =
      g.op_of_many(op, {call.input(0), call.input(1), call.input(2)},
                   {{"reduction", reduction_at(call, 3)}, {"ignore_index", call.integer(4)}});
  for (size_t i = 0; i < made.size(); ++i) {
    const Tensor result = call.result(i);
    if (result.dim() != 0) continue;
    g.set_type(made[i], {result.dtype(), {SymInt(1)}});
    made[i] = reshaped(g, made[i], {result.dtype(), {}});
  }
  return made;
}

// (grad_output, self, target, weight, reduction, ignore_index, total_weight)
GeValues convert_nll_gradient(GraphBuilder& g, const Call& call, const char* op) {
  check_batch(call, 1);
  const Tensor self = call.tensor(1);
  const ValueType classes{self.dtype(), {self.sym_size(1)}};
  const OutputPlace weight =
      call.has(3) ? call.input(3)
                  : g.op("Fill", {g.sizes(classes.sizes), g.scalar(1, classes.dtype)}, {}, classes);
  return {g.op(
      op, {call.input(1), as_element(g, call, 0), call.input(2), weight, as_element(g, call, 6)},
      {{"reduction", reduction_at(call, 4)}, {"ignore_index", call.integer(5)}})};
}

// (grad_output, self, target, reduction)
GeValues convert_mse_gradient(GraphBuilder& g, const Call& call, const char* op) {
  const DType dtype = call.result().dtype();
  return {g.op(op, {call.input(1, dtype), call.input(2, dtype), call.input(0, dtype)},
               {{"reduction", reduction_at(call, 3)}})};
}

constexpr auto kLossRules = std::to_array<BuiltinRule>({
    {"aten::nll_loss_forward", convert_nll, "NLLLoss"},
    {"aten::nll_loss_backward", convert_nll_gradient, "NLLLossGrad"},
    {"aten::nll_loss2d_forward", convert_nll, "NLLLoss"},
    {"aten::nll_loss2d_backward", convert_nll_gradient, "NLLLossGrad"},
    {"aten::mse_loss_backward", convert_mse_gradient, "MseLossGrad"},
});

}  // namespace

std::span<const BuiltinRule> loss_rules() { return kLossRules; }

}  // namespace opwright::graph_engine
