// Operators whose kernels for other devices are texts: source::scaled_add on the sample device,
// whose compiler knows the kernel by its name, and on OpenCL.
#include "opwright/opwright.h"
#include "opwright/source_kernel.h"

namespace source {
namespace {

using opwright::SourceKernel;
using opwright::Tensor;

const SourceKernel& scaled_add_kernel() {
  static const SourceKernel kernel(R"(
    kernel void scaled_add(global const float* x, global float* y, float factor, int n) {
      const size_t i = get_global_id(0);
      if (i < n) y[i] += factor * x[i];
    })",
                                   "scaled_add");
  return kernel;
}

Tensor scaled_add_cpu(const Tensor& x, const Tensor& y, double factor) {
  const Tensor input = x.contiguous();
  Tensor result = opwright::empty_like(input);
  const Tensor other = y.contiguous();
  for (int64_t i = 0; i < input.numel(); ++i) {
    result.mutable_data<float>()[i] =
        other.data<float>()[i] + static_cast<float>(factor) * input.data<float>()[i];
  }
  return result;
}

Tensor scaled_add_by_source(const Tensor& x, const Tensor& y, double factor) {
  const Tensor input = x.contiguous();
  const Tensor result = y.clone();
  constexpr int64_t kGroup = 64;
  scaled_add_kernel().launch(x.device(), {(x.numel() + kGroup - 1) / kGroup}, {kGroup}, input,
                             result, static_cast<float>(factor), static_cast<int32_t>(x.numel()));
  return result;
}

// The second tensor is wherever it is.
Tensor launch_on_two(const Tensor& x, const Tensor& y) {
  scaled_add_kernel().launch(x.device(), {x.numel()}, {}, x, y, 1.0F, int32_t{1});
  return x.clone();
}

}  // namespace

OPWRIGHT_LIBRARY(source, m) {
  m.def("scaled_add(Tensor x, Tensor y, float factor) -> Tensor");
  m.def("launch_on_two(Tensor x, Tensor y) -> Tensor", {opwright::Tag::AllowsMixedDevices});
  m.register_fake("scaled_add", [](const Tensor& x, const Tensor& /*y*/, double /*factor*/) {
    return opwright::empty_like(x);
  });
}

OPWRIGHT_LIBRARY_IMPL(source, CPU, m) {
  m.impl("scaled_add", &scaled_add_cpu);
  m.impl("launch_on_two", &launch_on_two);
}

OPWRIGHT_LIBRARY_IMPL(source, sample, m) {
  m.impl("scaled_add", &scaled_add_by_source);
  m.impl("launch_on_two", &launch_on_two);
}

OPWRIGHT_LIBRARY_IMPL(source, OpenCL, m) { m.impl("scaled_add", &scaled_add_by_source); }

}  // namespace source
