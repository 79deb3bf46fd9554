// Memory as functionalize has it: a value of the level below that each write replaces, and views as
// the steps that lead from it to them.
//
// A view whose storage was written since is stale; it is replayed when it is read. A write to a
// view goes back through the scatter rules of its steps. The value always has the sizes and strides
// of the tensor that it stands for, so that what runs on it behaves as it would on that; only its
// offset may differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/dispatch/operator.h"
#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/view.h"
#include "opwright/value.h"

namespace opwright {

struct FunctionalStorage : Counted<FunctionalStorage> {
  // Over a fresh result, or a foreign tensor as the level below has it.
  explicit FunctionalStorage(Tensor initial);

  StoragePtr identity;   // of the wrappers; counts versions
  SymGeometry geometry;  // of the tensor that the value stands for
  Tensor value;          // at the level below
  uint64_t writes = 0;
  bool is_recorded = false;  // a write was made that autograd sees

  Tensor source;  // the foreign tensor itself; undefined: made by the transform
  Tensor first;   // its value at the level below, which is written back to
  // Why it cannot be written: it shares memory with another in a way that no view tells. Null: it
  // can.
  const char* conflict = nullptr;
};
using FunctionalStoragePtr = IntrusivePtr<FunctionalStorage>;

// One call of a view operator.
struct ViewStep : Counted<ViewStep> {
  static constexpr size_t kOffsetArgument = 3;  // of as_strided

  FunctionalStoragePtr storage;
  IntrusivePtr<ViewStep> base;  // null: the storage itself
  uint32_t base_place = 0;      // which of the base's results was viewed
  const Operator* op = nullptr;
  std::vector<Value> args;  // at the level below; the first is the base's
  bool gives_list = false;
  bool is_absolute =
      false;  // as_strided with an offset, which is kept from the storage's first element
  bool grad_mode = true;  // in which it was made, and is replayed
  std::vector<Tensor> results;
  uint64_t synced = 0;  // the storage's writes when `results` were made
};
using ViewStepPtr = IntrusivePtr<ViewStep>;

// A tensor of functionalize: result `place` of a step, or the storage as a whole.
struct FunctionalView {
  FunctionalStoragePtr storage;
  ViewStepPtr step;  // null: the whole
  uint32_t place = 0;
};

// The value at the level below, which must be current. Replays what is stale.
[[nodiscard]] const Tensor& current_value(const FunctionalView& view);

// Runs the view operator at the level below; `step` has all but results.
void run_step(ViewStep& step);

// Replaces the part that the view shows; `who` writes. Called with the level below current.
// NotImplementedError where a view has no scatter rule.
void write_value(const FunctionalView& view, Tensor value, const Operator& who);

// Whether it is a view of detach: autograd does not see writes to it.
[[nodiscard]] bool is_detached(const FunctionalView& view);
// What made it, or a view that it is made of, under no_grad; null: nothing.
[[nodiscard]] const ViewStep* find_step_under_no_grad(const FunctionalView& view);

// What a value of the storage's offset `offset` below has at the level of functionalize.
[[nodiscard]] SymInt outer_offset(const FunctionalStorage& storage, const SymInt& offset);

}  // namespace opwright
