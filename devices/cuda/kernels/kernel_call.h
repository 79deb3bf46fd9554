// What a kernel that is registered for an operator needs around its launch.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <cuda_runtime_api.h>

#include "devices/cuda/device.h"
#include "devices/cuda/kernels/number.h"
#include "opwright/for_dtype.h"
#include "opwright/stream.h"
#include "opwright/tensor.h"

namespace opwright::cuda {

// The type that elements are computed with.
template <class T>
struct ComputedAsFloat {
  using Type = float;
};
template <>
struct ComputedAsFloat<double> {
  using Type = double;
};
template <class T>
using ComputedAs = typename ComputedAsFloat<T>::Type;

// The device of a tensor is current while this lives; the launches in between are checked by
// whoever calls a `for_...` of it.
class KernelCall {
 public:
  KernelCall(const char* who, const Tensor& tensor)
      : who_(who),
        index_(tensor.device().index),
        scope_(index_),
        stream_(static_cast<cudaStream_t>(current_stream(tensor.device()))) {}

  [[nodiscard]] int32_t index() const { return index_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  [[nodiscard]] OpwStream* table_stream() const { return reinterpret_cast<OpwStream*>(stream_); }

  // Calls body.template operator()<T>() with the type of elements in memory.
  template <class Body>
  void for_floating_type(DType dtype, const Body& body) const {
    switch (dtype) {
      case DType::Float32:
        body.template operator()<float>();
        break;
      case DType::Float16:
        body.template operator()<HalfBits>();
        break;
      case DType::BFloat16:
        body.template operator()<BFloatBits>();
        break;
      case DType::Float64:
        body.template operator()<double>();
        break;
      default:
        throw_dtype(dtype, who_, "floating dtypes");
    }
    check_launch(who_, index_);
  }

 private:
  const char* who_;
  int32_t index_;
  DeviceScope scope_;
  cudaStream_t stream_;
};

template <class T>
const T* data_of(const Tensor& tensor) {
  return static_cast<const T*>(tensor.data());
}
template <class T>
T* data_of(Tensor& tensor) {
  return static_cast<T*>(tensor.mutable_data());
}

// To 16 bytes, all of them.
inline bool are_aligned(std::initializer_list<const void*> memories) {
  for (const void* memory : memories) {
    if (!is_aligned_to(memory, 16)) return false;
  }
  return true;
}

}  // namespace opwright::cuda
