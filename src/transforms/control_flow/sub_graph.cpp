#include "opwright/transforms/control_flow/sub_graph.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "opwright/error.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/trace/fake.h"
#include "opwright/transforms/trace/make_fx.h"

namespace opwright {
namespace {

// Also tensors made from data.
std::vector<GraphValue*> captured_inputs(const Graph& graph) {
  std::vector<GraphValue*> inputs = graph.inputs();
  std::erase_if(inputs, [](const GraphValue* input) {
    const InputRole role = input->node().role();
    return role != InputRole::Captured && role != InputRole::Constant;
  });
  return inputs;
}

void check_alike(const std::string& what, const Tensor& first, const Tensor& second) {
  const bool is_alike = first.dtype() == second.dtype() && first.device() == second.device() &&
                        has_sizes(first, sym_geometry_of(second).sizes);
  OPWRIGHT_CHECK_VALUE(is_alike, what, " must match, got ", first, " and ", second);
}

std::vector<Tensor> results_of(const Graph& graph) {
  std::vector<Tensor> results;
  for (const NodeArgument& output : graph.outputs()) {
    results.push_back(output.kind() == NodeArgument::Kind::Value ? output.value().tensor()
                                                                 : Tensor());
  }
  return results;
}

}  // namespace

SubGraphs::SubGraphs(std::string who, std::span<const Tensor> operands, Operands kind)
    : who_(std::move(who)),
      kind_(kind),
      operands_(operands.begin(), operands.end()),
      num_given_(operands.size()),
      shape_env_(find_shape_env()) {}

void SubGraphs::trace(const char* what, const Branch& part) {
  TraceSession session(
      {.mode = TracingMode::Fake, .shape_env = shape_env_, .functional = true, .is_part = true});
  std::vector<Tensor> own;
  for (size_t i = 0; i < num_given_; ++i) {
    const Tensor& given = operands_[i];
    own.push_back(
        session.add_tensor(kind_ == Operands::Passed ? given : fake_of(given), "operand"));
  }
  own = session.enter(own);
  std::vector<Tensor> results;
  {
    const InterpreterScope scope(session.level());
    results = part(own);
  }
  std::vector<OpwValue> outputs;
  for (const Tensor& result : results) {
    OPWRIGHT_CHECK_TYPE(result.is_defined(), who_, ": ", what, " must return tensors");
    outputs.push_back(ValueOf<Tensor>::lend(result));
  }
  parts_.push_back({what, session.finish(outputs)});
  refuse_writes(parts_.back());
}

void SubGraphs::refuse_writes(const Part& part) const {
  for (const Node* node = part.graph->first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call) continue;
    for (uint64_t left = node->op().written_args(); left != 0; left &= left - 1) {
      node->args()[static_cast<size_t>(std::countr_zero(left))].visit_values(
          [&](const GraphValue& written) {
            OPWRIGHT_CHECK(written.node().kind() != NodeKind::Input, who_, ": ", part.name,
                           " writes to ", written.name(), " (", written.tensor(),
                           "), which was made outside of it\n  Return the new value instead.");
          });
    }
  }
}

void SubGraphs::close() {
  collect_captured();
  for (const Part& part : parts_) take_captured(*part.graph);
  add_sizes();
  for (const Part& part : parts_) verify(*part.graph);
}

void SubGraphs::collect_captured() {
  for (const Part& part : parts_) {
    for (const GraphValue* input : captured_inputs(*part.graph)) {
      const Tensor& bound = input->node().bound();
      const auto is_it = [&](const Tensor& each) { return each.get() == bound.get(); };
      const auto first = operands_.begin() + static_cast<int64_t>(num_given_);
      if (std::none_of(first, operands_.end(), is_it)) operands_.push_back(bound);
    }
  }
}

// Turns the captured inputs of a part into arguments, in the order that all parts share.
void SubGraphs::take_captured(Graph& graph) {
  std::vector<GraphValue*> order = graph.inputs();
  const std::vector<GraphValue*> captured = captured_inputs(graph);
  const auto is_captured = [&](GraphValue* input) {
    return std::ranges::find(captured, input) != captured.end();
  };
  std::erase_if(order, is_captured);
  for (size_t i = num_given_; i < operands_.size(); ++i) {
    const auto found = std::ranges::find_if(captured, [&](const GraphValue* input) {
      return input->node().bound().get() == operands_[i].get();
    });
    if (found != captured.end()) {
      graph.make_argument(**found);
      order.push_back(*found);
    } else {
      order.push_back(&graph.add_input("operand", Value(fake_of(operands_[i]))));
    }
  }
  graph.order_inputs(order);
}

void SubGraphs::add_sizes() {
  std::vector<std::string> names;
  for (const Part& part : parts_) {
    for (std::string& name : unbound_symbols(*part.graph)) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  for (const std::string& name : names) {
    sizes_.push_back(shape_env_->symbol(name));
    for (const Part& part : parts_) part.graph->add_input(name + "_size", Value(sizes_.back()));
  }
}

void SubGraphs::check_same_results() const {
  const std::vector<Tensor> first = results_of(*parts_[0].graph);
  const std::vector<Tensor> second = results_of(*parts_[1].graph);
  OPWRIGHT_CHECK_VALUE(first.size() == second.size(), who_, ": ", parts_[0].name, " returns ",
                       first.size(), " tensors and ", parts_[1].name, " ", second.size(),
                       "; both must return the same number");
  for (size_t i = 0; i < first.size(); ++i) {
    check_alike(concatenate(who_, ": result ", i, " of ", parts_[0].name, " and ", parts_[1].name),
                first[i], second[i]);
  }
}

void SubGraphs::check_loop() const {
  const std::vector<Tensor> condition = results_of(*parts_[0].graph);
  OPWRIGHT_CHECK_VALUE(condition.size() == 1 && guard_or_false(condition.front().sym_numel() == 1),
                       who_, ": ", parts_[0].name, " must return one tensor of one element, got ",
                       condition.size(),
                       condition.empty() ? "" : concatenate(": ", condition.front()));
  check_carried(std::span(operands_).first(num_given_), results_of(*parts_[1].graph));
}

void check_carried(std::span<const Tensor> carried, std::span<const Tensor> next) {
  OPWRIGHT_CHECK_VALUE(carried.size() == next.size(), "while_loop: body_fn must return ",
                       carried.size(), " tensors, one for each carried one, got ", next.size());
  for (size_t i = 0; i < carried.size(); ++i) {
    check_alike(concatenate("while_loop: carried tensor ", i, " before and after body_fn"),
                carried[i], next[i]);
  }
}

}  // namespace opwright
