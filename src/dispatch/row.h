// The bottom of every call: no transform is left, and the tensors' devices and flags select a
// function of the row.
#pragma once

#include "opwright/dispatch/call_error.h"
#include "opwright/dispatch/operator.h"
#include "opwright/visibility.h"

namespace opwright {

// For more than one device, or none. Throws RuntimeError for tensors on two devices, unless the
// operator allows it.
Slot select_slot_slow(const Operator& op, Arguments args, uint32_t flags);

// The slot selected by the arguments; `flags` are the merged flags of their tensors.
inline Slot select_slot(const Operator& op, Arguments args, uint32_t flags) {
  if ((flags & kOpwDeviceBits) == 1) [[likely]]
    return (flags & kOpwFlagFake) == 0 ? Slot::Cpu : Slot::Fake;
  return select_slot_slow(op, args, flags);
}

// Runs one record for this operator: adds the operator's name and arguments to errors, checks
// results.
inline void run_record(const Operator& op, const OpwRecord& record, Arguments args,
                       Results results) {
  const int status = record.function(&record, args.data(), static_cast<uint32_t>(args.size()),
                                     results.data(), static_cast<uint32_t>(results.size()));
  if (status != 0) [[unlikely]]
    throw_failed_call(op, args, results);
  for (uint32_t i = 0; i < results.size(); ++i) {
    const OpwValue& result = results[i];
    const bool is_plain = result.tag == op.plain_result_tag(i) && result.tag != kOpwNone;
    if (!is_plain || (result.tag == kOpwTensor && !result.as_tensor)) [[unlikely]]
      check_result(op, args, results, i);
  }
}

// For operators that write: throws RuntimeError for a written argument that partially overlaps
// another one, or that is read-only.
void check_overlaps(const Operator& op, Arguments args);
// A result marked (a!) becomes the argument's own handle, regardless of what the function returned.
void give_arguments_back(const Operator& op, Arguments args, Results results);

// For operators that write: rejects overlap and read-only memory, returns written arguments as the
// caller's own handles, increases versions.
void run_writing_record(const Operator& op, const OpwRecord& record, Arguments args,
                        Results results);

// The same for every operator that needs_care(): views also get their records.
void run_record_with_care(const Operator& op, const OpwRecord& record, Arguments args,
                          Results results);

// Runs the fake kernel: the tensors that it creates have no memory either. An operator that returns
// only what it wrote needs none. Throws NotImplementedError.
void run_fake(const Operator& op, Arguments args, Results results);

// For any slot except Cpu: runs the fake kernel, or that of another device; without one, or if the
// kernel for all devices throws NotImplementedError, the fallback of `set_kernel_fallback`. Throws
// NotImplementedError.
void run_elsewhere(const Operator& op, Slot slot, Arguments args, Results results);

inline void run_row(const Operator& op, Arguments args, Results results, uint32_t flags) {
  const Slot slot = select_slot(op, args, flags);
  if (slot != Slot::Cpu) [[unlikely]]
    return run_elsewhere(op, slot, args, results);
  const OpwRecord* record = op.record(slot);
  if (!record) [[unlikely]]
    throw_missing_kernel(op, slot, args);
  if (op.needs_care()) return run_record_with_care(op, *record, args, results);
  run_record(op, *record, args, results);
}

// Tries to do the work of a kernel that a device does not have; false: it cannot.
using KernelFallback = bool (*)(const Operator& op, Slot slot, Arguments args, Results results);
// Set once by the layer above, which implements it.
void set_kernel_fallback(KernelFallback fallback) noexcept;

// Synchronizes after each call on a device other than the cpu, so that a kernel's fault is reported
// by the operator that caused it. Defaults to the environment (OPWRIGHT_SYNCHRONIZE=1).
OPWRIGHT_EXPORT void set_synchronizes_calls(bool synchronizes) noexcept;
[[nodiscard]] OPWRIGHT_EXPORT bool synchronizes_calls() noexcept;

}  // namespace opwright
