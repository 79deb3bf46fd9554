// _linalg_det and _linalg_slogdet, by LU factors.
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/linalg/factors.h"
#include "opwright/ops/linalg/matrix_batch.h"

namespace opwright {
namespace {

template <class T>
Real<T> magnitude_of(T x) {
  if constexpr (kIsComplex<T>)
    return std::hypot(x.real, x.imag);
  else
    return std::abs(x);
}

// Calls body(i, sign of the permutation, at) for each matrix; at(k) is a diagonal element of U.
template <class T, class Body>
void for_each_diagonal(const LuFactors& factors, const Body& body) {
  const int64_t n = factors.lu.size(-1);
  const T* matrices = factors.lu.data<T>();
  const auto* swaps = factors.pivots.data<int32_t>();
  for (int64_t i = 0; i < factors.info.numel(); ++i) {
    bool is_odd = false;
    for (int64_t j = 0; j < n; ++j) is_odd ^= swaps[i * n + j] != j + 1;
    body(i, is_odd ? T(-1) : T(1), [&](int64_t k) { return matrices[i * n * n + k * (n + 1)]; });
  }
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> linalg_det_cpu(const Tensor& A) {
  constexpr const char* kWho = "linalg_det";
  check_square_matrices(kWho, "A", A);
  LuFactors factors = factor_lu(A);
  Tensor result = make_rows(batch_sizes_of(A), A.dtype());
  const int64_t n = A.size(-1);
  for_lapack_dtype(A.dtype(), kWho, [&]<typename T>() {
    T* out = result.mutable_data<T>();
    for_each_diagonal<T>(factors, [&](int64_t i, T sign, const auto& at) {
      out[i] = sign;
      for (int64_t k = 0; k < n; ++k) out[i] = out[i] * at(k);
    });
  });
  return {std::move(result), std::move(factors.lu), std::move(factors.pivots)};
}
std::tuple<FakeTensor, FakeTensor, FakeTensor> linalg_det_fake(const FakeTensor& A) {
  check_square_matrices("linalg_det", "A", as_tensor(A));
  FakeLuFactors factors = fake_lu(A);
  return {make_fake_like(A, batch_sizes_of(as_tensor(A)), A.dtype()), std::move(factors.lu),
          std::move(factors.pivots)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_slogdet_cpu(const Tensor& A) {
  constexpr const char* kWho = "linalg_slogdet";
  check_square_matrices(kWho, "A", A);
  LuFactors factors = factor_lu(A);
  Tensor sign = make_rows(batch_sizes_of(A), A.dtype());
  Tensor logabsdet = make_rows(batch_sizes_of(A), real_dtype(A.dtype()));
  const int64_t n = A.size(-1);
  for_lapack_dtype(A.dtype(), kWho, [&]<typename T>() {
    T* signs = sign.mutable_data<T>();
    auto* logarithms = logabsdet.mutable_data<Real<T>>();
    for_each_diagonal<T>(factors, [&](int64_t i, T first, const auto& at) {
      signs[i] = first;
      logarithms[i] = 0;
      for (int64_t k = 0; k < n; ++k) {
        const T element = at(k);
        const Real<T> magnitude = magnitude_of(element);
        signs[i] = magnitude == 0 ? T(0) : signs[i] * (element / T(magnitude));
        logarithms[i] += std::log(magnitude);
      }
    });
  });
  return {std::move(sign), std::move(logabsdet), std::move(factors.lu), std::move(factors.pivots)};
}
std::tuple<FakeTensor, FakeTensor, FakeTensor, FakeTensor> linalg_slogdet_fake(
    const FakeTensor& A) {
  check_square_matrices("linalg_slogdet", "A", as_tensor(A));
  FakeLuFactors factors = fake_lu(A);
  const SymSizes batch = batch_sizes_of(as_tensor(A));
  return {make_fake_like(A, batch, A.dtype()), make_fake_like(A, batch, real_dtype(A.dtype())),
          std::move(factors.lu), std::move(factors.pivots)};
}

}  // namespace opwright
