#include "opwright/pt2/replay/replay.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/base/intern.h"
#include "opwright/base/source_site.h"
#include "opwright/base/text_scanner.h"
#include "opwright/base/user_line.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/number_call.h"
#include "opwright/pt2/archive/operator_target.h"
#include "opwright/pt2/replay/higher_order.h"
#include "opwright/pt2/replay/recorded_result.h"
#include "opwright/schema/bind.h"
#include "opwright/schema/schema.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::pt2 {
namespace {

SourceSite line_of(const std::string& stack_trace);

// The arguments of a node as values of the calling convention.
class NodeArguments {
 public:
  NodeArguments(const ArchiveNode& node, const GraphValues& values) : node_(node) {
    lists_.reserve(node.inputs.size());
    for (const WrittenArgument& argument : node.inputs) add(argument, values);
  }

  [[nodiscard]] std::span<const OpwValue> values() const noexcept { return values_; }
  // The line that required an assertion, if the archive states it.
  [[nodiscard]] SourceSite asked() const { return line_of(node_.asked); }
  [[nodiscard]] std::vector<KeywordValue> keywords() const {
    std::vector<KeywordValue> keywords;
    for (size_t i = 0; i < values_.size(); ++i) {
      keywords.push_back({.name = node_.inputs[i].name, .value = values_[i]});
    }
    return keywords;
  }
  // The argument of that name; null if the node does not have it.
  [[nodiscard]] const OpwValue* find(std::string_view name) const {
    const auto found = std::ranges::find(node_.inputs, name, &WrittenArgument::name);
    return found == node_.inputs.end()
               ? nullptr
               : &values_[static_cast<size_t>(found - node_.inputs.begin())];
  }

 private:
  void add(const WrittenArgument& argument, const GraphValues& values) {
    for (const Element& element : argument.elements) owned_.push_back(value_of(element, values));
    if (!argument.is_list) {
      values_.push_back(owned_.back().get());
      return;
    }
    std::vector<OpwValue>& list = lists_.emplace_back();
    for (size_t i = owned_.size() - argument.elements.size(); i < owned_.size(); ++i)
      list.push_back(owned_[i].get());
    OpwValue value{};
    value.tag = kOpwList;
    value.length = static_cast<uint32_t>(list.size());
    value.as_values = list.data();
    values_.push_back(value);
  }

  const ArchiveNode& node_;
  std::vector<Value> owned_;
  std::vector<std::vector<OpwValue>> lists_;
  std::vector<OpwValue> values_;
};

// An archive has numbers where the schema says Tensor (`add.Tensor(x, 1)`): another overload of
// the operator accepts them with the same meaning.
const Operator& find_overload(const Operator& op, std::span<const KeywordValue> keywords) {
  BoundArguments attempt;
  if (attempt.try_bind(op.schema(), {}, keywords)) return op;
  const std::string packet = op.name().substr(0, op.name().find('.'));
  for (const Operator* other : Registry::get().overloads(packet)) {
    if (other->schema().returns.size() != op.schema().returns.size()) continue;
    BoundArguments bound;
    if (bound.try_bind(other->schema(), {}, keywords)) return *other;
  }
  return op;
}

void append_flat(const OpwValue& result, std::vector<Value>& flat) {
  if (result.tag == kOpwTensorList) {
    for (uint32_t i = 0; i < result.length; ++i)
      flat.emplace_back(Tensor::borrow(result.as_tensors[i]));
  } else if (result.tag == kOpwList) {
    for (uint32_t i = 0; i < result.length; ++i)
      append_flat(static_cast<const OpwValue*>(result.as_values)[i], flat);
  } else {
    flat.push_back(Value::copy_of(result));
  }
}

// The innermost line of a stack trace as Python prints it: `File "model.py", line 7, in forward`.
SourceSite line_of(const std::string& stack_trace) {
  constexpr std::string_view kFile = "File \"";
  const size_t at = stack_trace.rfind(kFile);
  if (at == std::string::npos) return {};
  TextScanner scanner(std::string_view(stack_trace).substr(at + kFile.size()));
  const std::string_view file = scanner.take_while([](char c) { return c != '"' && c != '\n'; });
  uint32_t line = 0;
  if (!scanner.skip("\", line ")) return {};
  const std::string_view digits = scanner.take_while([](char c) { return c >= '0' && c <= '9'; });
  if (std::from_chars(digits.begin(), digits.end(), line).ec != std::errc()) return {};
  return {.file = intern(file), .line = line};
}

class Replay {
 public:
  explicit Replay(GraphValues& values) : values_(values) {}

  void run(const ArchiveGraph& graph);

 private:
  void run_node(const ArchiveNode& node);
  void call_operator(const ArchiveNode& node, const NodeArguments& arguments);
  bool call_special(const ArchiveNode& node, const NodeArguments& arguments);
  void set_outputs(const ArchiveNode& node, std::vector<Value> results);

  GraphValues& values_;
};

void Replay::run(const ArchiveGraph& graph) {
  for (const ArchiveNode& node : graph.nodes) {
    const SourceSite site = line_of(node.stack_trace);
    const UserLineScope line(site);
    try {
      check_recorded_layout(graph, node, values_);
      run_node(node);
      check_recorded(graph, node, values_);
    } catch (Error& error) {
      const std::string& name = node.name.empty() ? node.target : node.name;
      error.add_note("node",
                     concatenate("in ", name, " = ", node.target, site.is_known() ? " at " : "",
                                 site.is_known() ? site.text() : ""));
      throw;
    }
  }
}

void Replay::run_node(const ArchiveNode& node) {
  if (node.target.starts_with(kHigherOrder))
    return set_outputs(node, call_higher_order(node, values_));
  const NodeArguments arguments(node, values_);
  if (auto result = call_on_numbers(node.target, arguments.values())) {
    std::vector<Value> results;
    results.push_back(std::move(*result));
    return set_outputs(node, std::move(results));
  }
  if (call_special(node, arguments)) return;
  OPWRIGHT_CHECK_KIND("NotImplementedError", is_operator_target(node.target), "the function '",
                      node.target, "' is not supported");
  call_operator(node, arguments);
}

void Replay::call_operator(const ArchiveNode& node, const NodeArguments& arguments) {
  const std::vector<KeywordValue> keywords = arguments.keywords();
  const Operator& named = find_operator(node.target);
  const Operator& op = find_overload(named, keywords);
  const BoundArguments bound = bind_arguments(op.schema(), {}, keywords);
  OwnedResults results(op.schema().returns.size());
  call(op, bound.values(), results.get());
  std::vector<Value> flat;
  for (const OpwValue& result : results.get()) append_flat(result, flat);
  set_outputs(node, std::move(flat));
}

// ---- Checks and sizes ----

Tensor tensor_argument(const NodeArguments& arguments, std::string_view name) {
  const OpwValue* value = arguments.find(name);
  OPWRIGHT_CHECK_TYPE(value && value->tag == kOpwTensor, "a tensor is expected for '", name, "'");
  return Tensor::borrow(value->as_tensor);
}

SymInt int_argument(const NodeArguments& arguments, std::string_view name) {
  const OpwValue* value = arguments.find(name);
  OPWRIGHT_CHECK_TYPE(value, "an int is expected for '", name, "'");
  if (value->tag == kOpwBool) return SymInt(value->as_int);
  return ValueOf<SymInt>::read(*value);
}

void check_scalar(const NodeArguments& arguments) {
  const OpwValue* message = arguments.find("assert_msg");
  const SymBool condition(int_argument(arguments, "self"), std::source_location::current());
  const std::string text = message && message->tag == kOpwString
                               ? std::string(ValueOf<std::string_view>::read(*message))
                               : "an assertion of the program failed";
  const SourceSite asked = arguments.asked();
  if (!asked.is_known() || !condition.is_symbolic()) return check(condition, text);
  const OpwSymWord word = condition.value().word();
  require_ok(sym_node(word)->table->check(word, text.c_str(), asked.file, asked.line));
}

void check_range(const NodeArguments& arguments) {
  const SymInt size = int_argument(arguments, "size");
  for (const bool is_least : {true, false}) {
    const OpwValue* bound = arguments.find(is_least ? "min" : "max");
    if (!bound || bound->tag == kOpwNone) continue;
    const SymInt limit = ValueOf<SymInt>::read(*bound);
    check(is_least ? size >= limit : size <= limit,
          concatenate("the size ", size, " must be at ", is_least ? "least " : "most ", limit));
  }
}

void check_metadata(const NodeArguments& arguments) {
  const Tensor tensor = tensor_argument(arguments, "a");
  if (const OpwValue* dtype = arguments.find("dtype"); dtype && dtype->tag == kOpwDtype) {
    const DType wanted = ValueOf<DType>::read(*dtype);
    OPWRIGHT_CHECK(tensor.dtype() == wanted, "the program expects a tensor of ", wanted, ", got ",
                   tensor.dtype());
  }
}

struct SpecialCall {
  std::string_view target;
  std::optional<Value> (*run)(const NodeArguments&);
};

template <void (*kCheck)(const NodeArguments&)>
std::optional<Value> run_check(const NodeArguments& arguments) {
  kCheck(arguments);
  return std::nullopt;
}

// Functions of the export itself that have no operator here.
constexpr auto kSpecialCalls = std::to_array<SpecialCall>({
    {"torch.ops.aten.sym_size.int",
     [](const NodeArguments& arguments) -> std::optional<Value> {
       return Value(tensor_argument(arguments, "self")
                        .sym_size(int_argument(arguments, "dim").specialise()));
     }},
    {"torch.ops.aten.sym_stride.int",
     [](const NodeArguments& arguments) -> std::optional<Value> {
       return Value(tensor_argument(arguments, "self")
                        .sym_stride(int_argument(arguments, "dim").specialise()));
     }},
    {"torch.ops.aten.sym_numel.default",
     [](const NodeArguments& arguments) -> std::optional<Value> {
       return Value(tensor_argument(arguments, "self").sym_numel());
     }},
    // Later nodes use its result: the tensor itself keeps its history, which nothing reads.
    {"torch.ops.aten.detach_.default",
     [](const NodeArguments& arguments) -> std::optional<Value> {
       return Value(tensor_argument(arguments, "self").detach());
     }},
    {"torch.ops.aten._assert_scalar.default", &run_check<&check_scalar>},
    {"torch.ops.aten._assert_tensor_metadata.default", &run_check<&check_metadata>},
    {"torch.ops.aten.sym_constrain_range.default", &run_check<&check_range>},
    {"torch.ops.aten.sym_constrain_range_for_size.default", &run_check<&check_range>},
});

bool Replay::call_special(const ArchiveNode& node, const NodeArguments& arguments) {
  const auto found = std::ranges::find(kSpecialCalls, node.target, &SpecialCall::target);
  if (found == kSpecialCalls.end()) return false;
  std::vector<Value> results;
  if (auto result = found->run(arguments)) results.push_back(std::move(*result));
  set_outputs(node, std::move(results));
  return true;
}

// A name for each result; a result without one is dropped.
void Replay::set_outputs(const ArchiveNode& node, std::vector<Value> results) {
  size_t at = 0;
  for (const WrittenArgument& output : node.outputs) {
    for (const Element& element : output.elements) {
      OPWRIGHT_CHECK_VALUE(at < results.size(), "the archive has more outputs than the ",
                           results.size(), " results of the call");
      if (const auto* name = std::get_if<ValueName>(&element))
        values_.insert_or_assign(name->name, std::move(results[at]));
      ++at;
    }
  }
}

struct ElementValue {
  const GraphValues& values;

  Value operator()(std::monostate) const { return {}; }
  Value operator()(const ValueName& name) const {
    const auto found = values.find(name.name);
    OPWRIGHT_CHECK_VALUE(found != values.end(), "the value '", name.name,
                         "' is used before it is computed");
    return found->second;
  }

  Value operator()(const ComplexNumber& number) const {
    return Value(Complex<double>(number.real, number.imag));
  }
  Value operator()(const OperatorName& name) const {
    throw_error("NotImplementedError", "the operator '", name.name,
                "' as an argument is not supported");
  }
  Value operator()(const std::shared_ptr<const ArchiveGraph>& /*graph*/) const {
    throw_error("NotImplementedError", "a graph as an argument of an operator is not supported");
  }
  Value operator()(const UnknownArgument& argument) const {
    throw_error("NotImplementedError", "an argument of kind '", argument.tag, "' is not supported");
  }
  template <class T>
  Value operator()(const T& constant) const {
    return Value(constant);
  }
};

}  // namespace

const Operator& find_operator(std::string_view target) {
  const std::string name = operator_of_target(target);
  const Operator* found = Registry::get().find(name);
  const std::string_view name_space = std::string_view(name).substr(0, name.find("::"));
  OPWRIGHT_CHECK_KIND("NotImplementedError", found, "there is no operator ", name,
                      name_space == "aten"
                          ? std::string()
                          : concatenate("\n  If it comes from an operator binary, load it first: "
                                        "opwright.load_library(\"lib",
                                        name_space, ".so\")."));
  return *found;
}

Value value_of(const Element& element, const GraphValues& values) {
  return std::visit(ElementValue{values}, element);
}

void replay(const ArchiveGraph& graph, GraphValues& values) { Replay(values).run(graph); }

}  // namespace opwright::pt2
