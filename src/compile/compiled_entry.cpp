#include "opwright/compile/compiled_entry.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/compile/evaluated_graph.h"
#include "opwright/compile/joint_graph.h"
#include "opwright/compile/training.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

// Whether a tensor that the function used requires grad.
bool has_gradients(const Trace& trace) {
  return std::ranges::any_of(trace.twins(),
                             [](const auto& each) { return each.second.own.requires_grad(); });
}

}  // namespace

CompiledEntry::CompiledEntry(Capture& capture, std::span<const CapturedArgument> arguments,
                             std::span<const OpwValue> outputs, const Backend& backend)
    : num_arguments_(arguments.size()), num_results_(outputs.size()) {
  finish(capture, arguments, outputs, backend);
  watch_tensors(arguments);
  sizes_ = SizeGuards(*graph_, num_arguments_);
}

void CompiledEntry::finish(Capture& capture, std::span<const CapturedArgument> arguments,
                           std::span<const OpwValue> outputs, const Backend& backend) {
  std::vector<Tensor> given;
  for (const CapturedArgument& each : arguments) given.push_back(each.tensor);
  const WithoutModesScope scope;
  const Trace& trace = capture.session().trace();
  if (writes_shared_memory(trace.graph(), given)) {
    graph_ = capture.finish(outputs);
    executable_ = evaluate_graph(graph_);
    return;
  }
  if (context_.grad_is_enabled() && has_gradients(trace)) {
    const InterpreterScope level(capture.level());
    JointGraph joint = finish_joint(capture.session(), capture.own_arguments(), outputs);
    graph_ = joint.graph;
    const InterpreterScope outside(nullptr);
    executable_ = compile_training(std::move(joint), backend);
    return;
  }
  graph_ = make_functional(*capture.finish(outputs));
  executable_ = backend(graph_);
}

void CompiledEntry::watch_tensors(std::span<const CapturedArgument> arguments) {
  std::vector<Tensor> all;
  for (const CapturedArgument& each : arguments) {
    tensors_.add(each.tensor, each.dynamic, each.name);
    all.push_back(each.tensor);
  }
  std::vector<uint32_t> place_of_input;
  uint32_t next_argument = 0;
  for (const GraphValue* input : graph_->inputs()) {
    const Node& node = input->node();
    if (node.role() == InputRole::Argument) {  // tangents come after those of the call
      place_of_input.push_back(next_argument < num_arguments_ ? next_argument++ : UINT32_MAX);
      continue;
    }
    place_of_input.push_back(static_cast<uint32_t>(all.size()));
    if (node.role() != InputRole::Captured) continue;
    tensors_.add(node.bound(), 0, input->name());
    all.push_back(node.bound());
    captured_.push_back(node.bound());
  }
  for (const Tensor& tensor : captured_) captured_values_.push_back(ValueOf<Tensor>::lend(tensor));
  std::vector<uint32_t> written;
  for (const uint32_t input : written_inputs(*graph_)) {
    if (place_of_input[input] < all.size()) written.push_back(place_of_input[input]);
  }
  tensors_.set_num_arguments(num_arguments_);
  tensors_.watch_writes(all, written);
}

std::string CompiledEntry::find_difference(std::span<const OpwValue> tensors) const {
  std::string difference = context_.find_difference();
  if (difference.empty()) difference = tensors_.find_difference(tensors);
  if (difference.empty()) difference = sizes_.find_difference(tensors.first(num_arguments_));
  return difference;
}

std::string CompiledEntry::guards_text() const { return tensors_.text() + sizes_.text(); }

}  // namespace opwright
