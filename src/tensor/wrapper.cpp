#include "opwright/tensor/wrapper.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "opwright/base/block_cache.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/level.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper_keeper.h"

namespace opwright {
namespace {

// Owns the payload until the wrapper does.
class PayloadGuard {
 public:
  explicit PayloadGuard(WrapperPayload& payload) : payload_(payload) {}
  ~PayloadGuard() {
    if (payload_.drop) payload_.drop(payload_.data);
  }
  PayloadGuard(const PayloadGuard&) = delete;
  PayloadGuard& operator=(const PayloadGuard&) = delete;

 private:
  WrapperPayload& payload_;
};

constexpr uint32_t kInnerFlags = kOpwDeviceBits | kOpwFlagReadOnly | kOpwFlagInference;

// Flags of wrappers: the device of the inner tensor, no memory of their own, nothing recorded yet.
WrapperImpl* new_wrapper(Level* level, Tensor inner) {
  OPWRIGHT_ASSERT(level != nullptr);
  const TensorImpl& shown = impl(inner);
  auto* made = new (allocate_block(sizeof(WrapperImpl))) WrapperImpl{};
  ++live_counts().tensors;
  made->owner = &kWrapperTensorTable;
  made->count = 1;
  made->flags = (shown.flags & kInnerFlags) | kOpwFlagWrapped;
  made->dl.device = shown.dl.device;
  made->dl.dtype = shown.dl.dtype;
  made->dl.shape = made->dims;
  made->dl.strides = made->dims + kInlineTensorDims;
  level->add_ref();
  made->level = level;
  made->inner = std::move(inner);
  if (WrapperKeeper::is_any_asking()) [[unlikely]]
    WrapperKeeper::note_made(*made);
  return made;
}

std::span<const SymInt> as_known_sym(std::span<const int64_t> ints) {
  for (const int64_t value : ints) OPWRIGHT_ASSERT(!is_symbolic(value));
  return {reinterpret_cast<const SymInt*>(ints.data()),
          ints.size()};  // a plain int is its own word
}

}  // namespace

Tensor make_wrapper(Level* level, Tensor inner, std::span<const SymInt> sizes,
                    std::span<const SymInt> strides, const SymInt& offset, WrapperPayload payload) {
  const PayloadGuard guard(payload);
  WrapperImpl* made = new_wrapper(level, std::move(inner));
  Tensor owner = Tensor::take(made);
  OPWRIGHT_ASSERT(sizes.size() == strides.size());
  set_symbolic_shape(*made, sizes, strides, offset);
  made->payload = std::exchange(payload, {});
  return owner;
}

Tensor make_wrapper(Level* level, Tensor inner, std::span<const int64_t> sizes,
                    std::span<const int64_t> strides, WrapperPayload payload) {
  return make_wrapper(level, std::move(inner), as_known_sym(sizes), as_known_sym(strides), 0,
                      payload);
}

Tensor make_wrapper(Level* level, Tensor inner, WrapperPayload payload) {
  const PayloadGuard guard(payload);
  const TensorImpl& shown = impl(inner);
  if (shown.symbolic) {
    const SymbolicShape shape = *shown.symbolic;
    return make_wrapper(level, std::move(inner), shape.sizes, shape.strides, shape.offset,
                        std::exchange(payload, {}));
  }
  const Sizes sizes(shown.shape());
  const Sizes strides(shown.strides());
  const SymInt offset = shown.storage_offset;
  return make_wrapper(level, std::move(inner), as_known_sym(sizes), as_known_sym(strides), offset,
                      std::exchange(payload, {}));
}

WrapperImpl& wrapper(const Tensor& tensor) {
  TensorImpl& self = impl(tensor);
  OPWRIGHT_CHECK_VALUE(self.is_wrapper(),
                       "a tensor inside a transform was expected, got a plain one");
  return static_cast<WrapperImpl&>(self);
}

Tensor alias_of(const Tensor& tensor) {
  const TensorImpl& shown = impl(tensor);
  if (!shown.is_wrapper()) {
    Tensor alias = Tensor::take(
        new_impl(StoragePtr::share(shown.storage), shown.dtype(), shown.device(), 0, 0));
    replace_contents(impl(alias), shown);
    return alias;
  }
  const auto& self = static_cast<const WrapperImpl&>(shown);
  WrapperPayload payload = self.payload;
  if (payload.copy) payload.data = payload.copy(payload.data);
  const SymGeometry geometry = sym_geometry_of(tensor);
  Tensor alias = make_wrapper(self.level, self.inner, geometry.sizes, geometry.strides,
                              geometry.offset, payload);
  TensorImpl& made = impl(alias);
  if (self.storage) made.storage = StoragePtr::share(self.storage).give();
  made.flags = (self.flags & ~kAutogradFlags) | (made.flags & kOpwFlagSymbolic);
  return alias;
}

void set_inner(WrapperImpl& wrapper, Tensor inner) {
  OPWRIGHT_ASSERT(inner.is_defined());
  wrapper.inner = std::move(inner);
}

const TensorImpl& storage_holder(const TensorImpl& tensor) {
  const TensorImpl* current = &tensor;
  while (!current->storage) current = &impl(static_cast<const WrapperImpl*>(current)->inner);
  return *current;
}

bool is_sample(const Tensor& tensor) {
  const TensorImpl* shown = &impl(tensor);
  while (shown->is_wrapper()) {
    if (shown->level->maps_samples()) return true;
    shown = &impl(static_cast<const WrapperImpl*>(shown)->inner);
  }
  return false;
}

void drop_wrapped(WrapperImpl& wrapper) noexcept {
  const Tensor inner = std::move(wrapper.inner);
  const WrapperPayload payload = std::exchange(wrapper.payload, {});
  if (payload.drop) payload.drop(payload.data);
}

// Destroying nested wrappers recurses as deep as transforms nest.
void destroy_wrapper(WrapperImpl* wrapper) noexcept {
  if (WrapperKeeper::is_any_asking()) [[unlikely]]
    WrapperKeeper::note_gone(*wrapper);
  drop_wrapped(*wrapper);
  destroy_contents(*wrapper);
  std::destroy_at(wrapper);
  free_block(wrapper, sizeof(WrapperImpl));
}

}  // namespace opwright
