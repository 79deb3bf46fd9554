// Memory under functionalize: a storage's value at the level below, which each write replaces, and
// views as the steps that derive them from it.
//
// A view whose storage was written since is stale; it is replayed when read. A write to a view
// propagates through the scatter rules of its steps. The value always has the sizes and strides of
// the tensor it represents, so operators behave the same on it; only its offset may differ.
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
  // Over a new result, or over a foreign tensor at the level below.
  explicit FunctionalStorage(Tensor initial);

  StoragePtr identity;   // shared by the wrappers; counts versions
  SymGeometry geometry;  // of the tensor that the value represents
  Tensor value;          // at the level below
  uint64_t writes = 0;
  bool is_recorded = false;  // autograd recorded a write

  Tensor source;  // the foreign tensor; undefined: created under the transform
  Tensor first;   // its initial value at the level below, the target of the write-back
  // Why it cannot be written: it shares memory with another storage, and not as a view. Null: it
  // can be.
  const char* conflict = nullptr;
};
using FunctionalStoragePtr = IntrusivePtr<FunctionalStorage>;

// One call of a view operator.
struct ViewStep : Counted<ViewStep> {
  static constexpr size_t kOffsetArgument = 3;  // of as_strided

  FunctionalStoragePtr storage;
  IntrusivePtr<ViewStep> base;  // null: the storage itself
  uint32_t base_place = 0;      // which of the base's results is viewed
  const Operator* op = nullptr;
  std::vector<Value> args;  // at the level below; the first is the base
  bool gives_list = false;
  bool is_absolute = false;  // as_strided whose offset counts from the storage's first element
  bool grad_mode = true;     // the grad mode in which it was made and is replayed
  std::vector<Tensor> results;
  std::vector<Tensor> shown;  // if the results are copies: fake tensors laid out as the views
  uint64_t synced = 0;        // the storage's write count when `results` were computed
};
using ViewStepPtr = IntrusivePtr<ViewStep>;

// A tensor of functionalize: result `place` of a step, or the entire storage.
struct FunctionalView {
  FunctionalStoragePtr storage;
  ViewStepPtr step;  // null: the entire storage
  uint32_t place = 0;
};

// The value at the level below, which must be current. Replays stale steps.
[[nodiscard]] const Tensor& current_value(const FunctionalView& view);

// Runs the view operator at the level below; everything but `results` is set in `step`.
void run_step(ViewStep& step);

// Replaces the part that the view shows; `who` is the writing operator. The level below must be
// current. NotImplementedError if a view has no scatter rule.
void write_value(const FunctionalView& view, Tensor value, const Operator& who);

// Whether it is a view made by detach: autograd does not see writes to it.
[[nodiscard]] bool is_detached(const FunctionalView& view);
// The step under no_grad that made the view or one of its bases; null: none.
[[nodiscard]] const ViewStep* find_step_under_no_grad(const FunctionalView& view);

// Converts an offset at the level below to the level of functionalize.
[[nodiscard]] SymInt outer_offset(const FunctionalStorage& storage, const SymInt& offset);

}  // namespace opwright
