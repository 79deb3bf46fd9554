// Records: registered functions as rows hold them. Immutable, never freed; only their `self` is
// dropped.
//
// A self that has to be dropped may be in use by another thread when it is removed. Such a function
// stands behind a SharedSelf that counts the calls under way; the last one out drops it. A plain
// function has nothing to drop and is called directly.
#pragma once

#include <atomic>

#include "opwright/dispatch/slot.h"
#include "opwright/kernel.h"

namespace opwright {

class Operator;

inline const OpwOperator* to_c(const Operator* op) {
  return reinterpret_cast<const OpwOperator*>(op);
}
inline const Operator* from_c(const OpwOperator* op) {
  return reinterpret_cast<const Operator*>(op);
}

// A function with a self to drop, shared by the records made of it. Never freed.
class SharedSelf {
 public:
  explicit SharedSelf(const BoxedFunction& boxed, Slot slot) : boxed_(boxed), slot_(slot) {}

  // No call may start from now on; `self` is dropped when the last one under way has returned.
  void retire();

  // The OpwFunction of records that lead here.
  static int call(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                  OpwValue* results, uint32_t num_results) noexcept;

 private:
  bool enter();
  void leave();

  BoxedFunction boxed_;
  Slot slot_;
  std::atomic<uint64_t> calls_{0};  // under way; the top bit says retired
};

// The record of `boxed` for one operator. `shared` is null for a function with nothing to drop.
OpwRecord make_record(const BoxedFunction& boxed, SharedSelf* shared, const Operator* op,
                      const OpwHost& host);

}  // namespace opwright
