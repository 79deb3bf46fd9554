// Records: registered functions as rows hold them. Immutable, never freed; only their `self` is
// dropped.
//
// Another thread may be using a self when it is removed. Such a function is wrapped in a SharedSelf
// that counts the active calls; the last one to return drops it. A plain function has nothing to
// drop and is called directly.
#pragma once

#include <atomic>

#include "opwright/dispatch/slot.h"
#include "opwright/registration/kernel.h"

namespace opwright {

class Operator;

inline const OpwOperator* to_c(const Operator* op) {
  return reinterpret_cast<const OpwOperator*>(op);
}
inline const Operator* from_c(const OpwOperator* op) {
  return reinterpret_cast<const Operator*>(op);
}

// A function with a self to drop, shared by its records. Never freed.
class SharedSelf {
 public:
  explicit SharedSelf(const BoxedFunction& boxed, Slot slot) : boxed_(boxed), slot_(slot) {}

  // Rejects new calls; `self` is dropped when the last active one has returned.
  void retire();

  // The OpwFunction of records that use it.
  static int call(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                  OpwValue* results, uint32_t num_results) noexcept;

 private:
  bool enter();
  void leave();

  BoxedFunction boxed_;
  Slot slot_;
  std::atomic<uint64_t> calls_{0};  // active calls; the top bit means retired
};

// The record of `boxed` for one operator. `shared` is null for a function with nothing to drop.
OpwRecord make_record(const BoxedFunction& boxed, SharedSelf* shared, const Operator* op,
                      const OpwHost& host);

}  // namespace opwright
