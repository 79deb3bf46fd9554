// Counterparts of foreign tensors, wrappers, and the end of a run; functionalize_process.cpp
// handles calls.
#include "opwright/transforms/functionalize/functionalize.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "opwright/autograd/boundary.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/functionalize/functionalize_plan.h"  // IWYU pragma: keep
#include "opwright/transforms/functionalize/generator_states.h"
#include "opwright/transforms/functionalize/shared_memory.h"

namespace opwright {
namespace {

constexpr const char* kSharedMemory =
    "shares memory with another tensor, but neither is a part of the other";

// Like the step of aten::as_strided; the offset counts from the storage's first element.
ViewStepPtr part_step(const FunctionalStoragePtr& storage, const Tensor& value,
                      const SymInt& offset) {
  static const Operator& as_strided_op = Registry::get().require("aten::as_strided");
  const SymGeometry geometry = sym_geometry_of(value);
  auto step = ViewStepPtr::take(new ViewStep);
  step->storage = storage;
  step->op = &as_strided_op;
  step->args.resize(1);
  step->args.push_back(Value::take(ValueOf<std::span<const SymInt>>::give(geometry.sizes)));
  step->args.push_back(Value::take(ValueOf<std::span<const SymInt>>::give(geometry.strides)));
  step->args.push_back(Value::take(ValueOf<SymInt>::give(offset)));
  step->is_absolute = true;
  step->results = {value};
  step->synced = storage->writes;
  return step;
}

}  // namespace

Functionalize::Functionalize(Interpreter* parent, bool records)
    : Interpreter(parent, {.lifts = true, .adopts_histories = records}) {}
Functionalize::Functionalize(ViewCopiesPtr views)
    : Interpreter(views.get(), {.lifts = true}), views_(std::move(views)) {}
Functionalize::~Functionalize() = default;

// ---- Counterparts ----

bool Functionalize::owns(const OpwTensor* tensor) const noexcept {
  return is_wrapper_of(*this, tensor);
}

FunctionalView& Functionalize::view_of(const OpwTensor* tensor) {
  const auto& self = static_cast<const WrapperImpl&>(impl(const_cast<OpwTensor*>(tensor)));
  return *static_cast<FunctionalView*>(self.payload.data);
}

// A tensor that escaped from its transform is not lifted; the call rejects it.
bool Functionalize::can_lift(const OpwTensor* tensor) const noexcept {
  const bool parent_lifts = parent() && parent()->traits().lifts;
  return (tensor->flags & kOpwFlagWrapped) == 0 || parent_lifts ||
         is_in_chain(impl(const_cast<OpwTensor*>(tensor)).level, parent());
}

Tensor Functionalize::value_below(OpwTensor* tensor) const {
  OpwValue value{};
  value.tag = kOpwTensor;
  value.as_tensor = tensor;
  if (parent() && parent()->traits().lifts) {
    const ParentScope scope(*this);
    parent()->lift({&value, 1});
  }
  return Tensor::borrow(value.as_tensor);
}

Tensor Functionalize::lift(const Tensor& tensor) {
  if (owns(tensor.get())) return tensor;
  if (const auto found = twins_.find(&impl(tensor)); found != twins_.end())
    return found->second.wrapper;
  OPWRIGHT_CHECK(can_lift(tensor.get()), "functionalize: a tensor made inside ",
                 impl(tensor).level->name(), " was used after it ended (", tensor, ")");
  const Tensor foreign = Tensor::borrow(&impl(tensor));
  if (const Tensor view = traits().adopts_histories ? lift_as_view(foreign, *this) : Tensor();
      view.is_defined()) {
    twins_.emplace(
        foreign.get(),
        Twin{.foreign = foreign, .value = sync(view), .wrapper = view, .is_replayed = true});
    return view;
  }
  const Tensor value = value_below(foreign.get());
  const Tensor wrapper = make_twin(foreign, value);
  if (traits().adopts_histories) adopt_history(foreign, wrapper);
  twins_.emplace(foreign.get(), Twin{.foreign = foreign, .value = value, .wrapper = wrapper});
  return wrapper;
}

OpwTensor* Functionalize::find_twin(const OpwTensor* foreign) const {
  const auto found = twins_.find(const_cast<OpwTensor*>(foreign));
  return found == twins_.end() ? nullptr : found->second.wrapper.get();
}

Tensor Functionalize::make_twin(const Tensor& foreign, const Tensor& value) {
  bool has_conflict = false;
  for (const FunctionalStoragePtr& storage : sources_) {
    const MemoryShare shared = find_shared_memory(*storage, foreign, value);
    if (shared.kind == MemoryShare::Kind::None) continue;
    if (shared.kind == MemoryShare::Kind::Part && !has_conflict && !storage->conflict) {
      const ViewStepPtr step = part_step(storage, value, shared.offset);
      if (&storage_of(value) != &storage_of(storage->value)) {  // imported twice, or stale
        const ParentScope scope(*this);
        run_step(*step);
      }
      return wrap({.storage = storage, .step = step}, step->results[0]);
    }
    OPWRIGHT_CHECK(
        storage->writes == 0, "functionalize: a tensor (", foreign,
        ") that was captured after a write ", kSharedMemory,
        "\n  Pass the tensor that both are parts of as the first argument, or clone one.");
    storage->conflict = kSharedMemory;
    has_conflict = true;
  }
  const auto storage = FunctionalStoragePtr::take(new FunctionalStorage(value));
  storage->source = foreign;
  storage->first = value;
  storage->identity->version.store(version_of(foreign), std::memory_order_relaxed);
  storage->conflict = has_conflict ? kSharedMemory : nullptr;
  sources_.push_back(storage);
  return wrap({.storage = storage, .step = nullptr}, value);
}

void Functionalize::lift(std::span<OpwValue> args) {
  for (OpwValue& arg : args) {
    if (arg.tag == kOpwTensor) {
      if (owns(arg.as_tensor) || !can_lift(arg.as_tensor)) continue;
      arg.as_tensor = lift(BorrowedTensor(arg.as_tensor)).get();
      continue;
    }
    bool has_foreign = false;
    visit_tensors(arg,
                  [&](OpwTensor* tensor) { has_foreign |= !owns(tensor) && can_lift(tensor); });
    if (!has_foreign) continue;
    lists_.push_back(map_tensors(arg, [&](OpwTensor* tensor) {
      return can_lift(tensor) ? lift(BorrowedTensor(tensor)) : Tensor::borrow(tensor);
    }));
    arg = lists_.back().get();
  }
}

std::vector<Tensor> Functionalize::enter(std::span<const Tensor> inputs) {
  std::vector<Tensor> twins(inputs.size());
  for (const Tensor& input : inputs) (void)value_below(input.get());  // in the caller's order
  for (const size_t index : order_by_extent(inputs)) twins[index] = lift(inputs[index]);
  return twins;
}

// ---- Wrappers ----

Tensor Functionalize::wrap(FunctionalView view, const Tensor& inner) {
  const FunctionalStoragePtr storage = view.storage;
  SymGeometry geometry = sym_geometry_of(inner);
  geometry.offset = outer_offset(*storage, geometry.offset);
  if (view.step && !view.step->shown.empty())
    geometry = sym_geometry_of(view.step->shown[view.place]);
  const WrapperPayload payload{
      .data = new FunctionalView(std::move(view)),
      .copy = [](void* data) -> void* {
        return new FunctionalView(*static_cast<FunctionalView*>(data));
      },
      .drop = [](void* data) { delete static_cast<FunctionalView*>(data); }};
  Tensor wrapped =
      make_wrapper(this, inner, geometry.sizes, geometry.strides, geometry.offset, payload);
  impl(wrapped).storage = StoragePtr(storage->identity).give();
  return wrapped;
}

Tensor Functionalize::wrap_fresh(Tensor inner) {
  auto storage = FunctionalStoragePtr::take(new FunctionalStorage(inner));
  return wrap({.storage = std::move(storage), .step = nullptr}, inner);
}

OpwValue Functionalize::wrap_value(Value value) {
  if (value.tag() == kOpwTensor && value.get().as_tensor) {
    OpwValue inner = value.give();
    return ValueOf<Tensor>::give(wrap_fresh(Tensor::take(inner.as_tensor)));
  }
  if (value.tag() != kOpwTensorList && value.tag() != kOpwList) return value.give();
  return map_tensors(value.get(),
                     [&](OpwTensor* tensor) { return wrap_fresh(Tensor::borrow(tensor)); })
      .give();
}

const Tensor& Functionalize::sync(const Tensor& tensor) {
  OPWRIGHT_ASSERT(owns(tensor.get()));
  const ParentScope scope(*this);
  const Tensor& value = current_value(view_of(tensor.get()));
  auto& wrapper = static_cast<WrapperImpl&>(impl(tensor));
  if (wrapper.inner.get() != value.get()) set_inner(wrapper, value);
  return value;
}

// ---- The end ----

void Functionalize::write_back() {
  const ParentScope scope(*this);
  for (const FunctionalStoragePtr& storage : sources_) {
    if (storage->writes == 0) continue;
    const bool is_recorded = storage->is_recorded && thread_state().grad_is_enabled();
    const AttentionScope grad_mode(kAttentionGradOff, !is_recorded);
    const SymSizes sizes = storage->geometry.sizes;
    if (storage->first.dim() != static_cast<int64_t>(sizes.size()) ||
        !has_sizes(storage->first, sizes))
      storage->first.resize_(sizes);
    storage->first.copy_(storage->value);
    if (views_) continue;  // outputs are values of their own
    storage->value = storage->first;
    ++storage->writes;
  }
  for (auto& [foreign, twin] : twins_) {
    const FunctionalView& view = view_of(twin.wrapper.get());
    if (!view.step || twin.is_replayed || views_) continue;
    view.step->results = {twin.value};
    view.step->synced = view.storage->writes;
  }
  for (auto& [generator, state] : states_) states_below(*this).write_state(*generator, state.value);
  states_.clear();
}

std::vector<Tensor> Functionalize::finish(std::span<const Tensor> outputs) {
  std::vector<Tensor> own;
  own.reserve(outputs.size());
  for (const Tensor& output : outputs) own.push_back(output.is_defined() ? lift(output) : output);
  write_back();
  std::vector<Tensor> values;
  values.reserve(own.size());
  for (const Tensor& output : own) values.push_back(output.is_defined() ? sync(output) : output);
  end();
  return values;
}

void Functionalize::end() noexcept {
  twins_.clear();
  sources_.clear();
  lists_.clear();
  states_.clear();
}

}  // namespace opwright
