#include "opwright/transforms/trace/make_fx.h"

#include <algorithm>
#include <utility>

#include "opwright/autograd/boundary.h"
#include "opwright/autograd/history.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/grad_mode.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

// Inputs may have sizes from the outer environment, which a nested trace shares.
IntrusivePtr<Trace> begin(TraceSessionOptions options) {
  Interpreter* outside = current_interpreter();
  if (!options.shape_env) options.shape_env = find_shape_env();
  if (options.mode == TracingMode::Real) {
    return make_intrusive<Trace>(outside, make_intrusive<Graph>(std::move(options.shape_env)),
                                 std::move(options.trace));
  }
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
    : mode_(options.mode), is_part_(options.is_part), writes_gradients_(options.writes_gradients) {
  const bool is_functional = options.functional;
  const bool keeps_whole = options.keeps_custom_whole;
  options.trace.is_functional = is_functional;
  trace_ = begin(std::move(options));
  if (is_functional) functionalize_ = make_intrusive<Functionalize>(trace_.get(), true);
  if (is_functional && keeps_whole) functionalize_->keep_whole();
}

TraceSession::~TraceSession() {
  if (functionalize_) functionalize_->end();
  trace_->finish();
}

Tensor TraceSession::add_tensor(const Tensor& given, const std::string& name) {
  given_.push_back(given);
  return trace_->add_argument(given, name, mode_ == TracingMode::Symbolic);
}

Tensor TraceSession::add_tensor(const Tensor& given, const std::string& name,
                                std::span<const SymInt> sizes) {
  given_.push_back(given);
  return trace_->add_argument(given, name, sizes);
}

SymInt TraceSession::add_int(int64_t given, const std::string& name) {
  return mode_ == TracingMode::Symbolic ? trace_->add_int_argument(given, name) : SymInt(given);
}

std::vector<Tensor> TraceSession::enter(std::span<const Tensor> added) {
  if (!functionalize_) return {added.begin(), added.end()};
  std::vector<Tensor> twins = functionalize_->enter(added);
  if (given_.size() == twins.size()) {
    for (size_t i = 0; i < twins.size(); ++i) adopt_history(given_[i], twins[i]);
  }
  return twins;
}

// The gradients that a backward() in the function gave to outside leaves.
std::vector<TraceSession::LeafGradient> TraceSession::find_gradients() const {
  std::vector<LeafGradient> found;
  const auto look = [&](const Tensor& foreign, const Tensor& own, const Tensor& twin) {
    const History* history = find_history(twin.get());
    const Tensor now = history && history->kept ? history->kept->gradient : Tensor();
    const Tensor before = gradient_of(foreign);
    const bool is_same = now.get() == before.get() ||
                         (before.is_defined() && level()->find_twin(before.get()) == now.get());
    if (!is_same) found.push_back({own, now, before.is_defined()});
  };
  if (!functionalize_) {
    for (const auto& [address, twin] : trace_->twins()) look(twin.foreign, twin.own, twin.own);
    return found;
  }
  for (const auto& [address, twin] : functionalize_->twins()) {
    Tensor foreign = twin.foreign;
    for (const auto& [given, below] : trace_->twins()) {
      if (below.own.get() == foreign.get()) foreign = below.foreign;
    }
    look(foreign, twin.value, twin.wrapper);
  }
  return found;
}

// Records the gradients at the end of the graph, in the order of the inputs.
void TraceSession::record_gradients(std::span<const LeafGradient> gradients) {
  static const Operator& add = Registry::get().require("opwright::accumulate_gradient");
  static const Operator& assign = Registry::get().require("opwright::assign_gradient");
  const InterpreterScope scope(trace_.get());
  const NoGradScope no_grad;
  for (const LeafGradient& each : gradients) {
    const bool is_assigned = each.had_one || !each.gradient.is_defined();
    const OpwValue args[] = {
        ValueOf<Tensor>::lend(each.leaf),
        each.gradient.is_defined() ? ValueOf<Tensor>::lend(each.gradient) : OpwValue{}};
    call(is_assigned ? assign : add, args, {});
  }
}

// The tensors among the outputs at the level of the trace, after all writes.
std::vector<Tensor> TraceSession::take_tensors(std::span<const OpwValue> outputs) {
  std::vector<Tensor> tensors;
  for (const OpwValue& output : outputs) {
    if (output.tag == kOpwTensor) tensors.push_back(Tensor::borrow(output.as_tensor));
  }
  const size_t num_outputs = tensors.size();
  std::vector<LeafGradient> gradients;
  if (writes_gradients_) gradients = find_gradients();
  std::ranges::sort(gradients, {}, [&](const LeafGradient& each) {
    const auto inputs = trace_->graph().inputs();
    return std::ranges::find(inputs, &trace_->value_of(each.leaf.get())) - inputs.begin();
  });
  for (const LeafGradient& each : gradients) tensors.push_back(each.gradient);
  if (functionalize_) tensors = functionalize_->finish(tensors);
  for (Tensor& tensor : tensors) {
    if (!tensor.is_defined()) continue;
    tensor = trace_->own(tensor);
    OPWRIGHT_CHECK(trace_->owns(tensor.get()), "make_fx: the function returned a tensor (", tensor,
                   ") that was made inside another transform, which has ended");
  }
  for (size_t i = 0; i < gradients.size(); ++i) gradients[i].gradient = tensors[num_outputs + i];
  record_gradients(gradients);
  tensors.resize(num_outputs);
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

// Adds the inputs of a graph to a trace that is starting.
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
