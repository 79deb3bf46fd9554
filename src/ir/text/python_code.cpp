#include "opwright/ir/text/python_code.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/lexer.h"
#include "opwright/schema/schema.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr size_t kIndent = 4;

using Attributes = std::vector<std::pair<std::string, Value>>;

class CodeWriter {
 public:
  CodeWriter(const Graph& graph, bool is_readable, size_t indent)
      : graph_(graph),
        is_readable_(is_readable),
        indent_(indent),
        scope_(graph.shape_env().get()) {}

  std::string write();
  [[nodiscard]] const Attributes& attributes() const noexcept { return attributes_; }

 private:
  void write_head();
  void write_attribute(const GraphValue& input);
  void write_symbols(const GraphValue& value);
  void write_expression(const SymInt& expression);
  [[nodiscard]] std::string local_of(const std::string& symbol) const;
  void open_no_grad();
  void close_no_grad();
  void write_call(const Node& node);
  void write_results(const Node& node);
  void write_result(const Node& node, const NodeResult& result);
  void write_place(const Node& node);
  void write_return();
  void write_arguments(const Node& node);
  void write_argument(const NodeArgument& argument);
  void write_constant(const OpwValue& value);
  void write_float(double number);
  void write_object(const OpwValue& value);
  void write_type(const GraphValue& value);
  template <class Range, class Write>
  void write_list(const Range& range, const Write& write);
  void start_line() { out_.append("\n").append(indent_, ' '); }

  void collect_used(const NodeArgument& argument);
  void collect_used(const OpwValue& value);
  void collect_used();

  const Graph& graph_;
  bool is_readable_;
  size_t indent_;
  SymbolScope scope_;
  std::unordered_set<std::string> used_symbols_;
  std::string out_;
  std::string last_place_;
  bool is_under_no_grad_ = false;
  Attributes attributes_;
  size_t num_sub_graphs_ = 0;
  size_t num_objects_ = 0;
};

// ---- Symbols used by nodes or outputs ----

void CodeWriter::collect_used(const OpwValue& value) {
  if (value.tag == kOpwSymInt && is_symbolic(value.as_int)) {
    for (std::string& symbol : graph_.shape_env()->free_symbols(SymInt::borrow(value.as_int))) {
      used_symbols_.insert(std::move(symbol));
    }
  }
  if (value.tag != kOpwSymIntList && value.tag != kOpwList) return;
  for (uint32_t i = 0; i < value.length; ++i) collect_used(list_element(value, i));
}

void CodeWriter::collect_used(const NodeArgument& argument) {
  collect_used(argument.constant().get());
  for (const NodeArgument& element : argument.elements()) collect_used(element);
}

void CodeWriter::collect_used() {
  if (!graph_.shape_env()) return;
  for (const Node* node = graph_.first(); node; node = node->next()) {
    for (const NodeArgument& argument : node->args()) collect_used(argument);
  }
}

std::string number_code(const SymbolBinding& binding) {
  const std::string& name = binding.value->name();
  switch (binding.shown.part) {
    case ShownNumber::Part::Size:
      return concatenate(name, ".size(", binding.shown.dim, ")");
    case ShownNumber::Part::Stride:
      return concatenate(name, ".stride(", binding.shown.dim, ")");
    case ShownNumber::Part::Offset:
      return name + ".storage_offset()";
    case ShownNumber::Part::Number:
      break;
  }
  return name;
}

// A symbol may have the same name as a value.
std::string CodeWriter::local_of(const std::string& symbol) const {
  std::string name = symbol;
  while (graph_.find(name)) name.push_back('_');
  return name;
}

void CodeWriter::write_expression(const SymInt& expression) {
  const std::string text = concatenate(expression);
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_identifier(std::string_view(text).substr(at, end - at + 1)))
      ++end;
    if (end == at) {
      out_.push_back(text[at++]);
      continue;
    }
    const std::string word = text.substr(at, end - at);
    out_.append(used_symbols_.contains(word) ? local_of(word) : word);
    at = end;
  }
}

void CodeWriter::write_symbols(const GraphValue& value) {
  for (const SymbolBinding& binding : scope_.bind(value)) {
    if (!used_symbols_.contains(binding.symbol)) continue;
    std::string code = number_code(binding);
    if (binding.constant > 0) code = concatenate("(", code, " - ", binding.constant, ")");
    if (binding.constant < 0) code = concatenate("(", code, " + ", -binding.constant, ")");
    if (binding.factor != 1) code = concatenate(code, " // ", binding.factor);
    start_line();
    out_.append(local_of(binding.symbol)).append(" = ").append(code);
  }
}

// ---- Constants ----

template <class Range, class Write>
void CodeWriter::write_list(const Range& range, const Write& write) {
  bool is_first = true;
  for (const auto& element : range) {
    if (!is_first) out_.append(", ");
    is_first = false;
    write(element);
  }
}

void CodeWriter::write_float(double number) {
  if (std::isfinite(number)) return append_float_text(out_, number);
  out_.append("float(\"");
  append_float_text(out_, number);
  out_.append("\")");
}

void CodeWriter::write_object(const OpwValue& value) {
  std::string name = is_graph(value) ? concatenate("sub_graph_", num_sub_graphs_++)
                                     : concatenate("object_", num_objects_++);
  out_.append("self.").append(name);
  attributes_.emplace_back(std::move(name), Value::copy_of(value));
}

void CodeWriter::write_constant(const OpwValue& value) {
  if (is_list_tag(value.tag)) {
    std::vector<OpwValue> elements;
    for (uint32_t i = 0; i < value.length; ++i) elements.push_back(list_element(value, i));
    out_.push_back('[');
    write_list(elements, [&](const OpwValue& element) { write_constant(element); });
    out_.push_back(']');
    return;
  }
  switch (value.tag) {
    case kOpwSymInt:
      return write_expression(SymInt::borrow(value.as_int));
    case kOpwFloat:
      return write_float(value.as_double);
    case kOpwComplex:
      out_.append("complex(");
      write_float(value.as_doubles[0]);
      out_.append(", ");
      write_float(value.as_doubles[1]);
      return out_.push_back(')');
    case kOpwDtype:
    case kOpwLayout:
    case kOpwMemoryFormat:
    case kOpwDeviceValue:
      out_.append("opwright.");
      return append_constant_text(out_, value);
    case kOpwObject:
      return write_object(value);
    default:
      append_value_text(out_, value);
  }
}

// ---- Nodes ----

void CodeWriter::write_argument(const NodeArgument& argument) {
  switch (argument.kind()) {
    case NodeArgument::Kind::Constant:
      return write_constant(argument.constant().get());
    case NodeArgument::Kind::Value:
      out_.append(argument.value().name());
      return;
    case NodeArgument::Kind::List:
      break;
  }
  out_.push_back('[');
  write_list(argument.elements(), [&](const NodeArgument& each) { write_argument(each); });
  out_.push_back(']');
}

void CodeWriter::write_arguments(const Node& node) {
  bool is_first = true;
  visit_written_arguments(node, [&](std::string_view name, const NodeArgument& argument) {
    if (!is_first) out_.append(", ");
    is_first = false;
    if (!name.empty()) out_.append(name).append("=");
    write_argument(argument);
  });
}

void CodeWriter::write_result(const Node& node, const NodeResult& result) {
  if (result.count == 0 && !result.is_list) out_.push_back('_');
  if (result.is_list) out_.push_back('[');
  write_list(node.values().subspan(result.first, result.count),
             [&](const GraphValue& value) { out_.append(value.name()); });
  if (result.is_list) out_.push_back(']');
}

void CodeWriter::write_type(const GraphValue& value) {
  out_.append(": ");
  append_quoted(out_, meta_text(value.meta()));
}

void CodeWriter::write_results(const Node& node) {
  if (node.results().empty()) return;
  write_list(node.results(), [&](const NodeResult& result) { write_result(node, result); });
  const bool is_one = node.results().size() == 1 && !node.results()[0].is_list;
  if (is_readable_ && is_one && !node.values().empty()) write_type(node.values()[0]);
  out_.append(" = ");
}

// Writes a comment with the line and the module when they change.
void CodeWriter::write_place(const Node& node) {
  std::string place;
  if (node.site().is_known()) place = "File: " + node.site().text();
  if (!node.module_path().empty()) {
    place.append(place.empty() ? "module " : ", module ").append(node.module_path());
  }
  if (place == last_place_) return;
  if (!last_place_.empty() || !place.empty()) {
    std::ranges::replace(place, '\n', ' ');
    out_.push_back('\n');
    start_line();
    out_.append("# ").append(place.empty() ? "no line is known" : place);
  }
  last_place_ = std::move(place);
}

// Adjacent nodes under no_grad share a block.
void CodeWriter::open_no_grad() {
  if (std::exchange(is_under_no_grad_, true)) return;
  start_line();
  out_.append("with opwright.no_grad():");
  indent_ += kIndent;
}

void CodeWriter::close_no_grad() {
  if (std::exchange(is_under_no_grad_, false)) indent_ -= kIndent;
}

void CodeWriter::write_call(const Node& node) {
  if (node.grad_mode()) close_no_grad();
  if (is_readable_) write_place(node);
  if (!node.grad_mode()) open_no_grad();
  start_line();
  write_results(node);
  const OperatorName& name = node.op().schema().name;
  out_.append("opwright.ops.").append(name.name_space).append(".").append(name.base);
  out_.append(".").append(name.overload.empty() ? "default" : name.overload).append("(");
  write_arguments(node);
  out_.append(")");
  const bool has_types = node.results().size() == 1 && !node.results()[0].is_list;
  if (is_readable_ && !has_types && !node.values().empty()) {
    out_.append("  # ");
    write_list(node.values(),
               [&](const GraphValue& value) { append_meta_text(out_, value.meta()); });
  }
  for (const GraphValue& value : node.values()) write_symbols(value);
}

// ---- The program ----

void CodeWriter::write_head() {
  out_.append(indent_ - kIndent, ' ').append("def forward(self");
  for (const GraphValue* input : graph_.inputs()) {
    if (input->node().role() != InputRole::Argument) continue;
    out_.append(", ").append(input->name());
    if (is_readable_) write_type(*input);
  }
  out_.append("):");
}

void CodeWriter::write_attribute(const GraphValue& input) {
  start_line();
  out_.append(input.name());
  if (is_readable_) write_type(input);
  out_.append(" = self.").append(input.name());
  const Tensor& bound = input.node().bound();
  attributes_.emplace_back(input.name(), bound.is_defined() ? Value(bound) : Value());
}

void CodeWriter::write_return() {
  close_no_grad();
  start_line();
  out_.append("return ");
  const auto outputs = graph_.outputs();
  if (outputs.size() != 1) out_.push_back('(');
  write_list(outputs, [&](const NodeArgument& output) { write_argument(output); });
  if (outputs.size() != 1) out_.push_back(')');
  out_.push_back('\n');
}

std::string CodeWriter::write() {
  collect_used();
  write_head();
  for (const GraphValue* input : graph_.inputs()) {
    if (input->node().role() != InputRole::Argument) write_attribute(*input);
  }
  for (const GraphValue* input : graph_.inputs()) write_symbols(*input);
  for (const Node* node = graph_.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call) write_call(*node);
  }
  write_return();
  return std::move(out_);
}

}  // namespace

std::string python_code(const Graph& graph) { return CodeWriter(graph, false, kIndent).write(); }

std::string readable_code(const Graph& graph, const std::string& name) {
  return concatenate("class ", name, ":\n", CodeWriter(graph, true, 2 * kIndent).write());
}

std::vector<std::pair<std::string, Value>> python_attributes(const Graph& graph) {
  CodeWriter writer(graph, false, kIndent);
  (void)writer.write();
  return writer.attributes();
}

}  // namespace opwright
