#include "opwright/pt2/replay/higher_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/replay/functional_write.h"
#include "opwright/pt2/replay/replay.h"
#include "opwright/runtime/autocast.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/transforms/control_flow/control_flow.h"
#include "opwright/value.h"

namespace opwright::pt2 {
namespace {

// The arguments of a node by position.
class CallArguments {
 public:
  CallArguments(const ArchiveNode& node, const GraphValues& values)
      : node_(node), values_(values) {}

  [[nodiscard]] size_t size() const noexcept { return node_.inputs.size(); }
  [[nodiscard]] Value value(size_t index) const { return value_of(element(index), values_); }
  [[nodiscard]] const ArchiveGraph& graph(size_t index) const {
    const auto* graph = std::get_if<std::shared_ptr<const ArchiveGraph>>(&element(index));
    OPWRIGHT_CHECK_VALUE(graph, "a graph is expected as argument ", index);
    return **graph;
  }
  [[nodiscard]] bool is_true(size_t index) const {
    const bool* flag = std::get_if<bool>(&element(index));
    OPWRIGHT_CHECK_VALUE(flag, "a bool is expected as argument ", index);
    return *flag;
  }
  // The elements of a list.
  [[nodiscard]] std::vector<Value> list(size_t index) const {
    std::vector<Value> values;
    for (const Element& element : argument(index).elements)
      values.push_back(value_of(element, values_));
    return values;
  }
  [[nodiscard]] std::vector<Tensor> tensors(size_t index) const;
  // The elements of all arguments from that one on.
  [[nodiscard]] std::vector<Value> rest(size_t index) const {
    std::vector<Value> values;
    for (; index < size(); ++index) std::ranges::move(list(index), std::back_inserter(values));
    return values;
  }

 private:
  [[nodiscard]] const WrittenArgument& argument(size_t index) const {
    OPWRIGHT_CHECK_VALUE(index < size(), "argument ", index, " is missing");
    return node_.inputs[index];
  }
  [[nodiscard]] const Element& element(size_t index) const {
    const WrittenArgument& one = argument(index);
    OPWRIGHT_CHECK_VALUE(!one.is_list && !one.elements.empty(), "argument ", index,
                         " must not be a list");
    return one.elements.front();
  }

  const ArchiveNode& node_;
  const GraphValues& values_;
};

Tensor tensor_of(const Value& value, std::string_view what) {
  OPWRIGHT_CHECK_TYPE(value.tag() == kOpwTensor, what, " must be tensors, got ",
                      tag_name(value.tag()));
  return Tensor::borrow(value.get().as_tensor);
}

std::vector<Tensor> tensors_of(std::span<const Value> values, std::string_view what) {
  std::vector<Tensor> tensors;
  for (const Value& value : values) tensors.push_back(tensor_of(value, what));
  return tensors;
}

std::vector<Value> values_of(std::span<const Tensor> tensors) {
  return {tensors.begin(), tensors.end()};
}

std::vector<Tensor> CallArguments::tensors(size_t index) const {
  return tensors_of(list(index), concatenate("the elements of argument ", index));
}

// The results of a graph for the values of its inputs.
std::vector<Value> call_graph(const ArchiveGraph& graph, std::span<const Value> given) {
  OPWRIGHT_CHECK_VALUE(given.size() == graph.inputs.size(), "the graph has ", graph.inputs.size(),
                       " inputs, got ", given.size());
  GraphValues inner;
  for (size_t i = 0; i < given.size(); ++i) {
    OPWRIGHT_CHECK_VALUE(graph.inputs[i].elements.size() == 1, "input ", i,
                         " of a graph must not be a list");
    if (const auto* name = std::get_if<ValueName>(&graph.inputs[i].elements.front()))
      inner.emplace(name->name, given[i]);
  }
  replay(graph, inner);
  std::vector<Value> results;
  for (const WrittenArgument& output : graph.outputs) {
    for (const Element& element : output.elements) results.push_back(value_of(element, inner));
  }
  return results;
}

// A graph as a function of the tensors among the values; the others stay as they are.
Branch branch_of(const ArchiveGraph& graph, std::vector<Value> values) {
  return [&graph, values = std::move(values)](std::span<const Tensor> tensors) {
    std::vector<Value> given = values;
    size_t next = 0;
    for (Value& value : given) {
      if (value.tag() == kOpwTensor && next < tensors.size()) value = Value(tensors[next++]);
    }
    return tensors_of(call_graph(graph, given), "the results of a branch");
  };
}

// ---- Regions ----

std::vector<Value> call_with_grad_mode(const CallArguments& arguments) {
  const GradModeScope scope(arguments.is_true(0));
  return call_graph(arguments.graph(1), arguments.rest(2));
}

std::vector<Value> call_with_autocast(const CallArguments& arguments) {
  const Value device = arguments.value(0);
  const Value dtype = arguments.value(1);
  const AutocastScope scope(
      parse_device(ValueOf<std::string_view>::read(device.get())),
      dtype.is_none() ? std::nullopt : std::optional(ValueOf<DType>::read(dtype.get())),
      arguments.is_true(2), arguments.is_true(3));
  return call_graph(arguments.graph(4), arguments.rest(5));
}

// The argument after the graph names it, so that equal ones are compiled once.
std::vector<Value> call_subgraph(const CallArguments& arguments) {
  return call_graph(arguments.graph(0), arguments.rest(2));
}

// ---- Control flow ----

// A condition on sizes as a tensor that is computed when the program runs.
// NOLINTNEXTLINE(misc-no-recursion): as deep as an expression may be
Tensor condition_tensor(const SymInt& condition) {
  const auto number = [](const SymInt& value) {
    return full(std::span<const SymInt>(), Scalar(value), DType::Int64);
  };
  if (!condition.is_symbolic()) return ne(number(condition), 0);
  const Expression& expression = expression_of(condition.word());
  const auto operand = [&](size_t index) { return SymInt::borrow(expression.operands[index]); };
  switch (expression.kind) {
    case ExpressionKind::Equal:
      return eq(number(operand(0)), 0);
    case ExpressionKind::AtMost:
      return le(number(operand(0)), 0);
    case ExpressionKind::And:
    case ExpressionKind::Or: {
      Tensor joined = condition_tensor(operand(0));
      for (size_t i = 1; i < expression.operands.size(); ++i) {
        const Tensor next = condition_tensor(operand(i));
        joined = expression.kind == ExpressionKind::And ? logical_and(joined, next)
                                                        : logical_or(joined, next);
      }
      return joined;
    }
    case ExpressionKind::NotEqual:
      return ne(number(operand(0)), 0);
    default:
      return ne(number(condition), 0);
  }
}

// What is known of a condition for all sizes of the program.
std::optional<bool> known_condition(const Value& condition) {
  if (condition.tag() == kOpwBool) return condition.get().as_int != 0;
  if (condition.tag() == kOpwTensor) return std::nullopt;
  const SymInt number = ValueOf<SymInt>::read(condition.get());
  if (!number.is_symbolic()) return number.word() != 0;
  const ShapeEnv* env = shape_env_of(number);
  return env ? env->decide(number) : std::nullopt;
}

std::vector<Value> call_cond(const CallArguments& arguments) {
  const Value condition = arguments.value(0);
  const std::vector<Value> operands = arguments.list(3);
  if (const std::optional<bool> known = known_condition(condition))
    return call_graph(arguments.graph(*known ? 1 : 2), operands);
  std::vector<Tensor> tensors;
  for (const Value& operand : operands) {
    if (operand.tag() == kOpwTensor) tensors.push_back(Tensor::borrow(operand.get().as_tensor));
  }
  const Tensor pred = condition.tag() == kOpwTensor
                          ? Tensor::borrow(condition.get().as_tensor)
                          : condition_tensor(ValueOf<SymInt>::read(condition.get()));
  return values_of(cond(pred, branch_of(arguments.graph(1), operands),
                        branch_of(arguments.graph(2), operands), tensors));
}

std::vector<Value> call_while_loop(const CallArguments& arguments) {
  const std::vector<Tensor> carried = arguments.tensors(2);
  std::vector<Value> inputs = values_of(carried);
  std::ranges::move(arguments.list(3), std::back_inserter(inputs));
  return values_of(while_loop(branch_of(arguments.graph(0), inputs),
                              branch_of(arguments.graph(1), inputs), carried));
}

// Each of them replays its step twice, so that n loops in each other take 2^n times as long.
constexpr size_t kMostNestedScans = 4;

bool is_scan(const ArchiveNode& node) {
  if (!node.target.starts_with(kHigherOrder)) return false;
  const std::string_view name = std::string_view(node.target).substr(kHigherOrder.size());
  return name == "scan" || name == "map_impl";
}

// How many loops over tensors are in each other at most.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the JSON text may be nested
size_t count_nested_scans(const ArchiveGraph& graph) {
  size_t most = 0;
  for (const ArchiveNode& node : graph.nodes) {
    size_t inner = 0;
    for (const WrittenArgument& input : node.inputs) {
      for (const Element& element : input.elements) {
        if (const auto* part = std::get_if<std::shared_ptr<const ArchiveGraph>>(&element))
          inner = std::max(inner, count_nested_scans(**part));
      }
    }
    most = std::max(most, inner + (is_scan(node) ? 1 : 0));
  }
  return most;
}

// A loop over the first dimension of tensors. Each step gets the carried tensors, its slices and
// the rest; it returns new carried tensors and what is stacked.
class Scan {
 public:
  Scan(const ArchiveGraph& step, std::vector<Tensor> slices, std::vector<Value> rest)
      : step_(step), slices_(std::move(slices)), rest_(std::move(rest)) {
    OPWRIGHT_CHECK_VALUE(!slices_.empty() && slices_.front().dim() > 0,
                         "a tensor to loop over is missing");
    const size_t depth = 1 + count_nested_scans(step_);
    OPWRIGHT_CHECK_KIND("NotImplementedError", depth <= kMostNestedScans, depth,
                        " loops over tensors (scan, map) in each other are not supported, at most ",
                        kMostNestedScans, " are; export the model with fewer");
    length_ = slices_.front().sym_size(0);
  }

  // The first step gives the sizes of what is stacked.
  std::vector<Value> run(const std::vector<Tensor>& carried) const {
    check(SymInt(1) <= length_, "a loop over a tensor needs at least one element");
    std::vector<Tensor> first;
    for (const Tensor& tensor : slices_) first.push_back(tensor.select(0, 0));
    std::vector<Tensor> state = take_step(carried, first);
    OPWRIGHT_CHECK_VALUE(state.size() >= carried.size(), "a step of the loop returns ",
                         state.size(), " tensors, but carries ", carried.size());
    if (!length_.is_symbolic() && length_.word() == 1) {
      for (size_t i = carried.size(); i < state.size(); ++i) state[i] = state[i].unsqueeze(0);
      return values_of(state);
    }
    for (size_t i = carried.size(); i < state.size(); ++i) state[i] = repeated(state[i]);
    state.insert(state.begin(), full(std::span<const SymInt>(), 1, DType::Int64));
    const SymInt length = length_;
    std::vector<Tensor> last = while_loop(
        [length](std::span<const Tensor> now) {
          return std::vector<Tensor>{lt(now[0], Scalar(length))};
        },
        [&](std::span<const Tensor> now) { return advance(now, carried.size()); }, state);
    last.erase(last.begin());
    return values_of(last);
  }

 private:
  [[nodiscard]] std::vector<Tensor> take_step(std::span<const Tensor> carried,
                                              std::span<const Tensor> slices) const {
    std::vector<Value> given = values_of(carried);
    std::ranges::move(values_of(slices), std::back_inserter(given));
    given.insert(given.end(), rest_.begin(), rest_.end());
    return tensors_of(call_graph(step_, given), "the results of a step");
  }
  // One memory for what all steps give, beginning with the first.
  [[nodiscard]] Tensor repeated(const Tensor& first) const {
    std::vector<SymInt> sizes = {length_};
    for (int64_t i = 0; i < first.dim(); ++i) sizes.push_back(first.sym_size(i));
    return first.unsqueeze(0).expand(sizes).clone(MemoryFormat::Contiguous);
  }
  // `now` is the number of the step, the carried tensors, and the stacks.
  [[nodiscard]] std::vector<Tensor> advance(std::span<const Tensor> now, size_t num_carried) const {
    const Tensor place = now[0].unsqueeze(0);
    std::vector<Tensor> slices;
    for (const Tensor& tensor : slices_)
      slices.push_back(index_select(tensor, 0, place).squeeze(0));
    std::vector<Tensor> next = take_step(now.subspan(1, num_carried), slices);
    for (size_t i = num_carried; i < next.size(); ++i)
      next[i] = index_copy(now[i + 1], 0, place, next[i].unsqueeze(0));
    next.insert(next.begin(), add(now[0], 1));
    return next;
  }

  const ArchiveGraph& step_;
  std::vector<Tensor> slices_;
  std::vector<Value> rest_;
  SymInt length_;
};

std::vector<Value> call_scan(const CallArguments& arguments) {
  return Scan(arguments.graph(0), arguments.tensors(2), arguments.list(3))
      .run(arguments.tensors(1));
}

std::vector<Value> call_map(const CallArguments& arguments) {
  return Scan(arguments.graph(0), arguments.tensors(1), arguments.list(2)).run({});
}

struct HigherOrderCall {
  std::string_view name;
  std::vector<Value> (*run)(const CallArguments&);
};
constexpr auto kCalls = std::to_array<HigherOrderCall>({
    {"wrap_with_set_grad_enabled", &call_with_grad_mode},
    {"wrap_with_autocast", &call_with_autocast},
    {"invoke_subgraph", &call_subgraph},
    {"cond", &call_cond},
    {"while_loop", &call_while_loop},
    {"scan", &call_scan},
    {"map_impl", &call_map},
});

}  // namespace

std::vector<Value> call_higher_order(const ArchiveNode& node, const GraphValues& values) {
  const std::string_view name = std::string_view(node.target).substr(kHigherOrder.size());
  if (name == "auto_functionalized") return call_with_cloned_arguments(node, values);
  if (name == "auto_functionalized_v2") return call_with_cloned_bases(node, values);
  const auto found = std::ranges::find(kCalls, name, &HigherOrderCall::name);
  OPWRIGHT_CHECK_KIND("NotImplementedError", found != kCalls.end(), "the higher-order operator '",
                      name, "' is not supported; export the model without it");
  return found->run(CallArguments(node, values));
}

}  // namespace opwright::pt2
