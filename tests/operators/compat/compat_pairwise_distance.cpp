// PyTorch's spelling: a loop over two dimensions with accessors.
#include <cmath>

#include <ATen/ATen.h>
#include <torch/library.h>

using at::Tensor;

static Tensor pairwise_distance(const Tensor& a, const Tensor& b) {
  TORCH_CHECK(a.dim() == 2 && b.dim() == 2, "expected two matrices, got ", a.dim(), " and ",
              b.dim(), " dimensions");
  TORCH_CHECK(a.size(1) == b.size(1), "points must have the same dimension: ", a.sizes(), " vs ",
              b.sizes());
  TORCH_CHECK_TYPE(a.dtype() == b.dtype(), "dtypes differ: ", a.scalar_type(), " and ",
                   b.scalar_type());

  const int64_t rows = a.size(0), cols = b.size(0), width = a.size(1);
  Tensor out = at::zeros({rows, cols}, a.options());
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "pairwise_distance", [&] {
    auto a_at = a.accessor<scalar_t, 2>();
    auto b_at = b.accessor<scalar_t, 2>();
    auto out_at = out.accessor<scalar_t, 2>();
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) {
        scalar_t total = 0;
        for (int64_t k = 0; k < width; ++k) {
          const scalar_t d = a_at[i][k] - b_at[j][k];
          total += d * d;
        }
        out_at[i][j] = std::sqrt(total);
      }
    }
  });
  return out;
}

// The largest element of each row, through an accessor that is passed by value.
static void fill_row_max(at::PackedTensorAccessor64<float, 2> in,
                         at::TensorAccessor<float, 1> out) {
  for (int64_t i = 0; i < in.size(0); ++i) {
    float best = in[i][0];
    for (int64_t j = 1; j < in.size(1); ++j) best = std::max(best, in[i][j]);
    out[i] = best;
  }
}
static Tensor row_max(const Tensor& x) {
  Tensor dense = x.to(at::kFloat).contiguous();
  Tensor out = at::empty({x.size(0)}, dense.options());
  fill_row_max(dense.packed_accessor64<float, 2>(), out.accessor<float, 1>());
  return out;
}

TORCH_LIBRARY(compat_distance, m) {
  m.def("pairwise(Tensor a, Tensor b) -> Tensor",
        torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(pairwise_distance)));
  m.def("row_max(Tensor x) -> Tensor");
  m.impl("row_max", torch::dispatch(c10::kCPU, TORCH_FN(row_max)));
}
