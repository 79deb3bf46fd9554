// PyTorch's spelling: the shapes of an operator in a Meta kernel over at::Tensor.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

at::Tensor im2row_meta(const at::Tensor& x, int64_t window) {
  TORCH_CHECK(x.dim() == 1, "im2row: expected a vector");
  return at::empty({x.size(0) - window + 1, window}, x.options());
}

at::Tensor im2row_cpu(const at::Tensor& x, int64_t window) {
  TORCH_CHECK(x.dim() == 1, "im2row: expected a vector");
  TORCH_CHECK_VALUE(window > 0 && window <= x.size(0), "im2row: window ", window, " for ",
                    x.size(0), " elements");
  at::Tensor out = at::empty({x.size(0) - window + 1, window}, x.options());
  const at::Tensor in = x.contiguous();
  const auto bytes = static_cast<size_t>(in.element_size() * window);
  for (int64_t row = 0; row < out.size(0); ++row) {
    std::memcpy(static_cast<char*>(out.data_ptr()) + static_cast<size_t>(row) * bytes,
                static_cast<const char*>(in.const_data_ptr()) + row * in.element_size(), bytes);
  }
  return out;
}

// Stays dynamic: nothing is read as a plain int.
at::Tensor like_twice_meta(const at::Tensor& x) {
  return at::empty_symint({x.sym_size(0) * 2, x.sym_size(1)}, x.options());
}
at::Tensor like_twice_cpu(const at::Tensor& x) {
  at::Tensor out = at::empty({x.size(0) * 2, x.size(1)}, x.options());
  out.slice(0, 0, x.size(0)).copy_(x);
  out.slice(0, x.size(0)).copy_(x);
  return out;
}

}  // namespace

TORCH_LIBRARY(compat_meta, m) {
  m.def("im2row(Tensor x, int window) -> Tensor", {at::Tag::pt2_compliant_tag});
  m.def("like_twice(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(compat_meta, Meta, m) {
  m.impl("im2row", &im2row_meta);
  m.impl("like_twice", &like_twice_meta);
}
TORCH_LIBRARY_IMPL(compat_meta, CPU, m) {
  m.impl("im2row", &im2row_cpu);
  m.impl("like_twice", &like_twice_cpu);
}
