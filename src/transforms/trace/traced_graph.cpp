// make_fx for C++ programs.
#include <span>
#include <string>
#include <vector>

#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/text/python_code.h"
#include "opwright/runtime/make_fx.h"
#include "opwright/transforms/trace/make_fx.h"

namespace opwright {
namespace {

std::vector<OpwValue> lend(std::span<const Tensor> tensors) {
  std::vector<OpwValue> values;
  for (const Tensor& tensor : tensors) values.push_back(ValueOf<Tensor>::lend(tensor));
  return values;
}

}  // namespace

TracedGraph trace_function(std::span<const Tensor> inputs, TracingMode mode, TracedBody body,
                           void* context) {
  TraceSession session({.mode = mode});
  std::vector<Tensor> own;
  for (const Tensor& input : inputs) own.push_back(session.add_tensor(input, "x"));
  own = session.enter(own);
  std::vector<Tensor> results;
  {
    const InterpreterScope scope(session.level());
    results = body(context, own);
  }
  return TracedGraph(graph_value(session.finish(lend(results))));
}

std::vector<Tensor> TracedGraph::operator()(std::span<const Tensor> inputs) const {
  std::vector<Tensor> results;
  for (Value& result : evaluate(*graph_of(graph_.get()), lend(inputs))) {
    results.push_back(ValueOf<Tensor>::take(result.give()));
  }
  return results;
}

TracedGraph TracedGraph::functionalize() const {
  return TracedGraph(graph_value(opwright::functionalize(*graph_of(graph_.get()))));
}

std::string TracedGraph::code() const { return python_code(*graph_of(graph_.get())); }

std::string TracedGraph::text() const { return to_text(*graph_of(graph_.get())); }

}  // namespace opwright
