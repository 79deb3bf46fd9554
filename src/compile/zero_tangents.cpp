#include "opwright/compile/zero_tangents.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "opwright/autograd/value_meta.h"
#include "opwright/compile/node_copier.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ir/infer.h"
#include "opwright/ir/passes/dead_code.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Operators that may turn zeros into nonzero values; formulas use all others linearly.
constexpr std::array<std::string_view, 20> kNotLinear{
    "add", "sub",       "rsub",    "where", "exp",           "cos",           "cosh",
    "pow", "sigmoid",   "scatter", "copy",  "masked_fill",   "fill",          "full_like",
    "log", "index_put", "softmax", "acos",  "slice_scatter", "select_scatter"};

bool keeps_zeros(const Operator& op) {
  const std::string_view space = op.schema().name.name_space;
  const std::string_view base = op.schema().name.base;
  return space == "aten" && std::ranges::find(kNotLinear, base) == kNotLinear.end();
}

bool is_floating_result(const GraphValue& value) {
  const Tensor meta = value.tensor();
  return meta.is_defined() && has_gradients(meta.dtype());
}

bool is_alike(const GraphValue& a, const GraphValue& b) {
  const Tensor meta = a.tensor();
  const Tensor other = b.tensor();
  return meta.dtype() == other.dtype() && has_sizes(meta, sym_geometry_of(other).sizes);
}

class ZeroTangents {
 public:
  ZeroTangents(const Graph& backward, size_t first_tangent, const std::vector<bool>& is_there)
      : from_(backward),
        to_(make_intrusive<Graph>(backward.shape_env())),
        copier_(backward, *to_),
        depends_(backward.num_value_numbers(), false),
        is_zero_(backward.num_value_numbers(), false) {
    size_t index = 0;
    for (const GraphValue* input : from_.inputs()) {
      const size_t tangent = index++ - first_tangent;
      const bool is_tangent = tangent < is_there.size();
      depends_[input->number()] = is_tangent;
      is_zero_[input->number()] = is_tangent && !is_there[tangent];
      if (!is_zero_[input->number()]) copier_.copy_input(*input);
    }
  }

  GraphPtr run() {
    for (const Node* node = from_.first(); node; node = node->next()) {
      if (node->kind() == NodeKind::Call) take(*node);
    }
    std::vector<NodeArgument> outputs;
    for (const NodeArgument& output : from_.outputs()) {
      const bool is_none =
          output.kind() == NodeArgument::Kind::Value && is_zero_[output.value().number()];
      outputs.push_back(is_none ? NodeArgument() : copier_.copy(output));
    }
    to_->set_outputs(std::move(outputs));
    remove_dead_code(*to_);
    return to_;
  }

 private:
  void take(const Node& node) {
    bool depends = false;
    bool has_zero = false;
    bool is_all_zero = true;
    for (const NodeArgument& argument : node.args()) {
      argument.visit_values([&](const GraphValue& value) {
        depends |= depends_[value.number()];
        has_zero |= is_zero_[value.number()];
        is_all_zero &= is_zero_[value.number()] || !depends_[value.number()];
      });
    }
    for (const GraphValue& value : node.values()) depends_[value.number()] = depends;
    if (has_zero && is_all_zero && keeps_zeros(node.op()) &&
        std::ranges::all_of(node.values(), is_floating_result)) {
      for (const GraphValue& value : node.values()) is_zero_[value.number()] = true;
      return;
    }
    if (has_zero && (is_sum_of_zeros(node) || is_left_alone(node))) return;
    if (has_zero) fill(node);
    copier_.copy_call(node);
  }

  // zero + zero.
  bool is_sum_of_zeros(const Node& node) {
    if (!is_add(node)) return false;
    for (const NodeArgument* argument : {node.args().data(), node.args().data() + 1}) {
      if (!is_zero_[argument->value().number()]) return false;
    }
    is_zero_[node.values()[0].number()] = true;
    return true;
  }

  // x + zero, which is x.
  bool is_left_alone(const Node& node) {
    if (!is_add(node)) return false;
    const GraphValue& a = node.args()[0].value();
    const GraphValue& b = node.args()[1].value();
    const bool a_is_zero = is_zero_[a.number()];
    const GraphValue& left = a_is_zero ? b : a;
    if (!is_alike(left, node.values()[0]) || (a_is_zero && !is_scaled_by_one(node))) return false;
    copier_.set(node.values()[0], *copier_.find(left));
    return true;
  }

  static bool is_add(const Node& node) {
    return node.op().name() == "aten::add.Tensor" &&
           node.args()[0].kind() == NodeArgument::Kind::Value &&
           node.args()[1].kind() == NodeArgument::Kind::Value;
  }
  static bool is_scaled_by_one(const Node& node) {
    const OpwValue& alpha = node.args()[2].constant().get();
    return (alpha.tag == kOpwInt && alpha.as_int == 1) ||
           (alpha.tag == kOpwFloat && alpha.as_double == 1);
  }

  // Creates zeros for zero arguments that are used together with others.
  void fill(const Node& node) {
    static const Operator& zeros = Registry::get().require("aten::zeros");
    for (const NodeArgument& argument : node.args()) {
      argument.visit_values([&](const GraphValue& value) {
        if (!is_zero_[value.number()] || copier_.find(value)) return;
        const Tensor meta = value.tensor();
        const SymGeometry geometry = sym_geometry_of(meta);
        std::vector<NodeArgument> args(zeros.num_arguments());
        args[0] = NodeArgument::constant(
            Value::take(ValueOf<std::span<const SymInt>>::give(geometry.sizes)));
        args[1] = NodeArgument::constant(Value(meta.dtype()));
        args[3] = NodeArgument::constant(Value(meta.device()));
        std::vector<Value> results = infer_results(*to_, zeros, args);
        Node& made = to_->insert_call({.op = &zeros,
                                       .args = std::move(args),
                                       .results = std::move(results),
                                       .site = node.site(),
                                       .module_path = node.module_path()});
        copier_.set(value, made.values()[0]);
      });
    }
  }

  const Graph& from_;
  GraphPtr to_;
  NodeCopier copier_;
  std::vector<bool> depends_;  // on a tangent; by value number
  std::vector<bool> is_zero_;
};

}  // namespace

GraphPtr without_tangents(const Graph& backward, size_t first_tangent,
                          const std::vector<bool>& is_there) {
  return ZeroTangents(backward, first_tangent, is_there).run();
}

}  // namespace opwright
