// matmul: PyTorch's rules for vectors, matrices and batches, as a composite of dot, mv, mm and bmm.
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

// All sizes but the last `drop`.
SymSizes leading_sizes(const Tensor& tensor, int64_t drop) {
  SymSizes sizes;
  for (int64_t i = 0; i < tensor.dim() - drop; ++i) sizes.push_back(tensor.sym_size(i));
  return sizes;
}

// A stack of matrices times one matrix or vector, computed as one tall matrix.
Tensor multiply_folded(const Tensor& self, const Tensor& other) {
  SymSizes sizes = leading_sizes(self, 1);
  const Tensor tall = self.reshape({product(sizes), self.sym_size(-1)});
  if (other.dim() == 1) return _unsafe_view(tall.mv(other), sizes);
  sizes.push_back(other.sym_size(1));
  return _unsafe_view(tall.mm(other), sizes);
}

// Merges the batch dimensions into one.
Tensor as_batch(const Tensor& matrices, const SymSizes& batch) {
  SymSizes sizes = batch;
  sizes.push_back(matrices.sym_size(-2));
  sizes.push_back(matrices.sym_size(-1));
  return matrices.expand(sizes).reshape(
      {product(batch), matrices.sym_size(-2), matrices.sym_size(-1)});
}

Tensor multiply_batches(const Tensor& self, const Tensor& other) {
  SymSizes sizes = broadcast_sizes(leading_sizes(self, 2), leading_sizes(other, 2), "matmul");
  const Tensor result = as_batch(self, sizes).bmm(as_batch(other, sizes));
  sizes.push_back(self.sym_size(-2));
  sizes.push_back(other.sym_size(-1));
  return _unsafe_view(result, sizes);
}

}  // namespace

Tensor matmul_composite(const Tensor& self, const Tensor& other) {
  OPWRIGHT_CHECK(self.dim() > 0 && other.dim() > 0,
                 "matmul: both operands need at least one dimension, got ", self.dim(), " and ",
                 other.dim());
  if (self.dim() == 1 && other.dim() == 1) return self.dot(other);
  if (self.dim() == 2 && other.dim() == 1) return self.mv(other);
  if (self.dim() == 1 && other.dim() == 2) return self.unsqueeze(0).mm(other).squeeze(0);
  if (self.dim() == 2 && other.dim() == 2) return self.mm(other);
  if (other.dim() <= 2) return multiply_folded(self, other);
  if (self.dim() == 1) return multiply_batches(self.unsqueeze(0), other).squeeze(-2);
  return multiply_batches(self, other);
}

}  // namespace opwright
