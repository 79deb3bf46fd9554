#include "opwright/dispatch/record.h"

#include "opwright/base/given_error.h"
#include "opwright/dispatch/operator.h"

namespace opwright {
namespace {

constexpr uint64_t kRetired = uint64_t{1} << 63;

}  // namespace

bool SharedSelf::enter() {
  if ((calls_.fetch_add(1, std::memory_order_acquire) & kRetired) == 0) [[likely]]
    return true;
  leave();
  return false;
}

void SharedSelf::leave() {
  // Exactly one thread sees "retired, no active calls": it drops.
  if (calls_.fetch_sub(1, std::memory_order_acq_rel) != (kRetired | 1)) return;
  uint64_t idle = kRetired;
  if (calls_.compare_exchange_strong(idle, kRetired | kRetired >> 1, std::memory_order_acq_rel)) {
    boxed_.drop(boxed_.self);
  }
}

void SharedSelf::retire() {
  calls_.fetch_add(1, std::memory_order_acquire);
  calls_.fetch_or(kRetired, std::memory_order_acq_rel);
  leave();
}

int SharedSelf::call(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                     OpwValue* results, uint32_t num_results) noexcept {
  auto* shared = static_cast<SharedSelf*>(record->self);
  if (!shared->enter()) [[unlikely]] {
    // Removed since the row was read: the row now has its replacement.
    const Operator* op = from_c(record->op);
    const OpwRecord* now = op->record(shared->slot_);
    if (now && now != record) return now->function(now, args, num_args, results, num_results);
    give_error(Error("RuntimeError", concatenate(op->name(), ": its ", slot_name(shared->slot_),
                                                 " function was removed while it was being called"))
                   .share());
    return 1;
  }
  OpwRecord inner = *record;
  inner.self = shared->boxed_.self;
  const int status = shared->boxed_.function(&inner, args, num_args, results, num_results);
  shared->leave();
  return status;
}

OpwRecord make_record(const BoxedFunction& boxed, SharedSelf* shared, const Operator* op,
                      const OpwHost& host) {
  return {
      .struct_size = sizeof(OpwRecord),
      .function = shared ? &SharedSelf::call : boxed.function,
      .self = shared ? shared : boxed.self,
      .drop = nullptr,
      .op = to_c(op),
      .host = &host,
  };
}

}  // namespace opwright
