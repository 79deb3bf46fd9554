#include "opwright/compile/training/backward_copy.h"

#include <utility>

#include "opwright/autograd/gradient_flow.h"
#include "opwright/compile/lower/node_copier.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/ir/passes/common_subexpressions.h"
#include "opwright/ir/passes/dead_code.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

class BackwardCopy {
 public:
  BackwardCopy(const Graph& backward, size_t first_tangent, const std::vector<bool>& is_there)
      : from_(backward),
        to_(make_intrusive<Graph>(backward.shape_env())),
        copier_(backward, *to_),
        is_absent_(backward.num_value_numbers(), false) {
    size_t index = 0;
    for (const GraphValue* input : from_.inputs()) {
      const size_t tangent = index++ - first_tangent;
      const bool is_absent = tangent < is_there.size() && !is_there[tangent];
      is_absent_[input->number()] = is_absent;
      if (!is_absent) copier_.copy_input(*input);
    }
  }

  GraphPtr run() {
    for (const Node* node = from_.first(); node; node = node->next()) {
      if (node->kind() == NodeKind::Call) copy(*node);
    }
    std::vector<NodeArgument> outputs;
    for (const NodeArgument& output : from_.outputs()) {
      const bool is_none = output.kind() == NodeArgument::Kind::Value && is_absent(output.value());
      outputs.push_back(is_none ? NodeArgument() : copier_.copy(output));
    }
    to_->set_outputs(std::move(outputs));
    // Formulas that compute the same for several gradients, and those of absent ones.
    share_common_subexpressions(*to_);
    remove_dead_code(*to_);
    return to_;
  }

 private:
  [[nodiscard]] bool is_absent(const GraphValue& value) const { return is_absent_[value.number()]; }
  [[nodiscard]] bool is_absent(const NodeArgument& argument) const {
    bool are_all = true;
    argument.visit_values([&](const GraphValue& value) { are_all &= is_absent(value); });
    return are_all;
  }

  void copy(const Node& node) {
    if (&node.op() == &computed_for_operator()) {
      copy_marked(node);
    } else if (&node.op() == &sum_gradients_operator()) {
      copy_sum(node);
    } else {
      fill(node);
      copier_.copy_call(node);
    }
  }

  void copy_marked(const Node& node) {
    const GraphValue& result = node.values()[0];
    if (is_absent(node.args()[1])) {
      is_absent_[result.number()] = true;
      return;
    }
    fill(node);
    copier_.set(result, *copier_.find(node.args()[0].value()));
  }

  void copy_sum(const Node& node) {
    static const Operator& add = Registry::get().require("aten::add.Tensor");
    const GraphValue& result = node.values()[0];
    const GraphValue& a = node.args()[0].value();
    const GraphValue& b = node.args()[1].value();
    if (is_absent(a) && is_absent(b)) {
      is_absent_[result.number()] = true;
    } else if (is_absent(a) || is_absent(b)) {
      copier_.set(result, *copier_.find(is_absent(a) ? b : a));
    } else {
      std::vector<NodeArgument> args = copier_.copy(node.args());
      args.push_back(NodeArgument::constant(Value(int64_t{1})));
      Node& made = insert(add, std::move(args), node);
      copier_.set(result, made.values()[0]);
    }
  }

  // Makes zeros for the arguments that are absent.
  void fill(const Node& node) {
    static const Operator& zeros = Registry::get().require("aten::zeros");
    for (const NodeArgument& argument : node.args()) {
      argument.visit_values([&](const GraphValue& value) {
        if (!is_absent(value) || copier_.find(value)) return;
        const Tensor meta = value.tensor();
        const SymGeometry geometry = sym_geometry_of(meta);
        std::vector<NodeArgument> args(zeros.num_arguments());
        args[0] = NodeArgument::constant(
            Value::take(ValueOf<std::span<const SymInt>>::give(geometry.sizes)));
        args[1] = NodeArgument::constant(Value(meta.dtype()));
        args[3] = NodeArgument::constant(Value(meta.device()));
        copier_.set(value, insert(zeros, std::move(args), node).values()[0]);
      });
    }
  }

  Node& insert(const Operator& op, std::vector<NodeArgument> args, const Node& instead_of) {
    std::vector<Value> results = infer_results(*to_, op, args);
    return to_->insert_call({.op = &op,
                             .args = std::move(args),
                             .results = std::move(results),
                             .site = instead_of.site(),
                             .module_path = instead_of.module_path()});
  }

  const Graph& from_;
  GraphPtr to_;
  NodeCopier copier_;
  std::vector<bool> is_absent_;  // by the number of a value
};

}  // namespace

GraphPtr make_backward_for(const Graph& backward, size_t first_tangent,
                           const std::vector<bool>& is_there) {
  return BackwardCopy(backward, first_tangent, is_there).run();
}

}  // namespace opwright
