#include "opwright/transforms/make_fx.h"

#include <utility>

#include "opwright/error.h"
#include "opwright/ir/evaluate.h"

namespace opwright {
namespace {

IntrusivePtr<Trace> begin(TraceSessionOptions options) {
  Interpreter* outside = current_interpreter();
  if (options.mode == TracingMode::Real) {
    if (!options.shape_env) options.shape_env = find_shape_env();
    return make_intrusive<Trace>(outside, make_intrusive<Graph>(std::move(options.shape_env)),
                                 std::move(options.trace));
  }
  if (!options.shape_env) options.shape_env = make_intrusive<ShapeEnv>();
  GraphPtr graph = make_intrusive<Graph>(options.shape_env);
  return make_intrusive<Trace>(make_intrusive<FakeMode>(std::move(options.shape_env)), outside,
                               std::move(graph), std::move(options.trace));
}

}  // namespace

ShapeEnvPtr find_shape_env() {
  for (Interpreter* level = current_interpreter(); level; level = level->parent()) {
    if (const auto* trace = dynamic_cast<Trace*>(level)) return trace->graph().shape_env();
    if (const auto* fake = dynamic_cast<FakeMode*>(level)) {
      return ShapeEnvPtr::share(&fake->shape_env());
    }
  }
  return make_intrusive<ShapeEnv>();
}

TraceSession::TraceSession(TraceSessionOptions options)
    : mode_(options.mode), is_part_(options.is_part), trace_(begin(std::move(options))) {}

TraceSession::~TraceSession() { trace_->finish(); }

Tensor TraceSession::add_tensor(const Tensor& given, const std::string& name) {
  return trace_->add_argument(given, name, mode_ == TracingMode::Symbolic);
}

SymInt TraceSession::add_int(int64_t given, const std::string& name) {
  return mode_ == TracingMode::Symbolic ? trace_->add_int_argument(given, name) : SymInt(given);
}

GraphPtr TraceSession::finish(std::span<const OpwValue> outputs) {
  std::vector<NodeArgument> returned;
  for (const OpwValue& output : outputs) {
    if (output.tag == kOpwTensor) {
      const Tensor own = trace_->own(Tensor::borrow(output.as_tensor));
      OPWRIGHT_CHECK(trace_->owns(own.get()), "make_fx: the function returned a tensor (", own,
                     ") that was made inside another transform, which has ended");
      returned.push_back(NodeArgument::of(trace_->value_of(own.get())));
    } else {
      returned.push_back(NodeArgument::constant(Value::copy_of(output)));
    }
  }
  Graph& graph = trace_->graph();
  graph.set_outputs(std::move(returned));
  if (!is_part_) verify(graph);
  trace_->finish();
  return GraphPtr::share(&graph);
}

namespace {

// The inputs of a graph as values of a trace that begins.
std::vector<Value> add_inputs(Trace& trace, const Graph& graph) {
  std::vector<Value> own;
  for (const GraphValue* input : graph.inputs()) {
    const Node& node = input->node();
    const Tensor meta = input->tensor();
    if (meta.is_defined()) {
      own.emplace_back(trace.add_input(input->name(), meta, node.role(), node.bound()));
    } else {
      trace.graph().add_input(input->name(), input->meta(), node.role(), {}, node.site());
      own.push_back(input->meta());
    }
  }
  return own;
}

}  // namespace

GraphPtr retrace(const Graph& graph, TraceSessionOptions options) {
  options.mode = TracingMode::Fake;
  options.shape_env = graph.shape_env();
  TraceSession session(std::move(options));
  std::vector<Value> inputs = add_inputs(session.trace(), graph);
  std::vector<Value> outputs;
  {
    const InterpreterScope scope(session.level());
    outputs = evaluate_all(graph, std::move(inputs));
  }
  std::vector<OpwValue> returned;
  for (const Value& output : outputs) returned.push_back(output.get());
  return session.finish(returned);
}

GraphPtr decompose(const Graph& graph, std::span<const Operator* const> operators) {
  TraceSessionOptions options;
  options.trace.decompose.insert(operators.begin(), operators.end());
  options.trace.keeps_composites = true;
  return retrace(graph, std::move(options));
}

}  // namespace opwright
