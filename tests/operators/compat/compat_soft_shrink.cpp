// PyTorch's spelling: an elementwise operator over data_ptr, one body for all floating dtypes.
#include <cmath>

#include <ATen/OpMathType.h>
#include <torch/extension.h>

#define CHECK_CPU(x) TORCH_CHECK(x.device().is_cpu(), #x " must be a CPU tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) \
  CHECK_CPU(x);        \
  CHECK_CONTIGUOUS(x)

namespace {

template <typename scalar_t>
void soft_shrink_kernel(const scalar_t* in, scalar_t* out, int64_t n, scalar_t lambda) {
  for (int64_t i = 0; i < n; ++i) {
    const scalar_t x = in[i];
    out[i] = x > lambda ? x - lambda : (x < -lambda ? x + lambda : scalar_t(0));
  }
}

torch::Tensor soft_shrink(const torch::Tensor& input, double lambda) {
  CHECK_INPUT(input);
  TORCH_CHECK_VALUE(lambda >= 0, "soft_shrink: lambda must not be negative, got ", lambda,
                    " for sizes ", input.sizes());
  auto output = torch::empty_like(input);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "soft_shrink", ([&] {
                               soft_shrink_kernel<scalar_t>(
                                   input.data_ptr<scalar_t>(), output.data_ptr<scalar_t>(),
                                   input.numel(), static_cast<scalar_t>(lambda));
                             }));
  return output;
}

// Half and BFloat16 too; the sum is kept in float.
double mean_square(const torch::Tensor& input) {
  TORCH_CHECK(input.numel() > 0);
  const auto dense = input.contiguous();
  double total = 0;
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::ScalarType::Half, at::ScalarType::BFloat16, dense.scalar_type(), "mean_square", [&] {
        using acc_t = at::opmath_type<scalar_t>;
        const auto* data = dense.const_data_ptr<scalar_t>();
        acc_t sum = 0;
        for (int64_t i = 0; i < dense.numel(); i++) {
          sum += static_cast<acc_t>(data[i]) * static_cast<acc_t>(data[i]);
        }
        total = static_cast<double>(sum);
      });
  return total / static_cast<double>(input.numel());
}

}  // namespace

TORCH_LIBRARY(compat_shrink, m) {
  m.def("soft_shrink(Tensor input, float lambda=0.5) -> Tensor");
  m.def("mean_square(Tensor input) -> float");
}

TORCH_LIBRARY_IMPL(compat_shrink, CPU, m) {
  m.impl("soft_shrink", &soft_shrink);
  m.impl("mean_square", TORCH_FN(mean_square));
}
