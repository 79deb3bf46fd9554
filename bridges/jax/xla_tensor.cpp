#include "bridges/jax/xla_tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "bridges/jax/xla_ffi.h"
#include "opwright/bridge.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/opwright.h"  // IWYU pragma: keep
#include "opwright/tensor.h"

namespace opwright::jax_bridge {
namespace {

struct DTypePair {
  XlaDType theirs;
  DType ours;
};
constexpr DTypePair kDTypePairs[] = {
    {XlaDType::Pred, DType::Bool},
    {XlaDType::S8, DType::Int8},
    {XlaDType::S16, DType::Int16},
    {XlaDType::S32, DType::Int32},
    {XlaDType::S64, DType::Int64},
    {XlaDType::U8, DType::UInt8},
    {XlaDType::U16, DType::UInt16},
    {XlaDType::U32, DType::UInt32},
    {XlaDType::U64, DType::UInt64},
    {XlaDType::F16, DType::Float16},
    {XlaDType::F32, DType::Float32},
    {XlaDType::F64, DType::Float64},
    {XlaDType::BF16, DType::BFloat16},
    {XlaDType::C64, DType::Complex64},
    {XlaDType::C128, DType::Complex128},
    {XlaDType::F8E5M2, DType::Float8E5M2},
    {XlaDType::F8E4M3FN, DType::Float8E4M3FN},
};

constexpr uint32_t kCpuBit = 1;  // of this host's device bits

// A View has no count, is never stale and has plain sizes.
void refuse_release(OpwTensor* /*view*/) {}
int refresh_nothing(OpwTensor* /*view*/) { return 0; }
int show_plain_words(const OpwTensor* view, OpwSymbolicShape* shape) {
  *shape = {.sizes = view->dl.shape, .strides = view->dl.strides, .offset = 0};
  return 0;
}

}  // namespace

DType read_dtype(XlaDType dtype) {
  for (const DTypePair& pair : kDTypePairs) {
    if (pair.theirs == dtype) return pair.ours;
  }
  throw_error("TypeError", "XLA's element type ", static_cast<uint32_t>(dtype),
              " has no dtype of Opwright");
}

constinit const OpwTensorTable XlaTensor::kTable{.struct_size = sizeof(OpwTensorTable),
                                                 .release = &refuse_release,
                                                 .promote = &XlaTensor::promote,
                                                 .refresh = &refresh_nothing,
                                                 .symbolic = &show_plain_words};

XlaTensor::XlaTensor(const XlaBuffer& buffer, Use use) : OpwTensor{}, use_(use) {
  const auto rank = static_cast<size_t>(buffer.rank);
  if (rank > kUsualRank) more_strides_.resize(rank);
  dl.strides = rank > kUsualRank ? more_strides_.data() : strides_.data();
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    dl.strides[i] = stride;
    stride *= buffer.dims[i] > 1 ? buffer.dims[i] : 1;
  }
  owner = &kTable;
  count = 1;
  flags = kCpuBit | kOpwFlagView | (use == Use::Read ? kOpwFlagReadOnly : 0);
  dl.data = buffer.data;
  dl.device = {kOpwDeviceCpu, 0};
  dl.ndim = static_cast<int32_t>(buffer.rank);
  dl.dtype = to_dlpack(read_dtype(buffer.dtype));
  dl.shape = buffer.dims;
}

const Tensor& XlaTensor::in_core() {
  const std::lock_guard lock(mutex_);
  if (!memory_) {
    memory_ = std::make_unique<BorrowedMemory>(dl, use_ == Use::Written
                                                       ? BorrowedMemory::Access::ReadWrite
                                                       : BorrowedMemory::Access::ReadOnly);
  }
  return memory_->tensor();
}

XlaTensor* XlaTensor::from(OpwTensor* tensor) {
  return tensor && tensor->owner == &kTable ? static_cast<XlaTensor*>(tensor) : nullptr;
}

OpwTensor* XlaTensor::promote(OpwTensor* tensor) {
  try {
    auto* self = static_cast<XlaTensor*>(tensor);
    if (self->use_ == Use::Written) return Tensor(self->in_core()).give();
    return self->in_core().clone().give();
  } catch (...) {
    core_host().give_error(&core_host(), current_error().share());
    return nullptr;
  }
}

}  // namespace opwright::jax_bridge
