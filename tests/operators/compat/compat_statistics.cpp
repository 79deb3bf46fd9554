// PyTorch's spelling: several results, as a tuple and as a list.
#include <tuple>

#include <torch/extension.h>

using torch::Tensor;

std::tuple<Tensor, Tensor, int64_t> mean_and_variance(const Tensor& x) {
  const int64_t n = x.size(0);
  TORCH_CHECK_VALUE(n > 1, "mean_and_variance: need more than one row, got ", n);
  Tensor mean = x.sum(0) / n;
  Tensor centred = x - mean;
  return std::make_tuple(mean, (centred * centred).sum({0}) / (n - 1), n);
}

Tensor histogram(const Tensor& x, int64_t bins) {
  Tensor counts = x.new_zeros({bins}, torch::kLong);
  auto at = counts.accessor<int64_t, 1>();
  AT_DISPATCH_INTEGRAL_TYPES(x.scalar_type(), "histogram", [&] {
    const Tensor dense = x.contiguous().view(-1);
    auto in = dense.accessor<scalar_t, 1>();
    for (int64_t i = 0; i < in.size(0); ++i) at[static_cast<int64_t>(in[i])] += 1;
  });
  return counts;
}

std::vector<Tensor> split_rows(const Tensor& x, int64_t rows) {
  std::vector<Tensor> parts;
  for (int64_t start = 0; start < x.size(0); start += rows) {
    parts.push_back(x.slice(0, start, std::min(start + rows, x.size(0))).contiguous());
  }
  return parts;
}

std::tuple<std::vector<Tensor>, Tensor> rows_and_flat(const Tensor& x) {
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < x.size(0); ++i) rows.emplace_back(x[i].clone());
  return {rows, x.flatten()};
}

TORCH_LIBRARY(compat_statistics, m) {
  m.def("mean_and_variance(Tensor x) -> (Tensor mean, Tensor variance, int rows)",
        &mean_and_variance);
  m.def("split_rows(Tensor x, int rows=1) -> Tensor[]");
  m.def("rows_and_flat", &rows_and_flat);
  m.def("histogram", &histogram);
}
TORCH_LIBRARY_IMPL(compat_statistics, CPU, m) { m.impl("split_rows", &split_rows); }
