#include "opwright/transforms/mode/kernel_fallback.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/base/thread_state.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dispatch/row.h"
#include "opwright/dispatch/slot.h"
#include "opwright/functions.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/transforms/functionalize/functional_call.h"
#include "opwright/transforms/functionalize/functional_pair.h"
#include "opwright/transforms/trace/fake.h"
#include "opwright/value.h"

namespace opwright {
namespace {

thread_local bool is_fallback_allowed = false;

struct Counts {
  std::mutex mutex;
  std::map<std::string, int64_t, std::less<>> times;
};
Counts& counts() {
  static auto* all = new Counts;
  return *all;
}

// ---- Forms that write ----

// The writing forms that are running as their functional form, innermost first. The functional form
// may be defined as the writing one on a copy: then neither has a kernel.
class FallbackScope {
 public:
  explicit FallbackScope(const Operator& op) : op_(op), outer_(innermost) { innermost = this; }
  ~FallbackScope() { innermost = outer_; }
  FallbackScope(const FallbackScope&) = delete;
  FallbackScope& operator=(const FallbackScope&) = delete;

  static bool holds(const Operator& op) {
    for (const FallbackScope* each = innermost; each; each = each->outer_) {
      if (&each->op_ == &op) return true;
    }
    return false;
  }

 private:
  static inline thread_local const FallbackScope* innermost = nullptr;
  const Operator& op_;
  const FallbackScope* outer_;
};

// An `out` without elements takes the sizes of the value.
void write_target(const Tensor& target, const Tensor& value) {
  Tensor own = target;
  if (own.numel() == 0 && value.numel() != 0) own.resize_(value.sizes());
  own.copy_(value);
}

bool runs_on_device(const Operator& op, Slot slot) {
  return op.record(slot) != nullptr || op.record(Slot::Decompose) != nullptr;
}

bool run_without_writing(const Operator& op, Slot slot, Arguments args, Results results) {
  if (!op.writes_arguments()) return false;
  const Operator* pair = find_functional_pair(op);
  if (!pair || !runs_on_device(*pair, slot) || FallbackScope::holds(op)) return false;
  const FallbackScope scope(op);
  check_overlaps(op, args);
  const FunctionalResults computed = call_functional(op, args);
  size_t next = 0;
  for (uint32_t i = 0; i < op.num_arguments(); ++i) {
    if (op.writes_argument(i))
      write_target(BorrowedTensor(args[i].as_tensor),
                   BorrowedTensor(computed.written[next++].get().as_tensor));
  }
  for (uint32_t i = 0; i < results.size(); ++i)
    results[i] = copy_value(args[op.argument_of_result(i)]);
  return true;
}

// ---- A decomposition ----

// Makes the checks of a kernel. A rule checks nothing itself: in a graph the fake kernel ran
// before.
void check_by_fake_kernel(const Operator& op, Arguments args) {
  const OpwRecord* fake = op.record(Slot::Fake);
  if (!fake) return;
  std::vector<Tensor> fakes;
  const ReplacedArguments shapes(args, [&](OpwTensor* tensor) {
    fakes.push_back(fake_of(Tensor::borrow(tensor)));
    return fakes.back().get();
  });
  const AttentionScope scope(kAttentionMakesFakes, true);
  OwnedResults results(op.num_results());
  run_record_with_care(op, *fake, shapes.get(), results.get());
}

bool run_decomposition(const Operator& op, Arguments args, Results results) {
  const OpwRecord* rule = op.record(Slot::Decompose);
  if (!rule) return false;
  check_by_fake_kernel(op, args);
  run_record_with_care(op, *rule, args, results);
  return true;
}

// ---- The CPU ----

Tensor copy_to(Device device, OpwTensor* tensor) {
  return _to_copy(Tensor::borrow(tensor), std::nullopt, std::nullopt, device);
}

// The device of the call: that of its tensors, else its device argument.
Device device_of_call(const Operator& op, Slot slot, Arguments args) {
  const int32_t type = device_type_of_bit(1U << static_cast<uint32_t>(slot));
  Device device(type);
  op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* tensor) {
    if (tensor->dl.device.type == type) device = tensor->dl.device;
  });
  if (device.index < 0 && op.device_argument() >= 0) {
    const OpwValue& given = args[static_cast<size_t>(op.device_argument())];
    if (given.tag == kOpwDeviceValue) device = given.as_device;
  }
  return resolve_device(device);
}

// The arguments of a call on the CPU: each tensor is copied there once.
class CpuArguments {
 public:
  CpuArguments(const Operator& op, Arguments args)
      : replaced_(args, [&](OpwTensor* tensor) { return copy_of(tensor); }),
        values_(replaced_.get().begin(), replaced_.get().end()) {
    if (op.device_argument() < 0) return;
    OpwValue& device = values_[static_cast<size_t>(op.device_argument())];
    if (device.tag == kOpwDeviceValue) device.as_device = kCpu;
  }

  [[nodiscard]] Arguments get() const noexcept { return {values_.data(), values_.size()}; }

  // Copies what was written to the copies back to the written arguments.
  void write_back(const Operator& op, Arguments args) const {
    op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
      if (!op.writes_argument(index)) return;
      for (const auto& [original, copy] : copies_) {
        if (original == tensor) write_target(BorrowedTensor(tensor), copy);
      }
    });
  }
  // The argument that the CPU function returned; null: none.
  [[nodiscard]] OpwTensor* original_of(const OpwTensor* copy) const {
    for (const auto& [original, own] : copies_) {
      if (own.get() == copy) return original;
    }
    return nullptr;
  }

 private:
  OpwTensor* copy_of(OpwTensor* tensor) {
    if (tensor->dl.device.type == kOpwDeviceCpu) return tensor;
    for (const auto& [original, copy] : copies_) {
      if (original == tensor) return copy.get();
    }
    copies_.emplace_back(tensor, copy_to(kCpu, tensor));
    return copies_.back().second.get();
  }

  std::vector<std::pair<OpwTensor*, Tensor>> copies_;
  ReplacedArguments replaced_;
  SmallVector<OpwValue, 16> values_;
};

bool run_on_cpu(const Operator& op, Slot slot, Arguments args, Results results) {
  if (!is_fallback_allowed || !op.record(Slot::Cpu) || op.gives_views()) return false;
  const Device device = device_of_call(op, slot, args);
  const CpuArguments copied(op, args);
  OwnedResults computed(results.size());
  call(op, copied.get(), computed.get());
  copied.write_back(op, args);
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = map_tensors(computed.get()[i], [&](OpwTensor* tensor) {
                   if (OpwTensor* original = copied.original_of(tensor))
                     return Tensor::borrow(original);
                   return copy_to(device, tensor);
                 }).give();
  }
  const std::lock_guard lock(counts().mutex);
  ++counts().times[std::string(op.name())];
  return true;
}

bool run_without_kernel(const Operator& op, Slot slot, Arguments args, Results results) {
  // A fallback is not recorded, like the calls a kernel makes.
  const AttentionScope scope(kAttentionBelowRecording, true);
  return run_without_writing(op, slot, args, results) || run_decomposition(op, args, results) ||
         run_on_cpu(op, slot, args, results);
}

[[maybe_unused]] const bool kIsSet = (set_kernel_fallback(&run_without_kernel), true);

}  // namespace

bool allows_fallback() noexcept { return is_fallback_allowed; }
void set_allows_fallback(bool allows) noexcept { is_fallback_allowed = allows; }

std::vector<FallbackCount> fallback_counts() {
  std::vector<FallbackCount> all;
  {
    const std::lock_guard lock(counts().mutex);
    for (const auto& [name, times] : counts().times) all.push_back({name, times});
  }
  std::ranges::stable_sort(all, std::greater{}, &FallbackCount::times);
  return all;
}

void reset_fallback_counts() {
  const std::lock_guard lock(counts().mutex);
  counts().times.clear();
}

}  // namespace opwright
