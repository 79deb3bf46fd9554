#include "opwright/transforms/functionalize/functional_storage.h"

#include <initializer_list>
#include <utility>

#include "opwright/autograd/history.h"
#include "opwright/base/small_vector.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/rule.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/tensor/overlap.h"

namespace opwright {
namespace {

SymInt offset_of(const Tensor& tensor) { return sym_geometry_of(tensor).offset; }

// The step's arguments, borrowed, after `leading`; absolute offsets are converted to the value's.
class StepArguments {
 public:
  StepArguments(const ViewStep& step, std::initializer_list<OpwValue> leading)
      : values_(leading.begin(), leading.end()) {
    for (size_t i = 1; i < step.args.size(); ++i) values_.push_back(step.args[i].get());
    if (!step.is_absolute) return;
    offset_ = ValueOf<SymInt>::read(step.args[ViewStep::kOffsetArgument].get()) +
              offset_of(step.storage->value);
    values_[leading.size() + ViewStep::kOffsetArgument - 1] = ValueOf<SymInt>::lend(offset_);
  }
  void add(const OpwValue& value) { values_.push_back(value); }
  [[nodiscard]] Arguments get() const { return {values_.data(), values_.size()}; }

 private:
  SmallVector<OpwValue, 8> values_;
  SymInt offset_ = 0;
};

const Tensor& base_value(ViewStep& step);

const Tensor& synced_result(ViewStep& step, uint32_t place) {
  if (step.synced != step.storage->writes) {
    const GradModeScope scope(step.grad_mode);
    run_step(step);
  }
  return step.results[place];
}

const Tensor& base_value(ViewStep& step) {
  return step.base ? synced_result(*step.base, step.base_place) : step.storage->value;
}

// The result of a write that autograd does not see: the new value with the old history. With eager
// values below, it is known whether there is one.
Tensor with_history_of(const Tensor& old, Tensor value) {
  const bool has_none = !current_interpreter() && !requires_grad(old);
  if (has_none || !has_gradients(value.dtype())) return value;
  const GradModeScope scope(true);
  return graft(old, value);
}

bool is_detaching(const ViewStep& step) { return step.op->tags().has(Tag::Nondifferentiable); }

// The step's base after a write of `value` to its result.
Tensor scatter_step(ViewStep& step, uint32_t place, const Tensor& value, const Operator& who) {
  const Operator& op = *step.op;
  if (!op.record(Slot::Scatter)) {
    throw_error("NotImplementedError", op.name(), ": its view was written by ", who.name(),
                " under functionalize, but it has no scatter rule\n  Register one with "
                "OPWRIGHT_LIBRARY_IMPL(",
                op.schema().name.name_space,
                ", Scatter, m) or opwright.library.register_scatter(\"", op.name(), "\").");
  }
  if (is_detaching(step)) return with_history_of(base_value(step), value);
  StepArguments args(step, {ValueOf<Tensor>::lend(base_value(step)), ValueOf<Tensor>::lend(value)});
  if (step.gives_list) args.add(ValueOf<int64_t>::lend(place));
  OpwValue result{};
  run_rule(op, Slot::Scatter, args.get(), {&result, 1});
  OPWRIGHT_CHECK_TYPE(result.tag == kOpwTensor && result.as_tensor, op.name(),
                      ": its scatter rule must return a tensor");
  return Tensor::take(result.as_tensor);
}

// The storage's value after a write to the view. If elements of a base view share memory (expand,
// unfold), a part of it may be written, though not through the entire base; the caller has checked
// that the elements of the part do not overlap.
Tensor scatter_view(const FunctionalView& view, Tensor value, const Operator& who) {
  const Tensor& shown = current_value(view);
  bool is_repeated = false;
  uint32_t place = view.place;
  for (ViewStep* step = view.step.get(); step; step = step->base.get()) {
    is_repeated |=
        has_internal_overlap(step->shown.empty() ? step->results[place] : step->shown[place]);
    place = step->base_place;
  }
  OPWRIGHT_CHECK_KIND("NotImplementedError", !is_repeated || view.step->shown.empty(), who.name(),
                      ": a part of a view with repeated elements (expand, unfold) is written under "
                      "functionalize without views\n  Clone the view first, or use "
                      "remove=\"mutations\".");
  if (is_repeated && !shown.is_symbolic()) {
    const SymGeometry part = sym_geometry_of(shown);
    return as_strided_scatter(view.storage->value, value, part.sizes, part.strides, part.offset);
  }
  place = view.place;
  for (ViewStep* step = view.step.get(); step; step = step->base.get()) {
    value = scatter_step(*step, place, value, who);
    place = step->base_place;
  }
  return value;
}

}  // namespace

FunctionalStorage::FunctionalStorage(Tensor initial)
    : identity(make_fake_storage(kUnknownBytes, initial.device())),
      geometry(sym_geometry_of(initial)),
      value(std::move(initial)) {}

const Tensor& current_value(const FunctionalView& view) {
  return view.step ? synced_result(*view.step, view.place) : view.storage->value;
}

void run_step(ViewStep& step) {
  const StepArguments args(step, {ValueOf<Tensor>::lend(base_value(step))});
  OpwValue result{};
  call(*step.op, args.get(), {&result, 1});
  if (step.gives_list)
    step.results = ValueOf<std::vector<Tensor>>::take(result);
  else
    step.results = {Tensor::take(result.as_tensor)};
  step.synced = step.storage->writes;
}

void write_value(const FunctionalView& view, Tensor value, const Operator& who) {
  FunctionalStorage& storage = *view.storage;
  if (view.step) value = scatter_view(view, std::move(value), who);
  if (!has_strides(value, storage.geometry)) value = copy(storage.value, value);
  if (!thread_state().grad_is_enabled()) value = with_history_of(storage.value, std::move(value));
  storage.value = std::move(value);
  ++storage.writes;
  storage.identity->raise_version();
  storage.is_recorded |= thread_state().grad_is_enabled() && !is_detached(view);
}

bool is_detached(const FunctionalView& view) {
  for (const ViewStep* step = view.step.get(); step; step = step->base.get()) {
    if (is_detaching(*step)) return true;
  }
  return false;
}

const ViewStep* find_step_under_no_grad(const FunctionalView& view) {
  for (const ViewStep* step = view.step.get(); step; step = step->base.get()) {
    if (!step->grad_mode && !is_detaching(*step)) return step;
  }
  return nullptr;
}

SymInt outer_offset(const FunctionalStorage& storage, const SymInt& offset) {
  const SymInt inner = offset_of(storage.value);
  if (inner.word() == storage.geometry.offset.word()) return offset;
  return offset - inner + storage.geometry.offset;
}

}  // namespace opwright
