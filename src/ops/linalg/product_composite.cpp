// Products and views of linear algebra: multi_dot, cross, vecdot, vander, tensorinv, tensorsolve.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/matrix/composite_products.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

SymSizes sizes_between(const Tensor& tensor, int64_t first, int64_t end) {
  SymSizes sizes;
  for (int64_t i = first; i < end; ++i) sizes.push_back(tensor.sym_size(i));
  return sizes;
}

}  // namespace

Tensor linalg_multi_dot_composite(std::span<const Tensor> tensors) {
  constexpr const char* kWho = "linalg_multi_dot";
  OPWRIGHT_CHECK(tensors.size() >= 2, kWho, ": it needs at least 2 tensors, got ", tensors.size());
  std::vector<Tensor> matrices(tensors.begin(), tensors.end());
  const bool has_row = matrices.front().dim() == 1;
  const bool has_column = matrices.back().dim() == 1;
  if (has_row) matrices.front() = matrices.front().unsqueeze(0);
  if (has_column) matrices.back() = matrices.back().unsqueeze(-1);
  for (size_t i = 0; i < matrices.size(); ++i) {
    const bool is_end = i == 0 || i + 1 == matrices.size();
    OPWRIGHT_CHECK(matrices[i].dim() == 2, kWho, ": tensor ", i, " must have ",
                   is_end ? "1 or 2 dimensions" : "2 dimensions", ", got ", tensors[i].dim());
    OPWRIGHT_CHECK(matrices[i].dtype() == matrices[0].dtype(), kWho,
                   ": all tensors must have the same dtype, got ", matrices[0].dtype(), " and ",
                   matrices[i].dtype());
  }
  Tensor result = multiply_chain(matrices);
  if (has_column) result = result.squeeze(-1);
  return has_row ? result.squeeze(0) : result;
}

Tensor linalg_cross_composite(const Tensor& self, const Tensor& other, int64_t dim) {
  constexpr const char* kWho = "linalg_cross";
  OPWRIGHT_CHECK(self.dim() == other.dim(), kWho,
                 ": self and other must have the same number of dimensions, got ", self.dim(),
                 " and ", other.dim());
  OPWRIGHT_DEMAND(self.sym_size(dim) == SymInt(3) && other.sym_size(dim) == SymInt(3), kWho,
                  ": dimension ", dim, " of self and other must have 3 elements, got ",
                  self.sym_size(dim), " and ", other.sym_size(dim));
  return cross_along(self, other, dim);
}

Tensor linalg_vecdot_composite(const Tensor& x, const Tensor& y, int64_t dim) {
  OPWRIGHT_CHECK(x.dtype() == y.dtype(), "linalg_vecdot: x and y must have the same dtype, got ",
                 x.dtype(), " and ", y.dtype());
  return x.conj().mul(y).sum({dim});
}

Tensor linalg_diagonal_composite(const Tensor& A, int64_t offset, int64_t dim1, int64_t dim2) {
  return A.diagonal(offset, dim1, dim2);
}

Tensor linalg_vander_composite(const Tensor& x, const std::optional<SymInt>& N) {
  constexpr const char* kWho = "linalg_vander";
  OPWRIGHT_CHECK_TYPE(x.dtype() != DType::Bool, kWho, ": x must not be a tensor of bools");
  const Tensor bases = x.dim() == 0 ? x.unsqueeze(0) : x;
  const SymInt count = N ? *N : bases.sym_size(-1);
  OPWRIGHT_CHECK(guard_or_true(count > 1), kWho, ": N must be greater than 1, got ", count);
  SymSizes sizes = sizes_between(bases, 0, bases.dim());
  sizes.push_back(count - SymInt(1));
  const Tensor powers = bases.unsqueeze(-1).expand(sizes).cumprod(-1);
  return cat(std::vector{ones_like(powers.narrow(-1, 0, 1)), powers}, -1);
}

Tensor linalg_tensorinv_composite(const Tensor& self, int64_t ind) {
  constexpr const char* kWho = "linalg_tensorinv";
  OPWRIGHT_CHECK_VALUE(ind > 0, kWho, ": ind must be positive, got ", ind);
  const SymSizes first = sizes_between(self, 0, std::min(ind, self.dim()));
  const SymSizes last = sizes_between(self, std::min(ind, self.dim()), self.dim());
  const SymInt rows = product(first);
  const SymInt columns = product(last);
  OPWRIGHT_DEMAND(rows == columns, kWho,
                  ": the product of the first ind sizes must be that of the others, got ", rows,
                  " and ", columns);
  SymSizes sizes = last;
  for (const SymInt& size : first) sizes.push_back(size);
  return linalg_inv(self.reshape({rows, columns})).reshape(sizes);
}

Tensor linalg_tensorsolve_composite(const Tensor& self, const Tensor& other,
                                    std::optional<std::span<const int64_t>> dims) {
  constexpr const char* kWho = "linalg_tensorsolve";
  Tensor A = self;
  if (dims) {
    std::vector<int64_t> places;
    for (size_t i = 0; i < dims->size(); ++i)
      places.push_back(self.dim() - static_cast<int64_t>(dims->size() - i));
    A = self.movedim(*dims, places);
  }
  const int64_t ndim = other.dim();
  OPWRIGHT_CHECK(A.dim() >= ndim, kWho,
                 ": self must have at least as many dimensions as other, got ", A.dim(), " and ",
                 ndim);
  const SymSizes result = sizes_between(A, ndim, A.dim());
  const SymInt columns = product(result);
  const SymInt rows = other.sym_numel();
  OPWRIGHT_DEMAND(rows == columns, kWho,
                  ": the product of the sizes of self after other.dim() must be the number of "
                  "elements of other, got ",
                  columns, " and ", rows);
  return linalg_solve(A.reshape({rows, columns}), other.flatten()).reshape(result);
}

}  // namespace opwright
