#include "opwright/dispatch/call.h"

#include <bit>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/autograd_hooks.h"
#include "opwright/dispatch/call_error.h"
#include "opwright/dispatch/declined.h"
#include "opwright/dispatch/mode.h"
#include "opwright/dispatch/record.h"
#include "opwright/dispatch/row.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

// What takes a call off the fast path when no transform is active.
constexpr uint32_t kMayNeedGrad = kOpwFlagRequiresGrad | kFlagHasBase;
constexpr uint32_t kNeedsAttention =
    kMayNeedGrad | kOpwFlagWrapped | kOpwFlagInference | kMissingTensor;

// The fast path of a thread that does not record: requires_grad makes no difference.
constexpr uint32_t kRecordsNothing = kAttentionGradOff | kAttentionBelowRecording;

bool is_recording(const ThreadState& state, const Interpreter* level) {
  constexpr uint32_t kOff = kRecordsNothing | kAttentionInference;
  return (state.attention & kOff) == 0 && (!level || level->records());
}

// A wrapper may be used by its own transform and by those inside it.
[[gnu::noinline]] void check_homes(const Operator& op, Arguments args, const Interpreter* level) {
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
    if ((tensor->flags & kOpwFlagWrapped) && !is_in_chain(impl(tensor).level, level)) [[unlikely]] {
      throw_escaped(op, index, tensor);
    }
  });
}

[[gnu::noinline]] void check_inference_writes(const Operator& op, Arguments args) {
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    const auto written = static_cast<uint32_t>(std::countr_zero(left));
    visit_tensors(args[written], [&](OpwTensor* tensor) {
      if (tensor->flags & kOpwFlagInference) throw_inference_write(op, written);
    });
  }
}

bool has_history(OpwTensor* tensor, bool is_written, const Interpreter* level) {
  if ((tensor->flags & kMayNeedGrad) == 0 || impl(tensor).level != level) return false;
  if ((tensor->flags & kFlagHasBase) == 0) return true;
  const AutogradHooks* hooks = autograd_hooks();
  return hooks && hooks->is_tracked(tensor, is_written);
}

[[gnu::noinline]] bool needs_recording(const Operator& op, Arguments args,
                                       const Interpreter* level) {
  bool needs = false;
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
    // A view of a tensor of inference mode is one as well: it has no history.
    const bool is_inference_view = op.gives_views() && (tensor->flags & kOpwFlagInference);
    needs = needs || (!is_inference_view && has_history(tensor, op.writes_argument(index), level));
  });
  return needs;
}

// Otherwise the new value would continue the history of the old one.
[[gnu::noinline]] void check_nondifferentiable_writes(const Operator& op, Arguments args) {
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    const auto written = static_cast<uint32_t>(std::countr_zero(left));
    visit_tensors(args[written], [&](OpwTensor* tensor) {
      if (tensor && has_history(tensor, true, current_interpreter())) {
        throw_nondifferentiable_write(op, written);
      }
    });
  }
}

// Not inlined, so transformed calls skip its stack frame.
[[gnu::noinline]] void run_row_apart(const Operator& op, Arguments args, Results results,
                                     uint32_t flags) {
  run_row(op, args, results, flags);
}

// Not inlined, so that other calls end with a tail call of the interpreter.
[[gnu::noinline]] void process_views(const Operator& op, Arguments args, Results results,
                                     Interpreter& level) {
  level.process(op, args, results);
  note_views(op, args, results);
}

void run_at_level(const Operator& op, Arguments args, Results results, uint32_t flags,
                  Interpreter* level) {
  if (!level) return run_row_apart(op, args, results, flags);
  if (const OpwRecord* body = op.seen_through_body(); body && !level->keeps_whole(op)) {
    return run_record(op, *body, args, results);
  }
  if (op.gives_views()) [[unlikely]]
    return process_views(op, args, results, *level);
  level->process(op, args, results);
}

bool is_recorded_whole(const Operator& op) {
  const Interpreter* level = current_interpreter();
  return level && level->keeps_whole_while_recording(op);
}

class AutogradKernelScope {
 public:
  AutogradKernelScope(const Operator& op, const Interpreter* level) noexcept
      : kernel_{&op, level, this_autograd_settings.running_kernel} {
    this_autograd_settings.running_kernel = &kernel_;
  }
  ~AutogradKernelScope() { this_autograd_settings.running_kernel = kernel_.outer; }
  AutogradKernelScope(const AutogradKernelScope&) = delete;
  AutogradKernelScope& operator=(const AutogradKernelScope&) = delete;

 private:
  RunningAutogradKernel kernel_;
};

bool runs_autograd_kernel(const Operator& op, const Interpreter* level) noexcept {
  const RunningAutogradKernel* each = this_autograd_settings.running_kernel;
  while (each && (each->op != &op || each->level != level)) each = each->outer;
  return each != nullptr;
}

// Runs the kernel that wraps the operator's autograd; a call of the same operator inside it, at the
// same level, is not recorded. False: the kernel does not apply to the call.
[[gnu::noinline]] bool run_autograd_kernel(const Operator& op, const OpwRecord& kernel,
                                           Arguments args, Results results) {
  const Interpreter* level = current_interpreter();
  if (runs_autograd_kernel(op, level)) {
    call_below_autograd(op, args, results);
    return true;
  }
  try {
    const AutogradKernelScope scope(op, level);
    run_record(op, kernel, args, results);
    return true;
  } catch (const Error& error) {
    if (!is_declined(error)) throw;
    return false;
  }
}

[[gnu::noinline]] void record_and_call(const Operator& op, Arguments args, Results results) {
  if (const OpwRecord* kernel = op.record(Slot::AutogradKernel);
      kernel && run_autograd_kernel(op, *kernel, args, results))
    return;
  if (op.tags().has(Tag::Nondifferentiable)) {
    if (op.writes_arguments()) check_nondifferentiable_writes(op, args);
    return call_below_autograd(op, args, results);
  }
  if (const OpwRecord* body = op.seen_through_body(); body && !is_recorded_whole(op)) {
    return run_record(op, *body, args, results);
  }
  const AutogradHooks* hooks = autograd_hooks();
  if (!hooks) return call_below_autograd(op, args, results);
  if (op.tags().has(Tag::Out) && !op.record(Slot::Autograd)) throw_recorded_out(op);
  hooks->record(op, args, results);
}

void call_lifted(const Operator& op, Arguments args, Results results, Interpreter* level) {
  const uint32_t flags = op.merged_tensor_flags(args);
  if (flags & kNeedsAttention) [[unlikely]] {
    if (flags & kMissingTensor) throw_missing_tensor(op, args);
    if (flags & kOpwFlagWrapped) check_homes(op, args, level);
    if ((flags & kOpwFlagInference) && op.writes_arguments() &&
        !thread_state().may_write_inference())
      check_inference_writes(op, args);
    if ((flags & kMayNeedGrad) && is_recording(thread_state(), level) &&
        needs_recording(op, args, level)) {
      return record_and_call(op, args, results);
    }
  }
  run_at_level(op, args, results, flags, level);
}

// Runs a mode's own calls with only the outer modes.
class OuterModesScope {
 public:
  explicit OuterModesScope(Mode* outer) noexcept : previous_(thread_state().set_modes(outer)) {}
  ~OuterModesScope() { thread_state().set_modes(previous_); }
  OuterModesScope(const OuterModesScope&) = delete;
  OuterModesScope& operator=(const OuterModesScope&) = delete;

 private:
  Mode* previous_;
};

[[gnu::noinline]] bool is_taken_by_a_mode(const Operator& op, Arguments args, Results results) {
  for (Mode* mode = thread_state().modes; mode; mode = mode->outer()) {
    const OuterModesScope scope(mode->outer());
    if (mode->process(op, args, results)) return true;
  }
  return false;
}

// Not inlined, so that other calls skip its stack frame.
[[gnu::noinline]] void lift_and_call(const Operator& op, Arguments args, Results results,
                                     Interpreter* level) {
  try {
    SmallVector<OpwValue, 16> lifted(args.begin(), args.end());
    level->lift(lifted);
    call_lifted(op, lifted, results, level);
  } catch (const LevelEnded&) {
    return call(op, args, results);
  }
  // Returns the argument that was passed, not its lifted counterpart.
  if (op.returned_args() != 0) give_arguments_back(op, args, results);
}

[[gnu::noinline]] void call_in_context(const Operator& op, Arguments args, Results results) {
  ThreadState& state = thread_state();
  if (state.modes) [[unlikely]] {
    if (is_taken_by_a_mode(op, args, results)) return;
  }
  Interpreter* level = current_interpreter();
  if (level && level->traits().lifts) return lift_and_call(op, args, results, level);
  call_lifted(op, args, results, level);
}

}  // namespace

void call(const Operator& op, Arguments args, Results results) {
  if (args.size() != op.num_arguments() || results.size() != op.num_results()) [[unlikely]] {
    throw_wrong_number(op, args.size(), results.size());
  }
  const uint32_t attention = thread_state().attention;
  if (attention & ~kRecordsNothing) [[unlikely]]
    return call_in_context(op, args, results);
  const uint32_t flags = op.merged_tensor_flags(args);
  const uint32_t noted = attention == 0 ? kNeedsAttention : kNeedsAttention & ~kMayNeedGrad;
  if (flags & noted) [[unlikely]]
    return call_lifted(op, args, results, nullptr);
  run_row_apart(op, args, results, flags);
}

void call_below_autograd(const Operator& op, Arguments args, Results results) {
  const uint32_t flags = op.merged_tensor_flags(args);
  if (Interpreter* level = current_interpreter()) {
    return run_at_level(op, args, results, flags, level);
  }
  // There is no level below: operators called by a kernel are not recorded.
  const AttentionScope scope(kAttentionBelowRecording, true);
  run_row(op, args, results, flags);
}

}  // namespace opwright
