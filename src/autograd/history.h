// Autograd data of a tensor object, at the tensor's own level: where its gradient goes, what it is
// a view of, and its own gradient.
//
// An in-place write to a view gives the root of the view a new history: root = scatter(old root,
// new value). Each root counts such rebases; a view that is behind gets a new history by running
// its operators again on the root.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/autograd/tape.h"
#include "opwright/dispatch/operator.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// One call of a view operator: how a view is derived from its base. It does not own the root, whose
// history contains such steps.
struct OPWRIGHT_EXPORT ViewRecord : Counted<ViewRecord> {
  // The base's record, if the base is a view that autograd sees through; the tensors in between may
  // be destroyed.
  IntrusivePtr<ViewRecord> parent;
  const Operator* op = nullptr;
  uint32_t viewed = 0;  // the argument that is the base
  uint32_t place = 0;   // its index in a list of views
  bool gives_list = false;
  bool is_of_function = false;    // the output of an autograd.Function, which has its own backward
  bool is_under_no_grad = false;  // grad mode was off, or the base is such a view
  bool is_of_inference = false;   // and that by inference mode
  SmallVector<OpwValue, 2> rest;  // the arguments without the base, owned

  ViewRecord() = default;
  ~ViewRecord();  // destroys a long chain in a loop
  // Whether autograd sees through it: a write to the view is a write to the root.
  [[nodiscard]] bool is_differentiable() const;
  // Whether it was created under no_grad, or from such a view: it may not be written with grad mode
  // on.
  [[nodiscard]] bool is_hidden() const;
  // "made under no_grad" or "made in inference mode", for errors about a hidden view.
  [[nodiscard]] const char* origin() const;
  // Whether autograd treats it as an independent value (detach).
  [[nodiscard]] bool is_detached() const;
  // The step that returned a list of views (unbind, split) or that an autograd.Function made, here
  // or further up; null: none. Such a view may not be written where autograd records.
  [[nodiscard]] const ViewRecord* find_fixed_step() const;
};
using ViewRecordPtr = IntrusivePtr<ViewRecord>;
using ViewSteps = SmallVector<ViewRecordPtr, 4>;  // starting at the root

// The .grad of a tensor: of a leaf, or of a value with retain_grad.
struct KeptGradient : Counted<KeptGradient> {
  Tensor gradient;
  uint64_t hook = 0;  // of retain_grad, on the tensor's node
  // For a leaf, what set_gradient_dtype stated: any dtype, or one that may differ from the leaf's.
  bool takes_any_dtype = false;
  std::optional<DType> dtype;
};

struct OPWRIGHT_EXPORT History final : AutogradMeta {
  static void* operator new(size_t bytes);
  static void operator delete(void* memory, size_t bytes) noexcept;
  ~History() override;
  [[nodiscard]] std::string node_name() const override;

  TapeNodePtr node;  // null: a leaf
  uint32_t place = 0;
  uint32_t rebases = 0;           // for a root: how often a write gave it a new history
  uint32_t seen = 0;              // for a view: the root's rebases that `node` reflects
  bool retains_gradient = false;  // retain_grad was called
  TapeNodePtr accumulator;        // for a leaf, once its gradient was requested
  ViewRecordPtr view;
  Tensor root;                      // for a view: receives the history of writes to it
  IntrusivePtr<KeptGradient> kept;  // null: no .grad yet

  // .grad; allocated separately, so that tensors without one stay small.
  [[nodiscard]] Tensor& gradient() {
    if (!kept) kept = make_intrusive<KeptGradient>();
    return kept->gradient;
  }
};
static_assert(sizeof(History) <= 64, "one block: every recorded result has one");

// Null: none yet.
[[nodiscard]] inline History* find_history(const OpwTensor* tensor) noexcept {
  return static_cast<History*>(impl(const_cast<OpwTensor*>(tensor)).autograd);
}
[[nodiscard]] OPWRIGHT_EXPORT History& history_of(const Tensor& tensor);
// How often a write gave the root of views a new history.
[[nodiscard]] inline uint32_t rebases_of(const Tensor& root) noexcept {
  const History* history = find_history(root.get());
  return history ? history->rebases : 0;
}

// Where a gradient of the tensor currently goes; no node: it does not require grad. Throws
// RuntimeError for a view created under no_grad whose base got a new history since.
[[nodiscard]] OPWRIGHT_EXPORT Edge edge_of(const Tensor& tensor);
[[nodiscard]] OPWRIGHT_EXPORT bool requires_grad(const Tensor& tensor);
[[nodiscard]] OPWRIGHT_EXPORT bool is_leaf(const Tensor& tensor);
// Sets whether a leaf requires grad. Throws RuntimeError for other tensors, and for dtypes without
// gradients.
OPWRIGHT_EXPORT void set_requires_grad(const Tensor& tensor, bool on);

// The tensor's own .grad; undefined: none.
[[nodiscard]] OPWRIGHT_EXPORT Tensor gradient_of(const Tensor& tensor);
// Checks sizes, dtype and device.
OPWRIGHT_EXPORT void set_gradient(const Tensor& tensor, Tensor gradient);
// The dtype that the .grad of a leaf must have, to which backward converts: that of the leaf,
// unless another one was set. No value: gradients keep their dtypes.
[[nodiscard]] OPWRIGHT_EXPORT std::optional<DType> gradient_dtype_of(const Tensor& tensor);
// Throws RuntimeError for a tensor that is not a leaf, and where .grad has another dtype.
OPWRIGHT_EXPORT void set_gradient_dtype(const Tensor& leaf, std::optional<DType> dtype);
// Repeats for `to` what set_gradient_dtype stated for `from`, if anything.
void copy_gradient_dtype(const Tensor& from, const Tensor& to);
// Keeps the gradient of a tensor that is not a leaf: that of its value after later writes.
OPWRIGHT_EXPORT void retain_gradient(const Tensor& tensor);

[[nodiscard]] OPWRIGHT_EXPORT bool retains_gradient(const Tensor& tensor);
// Turns the tensor into a leaf that does not require grad. Throws RuntimeError for a view.
OPWRIGHT_EXPORT void detach_in_place(const Tensor& tensor);
// Makes the tensor show what `source` shows (.data = ...); neither is a wrapper.
OPWRIGHT_EXPORT void set_data(const Tensor& tensor, const Tensor& source);
// Makes a leaf another one for the tape: what was computed from it gives it no gradient any more.
OPWRIGHT_EXPORT void forget_accumulator(const Tensor& leaf);

// The value with the history of another tensor: opwright::graft.
[[nodiscard]] Tensor graft(const Tensor& history, const Tensor& value);

// Gives the tensor the history `edge`.
OPWRIGHT_EXPORT void set_history(const Tensor& tensor, TapeNodePtr node, uint32_t place);

// ---- Views ----

[[nodiscard]] OPWRIGHT_EXPORT ViewRecord* find_view(const Tensor& tensor);
// The steps from the root to the view.
[[nodiscard]] ViewSteps steps_to(const ViewRecordPtr& view);
// Recomputes the view, at the current level.
[[nodiscard]] Tensor replay(const ViewRecord& step, const Tensor& base);
[[nodiscard]] Tensor replay(std::span<const ViewRecordPtr> steps, Tensor root);
// The root with the view replaced by `value`, otherwise unchanged.
[[nodiscard]] Tensor scatter(const Tensor& root, const Tensor& value,
                             std::span<const ViewRecordPtr> steps);

// Adds view records to the results of a view operator.
void note_results_as_views(const Operator& op, Arguments args, Results results);

// ---- Writes ----

// Whether a view takes part in recording (AutogradHooks::is_tracked).
[[nodiscard]] bool is_tracked(OpwTensor* view, bool is_written);
// Throws RuntimeError for a leaf, a view of one, a view created under no_grad, one of several views
// that an operator returned, and a tensor of another level.
void check_write(const Operator& op, uint32_t argument, const Tensor& written);
// The same for an input that an autograd.Function marks dirty.
OPWRIGHT_EXPORT void check_function_write(std::string_view function, const Tensor& written);
// The same for a tensor that becomes a view of itself (transpose_).
OPWRIGHT_EXPORT void check_view_in_place(std::string_view function, const Tensor& tensor);
// The tensor's memory now holds output `place` of the node.
OPWRIGHT_EXPORT void rebase(const Tensor& written, TapeNodePtr node, uint32_t place);

}  // namespace opwright
