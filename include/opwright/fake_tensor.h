// opwright::FakeTensor: a tensor as a fake kernel sees it. The same handle as Tensor, but its sizes
// are SymInts and it has no data, so authors cannot fix a size or read memory by accident.
#pragma once

#include "opwright/registration/kernel.h"

namespace opwright OPWRIGHT_VISIBILITY {
class FakeTensor : public TensorHandle, public TensorMethods<FakeTensor> {
 public:
  FakeTensor() = default;
  static FakeTensor take(OpwTensor* owned) noexcept { return FakeTensor(owned); }
  static FakeTensor borrow(OpwTensor* tensor) { return FakeTensor(retain_tensor(tensor)); }

  [[nodiscard]] int64_t dim() const { return as_tensor().dim(); }
  [[nodiscard]] SymInt size(int64_t dim) const { return as_tensor().sym_size(dim); }
  [[nodiscard]] SymInt stride(int64_t dim) const { return as_tensor().sym_stride(dim); }
  [[nodiscard]] SymInt numel() const { return as_tensor().sym_numel(); }
  [[nodiscard]] std::vector<SymInt> sizes() const {
    std::vector<SymInt> all;
    for (int64_t i = 0; i < dim(); ++i) all.push_back(size(i));
    return all;
  }
  [[nodiscard]] std::vector<SymInt> strides() const {
    std::vector<SymInt> all;
    for (int64_t i = 0; i < dim(); ++i) all.push_back(stride(i));
    return all;
  }
  [[nodiscard]] DType dtype() const { return as_tensor().dtype(); }
  [[nodiscard]] Device device() const { return as_tensor().device(); }
  [[nodiscard]] bool requires_grad() const { return as_tensor().requires_grad(); }

 private:
  explicit FakeTensor(OpwTensor* owned) noexcept : TensorHandle(owned) {}

  // A Tensor is the same pointer; only Tensor defines how sizes are read.
  [[nodiscard]] const Tensor& as_tensor() const { return reinterpret_cast<const Tensor&>(*this); }
};
static_assert(sizeof(FakeTensor) == sizeof(Tensor));

inline void append_text(std::string& out, const FakeTensor& tensor) {
  append_text(out, reinterpret_cast<const Tensor&>(tensor));
}

template <>
struct ValueOf<FakeTensor> : ValueOfTensor<FakeTensor> {};
template <>
struct ValueOf<std::span<const FakeTensor>> : ValueOfSpan<FakeTensor, OpwTensor*, kOpwTensorList> {
};
}  // namespace opwright
