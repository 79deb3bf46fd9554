// upsample_nearest* and _upsample_nearest_exact* with their gradients.
#include <optional>
#include <span>

#include "opwright/ops/sampling/upsample.h"

namespace opwright {

Tensor upsample_nearest1d_cpu(const Tensor& self, std::span<const int64_t> output_size,
                              const std::optional<double>& scales) {
  return Upsample{"upsample_nearest1d", Interpolation::Nearest, false, {scales}}.run(self,
                                                                                     output_size);
}
Tensor upsample_nearest1d_backward_cpu(const Tensor& grad_output,
                                       std::span<const int64_t> output_size,
                                       std::span<const int64_t> input_size,
                                       const std::optional<double>& scales) {
  return Upsample{"upsample_nearest1d_backward", Interpolation::Nearest, false, {scales}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_nearest1d_fake(const FakeTensor& self, std::span<const SymInt> output_size,
                                   const std::optional<double>& scales) {
  return Upsample{"upsample_nearest1d", Interpolation::Nearest, false, {scales}}.run(self,
                                                                                     output_size);
}
FakeTensor upsample_nearest1d_backward_fake(const FakeTensor& grad_output,
                                            std::span<const SymInt> output_size,
                                            std::span<const SymInt> input_size,
                                            const std::optional<double>& scales) {
  return Upsample{"upsample_nearest1d_backward", Interpolation::Nearest, false, {scales}}
      .differentiate(grad_output, output_size, input_size);
}

Tensor upsample_nearest2d_cpu(const Tensor& self, std::span<const int64_t> output_size,
                              const std::optional<double>& scales_h,
                              const std::optional<double>& scales_w) {
  return Upsample{"upsample_nearest2d", Interpolation::Nearest, false, {scales_h, scales_w}}.run(
      self, output_size);
}
Tensor upsample_nearest2d_backward_cpu(const Tensor& grad_output,
                                       std::span<const int64_t> output_size,
                                       std::span<const int64_t> input_size,
                                       const std::optional<double>& scales_h,
                                       const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_nearest2d_backward", Interpolation::Nearest, false, {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_nearest2d_fake(const FakeTensor& self, std::span<const SymInt> output_size,
                                   const std::optional<double>& scales_h,
                                   const std::optional<double>& scales_w) {
  return Upsample{"upsample_nearest2d", Interpolation::Nearest, false, {scales_h, scales_w}}.run(
      self, output_size);
}
FakeTensor upsample_nearest2d_backward_fake(const FakeTensor& grad_output,
                                            std::span<const SymInt> output_size,
                                            std::span<const SymInt> input_size,
                                            const std::optional<double>& scales_h,
                                            const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_nearest2d_backward", Interpolation::Nearest, false, {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}

Tensor upsample_nearest3d_cpu(const Tensor& self, std::span<const int64_t> output_size,
                              const std::optional<double>& scales_d,
                              const std::optional<double>& scales_h,
                              const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_nearest3d", Interpolation::Nearest, false, {scales_d, scales_h, scales_w}}
      .run(self, output_size);
}
Tensor upsample_nearest3d_backward_cpu(const Tensor& grad_output,
                                       std::span<const int64_t> output_size,
                                       std::span<const int64_t> input_size,
                                       const std::optional<double>& scales_d,
                                       const std::optional<double>& scales_h,
                                       const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_nearest3d_backward", Interpolation::Nearest, false, {scales_d, scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_nearest3d_fake(const FakeTensor& self, std::span<const SymInt> output_size,
                                   const std::optional<double>& scales_d,
                                   const std::optional<double>& scales_h,
                                   const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_nearest3d", Interpolation::Nearest, false, {scales_d, scales_h, scales_w}}
      .run(self, output_size);
}
FakeTensor upsample_nearest3d_backward_fake(const FakeTensor& grad_output,
                                            std::span<const SymInt> output_size,
                                            std::span<const SymInt> input_size,
                                            const std::optional<double>& scales_d,
                                            const std::optional<double>& scales_h,
                                            const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_nearest3d_backward", Interpolation::Nearest, false, {scales_d, scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}

Tensor upsample_nearest_exact1d_cpu(const Tensor& self, std::span<const int64_t> output_size,
                                    const std::optional<double>& scales) {
  return Upsample{"_upsample_nearest_exact1d", Interpolation::NearestExact, false, {scales}}.run(
      self, output_size);
}
Tensor upsample_nearest_exact1d_backward_cpu(const Tensor& grad_output,
                                             std::span<const int64_t> output_size,
                                             std::span<const int64_t> input_size,
                                             const std::optional<double>& scales) {
  return Upsample{
      "_upsample_nearest_exact1d_backward", Interpolation::NearestExact, false, {scales}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_nearest_exact1d_fake(const FakeTensor& self,
                                         std::span<const SymInt> output_size,
                                         const std::optional<double>& scales) {
  return Upsample{"_upsample_nearest_exact1d", Interpolation::NearestExact, false, {scales}}.run(
      self, output_size);
}
FakeTensor upsample_nearest_exact1d_backward_fake(const FakeTensor& grad_output,
                                                  std::span<const SymInt> output_size,
                                                  std::span<const SymInt> input_size,
                                                  const std::optional<double>& scales) {
  return Upsample{
      "_upsample_nearest_exact1d_backward", Interpolation::NearestExact, false, {scales}}
      .differentiate(grad_output, output_size, input_size);
}

Tensor upsample_nearest_exact2d_cpu(const Tensor& self, std::span<const int64_t> output_size,
                                    const std::optional<double>& scales_h,
                                    const std::optional<double>& scales_w) {
  return Upsample{
      "_upsample_nearest_exact2d", Interpolation::NearestExact, false, {scales_h, scales_w}}
      .run(self, output_size);
}
Tensor upsample_nearest_exact2d_backward_cpu(const Tensor& grad_output,
                                             std::span<const int64_t> output_size,
                                             std::span<const int64_t> input_size,
                                             const std::optional<double>& scales_h,
                                             const std::optional<double>& scales_w) {
  return Upsample{"_upsample_nearest_exact2d_backward",
                  Interpolation::NearestExact,
                  false,
                  {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_nearest_exact2d_fake(const FakeTensor& self,
                                         std::span<const SymInt> output_size,
                                         const std::optional<double>& scales_h,
                                         const std::optional<double>& scales_w) {
  return Upsample{
      "_upsample_nearest_exact2d", Interpolation::NearestExact, false, {scales_h, scales_w}}
      .run(self, output_size);
}
FakeTensor upsample_nearest_exact2d_backward_fake(const FakeTensor& grad_output,
                                                  std::span<const SymInt> output_size,
                                                  std::span<const SymInt> input_size,
                                                  const std::optional<double>& scales_h,
                                                  const std::optional<double>& scales_w) {
  return Upsample{"_upsample_nearest_exact2d_backward",
                  Interpolation::NearestExact,
                  false,
                  {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}

Tensor upsample_nearest_exact3d_cpu(const Tensor& self, std::span<const int64_t> output_size,
                                    const std::optional<double>& scales_d,
                                    const std::optional<double>& scales_h,
                                    const std::optional<double>& scales_w) {
  return Upsample{"_upsample_nearest_exact3d",
                  Interpolation::NearestExact,
                  false,
                  {scales_d, scales_h, scales_w}}
      .run(self, output_size);
}
Tensor upsample_nearest_exact3d_backward_cpu(const Tensor& grad_output,
                                             std::span<const int64_t> output_size,
                                             std::span<const int64_t> input_size,
                                             const std::optional<double>& scales_d,
                                             const std::optional<double>& scales_h,
                                             const std::optional<double>& scales_w) {
  return Upsample{"_upsample_nearest_exact3d_backward",
                  Interpolation::NearestExact,
                  false,
                  {scales_d, scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_nearest_exact3d_fake(const FakeTensor& self,
                                         std::span<const SymInt> output_size,
                                         const std::optional<double>& scales_d,
                                         const std::optional<double>& scales_h,
                                         const std::optional<double>& scales_w) {
  return Upsample{"_upsample_nearest_exact3d",
                  Interpolation::NearestExact,
                  false,
                  {scales_d, scales_h, scales_w}}
      .run(self, output_size);
}
FakeTensor upsample_nearest_exact3d_backward_fake(const FakeTensor& grad_output,
                                                  std::span<const SymInt> output_size,
                                                  std::span<const SymInt> input_size,
                                                  const std::optional<double>& scales_d,
                                                  const std::optional<double>& scales_h,
                                                  const std::optional<double>& scales_w) {
  return Upsample{"_upsample_nearest_exact3d_backward",
                  Interpolation::NearestExact,
                  false,
                  {scales_d, scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}

}  // namespace opwright
