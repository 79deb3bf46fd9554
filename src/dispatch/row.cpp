#include "opwright/dispatch/row.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "opwright/base/core_host.h"
#include "opwright/base/small_vector.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/autograd_hooks.h"
#include "opwright/dispatch/property.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

bool is_cpu_scalar(const OpwTensor* tensor) {
  return tensor->dl.ndim == 0 && tensor->dl.device.type == kOpwDeviceCpu;
}

void check_overlap(const Operator& op, uint32_t written, OpwTensor* target, uint32_t index,
                   OpwTensor* other) {
  if (other == target || index == written || impl(other).storage != impl(target).storage) return;
  if (overlap(BorrowedTensor(target), BorrowedTensor(other)) == Overlap::Partial)
    throw_overlap(op, written, index);
}

struct TensorUse {
  const Storage* storage;
  OpwTensor* tensor;
  uint32_t argument;
};

// Sorted by storage: an optimizer passes thousands of tensors, most with their own storage.
[[gnu::noinline]] void check_overlaps_of_lists(const Operator& op, Arguments args) {
  SmallVector<TensorUse, 32> uses;
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
    if (op.writes_argument(index) && (tensor->flags & kOpwFlagReadOnly)) [[unlikely]]
      throw_read_only(op, index);
    uses.push_back({.storage = impl(tensor).storage, .tensor = tensor, .argument = index});
  });
  std::ranges::sort(uses, {}, [](const TensorUse& use) {
    return std::pair(reinterpret_cast<uintptr_t>(use.storage), use.argument);
  });
  for (auto first = uses.begin(); first != uses.end();) {
    const auto end = std::find_if(
        first, uses.end(), [&](const TensorUse& use) { return use.storage != first->storage; });
    for (auto target = first; target != end && end - first > 1; ++target) {
      if (!op.writes_argument(target->argument)) continue;
      for (auto other = first; other != end; ++other)
        check_overlap(op, target->argument, target->tensor, other->argument, other->tensor);
    }
    first = end;
  }
}

void raise_versions(const Operator& op, Arguments args) {
  if (has_property(op, Property::RaisesVersion)) [[unlikely]]
    return;
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    visit_tensors(args[static_cast<size_t>(std::countr_zero(left))], [](OpwTensor* tensor) {
      if (Storage* storage = impl(tensor).storage) storage->raise_version();
    });
  }
}

}  // namespace

void check_overlaps(const Operator& op, Arguments args) {
  if (!op.takes_only_plain_tensors()) [[unlikely]]
    return check_overlaps_of_lists(op, args);
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    const auto written = static_cast<uint32_t>(std::countr_zero(left));
    OpwTensor* target = args[written].as_tensor;
    if (target->flags & kOpwFlagReadOnly) [[unlikely]]
      throw_read_only(op, written);
    const Storage* storage = impl(target).storage;
    for (uint64_t others = op.tensor_args() & ~(uint64_t{1} << written); others != 0;
         others &= others - 1) {
      const auto index = static_cast<uint32_t>(std::countr_zero(others));
      if (impl(args[index].as_tensor).storage == storage) [[unlikely]]
        check_overlap(op, written, target, index, args[index].as_tensor);
    }
  }
}

void give_arguments_back(const Operator& op, Arguments args, Results results) {
  for (uint64_t left = op.returned_args(); left != 0; left &= left - 1) {
    const auto result = static_cast<uint32_t>(std::countr_zero(left));
    OpwTensor* own = args[op.argument_of_result(result)].as_tensor;
    if (results[result].as_tensor == own) continue;
    OpwTensor* retained = retain_tensor(own);
    release_value(results[result]);
    results[result].tag = kOpwTensor;
    results[result].as_tensor = retained;
  }
}

namespace {

// Meta tensors may be mixed with real ones if the operator allows two devices.
void check_all_are_fake(const Operator& op, Arguments args) {
  OpwTensor* real = nullptr;
  uint32_t which = 0;
  bool has_fake = false;
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
    if (!(tensor->flags & kOpwFlagFake)) {
      real = tensor;
      which = index;
    } else if (tensor->dl.device.type != kOpwDeviceMeta) {
      has_fake = true;
    }
  });
  if (real && has_fake) [[unlikely]]
    throw_mixed(op, which, real);
}

void check_results_are_fake(const Operator& op, Arguments args, Results results) {
  for (uint32_t i = 0; i < results.size(); ++i) {
    visit_tensors(results[i], [&](OpwTensor* result) {
      if (result->flags & kOpwFlagFake) [[likely]]
        return;
      bool is_argument = false;
      op.visit_tensor_arguments(
          args, [&](uint32_t /*index*/, OpwTensor* tensor) { is_argument |= tensor == result; });
      if (!is_argument) throw_real_result(op, results, i);
    });
  }
}

bool gives_only_what_it_writes(const Operator& op) {
  const uint64_t all = (uint64_t{1} << op.num_results()) - 1;
  return op.writes_arguments() && op.returned_args() == all && !op.is_removed();
}

std::atomic<KernelFallback> installed_fallback{nullptr};

bool is_asked_to_wait() {
  const char* text = std::getenv("OPWRIGHT_SYNCHRONIZE");
  return text && std::string_view(text) != "" && std::string_view(text) != "0";
}
std::atomic<bool> waits_after_calls{is_asked_to_wait()};

bool run_fallback(const Operator& op, Slot slot, Arguments args, Results results) {
  const KernelFallback function = installed_fallback;
  return function && function(op, slot, args, results);
}

constexpr std::string_view kNotImplemented = "NotImplementedError";

bool is_for_all_devices(const Operator& op, const OpwRecord& record) {
  const OpwRecord* shared = op.record(Slot::AllDevices);
  return shared && shared->function == record.function && shared->self == record.self;
}

void run_any_record(const Operator& op, const OpwRecord& record, Arguments args, Results results) {
  if (op.needs_care()) return run_record_with_care(op, record, args, results);
  run_record(op, record, args, results);
}

void wait_for_call(const Operator& op, Slot slot, Arguments args, Results results) {
  const int32_t type = device_type_of_bit(1U << static_cast<uint32_t>(slot));
  const OpwDeviceTable* table = find_device_table(type);
  if (table && table->synchronize(&core_host(), table->current()) != 0)
    throw_failed_call(op, args, results);
}

void write_without_kernel(const Operator& op, Arguments args, Results results) {
  check_overlaps(op, args);
  for (uint32_t i = 0; i < results.size(); ++i) {
    results[i] = copy_value(args[op.argument_of_result(i)]);
  }
  raise_versions(op, args);
}

}  // namespace

void set_kernel_fallback(KernelFallback fallback) noexcept { installed_fallback = fallback; }
void set_synchronizes_calls(bool synchronizes) noexcept { waits_after_calls = synchronizes; }
bool synchronizes_calls() noexcept { return waits_after_calls.load(std::memory_order_relaxed); }

void run_elsewhere(const Operator& op, Slot slot, Arguments args, Results results) {
  if (slot == Slot::Fake) return run_fake(op, args, results);
  const OpwRecord* record = op.record(slot);
  if (!record) {
    if (!run_fallback(op, slot, args, results)) throw_missing_kernel(op, slot, args);
  } else if (is_for_all_devices(op, *record)) {
    try {
      run_any_record(op, *record, args, results);
    } catch (const Error& error) {  // it may need something that this device cannot do
      if (error.kind() != kNotImplemented || !run_fallback(op, slot, args, results)) throw;
    }
  } else {
    run_any_record(op, *record, args, results);
  }
  if (synchronizes_calls()) [[unlikely]]
    wait_for_call(op, slot, args, results);
}

Slot select_slot_slow(const Operator& op, Arguments args, uint32_t flags) {
  const uint32_t devices = flags & kOpwDeviceBits;
  if (devices == 0) {
    if (thread_state().makes_fakes()) return Slot::Fake;
    if (op.device_argument() < 0) return Slot::Cpu;
    const OpwValue& device = args[static_cast<size_t>(op.device_argument())];
    if (device.tag == kOpwNone) return Slot::Cpu;
    if (device.tag != kOpwDeviceValue) throw_wrong_tag("Device", device);
    return device.as_device.type == kOpwDeviceMeta ? Slot::Fake
                                                   : device_slot(device.as_device.type);
  }
  uint32_t chosen = 0;
  bool is_one_device = true;
  const OpwTensor* first = nullptr;
  op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* tensor) {
    if (op.tags().has(Tag::Pointwise) && is_cpu_scalar(tensor)) return;
    chosen |= tensor->flags & kOpwDeviceBits;
    if (first && first->dl.device.index != tensor->dl.device.index) is_one_device = false;
    if (!first) first = tensor;
  });
  if (op.tags().has(Tag::AllowsMixedDevices)) {  // the device other than cpu does the work
    if (std::popcount(chosen) > 1) chosen &= ~1u;
    is_one_device = true;
  }
  if (chosen == 0) chosen = devices;
  if (std::popcount(chosen) > 1 || !is_one_device) throw_two_devices(op, args);
  return (flags & kOpwFlagFake) != 0 ? Slot::Fake : static_cast<Slot>(std::countr_zero(chosen));
}

void run_fake(const Operator& op, Arguments args, Results results) {
  check_all_are_fake(op, args);
  const OpwRecord* record = op.record(Slot::Fake);
  if (!record) {
    if (!gives_only_what_it_writes(op)) throw_missing_kernel(op, Slot::Fake, args);
    return write_without_kernel(op, args, results);
  }
  const AttentionScope scope(kAttentionMakesFakes, true);
  try {
    if (op.needs_care()) {
      run_record_with_care(op, *record, args, results);
    } else {
      run_record(op, *record, args, results);
    }
  } catch (Error& error) {
    note_fake_kernel(error, op);
    throw;
  }
  check_results_are_fake(op, args, results);
}

void run_writing_record(const Operator& op, const OpwRecord& record, Arguments args,
                        Results results) {
  check_overlaps(op, args);
  run_record(op, record, args, results);
  give_arguments_back(op, args, results);
  raise_versions(op, args);
}

void run_record_with_care(const Operator& op, const OpwRecord& record, Arguments args,
                          Results results) {
  if (op.writes_arguments()) {
    run_writing_record(op, record, args, results);
  } else {
    run_record(op, record, args, results);
  }
  if (op.gives_views()) note_views(op, args, results);
}

}  // namespace opwright
