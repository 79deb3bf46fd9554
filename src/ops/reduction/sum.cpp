// sum, mean and prod.
#include <optional>

#include "opwright/ops/engine/reduction/reduction.h"
#include "opwright/ops/engine/reduction/reduction_kernel.h"

namespace opwright {
namespace {

// Ints wrap around.
template <class T>
struct Sum {
  using State = std::conditional_t<kIsInt<T>, uint64_t, T>;
  OPWRIGHT_INLINE static State identity() { return State{}; }
  OPWRIGHT_INLINE static State step(State sum, T term) { return sum + static_cast<State>(term); }
  OPWRIGHT_INLINE static State merge(State a, State b) { return a + b; }
  static T finish(State sum, const FoldNumbers& /*numbers*/) { return static_cast<T>(sum); }
};

template <class T>
struct Mean : Sum<T> {
  static T finish(T sum, const FoldNumbers& numbers) {
    using Real = std::conditional_t<std::is_same_v<T, Complex<float>>, float,
                                    std::conditional_t<kIsComplex<T>, double, T>>;
    const auto count = static_cast<Real>(numbers.count);
    if constexpr (kIsComplex<T>)
      return {sum.real / count, sum.imag / count};
    else
      return sum / count;
  }
};

template <class T>
struct Product {
  using State = std::conditional_t<kIsInt<T>, uint64_t, T>;
  OPWRIGHT_INLINE static State identity() { return State{1}; }
  OPWRIGHT_INLINE static State step(State product, T factor) {
    return product * static_cast<State>(factor);
  }
  OPWRIGHT_INLINE static State merge(State a, State b) { return a * b; }
  static T finish(State product, const FoldNumbers& /*numbers*/) { return static_cast<T>(product); }
};

using SummedTypes = decltype(TypeList<int64_t>{} + InexactTypes{});

// Ints and bools become int64 if no dtype is given. Elements are converted to the dtype of the
// result before they are summed.
Reduction describe_sum(const char* who, const FoldTable& kernels, const DimSet& folded,
                       bool keepdim, DType input, const std::optional<DType>& asked) {
  const bool is_discrete = is_integral(input) || input == DType::Bool;
  const DType result = asked ? *asked : (is_discrete ? DType::Int64 : input);
  const bool is_summed_as_int = is_integral(result) || result == DType::Bool;
  Reduction reduction{.who = who,
                      .kernels = &kernels,
                      .fold = who,
                      .takes = "numbers",
                      .folded = folded,
                      .keepdim = keepdim,
                      .compute = is_summed_as_int ? DType::Int64 : result,
                      .result = result};
  if (result != input && (is_half(result) || result == DType::Bool)) reduction.rounded_to = result;
  return reduction;
}

Reduction describe_mean(int64_t ndim, DType input, const OptionalDims& dim, bool keepdim,
                        const std::optional<DType>& asked) {
  const DType result = asked.value_or(input);
  OPWRIGHT_CHECK_TYPE(is_floating(result) || is_complex(result),
                      "mean: the result must be of a floating or complex dtype, got ", result,
                      asked ? " as dtype" : " as the dtype of self; give a dtype");
  return describe_sum("mean", kFolds<Mean, InexactTypes>, fold_dims("mean", ndim, dim), keepdim,
                      input, asked);
}

template <class AnyTensor>
AnyTensor sum_of(const AnyTensor& self, const OptionalDims& dim, bool keepdim,
                 const std::optional<DType>& dtype) {
  return reduce(self,
                describe_sum("sum", kFolds<Sum, SummedTypes>, fold_dims("sum", self.dim(), dim),
                             keepdim, self.dtype(), dtype));
}

template <class AnyTensor>
AnyTensor product_of(const AnyTensor& self, const OptionalDims& dim, bool keepdim,
                     const std::optional<DType>& dtype) {
  return reduce(
      self, describe_sum("prod", kFolds<Product, SummedTypes>, fold_dims("prod", self.dim(), dim),
                         keepdim, self.dtype(), dtype));
}

}  // namespace

Tensor sum_all_devices(const Tensor& self, const std::optional<DType>& dtype) {
  return sum_of(self, std::nullopt, false, dtype);
}
FakeTensor sum_fake(const FakeTensor& self, const std::optional<DType>& dtype) {
  return sum_of(self, std::nullopt, false, dtype);
}
Tensor sum_dims_all_devices(const Tensor& self, OptionalDims dim, bool keepdim,
                            const std::optional<DType>& dtype) {
  return sum_of(self, dim, keepdim, dtype);
}
FakeTensor sum_dims_fake(const FakeTensor& self, OptionalDims dim, bool keepdim,
                         const std::optional<DType>& dtype) {
  return sum_of(self, dim, keepdim, dtype);
}

Tensor mean_all_devices(const Tensor& self, const std::optional<DType>& dtype) {
  return reduce(self, describe_mean(self.dim(), self.dtype(), std::nullopt, false, dtype));
}
FakeTensor mean_fake(const FakeTensor& self, const std::optional<DType>& dtype) {
  return reduce(self, describe_mean(self.dim(), self.dtype(), std::nullopt, false, dtype));
}
Tensor mean_dims_all_devices(const Tensor& self, OptionalDims dim, bool keepdim,
                             const std::optional<DType>& dtype) {
  return reduce(self, describe_mean(self.dim(), self.dtype(), dim, keepdim, dtype));
}
FakeTensor mean_dims_fake(const FakeTensor& self, OptionalDims dim, bool keepdim,
                          const std::optional<DType>& dtype) {
  return reduce(self, describe_mean(self.dim(), self.dtype(), dim, keepdim, dtype));
}

Tensor prod_all_devices(const Tensor& self, const std::optional<DType>& dtype) {
  return product_of(self, std::nullopt, false, dtype);
}
FakeTensor prod_fake(const FakeTensor& self, const std::optional<DType>& dtype) {
  return product_of(self, std::nullopt, false, dtype);
}
Tensor prod_dim_all_devices(const Tensor& self, int64_t dim, bool keepdim,
                            const std::optional<DType>& dtype) {
  return product_of(self, std::span(&dim, 1), keepdim, dtype);
}
FakeTensor prod_dim_fake(const FakeTensor& self, int64_t dim, bool keepdim,
                         const std::optional<DType>& dtype) {
  return product_of(self, std::span(&dim, 1), keepdim, dtype);
}

}  // namespace opwright
