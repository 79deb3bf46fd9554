// PyTorch's spelling: loops over the host's threads.
#include <cmath>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/util/irange.h>
#include <torch/library.h>

namespace {

at::Tensor row_norms(const at::Tensor& x) {
  TORCH_CHECK(x.dim() == 2, "row_norms: expected a matrix, got ", x.dim(), " dimensions");
  const auto dense = x.contiguous();
  auto out = at::empty({x.size(0)}, x.options());
  const int64_t width = x.size(1);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_norms", [&] {
    const scalar_t* in = dense.const_data_ptr<scalar_t>();
    scalar_t* to = out.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, x.size(0), /*grain_size=*/16, [&](int64_t begin, int64_t end) {
      for (const auto row : c10::irange(begin, end)) {
        scalar_t sum = 0;
        for (const auto i : c10::irange(width)) sum += in[row * width + i] * in[row * width + i];
        to[row] = std::sqrt(sum);
      }
    });
  });
  return out;
}

double total(const at::Tensor& x) {
  const auto dense = x.to(at::kDouble).contiguous();
  const double* in = dense.const_data_ptr<double>();
  return at::parallel_reduce(
      0, dense.numel(), 1024, 0.0,
      [&](int64_t begin, int64_t end, double start) {
        for (int64_t i = begin; i < end; ++i) start += in[i];
        return start;
      },
      [](double a, double b) { return a + b; });
}

// An error on a worker is the error of the call.
void fail_in_row(const at::Tensor& x, int64_t bad) {
  at::parallel_for(0, x.size(0), 1, [&](int64_t begin, int64_t end) {
    TORCH_CHECK_INDEX(bad < begin || bad >= end, "row ", bad, " is bad");
  });
}

}  // namespace

TORCH_LIBRARY(compat_rows, m) {
  m.def("row_norms(Tensor x) -> Tensor");
  m.def("total(Tensor x) -> float");
  m.def("fail_in_row(Tensor x, int bad) -> ()");
}
TORCH_LIBRARY_IMPL(compat_rows, CPU, m) {
  m.impl("row_norms", row_norms);
  m.impl("total", total);
  m.impl("fail_in_row", fail_in_row);
}
