#include "opwright/ir/graph/print.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

constexpr size_t kStep = 2;

const char* role_text(InputRole role) {
  switch (role) {
    case InputRole::Argument:
      return "";
    case InputRole::Captured:
      return "captured ";
    case InputRole::Constant:
      return "constant ";
    case InputRole::RandomState:
      return "random_state ";
  }
  return "";
}

class Printer {
 public:
  Printer(std::string& out, size_t indent) : out_(out), indent_(indent) {}

  void print(const Graph& graph, bool with_symbols);

 private:
  void print_head(const Graph& graph);
  void print_symbols(const ShapeEnv& env);
  void print_symbol(const Symbol& symbol);
  void print_bound(int64_t bound, int64_t without, std::string_view text);
  void print_call(const Node& node);
  void print_results(const Node& node);
  void print_value(const GraphValue& value);
  void print_asked(SourceSite user, SourceSite asked);
  void start_line() { out_.append("\n").append(indent_ + kStep, ' '); }

  std::string& out_;
  size_t indent_;
};

void Printer::print_value(const GraphValue& value) {
  out_.append("%").append(value.name()).append(": ");
  append_meta_text(out_, value.meta());
}

void Printer::print_head(const Graph& graph) {
  out_.append("graph(");
  bool is_first = true;
  for (const GraphValue* input : graph.inputs()) {
    if (!is_first) out_.append(", ");
    is_first = false;
    out_.append(role_text(input->node().role()));
    print_value(*input);
    if (!input->node().site().is_known()) continue;
    out_.append(" at ");
    append_site_text(out_, input->node().site());
  }
  out_.append(")");
  if (!graph.output()) return;
  out_.append(" -> (");
  is_first = true;
  for (const NodeArgument& output : graph.outputs()) {
    if (!is_first) out_.append(", ");
    is_first = false;
    append_argument_text(out_, output, indent_);
  }
  out_.append(")");
}

void Printer::print_bound(int64_t bound, int64_t without, std::string_view text) {
  if (bound == without) {
    out_.append(text);
  } else {
    append_text(out_, bound);
  }
}

void Printer::print_symbol(const Symbol& symbol) {
  start_line();
  out_.append("symbol ").append(symbol.name).append(" in [");
  print_bound(symbol.range.least, INT64_MIN, "-inf");
  out_.append(", ");
  print_bound(symbol.range.greatest, INT64_MAX, "inf");
  out_.append("]");
  if (symbol.hint) {
    out_.append(", hint ");
    append_text(out_, *symbol.hint);
  }
  if (symbol.equals) {
    out_.append(", equals ");
    append_text(out_, *symbol.equals);
  }
  if (!symbol.source.empty()) {
    out_.append(", from ");
    append_word_text(out_, symbol.source);
  }
  print_asked(symbol.made_at, {});
}

void Printer::print_asked(SourceSite user, SourceSite asked) {
  if (user.is_known()) {
    out_.append("  # ");
    append_site_text(out_, user);
  }
  if (asked.is_known()) {
    out_.append(user.is_known() ? ", asked at " : "  # asked at ");
    append_site_text(out_, asked);
  }
}

void Printer::print_symbols(const ShapeEnv& env) {
  for (const Symbol& symbol : env.symbols()) print_symbol(symbol);
  for (const Guard& guard : env.guards()) {
    start_line();
    out_.append("guard ");
    append_text(out_, guard.condition);
    print_asked(guard.user, guard.asked);
  }
  for (const RuntimeAssert& assertion : env.runtime_asserts()) {
    start_line();
    out_.append("assert ");
    append_text(out_, assertion.condition);
    out_.append(", ");
    append_quoted(out_, assertion.message);
    print_asked(assertion.user, assertion.asked);
  }
}

void Printer::print_results(const Node& node) {
  bool is_first = true;
  for (const NodeResult& result : node.results()) {
    if (!is_first) out_.append(", ");
    is_first = false;
    if (!result.is_list && result.count == 0) out_.append("_");
    if (result.is_list) out_.append("[");
    for (uint32_t i = 0; i < result.count; ++i) {
      if (i != 0) out_.append(", ");
      print_value(node.values()[result.first + i]);
    }
    if (result.is_list) out_.append("]");
  }
  if (!node.results().empty()) out_.append(" = ");
}

void Printer::print_call(const Node& node) {
  start_line();
  print_results(node);
  append_call_text(out_, node, indent_ + kStep);
  if (!node.grad_mode()) out_.append(", no_grad");
  if (!node.module_path().empty()) {
    out_.append(", in ");
    append_word_text(out_, node.module_path());
  }
  print_asked(node.site(), {});
}

void Printer::print(const Graph& graph, bool with_symbols) {
  print_head(graph);
  out_.append(" {");
  if (with_symbols && graph.shape_env()) print_symbols(*graph.shape_env());
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call) print_call(*node);
  }
  out_.append("\n").append(indent_, ' ').append("}");
}

}  // namespace

void append_graph_text(std::string& out, const Graph& graph, size_t indent) {
  Printer(out, indent).print(graph, false);
}

std::string to_text(const Graph& graph) {
  std::string text;
  Printer(text, 0).print(graph, true);
  text.push_back('\n');
  return text;
}

}  // namespace opwright
