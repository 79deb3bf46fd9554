// Products of Householder reflections: linalg_householder_product and ormqr.
//
// With the vectors v_i as the columns of V and the scales tau, the product of all I - tau_i v_i
// v_i^H is I - V T V^H, where T = (I + D S)^-1 D, D = diag(tau), and S is V^H V above its diagonal.
// In this form all modes follow from those of matrix products and triangular systems.
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/linalg/matrix_batch.h"
#include "opwright/symbolic/shape_env/demand.h"

namespace opwright {
namespace {

// The same matrices with dense columns, as LAPACK would return them.
Tensor with_dense_columns(const Tensor& matrices) {
  return matrices.transpose(-2, -1).contiguous().transpose(-2, -1);
}

Tensor rectangular_eye(const Tensor& like, const SymInt& rows, const SymInt& columns) {
  return eye(rows, columns, like.dtype(), {}, like.device());
}

struct ReflectionProduct {
  Tensor vectors, triangle;  // V and T
};

// `vectors` has a vector below each diagonal element, which is 1 by definition.
ReflectionProduct read_reflections(const char* who, const char* name, const Tensor& vectors,
                                   const char* tau_name, const Tensor& tau) {
  check_matrices(who, name, vectors);
  check_same_dtype(who, name, vectors, tau_name, tau);
  OPWRIGHT_CHECK(tau.dim() == vectors.dim() - 1, who, ": ", tau_name,
                 " must have one dimension less than ", name, ", got ", tau.dim(), " and ",
                 vectors.dim());
  const SymInt m = vectors.sym_size(-2);
  const SymInt n = vectors.sym_size(-1);
  const SymInt k = tau.sym_size(-1);
  OPWRIGHT_DEMAND(k <= n, who, ": ", tau_name, " must have at most one element for each column of ",
                  name, ", got ", k, " elements and ", n, " columns");
  OPWRIGHT_DEMAND(k <= m, who, ": ", name, " must have a row for each element of ", tau_name,
                  ", got ", m, " rows and ", k, " elements");
  OPWRIGHT_DEMAND(have_same_sizes(batch_sizes_of(vectors), batch_sizes_of(tau, 1)), who, ": ", name,
                  " and ", tau_name, " must have the same batch dimensions, got ", vectors, " and ",
                  tau);
  const Tensor V = vectors.narrow(-1, 0, k).tril(-1).add(rectangular_eye(vectors, m, k));
  const Tensor D = diag_embed(tau);
  const Tensor S = matmul(adjoint(V), V).triu(1);
  return {V, linalg_solve_triangular(tau.unsqueeze(-1).mul(S), D, true, true, true)};
}

}  // namespace

Tensor linalg_householder_product_composite(const Tensor& input, const Tensor& tau) {
  constexpr const char* kWho = "linalg_householder_product";
  check_matrices(kWho, "input", input);
  const SymInt m = input.sym_size(-2);
  const SymInt n = input.sym_size(-1);
  OPWRIGHT_DEMAND(n <= m, kWho, ": input must have at least as many rows as columns, got ", m,
                  " by ", n, " matrices");
  const auto [V, T] = read_reflections(kWho, "input", input, "tau", tau);
  const Tensor product = matmul(V, matmul(T, adjoint(V.narrow(-2, 0, n))));
  return with_dense_columns(rectangular_eye(input, input.sym_size(-2), n).sub(product));
}

Tensor ormqr_composite(const Tensor& self, const Tensor& input2, const Tensor& input3, bool left,
                       bool transpose) {
  constexpr const char* kWho = "ormqr";
  const auto [V, T] = read_reflections(kWho, "self", self, "input2", input2);
  check_matrices(kWho, "input3", input3);
  check_same_dtype(kWho, "self", self, "input3", input3);
  const SymInt m = self.sym_size(-2);
  const SymInt size = input3.sym_size(left ? -2 : -1);
  OPWRIGHT_DEMAND(size == m, kWho, ": self and input3 do not fit: self has ", m,
                  " rows, and input3 has ", size, left ? " rows" : " columns");
  OPWRIGHT_CHECK(input3.dim() == self.dim(), kWho,
                 ": self and input3 must have the same number of dimensions, got ", self, " and ",
                 input3);
  const Tensor middle = transpose ? adjoint(T) : T;
  return with_dense_columns(
      input3.sub(left ? matmul(V, matmul(middle, matmul(adjoint(V), input3)))
                      : matmul(matmul(matmul(input3, V), middle), adjoint(V))));
}

}  // namespace opwright
