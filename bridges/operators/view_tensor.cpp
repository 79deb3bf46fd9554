#include "bridges/operators/view_tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/opwright.h"  // IWYU pragma: keep
#include "opwright/runtime/bridge.h"
#include "opwright/tensor.h"

namespace opwright::bridges {
namespace {

constexpr uint32_t kCpuBit = 1;  // of this host's device bits

// A View has no count, is never stale and has plain sizes.
void refuse_release(OpwTensor* /*view*/) {}
int refresh_nothing(OpwTensor* /*view*/) { return 0; }
void note_release(OpwTensor* lent) { __atomic_store_n(&lent->count, 0, __ATOMIC_RELEASE); }
int refuse_reading(OpwTensor* /*lent*/) {
  const Error error("RuntimeError",
                    "a tensor of a call that is over was read; its memory ended with the call, so "
                    "keep a clone() instead");
  core_host().give_error(&core_host(), error.share());
  return 1;
}
int show_plain_words(const OpwTensor* view, OpwSymbolicShape* shape) {
  *shape = {.sizes = view->dl.shape, .strides = view->dl.strides, .offset = 0};
  return 0;
}

}  // namespace

constinit const OpwTensorTable ViewTensor::kTable{.struct_size = sizeof(OpwTensorTable),
                                                  .release = &refuse_release,
                                                  .promote = &ViewTensor::promote,
                                                  .refresh = &refresh_nothing,
                                                  .symbolic = &show_plain_words};

constinit const OpwTensorTable ViewTensor::kLentTable{.struct_size = sizeof(OpwTensorTable),
                                                      .release = &note_release,
                                                      .promote = &ViewTensor::promote,
                                                      .refresh = &refuse_reading,
                                                      .symbolic = &show_plain_words};

ViewTensor::ViewTensor(void* data, DType dtype, std::span<const int64_t> sizes, Use use)
    : OpwTensor{}, use_(use) {
  const size_t rank = sizes.size();
  if (rank > kUsualRank) more_strides_.resize(rank);
  dl.strides = rank > kUsualRank ? more_strides_.data() : strides_.data();
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    dl.strides[i] = stride;
    stride *= sizes[i] > 1 ? sizes[i] : 1;
  }
  const bool is_lent = use == Use::Lent || use == Use::LentReadOnly;
  owner = is_lent ? &kLentTable : &kTable;
  count = 1;
  flags = kCpuBit | (is_lent ? 0 : kOpwFlagView) | (is_writable() ? 0 : kOpwFlagReadOnly);
  dl.data = data;
  dl.device = {kOpwDeviceCpu, 0};
  dl.ndim = static_cast<int32_t>(rank);
  dl.dtype = to_dlpack(dtype);
  dl.shape = const_cast<int64_t*>(sizes.data());  // DLPack's type; nobody writes sizes
}

const Tensor& ViewTensor::in_core() {
  const std::lock_guard lock(mutex_);
  if (!memory_) {
    memory_ = std::make_unique<BorrowedMemory>(
        dl, is_writable() ? BorrowedMemory::Access::ReadWrite : BorrowedMemory::Access::ReadOnly);
  }
  return memory_->tensor();
}

ViewTensor* ViewTensor::from(OpwTensor* tensor) {
  if (!tensor || (tensor->owner != &kTable && tensor->owner != &kLentTable)) return nullptr;
  if (tensor->flags & kOpwFlagStale) [[unlikely]]
    require_ok(tensor->owner->refresh(tensor));
  return static_cast<ViewTensor*>(tensor);
}

OpwTensor* ViewTensor::promote(OpwTensor* tensor) {
  try {
    auto* self = static_cast<ViewTensor*>(tensor);
    if (self->use_ == Use::Written) return Tensor(self->in_core()).give();
    return self->in_core().clone().give();
  } catch (...) {
    core_host().give_error(&core_host(), current_error().share());
    return nullptr;
  }
}

}  // namespace opwright::bridges
