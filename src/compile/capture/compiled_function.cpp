// Compiled functions for C++: opwright/compile.h.
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/base/warning.h"
#include "opwright/compile/backend/executable.h"
#include "opwright/compile/capture/break.h"
#include "opwright/compile/capture/capture.h"
#include "opwright/compile/capture/capture_context.h"
#include "opwright/compile/capture/compiled_entry.h"
#include "opwright/compile/capture/entry_cache.h"
#include "opwright/compile/capture/size_history.h"
#include "opwright/compile/compile_log.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/runtime/compile.h"

namespace opwright {
namespace {

constexpr uint32_t kNoPlainTensor =
    kOpwFlagFake | kOpwFlagWrapped | kOpwFlagSymbolic | kOpwFlagView;

using Values = SmallVector<OpwValue, 32>;

bool are_plain(std::span<const Tensor> inputs) {
  for (const Tensor& input : inputs) {
    if (!input.is_defined() || (input.get()->flags & kNoPlainTensor) != 0) return false;
  }
  return true;
}

// For each input, the index of the first input that is the same tensor.
std::vector<uint32_t> find_repeats(std::span<const Tensor> inputs) {
  std::vector<uint32_t> firsts;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    uint32_t first = 0;
    while (inputs[first].get() != inputs[i].get()) ++first;
    firsts.push_back(first);
  }
  return firsts;
}

}  // namespace

// One set of guards; without `entry`, calls run the function.
struct GuardedEntry {
  std::vector<uint32_t> firsts;
  CaptureContext context;
  std::unique_ptr<CompiledEntry> entry;
  TensorGuards eager_tensors;

  // The tensors to check, without duplicates, and those that the graph captures.
  [[nodiscard]] bool read(std::span<const Tensor> inputs, Values& values) const {
    if (inputs.size() != firsts.size()) return false;
    values.clear();
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      if (firsts[i] == i) {
        values.push_back(ValueOf<Tensor>::lend(inputs[i]));
      } else if (inputs[firsts[i]].get() != inputs[i].get()) {
        return false;
      }
    }
    if (!entry) return true;
    const auto captured = entry->captured();
    values.append(captured.begin(), captured.end());
    return true;
  }
  [[nodiscard]] bool check(std::span<const Tensor> inputs, Values& values) const {
    if (!read(inputs, values)) return false;
    const std::span<const OpwValue> tensors(values.data(), values.size());
    return entry ? entry->check(tensors) : context.is_current() && eager_tensors.check(tensors);
  }
  [[nodiscard]] std::string find_difference(std::span<const Tensor> inputs) const {
    Values values;
    if (!read(inputs, values)) return "other inputs are the same tensor, or their number differs";
    const std::span<const OpwValue> tensors(values.data(), values.size());
    if (entry) return entry->find_difference(tensors);
    const std::string difference = context.find_difference();
    return difference.empty() ? eager_tensors.find_difference(tensors) : difference;
  }
};

struct CompiledFunction::State {
  explicit State(CompileOptions given)
      : options(std::move(given)), backend(find_backend(options.backend)), sizes(options.dynamic) {}

  [[nodiscard]] std::vector<Tensor> capture(std::span<const Tensor> inputs, CompiledBody body,
                                            void* context);
  void note_break(GuardedEntry& guarded, std::span<const CapturedArgument> arguments,
                  const BreakReason& reason);

  CompileOptions options;
  Backend backend;
  mutable std::mutex mutex;  // protects all below
  EntryCache<GuardedEntry> cache;
  SizeHistory sizes;
  std::vector<std::string> reasons;
  std::vector<std::string> breaks;
  uint64_t num_compiles = 0;
};

namespace {

std::vector<Tensor> run_entry(const GuardedEntry& guarded, const Values& values) {
  const CompiledEntry& entry = *guarded.entry;
  std::vector<OpwValue> results(entry.num_results());
  entry.run({values.data(), entry.num_arguments()}, results);
  std::vector<Tensor> tensors;
  for (const OpwValue& result : results) tensors.push_back(Tensor::take(result.as_tensor));
  return tensors;
}

}  // namespace

void CompiledFunction::State::note_break(GuardedEntry& guarded,
                                         std::span<const CapturedArgument> arguments,
                                         const BreakReason& reason) {
  for (const CapturedArgument& each : arguments)
    guarded.eager_tensors.add(each.tensor, each.dynamic, each.name);
  guarded.eager_tensors.set_num_arguments(arguments.size());
  log(LogTopic::Breaks, "a function runs eagerly: ", to_text(reason));
  breaks.push_back(to_text(reason));
  warn("PerformanceWarning",
       concatenate("compile: a function runs eagerly for such arguments: ", to_text(reason),
                   "\n  Put that code into an operator of its own with a fake kernel "
                   "(register_fake); fullgraph makes this an error."));
}

std::vector<Tensor> CompiledFunction::State::capture(std::span<const Tensor> inputs,
                                                     CompiledBody body, void* context) {
  if (!cache.entries().empty()) reasons.push_back(cache.entries().front()->find_difference(inputs));
  const auto guarded = std::make_shared<GuardedEntry>();
  guarded->firsts = find_repeats(inputs);
  Capture capture;
  std::vector<CapturedArgument> arguments;
  std::vector<Value> values;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    if (guarded->firsts[i] != i) continue;
    const std::string name = concatenate("input", i);
    const TensorGuards::DynamicDims dynamic = sizes.note(name, inputs[i]);
    capture.add_tensor(inputs[i], name, dynamic);
    arguments.push_back({inputs[i], name, dynamic});
    values.emplace_back(inputs[i]);
  }
  // Unlike in Python, reading the size of a C++ tensor cannot be intercepted: the function gets the
  // fakes.
  std::vector<Tensor> own;
  for (uint32_t i = 0, next = 0; i < inputs.size(); ++i) {
    const uint32_t same = guarded->firsts[i];
    own.push_back(same == i ? capture.own_arguments()[next++] : own[same]);
  }
  std::vector<Tensor> returned;
  {
    BreakScope breaking(capture.session(), std::move(values), {.fullgraph = options.fullgraph});
    {
      const InterpreterScope scope(capture.level());
      returned = body(context, own);
    }
    breaking.check();
    if (breaking.has_broken()) {
      note_break(*guarded, arguments, *breaking.reason());
      cache.insert(guarded);
      return returned;
    }
  }
  std::vector<OpwValue> outputs;
  for (const Tensor& tensor : returned) outputs.push_back(ValueOf<Tensor>::lend(tensor));
  guarded->entry = std::make_unique<CompiledEntry>(capture, arguments, outputs, backend);
  returned.clear();
  own.clear();
  cache.insert(guarded);
  ++num_compiles;
  Values tensors;
  (void)guarded->read(inputs, tensors);
  return run_entry(*guarded, tensors);
}

CompiledFunction::CompiledFunction(CompileOptions options)
    : state_(std::make_shared<State>(std::move(options))) {}

std::vector<Tensor> CompiledFunction::call(std::span<const Tensor> inputs, CompiledBody body,
                                           void* context) {
  if (!CaptureContext::is_plain() || !are_plain(inputs)) return body(context, inputs);
  Values values;
  std::shared_ptr<GuardedEntry> found;
  {
    const std::lock_guard lock(state_->mutex);
    found = state_->cache.find(
        [&](const GuardedEntry& guarded) { return guarded.check(inputs, values); });
    if (!found) return state_->capture(inputs, body, context);
  }
  return found->entry ? run_entry(*found, values) : body(context, inputs);
}

uint64_t CompiledFunction::num_compiles() const {
  const std::lock_guard lock(state_->mutex);
  return state_->num_compiles;
}

std::vector<std::string> CompiledFunction::recompile_reasons() const {
  const std::lock_guard lock(state_->mutex);
  return state_->reasons;
}

std::vector<std::string> CompiledFunction::breaks() const {
  const std::lock_guard lock(state_->mutex);
  return state_->breaks;
}

}  // namespace opwright
