// Products of vectors, matrices and more dimensions, as composites.
#include "opwright/ops/matrix/composite_products.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

bool is_zero(const Scalar& number) {
  return number.is_complex() ? false : number.to<double>() == 0;
}
bool is_one(const Scalar& number) { return number.is_complex() ? false : number.to<double>() == 1; }

// beta * self + alpha * product, where a beta of zero ignores NaN in self.
Tensor add_product(const Tensor& self, const Tensor& product, const Scalar& beta,
                   const Scalar& alpha) {
  const Tensor scaled = is_one(alpha) ? product : product.mul(alpha);
  if (is_zero(beta)) return scaled.to(result_dtype(self, product));
  return (is_one(beta) ? self : self.mul(beta)).add(scaled);
}

// The first dimension of size 3.
int64_t find_dim_of_three(const Tensor& self) {
  for (int64_t dim = 0; dim < self.dim(); ++dim) {
    if (guard_or_false(self.sym_size(dim) == 3)) return dim;
  }
  throw_error("RuntimeError", "cross: no dimension of self (", self,
              ") has the size 3; give dim, or another tensor");
}

// The order of a chain of products with the fewest multiplications, by dynamic programming:
// `split_[i * count + j]` is where the product of the matrices i to j is divided.
class ChainOrder {
 public:
  explicit ChainOrder(std::span<const Tensor> matrices) : matrices_(matrices) {
    const size_t count = matrices.size();
    split_.assign(count * count, 0);
    std::vector<double> cost(count * count, 0);
    for (size_t length = 1; length < count; ++length) {
      for (size_t first = 0; first + length < count; ++first) {
        const size_t last = first + length;
        double best = -1;
        for (size_t at = first; at < last; ++at) {
          const double each = cost[first * count + at] + cost[(at + 1) * count + last] +
                              size_of(first, 0) * size_of(at, 1) * size_of(last, 1);
          if (best >= 0 && each >= best) continue;
          best = each;
          split_[first * count + last] = at;
        }
        cost[first * count + last] = best;
      }
    }
  }
  [[nodiscard]] Tensor multiply() const { return multiply(0, matrices_.size() - 1); }

 private:
  // A size that is known only at run time counts as one.
  [[nodiscard]] double size_of(size_t matrix, int64_t dim) const {
    const SymInt size = matrices_[matrix].sym_size(dim);
    return size.is_symbolic() ? 1.0 : static_cast<double>(size.word());
  }
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the chain is long
  [[nodiscard]] Tensor multiply(size_t first, size_t last) const {
    if (first == last) return matrices_[first];
    const size_t at = split_[first * matrices_.size() + last];
    return mm(multiply(first, at), multiply(at + 1, last));
  }

  std::span<const Tensor> matrices_;
  std::vector<size_t> split_;
};

struct Contraction {
  Sizes kept;
  Sizes contracted;
};

// The dimensions of an operand of tensordot, split into those that stay and those that are summed.
Contraction read_contraction(const Tensor& operand, std::span<const int64_t> dims) {
  Contraction found;
  std::vector<bool> is_summed(static_cast<size_t>(operand.dim()), false);
  for (const int64_t dim : dims) {
    const size_t along = wrap_dim(dim, static_cast<size_t>(operand.dim()), "tensordot");
    OPWRIGHT_CHECK(!is_summed[along], "tensordot: dimension ", along, " appears twice in dims");
    is_summed[along] = true;
    found.contracted.push_back(static_cast<int64_t>(along));
  }
  for (size_t i = 0; i < is_summed.size(); ++i) {
    if (!is_summed[i]) found.kept.push_back(static_cast<int64_t>(i));
  }
  return found;
}

Sizes join_dims(const Sizes& first, const Sizes& second) {
  Sizes all = first;
  for (const int64_t each : second) all.push_back(each);
  return all;
}

}  // namespace

Tensor multiply_chain(std::span<const Tensor> matrices) { return ChainOrder(matrices).multiply(); }

Tensor cross_along(const Tensor& self, const Tensor& other, int64_t dim) {
  const auto rolled = [dim](const Tensor& tensor, int64_t places) {
    return tensor.roll({SymInt(places)}, {dim});
  };
  return rolled(self, 2).mul(rolled(other, 1)).sub(rolled(self, 1).mul(rolled(other, 2)));
}

Tensor addr_composite(const Tensor& self, const Tensor& vec1, const Tensor& vec2,
                      const Scalar& beta, const Scalar& alpha) {
  OPWRIGHT_CHECK(vec1.dim() == 1 && vec2.dim() == 1,
                 "addr: vec1 and vec2 must have one dimension each, got ", vec1, " and ", vec2);
  OPWRIGHT_CHECK(self.dim() <= 2, "addr: self must have at most two dimensions, got ", self);
  const bool is_one_pass = is_one(beta) && is_floating(self.dtype()) && !alpha.is_complex() &&
                           vec1.dtype() == self.dtype() && vec2.dtype() == self.dtype();
  if (is_one_pass)
    return self.expand({vec1.sym_size(0), vec2.sym_size(0)})
        .addcmul(vec1.unsqueeze(1), vec2, alpha);
  const DType dtype = result_dtype(self, vec1);
  const bool is_half = dtype == DType::Float16 || dtype == DType::BFloat16;
  if (is_half && result_dtype(self, vec2) == dtype) {  // computed as float32 and rounded once
    return addr_composite(self.to(DType::Float32), vec1.to(DType::Float32), vec2.to(DType::Float32),
                          beta, alpha)
        .to(dtype);
  }
  const Tensor product = outer(vec1, vec2);
  const bool is_truth = self.dtype() == DType::Bool && product.dtype() == DType::Bool;
  if (is_truth) {
    const Tensor part = is_zero(alpha) ? zeros_like(product) : product;
    return is_zero(beta) ? part.clone() : self.logical_or(part);
  }
  const SymSizes sizes = sym_geometry_of(product).sizes;
  return add_product(self.expand(sizes), product, beta, alpha);
}

Tensor addbmm_composite(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                        const Scalar& beta, const Scalar& alpha) {
  OPWRIGHT_CHECK(batch1.dim() == 3 && batch2.dim() == 3,
                 "addbmm: batch1 and batch2 must have three dimensions each, got ", batch1, " and ",
                 batch2);
  OPWRIGHT_DEMAND(batch1.sym_size(0) == batch2.sym_size(0),
                  "addbmm: batch1 and batch2 must hold the same number of matrices, got ", batch1,
                  " and ", batch2);
  OPWRIGHT_DEMAND(batch1.sym_size(2) == batch2.sym_size(1),
                  "addbmm: the columns of batch1 must be as many as the rows of batch2, got ",
                  batch1, " and ", batch2);
  // One product whose inner dimension runs over all matrices.
  const SymInt inner_size = batch1.sym_size(0) * batch1.sym_size(2);
  const Tensor left = batch1.permute({1, 0, 2}).reshape({batch1.sym_size(1), inner_size});
  return addmm(self, left, batch2.reshape({inner_size, batch2.sym_size(2)}), beta, alpha);
}

Tensor inner_composite(const Tensor& self, const Tensor& other) {
  if (self.dim() == 0 || other.dim() == 0) return self.mul(other);
  OPWRIGHT_DEMAND(self.sym_size(-1) == other.sym_size(-1),
                  "inner: the last dimensions of self and other must be equal, got ",
                  self.sym_size(-1), " and ", other.sym_size(-1));
  return tensordot(self, other, {-1}, {-1});
}

Tensor kron_composite(const Tensor& self, const Tensor& other) {
  const int64_t ndim = std::max(self.dim(), other.dim());
  SymSizes of_self;
  SymSizes of_other;
  SymSizes sizes;
  for (int64_t i = 0; i < ndim; ++i) {
    const int64_t in_self = i - ndim + self.dim();
    const int64_t in_other = i - ndim + other.dim();
    const SymInt a = in_self < 0 ? SymInt(1) : self.sym_size(in_self);
    const SymInt b = in_other < 0 ? SymInt(1) : other.sym_size(in_other);
    of_self.push_back(a);
    of_self.push_back(1);
    of_other.push_back(1);
    of_other.push_back(b);
    sizes.push_back(a * b);
  }
  return self.reshape(of_self).mul(other.reshape(of_other)).reshape(sizes);
}

Tensor tensordot_composite(const Tensor& self, const Tensor& other,
                           std::span<const int64_t> dims_self,
                           std::span<const int64_t> dims_other) {
  OPWRIGHT_CHECK(dims_self.size() == dims_other.size(),
                 "tensordot: dims_self and dims_other must name as many dimensions, got ",
                 to_text(dims_self), " and ", to_text(dims_other));
  const Contraction of_self = read_contraction(self, dims_self);
  const Contraction of_other = read_contraction(other, dims_other);
  SymInt summed = 1;
  for (size_t i = 0; i < dims_self.size(); ++i) {
    const SymInt size = self.sym_size(of_self.contracted[i]);
    OPWRIGHT_DEMAND(size == other.sym_size(of_other.contracted[i]),
                    "tensordot: contracted dimensions must have equal sizes, got ", size, " and ",
                    other.sym_size(of_other.contracted[i]));
    summed = summed * size;
  }
  SymInt rows = 1;
  SymInt columns = 1;
  SymSizes sizes;
  for (const int64_t dim : of_self.kept) {
    sizes.push_back(self.sym_size(dim));
    rows = rows * sizes.back();
  }
  for (const int64_t dim : of_other.kept) {
    sizes.push_back(other.sym_size(dim));
    columns = columns * sizes.back();
  }
  const Tensor left = self.permute(join_dims(of_self.kept, of_self.contracted));
  const Tensor right = other.permute(join_dims(of_other.contracted, of_other.kept));
  return mm(left.reshape({rows, summed}), right.reshape({summed, columns})).reshape(sizes);
}

Tensor cross_composite(const Tensor& self, const Tensor& other, const std::optional<int64_t>& dim) {
  OPWRIGHT_CHECK(self.dim() == other.dim(),
                 "cross: self and other must have the same number of dimensions, got ", self,
                 " and ", other);
  const int64_t along =
      dim ? static_cast<int64_t>(wrap_dim(*dim, static_cast<size_t>(self.dim()), "cross"))
          : find_dim_of_three(self);
  OPWRIGHT_DEMAND(self.sym_size(along) == 3 && other.sym_size(along) == 3, "cross: dimension ",
                  along, " must have the size 3 in self and other, got ", self, " and ", other);
  return cross_along(self, other, along);
}

Tensor chain_matmul_composite(std::span<const Tensor> matrices) {
  OPWRIGHT_CHECK(!matrices.empty(), "chain_matmul: matrices must not be empty");
  for (const Tensor& each : matrices) {
    OPWRIGHT_CHECK(each.dim() == 2, "chain_matmul: each matrix must have two dimensions, got ",
                   each);
  }
  if (matrices.size() == 1) return matrices[0];
  return multiply_chain(matrices);
}

Tensor vander_composite(const Tensor& x, const std::optional<int64_t>& N, bool increasing) {
  OPWRIGHT_CHECK(x.dim() == 1, "vander: x must have one dimension, got ", x);
  OPWRIGHT_CHECK(!N || *N >= 0, "vander: N must not be negative, got ", N.value_or(0));
  const SymInt columns = N ? SymInt(*N) : x.sym_size(0);
  const Tensor exponents = arange(Scalar(columns), DType::Int64, std::nullopt, x.device());
  const Tensor powers = x.unsqueeze(-1).pow(increasing ? exponents : exponents.flip({0}));
  return is_floating(x.dtype()) || is_complex(x.dtype()) ? powers : powers.to(DType::Int64);
}

}  // namespace opwright
