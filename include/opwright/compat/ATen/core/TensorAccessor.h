// Element access by index: a[i][j]. Only dtype and number of dimensions are checked, when the
// accessor is created.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "opwright/compat/c10/util/ArrayRef.h"

namespace at OPWRIGHT_VISIBILITY {
template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict;
};

// Points to the sizes and strides of the tensor, which must outlive it.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class Index = int64_t>
class TensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;

  TensorAccessor(PtrType data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}

  [[nodiscard]] c10::ArrayRef<Index> sizes() const { return {sizes_, N}; }
  [[nodiscard]] c10::ArrayRef<Index> strides() const { return {strides_, N}; }
  [[nodiscard]] Index size(Index dim) const { return sizes_[dim]; }
  [[nodiscard]] Index stride(Index dim) const { return strides_[dim]; }
  [[nodiscard]] PtrType data() const { return data_; }

  decltype(auto) operator[](Index index) const {
    if constexpr (N == 1) {
      return static_cast<T&>(data_[strides_[0] * index]);
    } else {
      return TensorAccessor<T, N - 1, PtrTraits, Index>(data_ + strides_[0] * index, sizes_ + 1,
                                                        strides_ + 1);
    }
  }

 private:
  PtrType data_;
  const Index* sizes_;
  const Index* strides_;
};

// Holds its own sizes and strides, so it can be passed by value.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class Index = int64_t>
class PackedTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;

  PackedTensorAccessor(PtrType data, const int64_t* sizes, const int64_t* strides) : data_(data) {
    for (size_t i = 0; i < N; ++i) {
      sizes_[i] = static_cast<Index>(sizes[i]);
      strides_[i] = static_cast<Index>(strides[i]);
    }
  }

  [[nodiscard]] Index size(Index dim) const { return sizes_[static_cast<size_t>(dim)]; }
  [[nodiscard]] Index stride(Index dim) const { return strides_[static_cast<size_t>(dim)]; }
  [[nodiscard]] PtrType data() const { return data_; }

  decltype(auto) operator[](Index index) const {
    return TensorAccessor<T, N, PtrTraits, Index>(data_, sizes_.data(), strides_.data())[index];
  }

 private:
  PtrType data_;
  std::array<Index, N> sizes_;
  std::array<Index, N> strides_;
};
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = PackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = PackedTensorAccessor<T, N, PtrTraits, int64_t>;
}  // namespace at
