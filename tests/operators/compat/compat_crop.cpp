// PyTorch's spelling: lists, optionals, strings and lists of tensors as arguments.
#include <torch/library.h>
#include <torch/types.h>

namespace compat_crop {

at::Tensor crop(const at::Tensor& image, at::IntArrayRef start, at::IntArrayRef size,
                const c10::optional<at::Tensor>& mask, c10::optional<double> scale) {
  TORCH_CHECK_VALUE(
      start.size() == size.size() && static_cast<int64_t>(start.size()) == image.dim(),
      "crop: start and size need one number for each of ", image.dim(), " dimensions, got ", start,
      " and ", size);
  at::Tensor part = image;
  for (const auto i : c10::irange(start.size())) {
    const auto dim = static_cast<int64_t>(i);
    TORCH_CHECK_INDEX(start[i] >= 0 && start[i] + size[i] <= image.size(dim), "crop: dimension ",
                      dim, " ends at ", image.size(dim));
    part = part.slice(dim, start[i], start[i] + size[i]);
  }
  if (mask.has_value() && mask->defined()) part = part * mask.value();
  return scale ? part * *scale : part.clone();
}

at::Tensor blend(at::TensorList layers, at::ArrayRef<double> weights, c10::string_view mode,
                 bool keep_first) {
  TORCH_CHECK(!layers.empty(), "blend: no layers");
  TORCH_CHECK(layers.size() == weights.size(), "blend: ", layers.size(), " layers and ",
              weights.size(), " weights");
  at::Tensor total = at::zeros_like(layers[0]);
  for (size_t i = keep_first ? 0 : 1; i < layers.size(); ++i) total += layers[i] * weights[i];
  if (mode == "mean") return total / static_cast<int64_t>(layers.size());
  TORCH_CHECK_NOT_IMPLEMENTED(mode == "sum", "blend: unknown mode ", mode);
  return total;
}

at::Tensor convert(const at::Tensor& x, c10::optional<at::ScalarType> dtype,
                   c10::optional<std::vector<int64_t>> shape, const at::Scalar& factor) {
  at::Tensor out = x.to(dtype.value_or(x.scalar_type()));
  if (shape) out = out.view(*shape);
  return factor.isIntegral(/*includeBool=*/false) ? out * factor.toLong() : out * factor.toDouble();
}

std::string describe(const at::Tensor& x, const std::string& name, std::vector<double> marks) {
  std::ostringstream text;
  text << name << ": " << x.sizes() << " with " << marks.size() << " marks";
  return text.str();
}

}  // namespace compat_crop

TORCH_LIBRARY(compat_crop, m) {
  m.def(
      "crop(Tensor image, int[] start, int[] size, Tensor? mask=None, float? scale=None) -> "
      "Tensor");
  m.def("blend(Tensor[] layers, float[] weights, str mode='sum', bool keep_first=True) -> Tensor");
  m.def("convert(Tensor x, ScalarType? dtype, int[]? shape, Scalar factor=1) -> Tensor",
        &compat_crop::convert);
  m.def("describe", &compat_crop::describe);
}
TORCH_LIBRARY_IMPL(compat_crop, CPU, m) {
  m.impl("crop", compat_crop::crop);
  m.impl("blend", compat_crop::blend);
}
