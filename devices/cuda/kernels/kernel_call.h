// Helpers around the launch of a kernel that is registered for an operator.
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

// The compute type of elements.
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

// Makes a tensor's device current while it lives; callers of a `for_...` function check the
// launches in between.
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

  // Calls body.template operator()<T>() with the element type in memory.
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

// Whether all are aligned to 16 bytes.
inline bool are_aligned(std::initializer_list<const void*> memories) {
  for (const void* memory : memories) {
    if (!is_aligned_to(memory, 16)) return false;
  }
  return true;
}

}  // namespace opwright::cuda
