// linalg_matrix_exp: the exponentials of square matrices by scaling and squaring.
//
// The Taylor polynomial of degree q^2 of A / 2^s is evaluated with 2 (q - 1) products (Paterson and
// Stockmeyer), and squared s times; s makes the norm so small that the remainder is below the
// rounding of the dtype.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/product/product.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/linalg/matrix_batch.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kMatrixExp = "linalg_matrix_exp";

// The polynomial has degree 16. norm^17 / 17! * e^norm is below half a unit of the last place.
constexpr int64_t kRootOfDegree = 4;
template <class T>
inline constexpr double kLargestNorm = sizeof(Real<T>) == sizeof(double) ? 0.78 : 2.3;

template <class T>
double element_magnitude(T x) {
  if constexpr (kIsComplex<T>)
    return std::hypot(static_cast<double>(x.real), static_cast<double>(x.imag));
  else
    return std::abs(static_cast<double>(x));
}

// The largest sum of a row; not finite if an element is not.
template <class T>
double row_norm(const T* matrix, int64_t n) {
  double norm = 0;
  double total = 0;  // of all rows: NaN and infinity stay in a sum, not in a maximum
  for (int64_t row = 0; row < n; ++row) {
    double sum = 0;
    for (int64_t column = 0; column < n; ++column)
      sum += element_magnitude(matrix[row * n + column]);
    norm = std::max(norm, sum);
    total += sum;
  }
  return std::isfinite(total) ? norm : total;
}

// Memory for one matrix at a time: A to A^q, the sum and the next one.
template <class T>
class Exponential {
 public:
  explicit Exponential(int64_t n)
      : n_(n),
        powers_(static_cast<size_t>(kRoot * n * n)),
        sum_(static_cast<size_t>(n * n)),
        next_(static_cast<size_t>(n * n)) {
    double factorial = 1;
    for (int64_t i = 0; i <= kRoot * kRoot; ++i) {
      coefficients_[i] = static_cast<Real<T>>(1 / factorial);
      factorial *= static_cast<double>(i + 1);
    }
  }

  void compute(const T* matrix, T* out) {
    const double norm = row_norm(matrix, n_);
    if (!std::isfinite(norm)) {
      std::fill(out, out + n_ * n_, T(std::numeric_limits<Real<T>>::quiet_NaN()));
      return;
    }
    const int squarings = norm <= kLargestNorm<T>
                              ? 0
                              : static_cast<int>(std::ceil(std::log2(norm / kLargestNorm<T>)));
    const T scale(static_cast<Real<T>>(std::ldexp(1.0, -squarings)));
    for (int64_t i = 0; i < n_ * n_; ++i) power(1)[i] = matrix[i] * scale;
    for (int64_t k = 2; k <= kRoot; ++k) multiply(power(k - 1), power(1), power(k));
    evaluate_polynomial();
    for (int i = 0; i < squarings; ++i) {
      multiply(sum_.data(), sum_.data(), next_.data());
      std::swap(sum_, next_);
    }
    std::copy(sum_.begin(), sum_.end(), out);
  }

 private:
  static constexpr int64_t kRoot = kRootOfDegree;

  T* power(int64_t k) { return powers_.data() + (k - 1) * n_ * n_; }

  void multiply(const T* a, const T* b, T* to) const {
    multiply_batch(MatrixProduct<T>{.rows = n_,
                                    .depth = n_,
                                    .columns = n_,
                                    .a = a,
                                    .a_row = n_,
                                    .a_column = 1,
                                    .b = b,
                                    .b_row = n_,
                                    .b_column = 1,
                                    .c = to,
                                    .c_row = n_},
                   1, 0, 0, 0);
  }

  // sum_ += the terms first, ..., first + q - 1, divided by A^first.
  void add_terms(int64_t first) {
    const T constant(coefficients_[first]);
    for (int64_t i = 0; i < n_; ++i)
      sum_[static_cast<size_t>(i * (n_ + 1))] = sum_[static_cast<size_t>(i * (n_ + 1))] + constant;
    for (int64_t k = 1; k < kRoot; ++k) {
      const T coefficient(coefficients_[first + k]);
      const T* from = power(k);
      for (size_t i = 0; i < sum_.size(); ++i) sum_[i] = sum_[i] + coefficient * from[i];
    }
  }

  void evaluate_polynomial() {
    const T last(coefficients_[kRoot * kRoot]);
    for (size_t i = 0; i < sum_.size(); ++i) sum_[i] = last * power(kRoot)[i];
    add_terms((kRoot - 1) * kRoot);
    for (int64_t block = kRoot - 2; block >= 0; --block) {
      multiply(sum_.data(), power(kRoot), next_.data());
      std::swap(sum_, next_);
      add_terms(block * kRoot);
    }
  }

  int64_t n_;
  std::vector<T> powers_;
  std::vector<T> sum_;
  std::vector<T> next_;
  Real<T> coefficients_[kRoot * kRoot + 1];
};

void check_exponents(const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() >= 2, kMatrixExp, ": self must have at least 2 dimensions, got ",
                 self.dim());
  if (!is_complex(self.dtype()) && !(is_floating(self.dtype()) && item_size(self.dtype()) > 1))
    throw_dtype(self.dtype(), kMatrixExp, "floating and complex dtypes");
  const SymInt rows = self.sym_size(-2);
  const SymInt columns = self.sym_size(-1);
  OPWRIGHT_DEMAND(rows == columns, kMatrixExp, ": self must be batches of square matrices, got ",
                  rows, " by ", columns, " matrices");
}

}  // namespace

Tensor linalg_matrix_exp_cpu(const Tensor& self) {
  check_exponents(self);
  // Squaring magnifies rounding, so that narrower dtypes are computed in float64.
  const DType wide = is_complex(self.dtype()) ? DType::Complex128 : DType::Float64;
  const Tensor matrices = as_contiguous(as_dtype(self, wide));
  const Tensor result = make_empty(self.sizes(), matrices.dtype());
  const int64_t n = self.size(-1);
  if (self.numel() != 0) {
    for_lapack_dtype(matrices.dtype(), kMatrixExp, [&]<typename T>() {
      const T* in = matrices.data<T>();
      T* out = result.mutable_data<T>();
      for_each_matrix(count_matrices(self), n * n * n, [&](int64_t begin, int64_t end) {
        Exponential<T> exponential(n);
        for (int64_t i = begin; i < end; ++i) exponential.compute(in + i * n * n, out + i * n * n);
      });
    });
  }
  return as_dtype(result, self.dtype());
}
FakeTensor linalg_matrix_exp_fake(const FakeTensor& self) {
  check_exponents(as_tensor(self));
  return make_fake_like(self, sym_geometry_of(as_tensor(self)).sizes, self.dtype());
}

}  // namespace opwright
