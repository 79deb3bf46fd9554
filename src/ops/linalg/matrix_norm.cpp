// Norms of vectors and matrices, and condition numbers.
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using OptionalDims = std::optional<std::span<const int64_t>>;
using OptionalDType = std::optional<DType>;

constexpr const char* kMatrixNorm = "linalg_matrix_norm";

Tensor in_norm_dtype(const Tensor& self, const OptionalDType& dtype) {
  return dtype ? self.to(*dtype) : self;
}

// The two dimensions from 0, the rows' first.
std::pair<int64_t, int64_t> matrix_dims(const char* who, const Tensor& self,
                                        std::span<const int64_t> dim) {
  OPWRIGHT_CHECK(self.dim() >= 2, who, ": self must have at least 2 dimensions, got ", self.dim());
  OPWRIGHT_CHECK(dim.size() == 2, who, ": dim must name two dimensions, got ", dim.size());
  const auto ndim = static_cast<size_t>(self.dim());
  const auto rows = static_cast<int64_t>(wrap_dim(dim[0], ndim, who));
  const auto columns = static_cast<int64_t>(wrap_dim(dim[1], ndim, who));
  OPWRIGHT_CHECK(rows != columns, who, ": dim must name two different dimensions, got ", rows,
                 " twice");
  return {rows, columns};
}

// The singular values of matrices in two dimensions, which are the last one of the result.
Tensor singular_values(const Tensor& self, int64_t rows, int64_t columns) {
  return linalg_svdvals(self.movedim({rows, columns}, {-2, -1}));
}
// Adds both dimensions again.
Tensor with_dims(const Tensor& result, int64_t rows, int64_t columns, bool keepdim) {
  if (!keepdim) return result;
  const int64_t first = rows < columns ? rows : columns;
  const int64_t second = rows < columns ? columns : rows;
  return result.unsqueeze(first).unsqueeze(second);
}

Tensor nuclear(const Tensor& self, std::span<const int64_t> dim, bool keepdim) {
  const auto [rows, columns] = matrix_dims("nuclear_norm", self, dim);
  return with_dims(singular_values(self, rows, columns).sum({-1}), rows, columns, keepdim);
}

// The largest or smallest sum of magnitudes over rows (order 1) or columns (infinity).
Tensor extreme_sum(const Tensor& self, int64_t summed, int64_t other, bool is_largest,
                   bool keepdim) {
  const Tensor sums = linalg_vector_norm(self, Scalar(1), std::span(&summed, 1), keepdim);
  const int64_t left = !keepdim && other > summed ? other - 1 : other;
  return is_largest ? sums.amax({left}, keepdim) : sums.amin({left}, keepdim);
}

Tensor numbered_norm(const Tensor& A, double order, std::span<const int64_t> dim, bool keepdim) {
  const auto [rows, columns] = matrix_dims(kMatrixNorm, A, dim);
  const double magnitude = std::abs(order);
  OPWRIGHT_CHECK(magnitude == 1 || magnitude == 2 || std::isinf(magnitude), kMatrixNorm,
                 ": ord must be 1, -1, 2, -2, inf, -inf, 'fro' or 'nuc', got ", order);
  if (magnitude == 2) {
    const Tensor values = singular_values(A, rows, columns);
    const Tensor norm = order > 0 ? values.amax({-1}) : values.amin({-1});
    return with_dims(norm, rows, columns, keepdim);
  }
  return magnitude == 1 ? extreme_sum(A, rows, columns, order > 0, keepdim)
                        : extreme_sum(A, columns, rows, order > 0, keepdim);
}

Tensor named_norm(const Tensor& A, std::string_view order, std::span<const int64_t> dim,
                  bool keepdim) {
  OPWRIGHT_CHECK(order == "fro" || order == "nuc", kMatrixNorm,
                 ": ord must be 'fro', 'nuc' or a number, got '", order, "'");
  if (order == "nuc") return nuclear(A, dim, keepdim);
  (void)matrix_dims(kMatrixNorm, A, dim);
  return linalg_vector_norm(A, Scalar(2), dim, keepdim);
}

std::vector<int64_t> both_dims(const char* who, const Tensor& self, const OptionalDims& dim) {
  if (dim) return {dim->begin(), dim->end()};
  OPWRIGHT_CHECK(self.dim() == 1 || self.dim() == 2, who,
                 ": self must have one or two dimensions if ord is given and dim is not, got ",
                 self.dim());
  if (self.dim() == 1) return {0};
  return {0, 1};
}

// The matrix's norm times its inverse's; infinite for a singular matrix.
template <class Norm>
Tensor condition_number(const Tensor& self, const Norm& norm) {
  const auto [inverse, info] = linalg_inv_ex(self);
  const Tensor product = norm(self).mul(norm(inverse));
  return where(info.eq(0), product, Scalar(std::numeric_limits<double>::infinity()));
}

}  // namespace

Tensor linalg_matrix_norm_composite(const Tensor& self, const Scalar& ord,
                                    std::span<const int64_t> dim, bool keepdim,
                                    const OptionalDType& dtype) {
  return numbered_norm(in_norm_dtype(self, dtype), ord.to<double>(), dim, keepdim);
}
Tensor linalg_matrix_norm_named_composite(const Tensor& self, std::string_view ord,
                                          std::span<const int64_t> dim, bool keepdim,
                                          const OptionalDType& dtype) {
  return named_norm(in_norm_dtype(self, dtype), ord, dim, keepdim);
}

Tensor linalg_norm_composite(const Tensor& self, const std::optional<Scalar>& ord, OptionalDims dim,
                             bool keepdim, const OptionalDType& dtype) {
  constexpr const char* kWho = "linalg_norm";
  OPWRIGHT_CHECK(!dim || dim->size() == 1 || dim->size() == 2 || !ord, kWho,
                 ": dim must name one or two dimensions, got ", dim ? dim->size() : 0);
  if (!ord)
    return dim ? linalg_vector_norm(self, Scalar(2), *dim, keepdim, dtype)
               : linalg_vector_norm(self, Scalar(2), std::nullopt, keepdim, dtype);
  const std::vector<int64_t> dims = both_dims(kWho, self, dim);
  if (dims.size() == 1) return linalg_vector_norm(self, *ord, dims, keepdim, dtype);
  return linalg_matrix_norm(self, *ord, dims, keepdim, dtype);
}
Tensor linalg_norm_named_composite(const Tensor& self, std::string_view ord, OptionalDims dim,
                                   bool keepdim, const OptionalDType& dtype) {
  return linalg_matrix_norm(self, ord, both_dims("linalg_norm", self, dim), keepdim, dtype);
}

Tensor nuclear_norm_composite(const Tensor& self, bool keepdim) {
  const int64_t last[] = {-2, -1};
  return nuclear(self, last, keepdim);
}
Tensor nuclear_norm_dim_composite(const Tensor& self, std::span<const int64_t> dim, bool keepdim) {
  return nuclear(self, dim, keepdim);
}

Tensor linalg_cond_composite(const Tensor& self, const std::optional<Scalar>& p) {
  const double order = p ? p->to<double>() : 2;
  if (std::abs(order) == 2) {
    const Tensor values = linalg_svdvals(self);
    const Tensor ratio = values.select(-1, 0).div(values.select(-1, -1));
    const Tensor result = order > 0 ? ratio : values.select(-1, -1).div(values.select(-1, 0));
    return where(result.isnan(), Scalar(std::numeric_limits<double>::infinity()), result);
  }
  return condition_number(self,
                          [&](const Tensor& A) { return linalg_matrix_norm(A, Scalar(order)); });
}
Tensor linalg_cond_named_composite(const Tensor& self, std::string_view p) {
  if (p == "nuc") {
    const Tensor values = linalg_svdvals(self);
    return values.sum({-1}).mul(values.reciprocal().sum({-1}));
  }
  return condition_number(self, [&](const Tensor& A) { return linalg_matrix_norm(A, p); });
}

}  // namespace opwright
