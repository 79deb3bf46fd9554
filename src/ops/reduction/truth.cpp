// any and all.
#include "opwright/ops/engine/reduction/reduction.h"
#include "opwright/ops/engine/reduction/reduction_kernel.h"

namespace opwright {
namespace {

// 0 or 1, as wide as an element: bool, or float for halves.
template <class T>
using Truth = UnsignedOf<sizeof(T)>;
template <class T>
OPWRIGHT_INLINE Truth<T> truth(T element) {
  return element != T{} ? Truth<T>{1} : Truth<T>{0};
}

template <class T>
struct Any {
  using State = Truth<T>;
  OPWRIGHT_INLINE static State identity() { return 0; }
  OPWRIGHT_INLINE static State step(State found, T element) {
    return static_cast<State>(found | truth(element));
  }
  OPWRIGHT_INLINE static State merge(State a, State b) { return static_cast<State>(a | b); }
  static bool finish(State found, const FoldNumbers& /*numbers*/) { return found != 0; }
};
template <class T>
struct All {
  using State = Truth<T>;
  OPWRIGHT_INLINE static State identity() { return 1; }
  OPWRIGHT_INLINE static State step(State held, T element) {
    return static_cast<State>(held & truth(element));
  }
  OPWRIGHT_INLINE static State merge(State a, State b) { return static_cast<State>(a & b); }
  static bool finish(State held, const FoldNumbers& /*numbers*/) { return held != 0; }
};

// An empty list means no dimension here.
DimSet dims_of(const char* who, int64_t ndim, const OptionalDims& dim) {
  return dim && dim->empty() ? DimSet() : fold_dims(who, ndim, dim);
}

// The result for uint8 is uint8, as in PyTorch.
template <class AnyTensor>
AnyTensor truth_of(const char* who, const FoldTable& kernels, const AnyTensor& self,
                   const OptionalDims& dim, bool keepdim) {
  return reduce(self, {.who = who,
                       .kernels = &kernels,
                       .fold = who,
                       .takes = "numbers",
                       .folded = dims_of(who, self.dim(), dim),
                       .keepdim = keepdim,
                       .compute = is_half(self.dtype()) ? DType::Float32 : DType::Bool,
                       .result = self.dtype() == DType::UInt8 ? DType::UInt8 : DType::Bool});
}

using TruthTypes = TypeList<bool, float>;

template <class AnyTensor>
AnyTensor any_of(const AnyTensor& self, const OptionalDims& dim, bool keepdim) {
  return truth_of("any", kFolds<Any, TruthTypes>, self, dim, keepdim);
}
template <class AnyTensor>
AnyTensor all_of(const AnyTensor& self, const OptionalDims& dim, bool keepdim) {
  return truth_of("all", kFolds<All, TruthTypes>, self, dim, keepdim);
}

}  // namespace

Tensor any_all_devices(const Tensor& self) { return any_of(self, std::nullopt, false); }
FakeTensor any_fake(const FakeTensor& self) { return any_of(self, std::nullopt, false); }
Tensor any_dim_all_devices(const Tensor& self, int64_t dim, bool keepdim) {
  return any_of(self, std::span(&dim, 1), keepdim);
}
FakeTensor any_dim_fake(const FakeTensor& self, int64_t dim, bool keepdim) {
  return any_of(self, std::span(&dim, 1), keepdim);
}
Tensor any_dims_all_devices(const Tensor& self, OptionalDims dim, bool keepdim) {
  return any_of(self, dim, keepdim);
}
FakeTensor any_dims_fake(const FakeTensor& self, OptionalDims dim, bool keepdim) {
  return any_of(self, dim, keepdim);
}

Tensor all_all_devices(const Tensor& self) { return all_of(self, std::nullopt, false); }
FakeTensor all_fake(const FakeTensor& self) { return all_of(self, std::nullopt, false); }
Tensor all_dim_all_devices(const Tensor& self, int64_t dim, bool keepdim) {
  return all_of(self, std::span(&dim, 1), keepdim);
}
FakeTensor all_dim_fake(const FakeTensor& self, int64_t dim, bool keepdim) {
  return all_of(self, std::span(&dim, 1), keepdim);
}
Tensor all_dims_all_devices(const Tensor& self, OptionalDims dim, bool keepdim) {
  return all_of(self, dim, keepdim);
}
FakeTensor all_dims_fake(const FakeTensor& self, OptionalDims dim, bool keepdim) {
  return all_of(self, dim, keepdim);
}

}  // namespace opwright
