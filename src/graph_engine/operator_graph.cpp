// Runs a graph of the engine GE with operators. The ops of a call run by the kernels registered
// under their own names, ge::<Type>, if all of them have one for the device; otherwise the operator
// that they were converted from is called.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/call_arguments.h"
#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/ge/prototype.h"
#include "opwright/device.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/graph_engine/engine.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/input_check.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/ir/graph/node_call.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/schema.h"
#include "opwright/schema/type.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/value.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

// The source of a kernel's argument.
struct KernelArgument {
  enum class Kind : uint8_t { Constant, Output, Outputs };
  Kind kind = Kind::Constant;
  Value constant = {};
  std::vector<OutputPlace> places = {};
};

// An op that runs by the kernel of its own name.
struct KernelCall {
  uint32_t op;
  const Operator* kernel;
  std::vector<KernelArgument> arguments;
};

// A call of the program.
struct OperatorStep {
  const SourceCall* call;
  std::vector<KernelCall> kernels = {};    // empty: calls the program's operator
  std::vector<uint32_t> last_values = {};  // by number: values of the program with no later use
  std::vector<uint32_t> last_outputs = {};
};

const Operator* find_kernel(const GeOp& op, Slot slot) {
  const Operator* kernel = Registry::get().find(concatenate("ge::", op.type));
  return kernel && kernel->record(slot) ? kernel : nullptr;
}

// The slots of a prototype's input in an op: "x", or "x0", "x1", ...
std::vector<OutputPlace> places_of(const GeOp& op, const Port& port) {
  std::vector<OutputPlace> places;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const std::string wanted =
        port.kind == PortKind::Dynamic ? concatenate(port.name, places.size()) : port.name;
    if (op.input_descriptors[i].name == wanted) places.push_back(op.inputs[i]);
  }
  return places;
}

KernelArgument make_argument(const GeOp& op, const Prototype& prototype, const Argument& wanted) {
  const auto port = std::ranges::find(prototype.inputs, wanted.name, &Port::name);
  if (port != prototype.inputs.end()) {
    std::vector<OutputPlace> places = places_of(op, *port);
    if (port->kind == PortKind::Dynamic)
      return {.kind = KernelArgument::Kind::Outputs, .places = std::move(places)};
    if (places.empty() || !places.front().is_there()) return {};
    return {.kind = KernelArgument::Kind::Output, .places = std::move(places)};
  }
  if (const Attribute* given = op.find_attribute(wanted.name)) return {.constant = given->value};
  return {.constant = wanted.default_value.value_or(Value())};
}

class OperatorGraph final : public BuiltGraph {
 public:
  OperatorGraph(GeGraphPtr graph, Device device)
      : graph_(std::move(graph)), device_(device), slot_(device_slot(device.type)) {
    number_outputs();
    for (const SourceCall& call : graph_->calls) steps_.push_back(make_step(call));
    find_last_uses();
    read_constants();
  }

  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const override;
  [[nodiscard]] std::string describe() const override;

 private:
  friend class OperatorRun;

  // Numbers the outputs of all ops consecutively.
  void number_outputs() {
    uint32_t count = 0;
    for (const GeOp& op : graph_->ops) {
      first_outputs_.push_back(count);
      count += static_cast<uint32_t>(op.output_descriptors.size());
    }
    constants_.resize(count);
    is_output_read_.resize(count, false);
  }
  [[nodiscard]] uint32_t number_of(const OutputPlace& place) const {
    return first_outputs_[place.op] + place.index;
  }

  [[nodiscard]] OperatorStep make_step(const SourceCall& call) const {
    OperatorStep step{.call = &call};
    for (const uint32_t index : call.ops) {
      const GeOp& op = graph_->ops[index];
      const Operator* kernel = find_kernel(op, slot_);
      const PrototypePtr prototype = kernel ? find_prototype(op.type) : nullptr;
      if (!prototype) return {.call = &call};
      KernelCall made{.op = index, .kernel = kernel, .arguments = {}};
      for (const Argument& wanted : kernel->schema().arguments)
        made.arguments.push_back(make_argument(op, *prototype, wanted));
      step.kernels.push_back(std::move(made));
    }
    return step;
  }

  // From end to start: the first use found is the last one.
  void find_last_uses() {
    is_value_read_.resize(graph_->program->num_value_numbers(), false);
    const auto read_value = [&](const GraphValue& value) {
      const bool is_last = !is_value_read_[value.number()];
      is_value_read_[value.number()] = true;
      return is_last;
    };
    for (const NodeArgument& output : graph_->program->outputs())
      output.visit_values([&](const GraphValue& value) { (void)read_value(value); });
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      for (const KernelCall& kernel : step->kernels) {
        for (const KernelArgument& argument : kernel.arguments) {
          for (const OutputPlace& place : argument.places) {
            if (place.is_there() && !is_output_read_[number_of(place)]) {
              is_output_read_[number_of(place)] = true;
              step->last_outputs.push_back(number_of(place));
            }
          }
        }
      }
      if (!step->kernels.empty()) continue;
      for (const NodeArgument& argument : step->call->node->args()) {
        argument.visit_values([&](const GraphValue& value) {
          if (read_value(value)) step->last_values.push_back(value.number());
        });
      }
    }
  }

  // Those that a kernel reads.
  void read_constants() {
    for (uint32_t i = 0; i < graph_->ops.size(); ++i) {
      const GeOp& op = graph_->ops[i];
      const Attribute* value = op.type == "Const" ? op.find_attribute("value") : nullptr;
      if (!value || !is_output_read_[first_outputs_[i]]) continue;
      const Tensor data = ValueOf<Tensor>::read(value->value.get());
      constants_[first_outputs_[i]] = _to_copy(data, std::nullopt, std::nullopt, device_);
    }
  }

  GeGraphPtr graph_;
  Device device_;
  Slot slot_;
  std::vector<uint32_t> first_outputs_;  // by op: the number of its first output
  std::vector<Tensor> constants_;        // by output number; undefined otherwise
  std::vector<bool> is_output_read_;     // by a kernel
  std::vector<bool> is_value_read_;      // by an operator of the program, or it is an output
  std::vector<OperatorStep> steps_;
};

// The values of one run.
class OperatorRun {
 public:
  explicit OperatorRun(const OperatorGraph& of)
      : of_(of), program_(*of.graph_->program), inputs_(program_), outputs_(of.constants_) {
    state_.env = program_.shape_env().get();
    state_.values.resize(program_.num_value_numbers());
  }

  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) {
    std::vector<Value> given = inputs_.collect(arguments);
    inputs_.bind_inputs(given, state_.symbols);
    inputs_.check(given, state_.symbols);
    size_t index = 0;
    for (const GraphValue* input : program_.inputs()) keep(*input, std::move(given[index++]));
    for (const OperatorStep& step : of_.steps_) {
      step.kernels.empty() ? call_operator(step) : call_kernels(step);
      for (const uint32_t number : step.last_values) state_.values[number] = Value();
      for (const uint32_t number : step.last_outputs) outputs_[number] = Tensor();
      inputs_.check_assertions(state_.symbols);
    }
    const auto wanted = program_.outputs();
    std::vector<Value> made;
    for (size_t i = 0; i < results.size(); ++i)
      made.push_back(argument_value(state_, wanted[i], TypeKind::Any));
    for (size_t i = 0; i < results.size(); ++i) results[i] = made[i].give();
  }

 private:
  // Keeps it for the operators and kernels that read it.
  void keep(const GraphValue& value, Value actual) {
    const OutputPlace place = of_.graph_->values[value.number()];
    if (place.is_there() && actual.tag() == kOpwTensor && of_.is_output_read_[of_.number_of(place)])
      outputs_[of_.number_of(place)] = ValueOf<Tensor>::read(actual.get());
    if (of_.is_value_read_[value.number()]) state_.values[value.number()] = std::move(actual);
  }

  void call_operator(const OperatorStep& step) {
    const Node& node = *step.call->node;
    std::vector<Value> results = call_source(step);
    for (size_t i = 0; i < node.results().size(); ++i) {
      const NodeResult& result = node.results()[i];
      if (result.is_list) check_list_result(node, result, results[i].get());
      for (uint32_t j = 0; j < result.count; ++j) {
        const OpwValue& actual =
            result.is_list ? list_element(results[i].get(), j) : results[i].get();
        give(node.values()[result.first + j], Value::copy_of(actual));
      }
    }
  }

  // A missing kernel of the operator is reported as an error of the ops made from its call.
  [[nodiscard]] std::vector<Value> call_source(const OperatorStep& step) const {
    const Node& node = *step.call->node;
    try {
      return call_node(state_, node);
    } catch (const Error& error) {
      const bool is_missing = std::string_view(error.kind()) == "NotImplementedError" &&
                              !node.op().record(of_.slot_) && !step.call->ops.empty();
      if (!is_missing) throw;
      const GeOp& op = of_.graph_->ops[step.call->ops.front()];
      throw_error("NotImplementedError", "GE: the op ", op.name, " cannot run on ", of_.device_,
                  ": neither ge::", op.type, " nor ", name_call(node),
                  ", which it was converted from, has a kernel for it\n  ", error.message());
    }
  }

  void give(const GraphValue& value, Value actual) {
    inputs_.bind(value, actual.get(), state_.symbols);
    keep(value, std::move(actual));
  }

  void call_kernels(const OperatorStep& step) {
    for (const KernelCall& kernel : step.kernels) {
      try {
        call_kernel(kernel);
      } catch (Error& error) {
        note_node(error, *step.call->node);
        throw;
      }
    }
    const Node& node = *step.call->node;
    for (size_t i = 0; i < node.values().size(); ++i) {
      const OutputPlace place = step.call->results[i];
      if (place.is_there()) give(node.values()[i], Value(output(place)));
    }
    for (const KernelCall& kernel : step.kernels) drop_unread(kernel.op);
  }

  void call_kernel(const KernelCall& kernel) {
    std::vector<Value> arguments;
    for (const KernelArgument& argument : kernel.arguments) arguments.push_back(read(argument));
    std::vector<OpwValue> lent;
    for (const Value& each : arguments) lent.push_back(each.get());
    std::vector<OpwValue> results(kernel.kernel->schema().returns.size());
    call(*kernel.kernel, lent, results);
    std::vector<Value> owned;
    for (const OpwValue& each : results) owned.push_back(Value::take(each));
    uint32_t number = of_.first_outputs_[kernel.op];
    for (const Value& each : owned) {
      if (each.tag() == kOpwTensor) {
        outputs_[number++] = ValueOf<Tensor>::read(each.get());
        continue;
      }
      for (uint32_t i = 0; i < each.get().length; ++i)
        outputs_[number++] = ValueOf<Tensor>::read(list_element(each.get(), i));
    }
  }

  void drop_unread(uint32_t op) {
    const uint32_t first = of_.first_outputs_[op];
    const size_t count = of_.graph_->ops[op].output_descriptors.size();
    for (uint32_t i = first; i < first + count; ++i) {
      if (!of_.is_output_read_[i]) outputs_[i] = Tensor();
    }
  }

  [[nodiscard]] Value read(const KernelArgument& argument) {
    if (argument.kind == KernelArgument::Kind::Constant) return argument.constant;
    if (argument.kind == KernelArgument::Kind::Output) return Value(output(argument.places[0]));
    std::vector<Tensor> tensors;
    for (const OutputPlace& place : argument.places) tensors.push_back(output(place));
    return Value(tensors);
  }

  // Sizes are computed when a kernel needs them.
  [[nodiscard]] const Tensor& output(const OutputPlace& place) {
    Tensor& tensor = outputs_[of_.number_of(place)];
    const GeOp& op = of_.graph_->ops[place.op];
    if (!tensor.is_defined() && op.sizes) tensor = make_sizes(op);
    return tensor;
  }
  [[nodiscard]] Tensor make_sizes(const GeOp& op) const {
    const std::optional<std::vector<int64_t>>& dims = op.output_descriptors[0].dims;
    const bool is_scalar = dims && dims->empty();
    const auto count = static_cast<int64_t>(op.sizes->size());
    Tensor sizes = make_empty(is_scalar ? std::span<const int64_t>() : std::span(&count, 1),
                              DType::Int64, kCpu);
    auto* element = sizes.mutable_data<int64_t>();
    for (const SymInt& size : *op.sizes)
      *element++ = substitute(*state_.env, size, state_.symbols).specialise();
    const DType wanted = op.output_descriptors[0].dtype.value_or(DType::Int64);
    return _to_copy(sizes, wanted, std::nullopt, of_.device_);
  }

  const OperatorGraph& of_;
  const Graph& program_;
  InputCheck inputs_;
  RunState state_;
  std::vector<Tensor> outputs_;  // by number
};

void OperatorGraph::run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const {
  OperatorRun(*this).run(arguments, results);
}

std::string OperatorGraph::describe() const {
  std::string text;
  for (const OperatorStep& step : steps_) {
    for (const uint32_t op : step.call->ops) {
      const GeOp& node = graph_->ops[op];
      text +=
          concatenate(node.name, " (", node.type, "): ",
                      step.kernels.empty() ? concatenate("operator ", step.call->node->op().name())
                                           : concatenate("kernel ge::", node.type),
                      "\n");
    }
  }
  return text;
}

}  // namespace

BuiltGraphPtr build_by_operators(const GeGraphPtr& graph, Device device) {
  return BuiltGraphPtr::take(new OperatorGraph(graph, device));
}

}  // namespace opwright::graph_engine
