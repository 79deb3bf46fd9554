// parse_graph: parses the output of to_text.
//
// A graph's head uses symbols that its first lines declare, and values that its nodes compute, so
// inputs are parsed after the symbols and outputs after the nodes.
#include "opwright/ir/text/parse.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/value_name.h"
#include "opwright/ir/text/argument_parser.h"
#include "opwright/ir/text/call_binder.h"
#include "opwright/ir/text/symbol_parser.h"
#include "opwright/ir/text/text_cursor.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/schema.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

// The left side of '='.
struct LeftSide {
  TextSpan span;
  std::vector<Value> results;
  std::vector<std::string> names;
};

class GraphParser final : public ArgumentParser::SubGraphs {
 public:
  GraphParser(std::string_view text, const WrittenSchemas* schemas)
      : cursor_(text), arguments_(cursor_, *this), schemas_(schemas) {}

  GraphPtr parse();
  GraphPtr parse_sub_graph() override;

 private:
  // Where the parts of a head begin.
  struct Head {
    size_t inputs = 0;
    std::optional<size_t> outputs;
  };
  GraphPtr parse_graph_at(const ShapeEnvPtr& around);
  Head skip_head();
  void parse_inputs(Graph& graph);
  void parse_input(Graph& graph);
  void parse_outputs(Graph& graph);
  void parse_node(Graph& graph);
  LeftSide parse_left_side(const Graph& graph);
  Value parse_result(const Graph& graph, LeftSide& left);
  std::string parse_new_name(const Graph& graph, const std::vector<std::string>& taken);
  std::vector<GivenArgument> parse_given();
  GivenArgument parse_one_given();
  const Schema* find_written(TextSpan name) const;

  TextCursor cursor_;
  ArgumentParser arguments_;
  const WrittenSchemas* schemas_;  // null: those of the operators
  ShapeEnvPtr env_;                // of the graph being parsed
};

// ---- Names ----

std::string GraphParser::parse_new_name(const Graph& graph, const std::vector<std::string>& taken) {
  const size_t begin = cursor_.next();
  cursor_.expect("%");
  const TextSpan word = cursor_.take_word();
  std::string name(cursor_.text(word));
  const TextSpan span{begin, word.end};
  if (!is_value_name(name)) {
    cursor_.fail(span, concatenate("'", name, "' cannot name a value"),
                 "a name is a Python identifier that is not a keyword or builtin.");
  }
  if (graph.find(name) || std::ranges::find(taken, name) != taken.end()) {
    cursor_.fail(span, concatenate("the name %", name, " is taken"));
  }
  return name;
}

// ---- The head ----

GraphParser::Head GraphParser::skip_head() {
  Head head;
  cursor_.expect("(");
  head.inputs = cursor_.at();
  cursor_.skip_brackets();
  if (!cursor_.take_if("->")) return head;
  cursor_.expect("(");
  head.outputs = cursor_.at();
  cursor_.skip_brackets();
  return head;
}

void GraphParser::parse_input(Graph& graph) {
  InputRole role = InputRole::Argument;
  if (cursor_.take_word_if("captured")) {
    role = InputRole::Captured;
  } else if (cursor_.take_word_if("constant")) {
    role = InputRole::Constant;
  } else if (cursor_.take_word_if("random_state")) {
    role = InputRole::RandomState;
  }
  const std::string name = parse_new_name(graph, {});
  cursor_.expect(":");
  const size_t begin = cursor_.next();
  Value meta = arguments_.parse_meta();
  if (meta.is_none()) cursor_.fail_since(begin, "an input is a tensor or an int");
  SourceSite site;
  if (cursor_.take_word_if("at")) site = cursor_.take_site();
  graph.add_input(name, std::move(meta), role, {}, site);
}

void GraphParser::parse_inputs(Graph& graph) {
  if (cursor_.peek() != ')') {
    do {
      parse_input(graph);
    } while (cursor_.take_if(","));
  }
  cursor_.expect(")");
}

void GraphParser::parse_outputs(Graph& graph) {
  std::vector<NodeArgument> outputs;
  if (cursor_.peek() != ')') {
    do {
      outputs.push_back(arguments_.parse_argument());
    } while (cursor_.take_if(","));
  }
  cursor_.expect(")");
  graph.set_outputs(std::move(outputs));
}

// ---- Nodes ----

Value GraphParser::parse_result(const Graph& graph, LeftSide& left) {
  left.names.push_back(parse_new_name(graph, left.names));
  cursor_.expect(":");
  return arguments_.parse_meta();
}

LeftSide GraphParser::parse_left_side(const Graph& graph) {
  LeftSide left;
  const char first = cursor_.peek();
  left.span.begin = cursor_.at();
  if (first != '%' && first != '[' && !cursor_.take_word_if("_")) return left;
  cursor_.seek(left.span.begin);
  do {
    if (cursor_.take_word_if("_")) {
      left.results.emplace_back();
    } else if (cursor_.take_if("[")) {
      std::vector<Value> elements;
      bool has_only_tensors = true;
      while (cursor_.peek() != ']') {
        elements.push_back(parse_result(graph, left));
        has_only_tensors &= elements.back().tag() == kOpwTensor;
        if (!cursor_.take_if(",")) break;
      }
      cursor_.expect("]");
      left.results.push_back(pack_list(has_only_tensors ? kOpwTensorList : kOpwList, elements));
    } else {
      const size_t begin = cursor_.next();
      left.results.push_back(parse_result(graph, left));
      if (left.results.back().is_none()) {
        cursor_.fail_since(begin, "a result that is None has no name", "write _ in its place.");
      }
    }
  } while (cursor_.take_if(","));
  left.span.end = cursor_.at();
  cursor_.expect("=");
  return left;
}

GivenArgument GraphParser::parse_one_given() {
  GivenArgument given;
  given.span.begin = cursor_.next();
  const TextSpan word = cursor_.take_word();
  const bool is_named = word.end != word.begin && cursor_.take_if("=") && !cursor_.take_if("=");
  if (is_named) {
    given.name = cursor_.text(word);
    given.name_span = word;
    given.span.begin = cursor_.next();
  } else {
    cursor_.seek(given.span.begin);
  }
  given.argument = arguments_.parse_argument();
  given.span.end = cursor_.at();
  return given;
}

std::vector<GivenArgument> GraphParser::parse_given() {
  std::vector<GivenArgument> given;
  cursor_.expect("(");
  if (cursor_.peek() != ')') {
    do {
      given.push_back(parse_one_given());
    } while (cursor_.take_if(","));
  }
  cursor_.expect(")");
  return given;
}

const Schema* GraphParser::find_written(TextSpan name) const {
  if (!schemas_) return nullptr;
  const auto found = schemas_->find(cursor_.text(name));
  if (found == schemas_->end()) {
    cursor_.fail(name, concatenate("no schema is given for ", cursor_.text(name)));
  }
  return found->second;
}

void GraphParser::parse_node(Graph& graph) {
  LeftSide left = parse_left_side(graph);
  const TextSpan name_span = cursor_.take_run("_:.");
  const std::string_view name = cursor_.text(name_span);
  if (name.find("::") == std::string_view::npos) {
    cursor_.seek(name_span.begin);
    cursor_.fail_expected("an operator such as aten::add.Tensor, or '}'");
  }
  const Operator* op = Registry::get().find(name);
  if (!op) fail_unknown_operator(cursor_, name_span);
  CallDescription call{.op = op, .args = {}, .results = {}, .site = {}, .module_path = {}};
  call.args = bind_given(cursor_, *op, name_span, parse_given(), find_written(name_span));
  if (left.results.size() != op->num_results()) {
    cursor_.fail(left.results.empty() ? name_span : left.span,
                 concatenate(name, " gives ", op->num_results(), " results, the text has ",
                             left.results.size()));
  }
  while (cursor_.take_if(",")) {
    if (cursor_.take_word_if("no_grad")) {
      call.grad_mode = false;
    } else if (cursor_.take_word_if("in")) {
      call.module_path = take_word_or_string(cursor_);
    } else {
      cursor_.fail_expected("'no_grad' or 'in' and the path of a module");
    }
  }
  call.site = cursor_.take_places().user;
  call.results = std::move(left.results);
  call.names = std::move(left.names);
  graph.insert_call(std::move(call));
}

// ---- Graphs ----

GraphPtr GraphParser::parse_graph_at(const ShapeEnvPtr& around) {
  const Head head = skip_head();
  cursor_.expect("{");
  env_ = around;
  if (!around) env_ = parse_symbols(cursor_);
  GraphPtr graph = make_intrusive<Graph>(env_);
  arguments_.set_graph(graph.get());
  const size_t body = cursor_.at();
  cursor_.seek(head.inputs);
  parse_inputs(*graph);
  cursor_.seek(body);
  while (!cursor_.take_if("}")) parse_node(*graph);
  const size_t end = cursor_.at();
  if (head.outputs) {
    cursor_.seek(*head.outputs);
    parse_outputs(*graph);
    cursor_.seek(end);
  }
  return graph;
}

GraphPtr GraphParser::parse_sub_graph() { return parse_graph_at(env_); }

GraphPtr GraphParser::parse() {
  if (!cursor_.take_word_if("graph")) cursor_.fail_expected("'graph'");
  GraphPtr graph = parse_graph_at(nullptr);
  if (cursor_.peek() != '\0') cursor_.fail_expected("the end of the text");
  verify(*graph);
  return graph;
}

}  // namespace

GraphPtr parse_graph(std::string_view text) { return GraphParser(text, nullptr).parse(); }

GraphPtr parse_graph(std::string_view text, const WrittenSchemas& schemas) {
  return GraphParser(text, &schemas).parse();
}

}  // namespace opwright
