// Converts a program's graph to a graph of the engine GE: each call by its operator's rule, in
// order.
//
//   GraphPtr program = ...;   // traced with ge::trace_options(), functional
//   GeGraphPtr graph = convert_graph(program, {.name = "model"});
//   to_bytes(*graph);         // for the engine
#pragma once

#include <cstddef>
#include <string>

#include "opwright/convert/call_arguments.h"
#include "opwright/convert/converter.h"
#include "opwright/convert/ge/graph_builder.h"
#include "opwright/convert/ge/model.h"
#include "opwright/dtype.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/transforms/trace/trace.h"
#include "opwright/visibility.h"

namespace opwright::graph_engine {

inline constexpr const char* kEngine = "ge";

// One call of an operator: its arguments as constants (CallArguments), and as values of the graph.
class OPWRIGHT_EXPORT Call : public CallArguments {
 public:
  Call(GraphBuilder& g, const Node& node, const GeValues& values)
      : CallArguments(node, "GE"), g_(g), values_(values) {}

  // None for None; an int of the program is a scalar.
  [[nodiscard]] OutputPlace input(size_t index) const;
  [[nodiscard]] OutputPlace input(size_t index, DType dtype) const;  // cast; numbers too
  [[nodiscard]] GeValues inputs(size_t index) const;                 // of a list
  // The value of an argument, or of an element of one.
  [[nodiscard]] OutputPlace value_of(const NodeArgument& argument) const;

  // Whether result `index` of the operator is a tensor: a gradient that was not requested is not.
  [[nodiscard]] bool gives(size_t index) const { return node().results()[index].count != 0; }
  // Takes a value per result of the operator, returns those that the call has.
  [[nodiscard]] GeValues given(const GeValues& results) const;

 private:
  GraphBuilder& g_;
  const GeValues& values_;  // by number of the program's value
};

// A rule of the engine "ge". Python's converters are also a subclass:
//   register_converter("npu::npu_add_custom", make_intrusive<PythonConverter>(...)).
class OPWRIGHT_EXPORT GeConverter : public Converter {
 public:
  explicit GeConverter(bool is_builtin = false) : Converter(kEngine, 0, is_builtin) {}

  // Adds the ops of one call; returns a value per value of the call's node (per element of a list).
  // Descriptors of its results are taken from the node (its meta_outputs).
  [[nodiscard]] virtual GeValues convert(GraphBuilder& g, const Call& call) const = 0;
};

// Options to trace a program for the engine: operators that have a rule stay whole, those without
// one that are made of others are decomposed.
[[nodiscard]] TraceOptions trace_options();

struct ConversionOptions {
  std::string name = "opwright";
  // Captured and constant inputs of the program become Const ops; otherwise they are Data ops like
  // the arguments, after them in program order.
  bool holds_constants = false;
};

// Converts a call to the single op named by its operator's text: "AddCustom(x, y, alpha=alpha)". An
// argument alone is an input, one after `name=` is that attribute. For an operator of the namespace
// ge the text is its prototype.
[[nodiscard]] GeValues convert_by_text(GraphBuilder& g, const Call& call, const std::string& text);

// NotImplementedError for an operator without a rule: names it, the user's line, and how to
// register one. Errors of rules name the call.
[[nodiscard]] OPWRIGHT_EXPORT GeGraphPtr convert_graph(const GraphPtr& program,
                                                       const ConversionOptions& options = {});

}  // namespace opwright::graph_engine
