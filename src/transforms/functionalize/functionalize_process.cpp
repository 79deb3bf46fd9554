// How functionalize runs a call: unchanged, as a view, without its write, or with the generator's
// state.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dispatch/row.h"
#include "opwright/dispatch/rule.h"
#include "opwright/error.h"
#include "opwright/grad_mode.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/functionalize/functional_call.h"
#include "opwright/transforms/functionalize/functional_sibling.h"
#include "opwright/transforms/functionalize/functionalize.h"
#include "opwright/transforms/functionalize/functionalize_plan.h"
#include "opwright/transforms/functionalize/generator_states.h"

namespace opwright {
namespace {

bool is_tracked_at_any_level(OpwTensor* tensor) {
  for (const TensorImpl* shown = &impl(tensor); shown;) {
    if (shown->flags & kOpwFlagRequiresGrad) return true;
    shown = shown->is_wrapper() ? &impl(static_cast<const WrapperImpl*>(shown)->inner) : nullptr;
  }
  return false;
}

const std::string& argument_name(const Operator& op, uint32_t index) {
  return op.schema().arguments[index].name;
}

// The geometry that as_strided requests.
SymGeometry strided(Arguments args) {
  const auto sizes = ValueOf<std::span<const SymInt>>::read(args[1]);
  const auto strides = ValueOf<std::span<const SymInt>>::read(args[2]);
  const auto offset = ValueOf<std::optional<SymInt>>::read(args[ViewStep::kOffsetArgument]);
  return {.sizes = SymSizes(sizes.begin(), sizes.end()),
          .strides = SymSizes(strides.begin(), strides.end()),
          .offset = offset ? *offset : sym_geometry_of(BorrowedTensor(args[0].as_tensor)).offset};
}

// The views with their own geometry, which copies of them do not have.
std::vector<Tensor> shown_views(const Operator& op, Arguments args, Arguments inner) {
  const BorrowedTensor base(args[0].as_tensor);
  const SymGeometry geometry = sym_geometry_of(base);
  const Tensor fake = make_fake(geometry.sizes, geometry.strides, geometry.offset,
                                impl(args[0].as_tensor).dtype(), impl(args[0].as_tensor).device());
  SmallVector<OpwValue, 8> given(inner.begin(), inner.end());
  given[0] = ValueOf<Tensor>::lend(fake);
  const InterpreterScope eager(nullptr);
  OpwValue result{};
  call(op, given, {&result, 1});
  if (result.tag == kOpwTensorList) return ValueOf<std::vector<Tensor>>::take(result);
  return {Tensor::take(result.as_tensor)};
}

// Rewrites a step of as_strided to start at the storage, because the result does not depend on the
// view it was called on. False if it reaches elements that the storage's tensor does not show.
bool take_from_storage(ViewStep& step, Arguments args) {
  const SymGeometry wanted = strided(args);
  const FunctionalStorage& storage = *step.storage;
  if (step.base && thread_state().grad_is_enabled() &&
      is_tracked_at_any_level(storage.value.get())) {
    OPWRIGHT_CHECK(covers(sym_geometry_of(BorrowedTensor(args[0].as_tensor)), wanted),
                   "as_strided: the view reaches elements of the storage that self does not show, "
                   "and that have gradients; take it from the tensor that shows them all");
  }
  if (step.base || args[ViewStep::kOffsetArgument].tag != kOpwNone) {
    step.base = nullptr;
    step.args[ViewStep::kOffsetArgument] = Value(wanted.offset - storage.geometry.offset);
    step.is_absolute = true;
  }
  const bool is_covered = covers(storage.geometry, wanted);
  OPWRIGHT_CHECK(is_covered || storage.writes == 0,
                 "as_strided: the view reaches elements of the storage that self does not show, "
                 "after self was written under functionalize; take it from the tensor that shows "
                 "them all");
  return is_covered;
}

}  // namespace

const Functionalize::Plan& Functionalize::plan(const Operator& op) {
  if (const auto found = plans_.find(&op); found != plans_.end()) return *found->second;
  static const Operator& as_strided = Registry::get().require("aten::as_strided");
  auto made = std::make_unique<Plan>();
  made->writes = op.writes_arguments();
  made->draws = op.tags().has(Tag::NondeterministicSeeded);
  made->is_view = is_view(op);
  if (made->writes && made->is_view) (void)functional_sibling(op);  // raises
  made->is_as_strided = &op == &as_strided;
  made->generator = generator_argument(op);
  return *plans_.emplace(&op, std::move(made)).first->second;
}

void Functionalize::process(const Operator& op, Arguments args, Results results) {
  const Plan& known = plan(op);
  if (known.writes) check_writes(op, args);
  const ReplacedArguments inner(
      args, [&](OpwTensor* tensor) { return sync(BorrowedTensor(tensor)).get(); });
  const ParentScope scope(*this);
  if (known.draws) return draw(op, args, inner.get(), results);
  if (known.writes) return write(op, args, inner.get(), results);
  if (known.is_view) return view(op, known, args, inner.get(), results);
  call(op, inner.get(), results);
  for (OpwValue& result : results) {
    if (result.tag == kOpwTensor || result.tag == kOpwTensorList || result.tag == kOpwList)
      result = wrap_value(Value::take(std::exchange(result, OpwValue{})));
  }
}

// ---- Views ----

void Functionalize::view(const Operator& op, const Plan& known, Arguments args, Arguments inner,
                         Results results) {
  OPWRIGHT_CHECK(
      op.num_results() == 1 && find_viewed_argument(op, 0) == 0u && args[0].tag == kOpwTensor,
      op.name(),
      ": under functionalize a view operator must return one view, or one list of views, of "
      "its first argument\n  schema: ",
      to_text(op.schema()));
  const FunctionalView& base = view_of(args[0].as_tensor);
  auto step = ViewStepPtr::take(new ViewStep);
  step->storage = base.storage;
  step->base = base.step;
  step->base_place = base.place;
  step->op = &op;
  step->gives_list = op.schema().returns[0].type.is_list();
  // A step from the storage skips the views between, but not what these hide from autograd.
  const bool is_hidden =
      known.is_as_strided && (is_detached(base) || find_step_under_no_grad(base));
  step->grad_mode = thread_state().grad_is_enabled() && !is_hidden;
  step->args.resize(inner.size());
  for (size_t i = 1; i < inner.size(); ++i) step->args[i] = Value::copy_of(inner[i]);
  const bool is_outside = known.is_as_strided && !take_from_storage(*step, args);
  const GradModeScope grad_mode(step->grad_mode);
  run_step(*step);
  if (views_) step->shown = shown_views(op, args, inner);
  results[0] = is_outside ? wrap_outside(*step) : wrap_view(step);
}

OpwValue Functionalize::wrap_view(const ViewStepPtr& step) {
  std::vector<Tensor> wrapped;
  for (uint32_t i = 0; i < step->results.size(); ++i)
    wrapped.push_back(wrap({.storage = step->storage, .step = step, .place = i}, step->results[i]));
  if (step->gives_list) return ValueOf<std::vector<Tensor>>::give(wrapped);
  return ValueOf<Tensor>::give(std::move(wrapped.front()));
}

// An as_strided view that reaches elements that the storage's tensor does not show: it becomes a
// separate tensor, and neither can be written.
OpwValue Functionalize::wrap_outside(const ViewStep& step) {
  constexpr const char* kOutside =
      "shares its storage with a view by as_strided that reaches other elements of it";
  const Tensor made = wrap_fresh(step.results.front());
  step.storage->conflict = kOutside;
  view_of(made.get()).storage->conflict = kOutside;
  return ValueOf<Tensor>::give(made);
}

// ---- Writes ----

void Functionalize::check_writes(const Operator& op, Arguments args) const {
  check_overlaps(op, args);
  SmallVector<OpwTensor*, 4> written;
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    const auto index = static_cast<uint32_t>(std::countr_zero(left));
    visit_tensors(args[index], [&](OpwTensor* tensor) {
      for (OpwTensor* other : written) {
        OPWRIGHT_CHECK(overlap(impl(tensor), impl(other)) == Overlap::None, op.name(), ": '",
                       argument_name(op, index),
                       "' is written twice under functionalize: another written argument is the "
                       "same memory");
      }
      OPWRIGHT_CHECK(!has_internal_overlap(impl(tensor)), op.name(), ": several elements of '",
                     argument_name(op, index),
                     "' are the same memory, as after expand; clone it "
                     "before it is written");
      const char* conflict = view_of(tensor).storage->conflict;
      OPWRIGHT_CHECK(!conflict, op.name(), ": '", argument_name(op, index),
                     "' cannot be written under functionalize: it ", conflict ? conflict : "",
                     "\n  Pass the tensor that both are parts of, or clone one.");
      written.push_back(tensor);
    });
  }
}

// Views that autograd does not see through must not receive values that it tracks: one value of the
// level below cannot have two histories.
void Functionalize::refuse_tracked_write(const Operator& op, uint32_t index, OpwTensor* written,
                                         bool has_tracked_argument) const {
  const FunctionalView& view = view_of(written);
  OPWRIGHT_CHECK(!has_tracked_argument || !is_detached(view), op.name(), ": '",
                 argument_name(op, index),
                 "' is a detached alias, and the value that is written to it requires grad; "
                 "functionalize cannot keep both histories: clone it after detach(), or write "
                 "under no_grad");
  const ViewStep* hidden = find_step_under_no_grad(view);
  if (!hidden) return;
  const bool is_tracked =
      has_tracked_argument || is_tracked_at_any_level(view.storage->value.get());
  OPWRIGHT_CHECK(!is_tracked, op.name(), ": '", argument_name(op, index), "' is a view that ",
                 hidden->op->name(),
                 " made under no_grad, and cannot be modified in place with grad mode on; make the "
                 "view with grad mode on, or write under no_grad");
}

void Functionalize::refuse_tracked_writes(const Operator& op, Arguments args) const {
  bool is_tracked = false;
  op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* tensor) {
    is_tracked |= is_tracked_at_any_level(tensor);
  });
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    const auto index = static_cast<uint32_t>(std::countr_zero(left));
    visit_tensors(args[index], [&](OpwTensor* written) {
      refuse_tracked_write(op, index, written, is_tracked);
    });
  }
}

void Functionalize::write(const Operator& op, Arguments args, Arguments inner, Results results) {
  if (thread_state().grad_is_enabled()) refuse_tracked_writes(op, args);
  FunctionalResults functional = call_functional(op, inner);
  size_t next = 0;
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    const auto index = static_cast<uint32_t>(std::countr_zero(left));
    write_all(op, index, args[index], functional.written[next++]);
  }
  give_results(op, args, functional.fresh, results);
}

void Functionalize::write_all(const Operator& op, uint32_t argument, const OpwValue& target,
                              const Value& value) {
  std::vector<OpwTensor*> targets;
  visit_tensors(target, [&](OpwTensor* tensor) { targets.push_back(tensor); });
  size_t next = 0;
  visit_tensors(value.get(), [&](OpwTensor* tensor) {
    if (next < targets.size()) write_one(op, argument, targets[next], BorrowedTensor(tensor));
    ++next;
  });
  OPWRIGHT_CHECK(next == targets.size(), op.name(), ": its functional form returned ", next,
                 " new tensors for the ", targets.size(), " of '", argument_name(op, argument),
                 "'");
}

void Functionalize::write_one(const Operator& op, uint32_t argument, OpwTensor* target,
                              const Tensor& value) {
  const FunctionalView& written = view_of(target);
  const SymGeometry geometry = sym_geometry_of(BorrowedTensor(target));
  OPWRIGHT_CHECK_TYPE(value.dtype() == impl(target).dtype(), op.name(), ": the new value of '",
                      argument_name(op, argument), "' is ", value.dtype(), ", but the tensor is ",
                      impl(target).dtype());
  if (!has_sizes(value, geometry.sizes)) {
    const bool was_empty = guard_or_false(product(geometry.sizes) == 0);
    OPWRIGHT_CHECK_VALUE(was_empty && !written.step, op.name(), ": the new value of '",
                         argument_name(op, argument), "' has sizes ",
                         to_text(sym_geometry_of(value).sizes), ", but the tensor has ",
                         to_text(geometry.sizes), ", which functionalize does not change");
    FunctionalStorage& storage = *written.storage;  // an empty `out` takes the sizes of the result
    storage.geometry = sym_geometry_of(value);
    // write_back resizes it, which gives contiguous strides.
    OPWRIGHT_CHECK_VALUE(
        is_contiguous(storage.geometry.sizes, storage.geometry.strides, MemoryFormat::Contiguous),
        op.name(), ": '", argument_name(op, argument),
        "' has no elements and takes a result with strides ", to_text(storage.geometry.strides),
        ", which functionalize does not change\n  Pass a tensor of sizes ",
        to_text(storage.geometry.sizes), ".");
    set_symbolic_shape(impl(target), storage.geometry.sizes, storage.geometry.strides,
                       storage.geometry.offset);
  }
  write_value(written, value, op);
}

// Results marked (a!) are the arguments as passed.
void Functionalize::give_results(const Operator& op, Arguments args, std::span<Value> fresh,
                                 Results results) {
  size_t next = 0;
  for (uint32_t i = 0; i < op.num_results(); ++i) {
    const Return& result = op.schema().returns[i];
    if (!result.is_written()) {
      results[i] = wrap_value(std::move(fresh[next++]));
      continue;
    }
    for (uint32_t k = 0; k < op.num_arguments(); ++k) {
      if (op.writes_argument(k) && op.schema().arguments[k].alias == result.alias) {
        release_value(results[i]);
        results[i] = copy_value(args[k]);
      }
    }
  }
}

// ---- Random numbers ----

Functionalize::GeneratorState& Functionalize::current_state(RandomState& generator) {
  GeneratorState& state = states_[&generator];
  if (!state.value.is_defined()) {
    state.generator = Generator::borrow(&generator);
    state.value = states_below(*this).read_state(generator);
  }
  return state;
}

void Functionalize::draw(const Operator& op, Arguments args, Arguments inner, Results results) {
  const int32_t index = plan(op).generator;
  GeneratorState& state = current_state(drawn_generator(op, args, index));
  SmallVector<OpwValue, 16> given;
  given.push_back(ValueOf<Tensor>::lend(state.value));
  for (size_t i = 0; i < inner.size(); ++i) {
    if (static_cast<int32_t>(i) != index) given.push_back(inner[i]);
  }
  const Operator& sibling = functional_sibling(op);
  SmallVector<OpwValue, 8> all(sibling.num_results());
  call(sibling, given, all);
  std::vector<Value> values;
  for (const OpwValue& each : all) values.push_back(Value::take(each));
  state.value = Tensor::borrow(values.back().get().as_tensor);
  size_t next = count_fresh_results(op);
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    const auto written = static_cast<uint32_t>(std::countr_zero(left));
    write_all(op, written, args[written], values[next++]);
  }
  give_results(op, args, values, results);
}

Tensor Functionalize::read_state(RandomState& generator) {
  return wrap_fresh(current_state(generator).value);
}

void Functionalize::write_state(RandomState& generator, const Tensor& state) {
  GeneratorState& known = states_[&generator];
  known.generator = Generator::borrow(&generator);
  known.value = owns(state.get()) ? sync(state) : state;
}

}  // namespace opwright
