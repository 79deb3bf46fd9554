#include "opwright/run/step_runner.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/base/thread_state.h"
#include "opwright/base/user_line.h"
#include "opwright/dispatch/autograd_hooks.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/row.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node_call.h"
#include "opwright/ir/graph/random_input.h"
#include "opwright/run/result_symbols.h"
#include "opwright/schema/constant.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

constexpr uint32_t kRecordsNothing =
    kAttentionGradOff | kAttentionBelowRecording | kAttentionInference;

int64_t read_clock() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// Most slots hold a tensor.
void drop(OpwValue& value) {
  if (value.tag != kOpwTensor) [[unlikely]]
    return release_value(value);
  OpwTensor* tensor = value.as_tensor;
  value = OpwValue{};
  release_tensor(tensor);
}

uint32_t flags_to_watch() {
  uint32_t flags = kOpwDeviceBits | kOpwFlagFake | kOpwFlagWrapped | kMissingTensor;
  if (!thread_state().is_inference()) flags |= kOpwFlagInference;
  if (!thread_state().needs_attention()) flags |= kAutogradFlags;
  return flags;
}

}  // namespace

bool StepRunner::can_run_here() noexcept {
  return (thread_state().attention & ~kRecordsNothing) == 0;
}

StepRunner::StepRunner(const Graph& graph, const Schedule& schedule, Frame& frame) noexcept
    : graph_(graph), schedule_(schedule), frame_(frame), watched_flags_(flags_to_watch()) {}

inline void StepRunner::put_arguments(const Step& step) {
  const ArgumentLayout::ValueUse* uses = schedule_.arguments.value_uses().data();
  for (uint32_t i = step.value_uses.begin; i < step.value_uses.end; ++i) {
    frame_.arguments.cells[uses[i].cell] = frame_.slots[uses[i].slot];
  }
  if (!step.list_uses.is_empty() || step.sizes != kNoIndex) [[unlikely]]
    put_late_arguments(step);
}

[[gnu::noinline]] void StepRunner::put_late_arguments(const Step& step) {
  for (uint32_t i = step.list_uses.begin; i < step.list_uses.end; ++i) {
    const ArgumentLayout::ListUse& use = schedule_.arguments.list_uses()[i];
    const OpwValue& value = frame_.slots[use.slot];
    if (use.is_tensor) {
      frame_.arguments.tensors[use.place] = value.as_tensor;
    } else {
      frame_.arguments.ints[use.place] = ValueOf<int64_t>::read(value);
    }
  }
  if (step.sizes == kNoIndex) return;
  compute_late(step.sizes);
  schedule_.arguments.put_late_numbers(frame_.arguments, step.sizes, frame_.late_numbers);
}

void StepRunner::compute_late(uint32_t late) {
  const SizePlan::Late& numbers = schedule_.sizes.late(late);
  const std::span computed(frame_.late_numbers.data() + numbers.first,
                           numbers.program.num_values());
  numbers.program.run(std::span<const int64_t>(frame_.symbols), computed);
  for (const int64_t number : computed) static_cast<void>(SymInt(number));  // range check
}

void StepRunner::invoke_with_care(const Step& step, const OpwRecord& record, Arguments args,
                                  Results results) const {
  if (step.op->writes_arguments()) {
    run_writing_record(*step.op, record, args, results);
  } else {
    run_record(*step.op, record, args, results);
  }
  if (step.notes_views) note_views(*step.op, args, results);
}

inline void StepRunner::invoke(const Step& step, uint32_t index) {
  const Operator& op = *step.op;
  const Arguments args(frame_.arguments.cells.data() + step.first_cell, step.num_arguments);
  const Results results(frame_.slots.data() + step.first_slot, step.num_results);
  const uint32_t flags = op.merged_tensor_flags(args) & watched_flags_;
  Frame::Function& function = frame_.functions[index];
  if (function.epoch != registry_epoch()) [[unlikely]] {
    function.epoch = registry_epoch();
    function.record = op.record(Slot::Cpu);
  }
  constexpr uint32_t kOnCpu = 1;
  if (flags != kOnCpu || !function.record) [[unlikely]]
    return call(op, args, results);
  if (step.is_plain) [[likely]]
    return run_record(op, *function.record, args, results);
  invoke_with_care(step, *function.record, args, results);
}

inline void StepRunner::call_step(const Step& step, uint32_t index) {
  std::optional<UserLineScope> line;
  if (step.site.is_known()) line.emplace(step.site);
  try {
    put_arguments(step);
    if (step.grad_mode) [[likely]] {
      invoke(step, index);
    } else {
      const AttentionScope no_grad(kAttentionGradOff, true);
      invoke(step, index);
    }
  } catch (Error& error) {
    note_node(error, *step.node);
    throw;
  }
}

void StepRunner::spread_list(const Step& step, const ListResult& list) {
  const OpwValue& elements = frame_.slots[list.slot];
  check_list_result(*step.node, *list.result, elements);
  for (uint32_t i = 0; i < list.result->count; ++i) {
    frame_.slots[list.first + i] = copy_value(list_element(elements, i));
  }
}

[[gnu::noinline]] void StepRunner::keep_results(const Step& step) {
  for (uint32_t i = step.lists.begin; i < step.lists.end; ++i) {
    spread_list(step, schedule_.lists[i]);
  }
  if (step.results != kNoIndex) {
    bind_result_symbols(graph_, schedule_, schedule_.sizes.results()[step.results], frame_);
  }
  for (uint32_t i = step.leftovers.begin; i < step.leftovers.end; ++i) {
    release_value(frame_.slots[schedule_.leftovers[i]]);
  }
}

inline void StepRunner::run_step(uint32_t index) {
  const Step& step = schedule_.steps[index];
  frame_.memory.begin_step(index);
  call_step(step, index);
  for (uint32_t i = step.drops.begin; i < step.drops.end; ++i) {
    drop(frame_.slots[schedule_.drops[i]]);
  }
  if (!step.leftovers.is_empty() || step.results != kNoIndex) [[unlikely]]
    keep_results(step);
}

void StepRunner::run_watched(uint32_t index, StepWatch& watch) {
  const int64_t began = read_clock();
  run_step(index);
  watch.finish_step(*schedule_.steps[index].node, began, read_clock());
}

void StepRunner::take_outputs(std::span<OpwValue> results) {
  if (schedule_.outputs.sizes() != kNoIndex) compute_late(schedule_.outputs.sizes());
  const OutputLayout::Source source{frame_.slots, frame_.numbers, frame_.late_numbers};
  size_t output = 0;
  try {
    for (; output < results.size(); ++output) {
      results[output] = schedule_.outputs.take(output, source);
    }
    for (; output < schedule_.outputs.size(); ++output) {
      const Value state = Value::take(schedule_.outputs.take(output, source));
      write_random_state(ValueOf<Tensor>::read(state.get()));
    }
  } catch (...) {
    for (OpwValue& result : results.first(std::min(output, results.size()))) release_value(result);
    throw;
  }
}

void StepRunner::run(std::span<OpwValue> results, StepWatch* watch) {
  const auto count = static_cast<uint32_t>(schedule_.steps.size());
  if (watch) [[unlikely]] {
    for (uint32_t i = 0; i < count; ++i) run_watched(i, *watch);
  } else {
    for (uint32_t i = 0; i < count; ++i) run_step(i);
  }
  take_outputs(results);
}

}  // namespace opwright
