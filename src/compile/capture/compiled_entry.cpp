#include "opwright/compile/capture/compiled_entry.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/compile/backend/evaluated_graph.h"
#include "opwright/compile/capture/break.h"
#include "opwright/compile/compile_log.h"
#include "opwright/compile/training/joint_graph.h"
#include "opwright/compile/training/training.h"
#include "opwright/error.h"

namespace opwright {
namespace {

// Whether a tensor that the function used requires grad.
bool has_gradients(const Trace& trace) {
  return std::ranges::any_of(trace.twins(),
                             [](const auto& each) { return each.second.own.requires_grad(); });
}

JointGraph make_joint(Capture& capture, std::span<const OpwValue> outputs) {
  const InterpreterScope level(capture.level());
  try {
    return finish_joint(capture.session(), capture.own_arguments(), outputs);
  } catch (const Error& error) {
    throw Error("GraphBreakError",
                concatenate("compile: the gradients of the function cannot be part of its graph: ",
                            error.text(), "\n  ", ways_out()));
  }
}

}  // namespace

CompiledEntry::CompiledEntry(Capture& capture, std::span<const CapturedArgument> arguments,
                             std::span<const OpwValue> outputs, const Backend& backend)
    : num_arguments_(arguments.size()), num_results_(outputs.size()) {
  watch_gradients(capture.session().trace(), arguments);
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
    JointGraph joint = make_joint(capture, outputs);
    graph_ = joint.graph;
    executable_ = compile_training(std::move(joint), backend);
    return;
  }
  const GraphPtr calls = capture.finish(outputs);
  try {
    graph_ = make_functional(*calls);
  } catch (const Error& error) {  // its own generator, a resized input
    log(LogTopic::Breaks, "calls are run as they were made: ", error.text());
    graph_ = calls;
    executable_ = evaluate_graph(calls);
    return;
  }
  executable_ = backend(graph_);
}

void CompiledEntry::watch_gradients(const Trace& trace,
                                    std::span<const CapturedArgument> arguments) {
  for (const auto& [address, twin] : trace.twins()) {
    const Tensor gradient = gradient_of(twin.foreign);
    if (!gradient.is_defined() || !trace.find_twin(gradient.get())) continue;
    const auto found = std::ranges::find(
        arguments, address, [](const CapturedArgument& each) { return each.tensor.get(); });
    const bool is_argument = found != arguments.end();
    gradients_.push_back(
        {is_argument ? Tensor() : twin.foreign,
         is_argument ? static_cast<uint32_t>(found - arguments.begin()) : kCaptured,
         gradient.get()});
  }
}

bool CompiledEntry::have_same_gradients(std::span<const OpwValue> tensors) const {
  return std::ranges::all_of(gradients_, [&](const Gradient& each) {
    const Tensor now = each.argument == kCaptured
                           ? gradient_of(each.of)
                           : gradient_of(BorrowedTensor(tensors[each.argument].as_tensor));
    return now.get() == each.gradient;
  });
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
    if (node.role() == InputRole::Argument) {  // tangents follow the arguments of the call
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

bool CompiledEntry::check_sizes(std::span<const OpwValue> arguments) const {
  if (sizes_.is_outdated()) [[unlikely]]
    sizes_ = SizeGuards(*graph_, num_arguments_);
  return sizes_.check(arguments);
}

std::string CompiledEntry::find_difference(std::span<const OpwValue> tensors) const {
  std::string difference = context_.find_difference();
  if (difference.empty()) difference = tensors_.find_difference(tensors);
  if (difference.empty() && !have_same_gradients(tensors))
    difference = "a gradient that the function reads is another tensor";
  if (difference.empty()) difference = sizes_.find_difference(tensors.first(num_arguments_));
  return difference;
}

std::string CompiledEntry::guards_text() const { return tensors_.text() + sizes_.text(); }

}  // namespace opwright
