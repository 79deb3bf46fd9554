// PyTorch's spelling: the headers, types and conveniences that larger extensions bring together.
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <c10/core/TensorOptions.h>
#include <c10/macros/Macros.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <c10/util/Optional.h>
#include <c10/util/SmallVector.h>
#include <c10/util/irange.h>
#include <torch/library.h>
#include <torch/torch.h>

using namespace at;

namespace {

template <typename T>
C10_ALWAYS_INLINE T clamp_to(T value, T low, T high) {
  return value < low ? low : (value > high ? high : value);
}

int64_t bits_of(const Tensor& x) {
  switch (x.scalar_type()) {
    case ScalarType::Float:
    case kInt:
      return 32;
    case torch::kFloat64:
    case torch::kInt64:
      return 64;
    default:
      return static_cast<int64_t>(8 * c10::elementSize(x.scalar_type()));
  }
}

Tensor make_table(IntArrayRef size, c10::optional<Device> device) {
  auto options = torch::TensorOptions()
                     .dtype(torch::kFloat32)
                     .layout(torch::kStrided)
                     .device(device.value_or(kCPU))
                     .requires_grad(false);
  Tensor table = torch::ones(size, options);
  TORCH_CHECK(table.device().type() == DeviceType::CPU && !table.is_cuda(),
              "make_table: cpu only, got ", table.device());
  if (C10_UNLIKELY(table.numel() == 0)) return torch::zeros({0, 2}, torch::dtype(torch::kFloat32));
  return torch::full(size, 0.5, options) + table;
}

Tensor clamp_numbers(const Tensor& x, const Scalar& low, const Scalar& high) {
  c10::SmallVector<int64_t, 4> shape(x.sizes().begin(), x.sizes().end());
  Tensor out = at::empty(shape, x.options().memory_format(c10::nullopt));
  const Tensor in = x.contiguous();
  AT_DISPATCH_SWITCH(x.scalar_type(), "clamp", AT_DISPATCH_CASE(kHalf, [&] {
                       for (const auto i : c10::irange(in.numel())) {
                         float value = in.data_ptr<at::Half>()[i];
                         value *= 1;
                         out.data_ptr<scalar_t>()[i] =
                             clamp_to(value, low.to<float>(), high.to<float>());
                       }
                     }) AT_DISPATCH_CASE_ALL_TYPES([&] {
                       for (const auto i : c10::irange(in.numel())) {
                         out.data_ptr<scalar_t>()[i] = clamp_to(
                             in.data_ptr<scalar_t>()[i], low.to<scalar_t>(), high.to<scalar_t>());
                       }
                     }));
  return out;
}

double first_item(const Tensor& x) {
  AT_ASSERT(x.defined());
  TORCH_INTERNAL_ASSERT(x.dim() > 0, "a scalar has no first item");
  if (x.numel() == 0) AT_ERROR("first_item: empty tensor of ", x.scalar_type());
  return x.reshape(-1)[0].item<double>();
}

Tensor weights(int64_t rows) {
  TORCH_WARN_ONCE("weights: asked for the first time");
  const std::vector<float> values = {0.25f, 0.5f, 0.25f};
  Tensor kernel = torch::tensor(values, torch::kDouble);
  kernel -= 0.25;
  kernel *= torch::tensor({1.0, 2.0, 1.0});
  return kernel.unsqueeze(0)
      .expand({rows, 3})
      .t()
      .to(torch::TensorOptions().dtype(torch::kFloat))
      .view({-1});
}

std::tuple<Tensor, Tensor> outer_pair(const Tensor& a, const Tensor& b) {
  try {
    TORCH_CHECK(a.dim() == 1, "outer_pair: not a vector");
  } catch (const c10::Error& error) {
    TORCH_CHECK_VALUE(false, error.what());
  }
  Tensor outer = at::mm(a.view({-1, 1}), b.view({1, -1}));
  return {outer, outer.transpose(0, 1).contiguous()};
}

}  // namespace

TORCH_LIBRARY(compat_many, m) {
  m.def("bits_of", &bits_of);
  m.def("make_table(int[] size, Device? device=None) -> Tensor", &make_table);
  m.def("clamp(Tensor x, Scalar low, Scalar high) -> Tensor", &clamp_numbers);
  m.def("first_item(Tensor x) -> float", &first_item);
  m.def("weights(int rows) -> Tensor", &weights);
  m.def("outer_pair(Tensor a, Tensor b) -> (Tensor, Tensor)", &outer_pair);
}
