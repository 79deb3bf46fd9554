// PyTorch's spelling: sizes that may be symbols, as arguments and as what a body computes with.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

at::Tensor pad_rows(const at::Tensor& x, const c10::SymInt& rows) {
  TORCH_CHECK_VALUE(rows >= x.sym_size(0), "pad_rows: ", rows, " rows are fewer than ",
                    x.sym_size(0));
  at::Tensor out = at::zeros_symint({rows, x.sym_size(1)}, x.options());
  out.slice_symint(0, 0, x.sym_size(0)).copy_(x);
  return out;
}

at::Tensor reshape_to(const at::Tensor& x, c10::SymIntArrayRef size) {
  c10::SymInt numel = 1;
  for (const auto& each : size) numel = numel * each;
  TORCH_CHECK_VALUE(numel == x.sym_numel(), "reshape_to: ", x.sym_sizes(), " has other elements");
  return x.reshape_symint(size);
}

at::Tensor merge_first(const at::Tensor& x) {
  std::vector<c10::SymInt> shape{x.sym_size(0) * x.sym_size(1)};
  for (int64_t i = 2; i < x.dim(); ++i) shape.push_back(x.sym_size(i));
  return x.reshape_symint(shape);
}

}  // namespace

TORCH_LIBRARY(compat_symbolic, m) {
  m.def("pad_rows(Tensor x, SymInt rows) -> Tensor");
  m.def("reshape_to(Tensor x, SymInt[] size) -> Tensor");
  m.def("merge_first(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(compat_symbolic, CompositeExplicitAutograd, m) {
  m.impl("pad_rows", TORCH_FN(pad_rows));
  m.impl("reshape_to", TORCH_FN(reshape_to));
}
TORCH_LIBRARY_IMPL(compat_symbolic, CompositeImplicitAutograd, m) {
  m.impl("merge_first", TORCH_FN(merge_first));
}
