#include "opwright/tensor/tensor_impl.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "opwright/base/block_cache.h"
#include "opwright/base/given_error.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/last_handle.h"
#include "opwright/tensor/level.h"
#include "opwright/tensor/stack_view.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/tensor/wrapper_keeper.h"

namespace opwright {
namespace {

constinit const MirrorTable* mirror_table = nullptr;
constinit LastHandleRule last_handle_rule = nullptr;

// True if the host language took over the last count.
bool gave_to_mirror(TensorImpl* tensor) noexcept {
  if (!(__atomic_load_n(&tensor->count, __ATOMIC_RELAXED) & kOpwCountHostBit)) [[likely]]
    return false;
  mirror_table->last_handle_dropped(tensor);
  return true;
}

bool lives_on(TensorImpl* tensor) {
  return tensor->autograd && last_handle_rule && !last_handle_rule(*tensor);
}

void release_plain(OpwTensor* tensor) {
  auto* plain = static_cast<TensorImpl*>(tensor);
  if (!gave_to_mirror(plain) && !lives_on(plain)) destroy_tensor(plain);
}

void release_wrapper(OpwTensor* tensor) {
  auto* wrapper = static_cast<WrapperImpl*>(tensor);
  if (!gave_to_mirror(wrapper) && !lives_on(wrapper)) destroy_tensor(wrapper);
}

OpwTensor* promote(OpwTensor* tensor) {
  __atomic_fetch_add(&tensor->count, 1, __ATOMIC_RELAXED);
  return tensor;
}

int refresh_plain(OpwTensor* /*tensor*/) {
  give_error(
      Error("AssertionError", "internal error, please report it: a plain tensor cannot be stale")
          .share());
  return 1;
}

int refresh_wrapper(OpwTensor* tensor) {
  return status_of([&] {
    auto& wrapper = static_cast<WrapperImpl&>(*tensor);
    OPWRIGHT_ASSERT(wrapper.payload.refresh != nullptr);
    wrapper.payload.refresh(wrapper);
  });
}

int symbolic(const OpwTensor* tensor, OpwSymbolicShape* shape) {
  const auto* self = static_cast<const TensorImpl*>(tensor);
  if (!self->symbolic) {
    give_error(
        Error("AssertionError", "internal error, please report it: the tensor has no symbols")
            .share());
    return 1;
  }
  // An array of SymInt is an array of words.
  shape->sizes = reinterpret_cast<const OpwSymWord*>(self->symbolic->sizes.data());
  shape->strides = reinterpret_cast<const OpwSymWord*>(self->symbolic->strides.data());
  shape->offset = self->symbolic->offset.word();
  return 0;
}

void free_dims(TensorImpl& tensor) noexcept {
  if (tensor.dl.shape != tensor.dims) [[unlikely]]
    delete[] tensor.dl.shape;
}

}  // namespace

constinit const OpwTensorTable kCoreTensorTable{.struct_size = sizeof(OpwTensorTable),
                                                .release = &release_plain,
                                                .promote = &promote,
                                                .refresh = &refresh_plain,
                                                .symbolic = &symbolic};
constinit const OpwTensorTable kWrapperTensorTable{.struct_size = sizeof(OpwTensorTable),
                                                   .release = &release_wrapper,
                                                   .promote = &promote,
                                                   .refresh = &refresh_wrapper,
                                                   .symbolic = &symbolic};

void set_mirror_table(const MirrorTable& table) noexcept { mirror_table = &table; }
void set_last_handle_rule(LastHandleRule rule) noexcept { last_handle_rule = rule; }

TensorImpl& impl_slow(OpwTensor* tensor) {
  OPWRIGHT_CHECK_VALUE(tensor, "an undefined tensor was used");
  return impl(StackView::shown_by(tensor));
}

TensorImpl* new_impl(StoragePtr storage, DType dtype, Device device, uint32_t flags, int32_t ndim) {
  OPWRIGHT_CHECK_VALUE(ndim >= 0 && ndim <= kMostDims, "a tensor has at most ", kMostDims,
                       " dimensions, got ", ndim);
  const bool is_inline = ndim <= kInlineTensorDims;
  std::unique_ptr<int64_t[]> heap_dims(is_inline ? nullptr
                                                 : new int64_t[2 * static_cast<size_t>(ndim)]);
  auto* tensor = static_cast<TensorImpl*>(allocate_block(sizeof(TensorImpl)));
  ++live_counts().tensors;
  tensor->owner = &kCoreTensorTable;
  tensor->count = 1;
  tensor->flags = flags;
  int64_t* dims = is_inline ? tensor->dims : heap_dims.release();
  tensor->dl = {.data = nullptr,
                .device = device,
                .ndim = ndim,
                .dtype = to_dlpack(dtype),
                .shape = dims,
                .strides = dims + (is_inline ? kInlineTensorDims : ndim),
                .byte_offset = 0};
  tensor->storage = storage.give();
  tensor->storage_offset = 0;
  tensor->level = nullptr;
  tensor->autograd = nullptr;
  tensor->symbolic = nullptr;
  tensor->mirror = nullptr;
  return tensor;
}

void set_ndim(TensorImpl& tensor, int32_t ndim) {
  OPWRIGHT_CHECK_VALUE(ndim >= 0 && ndim <= kMostDims, "a tensor has at most ", kMostDims,
                       " dimensions, got ", ndim);
  const bool is_inline = ndim <= kInlineTensorDims;
  int64_t* dims = is_inline ? tensor.dims : new int64_t[2 * static_cast<size_t>(ndim)];
  free_dims(tensor);
  tensor.dl.ndim = ndim;
  tensor.dl.shape = dims;
  tensor.dl.strides = dims + (is_inline ? kInlineTensorDims : ndim);
}

void set_symbolic_shape(TensorImpl& tensor, std::span<const SymInt> sizes,
                        std::span<const SymInt> strides, const SymInt& offset) {
  const auto is_symbol = [](const SymInt& word) { return word.is_symbolic(); };
  const bool has_symbol = offset.is_symbolic() ||
                          std::any_of(sizes.begin(), sizes.end(), is_symbol) ||
                          std::any_of(strides.begin(), strides.end(), is_symbol);
  std::unique_ptr<SymbolicShape> shape;
  if (has_symbol) {
    shape.reset(new SymbolicShape{.sizes = {sizes.begin(), sizes.end()},
                                  .strides = {strides.begin(), strides.end()},
                                  .offset = offset});
  }
  set_ndim(tensor, static_cast<int32_t>(sizes.size()));
  const auto plain_or_zero = [](const SymInt& word) {
    return word.is_symbolic() ? 0 : word.word();
  };
  std::transform(sizes.begin(), sizes.end(), tensor.dl.shape, plain_or_zero);
  std::transform(strides.begin(), strides.end(), tensor.dl.strides, plain_or_zero);
  tensor.storage_offset = plain_or_zero(offset);
  delete std::exchange(tensor.symbolic, shape.release());
  tensor.flags = has_symbol ? tensor.flags | kOpwFlagSymbolic : tensor.flags & ~kOpwFlagSymbolic;
}

void replace_contents(TensorImpl& target, const TensorImpl& source) {
  OPWRIGHT_ASSERT(!source.is_wrapper());
  if (&target == &source) return;
  std::unique_ptr<SymbolicShape> shape(source.symbolic ? new SymbolicShape(*source.symbolic)
                                                       : nullptr);
  StoragePtr storage = StoragePtr::share(source.storage);
  set_ndim(target, source.dl.ndim);  // the last step that may throw
  std::copy_n(source.dl.shape, source.dl.ndim, target.dl.shape);
  std::copy_n(source.dl.strides, source.dl.ndim, target.dl.strides);
  target.dl.data = source.dl.data;
  target.dl.device = source.dl.device;
  target.dl.dtype = source.dl.dtype;
  target.storage_offset = source.storage_offset;
  target.flags = (source.flags & ~kAutogradFlags) | (target.flags & kAutogradFlags);
  if (WrapperKeeper::is_any_asking()) [[unlikely]]
    WrapperKeeper::note_gone(target);
  IntrusivePtr<Level>::take(std::exchange(target.level, nullptr)).reset();
  delete std::exchange(target.symbolic, shape.release());
  StoragePtr::take(std::exchange(target.storage, storage.give())).reset();
  if (target.owner == &kWrapperTensorTable) drop_wrapped(static_cast<WrapperImpl&>(target));
}

void destroy_contents(TensorImpl& tensor) noexcept {
  --live_counts().tensors;
  if (tensor.autograd) [[unlikely]]
    delete tensor.autograd;
  if (tensor.level) [[unlikely]]
    tensor.level->release();
  if (tensor.symbolic) [[unlikely]]
    delete tensor.symbolic;
  free_dims(tensor);
  if (tensor.storage) tensor.storage->release();
}

void destroy_tensor(TensorImpl* tensor) noexcept {
  if (tensor->owner == &kWrapperTensorTable) [[unlikely]]
    return destroy_wrapper(static_cast<WrapperImpl*>(tensor));
  destroy_contents(*tensor);
  free_block(tensor, sizeof(TensorImpl));
}

}  // namespace opwright
