// The bottom of every call: no transform is left, the row is indexed by what the tensors are.
#pragma once

#include "opwright/dispatch/call_error.h"
#include "opwright/dispatch/operator.h"
#include "opwright/visibility.h"

namespace opwright {

// More than one device, or none. RuntimeError for tensors on two devices, unless the operator
// allows it.
Slot select_slot_slow(const Operator& op, Arguments args, uint32_t flags);

// The slot that the arguments choose; `flags` are the merged flags of their tensors.
inline Slot select_slot(const Operator& op, Arguments args, uint32_t flags) {
  if ((flags & kOpwDeviceBits) == 1) [[likely]]
    return (flags & kOpwFlagFake) == 0 ? Slot::Cpu : Slot::Fake;
  return select_slot_slow(op, args, flags);
}

// Runs one record as this operator's: errors gain the operator's name and arguments, results are
// checked.
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

// For operators that write: RuntimeError for a written argument that shares part of its memory with
// another one, or that is read-only.
void check_overlaps(const Operator& op, Arguments args);
// A result marked (a!) becomes the argument's own handle, whatever the function returned.
void give_arguments_back(const Operator& op, Arguments args, Results results);

// For operators that write: refuses overlap and read-only memory, gives written arguments back as
// the caller's own handles, raises versions.
void run_writing_record(const Operator& op, const OpwRecord& record, Arguments args,
                        Results results);

// The same for every operator that needs care: views get their records, too.
void run_record_with_care(const Operator& op, const OpwRecord& record, Arguments args,
                          Results results);

// Runs the fake kernel: what it makes has no memory either. An operator that gives nothing but what
// it wrote needs none. NotImplementedError.
void run_fake(const Operator& op, Arguments args, Results results);

// Any slot but Cpu: the fake kernel, or another device's; without one, or where one for all devices
// raises NotImplementedError, what `set_stand_in` gave. NotImplementedError.
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

// Tries to do the work of a kernel that a device lacks; false: it cannot.
using StandIn = bool (*)(const Operator& op, Slot slot, Arguments args, Results results);
// Of the layer above that knows how. Set once.
void set_stand_in(StandIn stand_in) noexcept;

// Waits after each call on a device but the cpu, so that a fault of a kernel is the error of the
// operator that made it. From the environment (OPWRIGHT_SYNCHRONIZE=1) until it is set.
OPWRIGHT_EXPORT void set_synchronizes_calls(bool synchronizes) noexcept;
[[nodiscard]] OPWRIGHT_EXPORT bool synchronizes_calls() noexcept;

}  // namespace opwright
