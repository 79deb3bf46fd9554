// Compiled functions for C++: opwright/compile.h.
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/compile/backend/executable.h"
#include "opwright/compile/capture/break.h"
#include "opwright/compile/capture/capture.h"
#include "opwright/compile/capture/capture_context.h"
#include "opwright/compile/capture/capture_driver.h"
#include "opwright/compile/capture/compiled_entry.h"
#include "opwright/compile/capture/entry_cache.h"
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
  explicit State(const CompileOptions& options)
      : driver({options.fullgraph, options.dynamic, find_backend(options.backend)}) {}

  mutable std::mutex mutex;  // protects all below
  EntryCache<GuardedEntry> cache;
  CaptureDriver driver;
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

// A call of a C++ function.
class BodyCall final : public CapturedCall {
 public:
  BodyCall(EntryCache<GuardedEntry>& cache, std::span<const Tensor> inputs, CompiledBody body,
           void* context)
      : cache_(cache), inputs_(inputs), body_(body), context_(context) {
    guarded_->firsts = find_repeats(inputs);
  }

  [[nodiscard]] std::string function_name() const override { return "a function"; }
  [[nodiscard]] std::vector<Given> tensors() const override {
    std::vector<Given> given;
    for (uint32_t i = 0; i < inputs_.size(); ++i) {
      if (guarded_->firsts[i] == i) given.push_back({inputs_[i], concatenate("input", i)});
    }
    return given;
  }
  [[nodiscard]] std::optional<std::string> find_difference() const override {
    if (cache_.entries().empty()) return std::nullopt;
    return cache_.entries().front()->find_difference(inputs_);
  }
  // Unlike in Python, reading the size of a C++ tensor cannot be intercepted: the function gets the
  // fakes.
  void run(Capture& capture, BreakScope& /*breaks*/) override {
    std::vector<Tensor> own;
    for (uint32_t i = 0, next = 0; i < inputs_.size(); ++i) {
      const uint32_t same = guarded_->firsts[i];
      own.push_back(same == i ? capture.own_arguments()[next++] : own[same]);
    }
    const InterpreterScope scope(capture.level());
    returned_ = body_(context_, own);
  }
  [[nodiscard]] std::vector<OpwValue> outputs() override {
    std::vector<OpwValue> outputs;
    for (const Tensor& tensor : returned_) outputs.push_back(ValueOf<Tensor>::lend(tensor));
    return outputs;
  }
  void drop_results() override { returned_.clear(); }
  void insert_compiled(std::unique_ptr<CompiledEntry> compiled) override {
    guarded_->entry = std::move(compiled);
    cache_.insert(guarded_);
  }
  [[nodiscard]] bool insert_eager(const std::string& /*reason*/,
                                  std::span<const CapturedArgument> arguments) override {
    for (const CapturedArgument& each : arguments)
      guarded_->eager_tensors.add(each.tensor, each.dynamic, each.name);
    guarded_->eager_tensors.set_num_arguments(arguments.size());
    cache_.insert(guarded_);
    return true;
  }
  void run_eagerly() override { returned_ = body_(context_, inputs_); }

  [[nodiscard]] std::vector<Tensor> run_compiled() const {
    Values values;
    (void)guarded_->read(inputs_, values);
    return run_entry(*guarded_, values);
  }
  [[nodiscard]] std::vector<Tensor> take_results() { return std::move(returned_); }

 private:
  EntryCache<GuardedEntry>& cache_;
  std::span<const Tensor> inputs_;
  CompiledBody body_;
  void* context_;
  std::shared_ptr<GuardedEntry> guarded_ = std::make_shared<GuardedEntry>();
  std::vector<Tensor> returned_;
};

}  // namespace

CompiledFunction::CompiledFunction(CompileOptions options)
    : state_(std::make_shared<State>(options)) {}

std::vector<Tensor> CompiledFunction::call(std::span<const Tensor> inputs, CompiledBody body,
                                           void* context) {
  if (!CaptureContext::is_plain() || !are_plain(inputs)) return body(context, inputs);
  Values values;
  std::shared_ptr<GuardedEntry> found;
  {
    const std::lock_guard lock(state_->mutex);
    found = state_->cache.find(
        [&](const GuardedEntry& guarded) { return guarded.check(inputs, values); });
    if (!found) {
      BodyCall call(state_->cache, inputs, body, context);
      return state_->driver.capture(call) ? call.run_compiled() : call.take_results();
    }
  }
  return found->entry ? run_entry(*found, values) : body(context, inputs);
}

uint64_t CompiledFunction::num_compiles() const {
  const std::lock_guard lock(state_->mutex);
  return state_->driver.num_compiles();
}

std::vector<std::string> CompiledFunction::recompile_reasons() const {
  const std::lock_guard lock(state_->mutex);
  return state_->driver.reasons();
}

std::vector<std::string> CompiledFunction::breaks() const {
  const std::lock_guard lock(state_->mutex);
  return state_->driver.breaks();
}

}  // namespace opwright
