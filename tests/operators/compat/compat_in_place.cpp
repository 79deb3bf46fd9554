// PyTorch's spelling: operators that write their arguments.
#include <ATen/ATen.h>
#include <torch/library.h>

using at::Tensor;

namespace {

Tensor& scale_(Tensor& self, double factor) {
  self.mul_(factor);
  return self;
}

// A handle that is const does not make the tensor const.
void accumulate(const Tensor& total, const Tensor& value, double weight) {
  TORCH_CHECK(total.sizes() == value.sizes(), "accumulate: ", total.sizes(), " and ",
              value.sizes());
  total.add_(value, weight);
}

Tensor& fill_where_negative_out(const Tensor& x, double value, Tensor& out) {
  TORCH_CHECK(out.is_contiguous() && out.sizes().equals(x.sizes()), "out must be like x");
  const Tensor dense = x.contiguous();
  AT_DISPATCH_ALL_TYPES(x.scalar_type(), "fill_where_negative", [&] {
    const scalar_t* in = dense.data_ptr<scalar_t>();
    scalar_t* to = out.data_ptr<scalar_t>();
    for (int64_t i = 0; i < dense.numel(); ++i)
      to[i] = in[i] < scalar_t(0) ? static_cast<scalar_t>(value) : in[i];
  });
  return out;
}

// Assigning to an element writes into the tensor.
void set_rows(Tensor& x, int64_t row, double value, const Tensor& next) {
  x[row] = value;
  x[row + 1] = next;
}

}  // namespace

TORCH_LIBRARY(compat_in_place, m) {
  m.def("scale_(Tensor(a!) self, float factor) -> Tensor(a!)");
  m.def("accumulate(Tensor(a!) total, Tensor value, float weight=1.0) -> ()");
  m.def("set_rows(Tensor(a!) x, int row, float value, Tensor next) -> ()", &set_rows);
  m.def("fill_where_negative.out(Tensor x, float value, *, Tensor(a!) out) -> Tensor(a!)");
}
TORCH_LIBRARY_IMPL(compat_in_place, CPU, m) {
  m.impl("scale_", scale_);
  m.impl("accumulate", accumulate);
  m.impl("fill_where_negative.out", fill_where_negative_out);
}
