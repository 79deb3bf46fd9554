#include "opwright/transforms/make_fx.h"

#include <utility>

#include "opwright/error.h"
#include "opwright/ir/evaluate.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/wrapper.h"

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
    : mode_(options.mode), is_part_(options.is_part) {
  const bool is_functional = options.functional;
  options.trace.is_functional = is_functional;
  trace_ = begin(std::move(options));
  if (is_functional) functionalize_ = make_intrusive<Functionalize>(trace_.get());
}

TraceSession::~TraceSession() {
  if (functionalize_) functionalize_->end();
  trace_->finish();
}

Tensor TraceSession::add_tensor(const Tensor& given, const std::string& name) {
  return trace_->add_argument(given, name, mode_ == TracingMode::Symbolic);
}

SymInt TraceSession::add_int(int64_t given, const std::string& name) {
  return mode_ == TracingMode::Symbolic ? trace_->add_int_argument(given, name) : SymInt(given);
}

std::vector<Tensor> TraceSession::enter(std::span<const Tensor> added) {
  if (functionalize_) return functionalize_->enter(added);
  return {added.begin(), added.end()};
}

// The tensors among the outputs as the trace has them, after all writes.
std::vector<Tensor> TraceSession::take_tensors(std::span<const OpwValue> outputs) {
  std::vector<Tensor> tensors;
  for (const OpwValue& output : outputs) {
    if (output.tag == kOpwTensor) tensors.push_back(Tensor::borrow(output.as_tensor));
  }
  if (functionalize_) tensors = functionalize_->finish(tensors);
  for (Tensor& tensor : tensors) {
    tensor = trace_->own(tensor);
    OPWRIGHT_CHECK(trace_->owns(tensor.get()), "make_fx: the function returned a tensor (", tensor,
                   ") that was made inside another transform, which has ended");
  }
  return tensors;
}

GraphPtr TraceSession::finish(std::span<const OpwValue> outputs) {
  const std::vector<Tensor> tensors = take_tensors(outputs);
  size_t next = 0;
  std::vector<NodeArgument> returned;
  for (const OpwValue& output : outputs) {
    returned.push_back(output.tag == kOpwTensor
                           ? NodeArgument::of(trace_->value_of(tensors[next++].get()))
                           : NodeArgument::constant(Value::copy_of(output)));
  }
  if (const Tensor& state = trace_->random_state(); state.is_defined()) {
    returned.push_back(NodeArgument::of(trace_->value_of(state.get())));
    if (mode_ == TracingMode::Real) default_generator(kCpu).set_state(wrapper(state).inner);
  }
  Graph& graph = trace_->graph();
  graph.set_outputs(std::move(returned));
  if (!is_part_) verify(graph);
  trace_->finish();
  return GraphPtr::share(&graph);
}

namespace {

// The inputs of a graph as values of a trace that begins.
std::vector<Value> add_inputs(TraceSession& session, const Graph& graph) {
  Trace& trace = session.trace();
  std::vector<Tensor> tensors;
  for (const GraphValue* input : graph.inputs()) {
    const Node& node = input->node();
    if (const Tensor meta = input->tensor(); meta.is_defined()) {
      tensors.push_back(trace.add_input(input->name(), meta, node.role(), node.bound()));
    } else {
      trace.graph().add_input(input->name(), input->meta(), node.role(), {}, node.site());
    }
  }
  tensors = session.enter(tensors);
  size_t next = 0;
  std::vector<Value> own;
  for (const GraphValue* input : graph.inputs()) {
    own.push_back(input->tensor().is_defined() ? Value(tensors[next++]) : input->meta());
  }
  return own;
}

}  // namespace

GraphPtr retrace(const Graph& graph, TraceSessionOptions options) {
  options.mode = TracingMode::Fake;
  options.shape_env = graph.shape_env();
  TraceSession session(std::move(options));
  std::vector<Value> inputs = add_inputs(session, graph);
  std::vector<Value> outputs;
  {
    const InterpreterScope scope(session.level());
    outputs = evaluate_all(graph, std::move(inputs));
  }
  std::vector<OpwValue> returned;
  for (const Value& output : outputs) returned.push_back(output.get());
  return session.finish(returned);
}

GraphPtr functionalize(const Graph& graph) {
  TraceSessionOptions options;
  options.functional = true;
  options.trace.keeps_composites = true;
  return retrace(graph, std::move(options));
}

GraphPtr decompose(const Graph& graph, std::span<const Operator* const> operators) {
  TraceSessionOptions options;
  options.trace.decompose.insert(operators.begin(), operators.end());
  options.trace.keeps_composites = true;
  return retrace(graph, std::move(options));
}

}  // namespace opwright
