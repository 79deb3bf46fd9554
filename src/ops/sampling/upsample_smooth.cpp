// upsample_linear1d, bilinear2d, trilinear3d and bicubic2d with their gradients.
#include <optional>
#include <span>

#include "opwright/ops/sampling/upsample.h"

namespace opwright {

Tensor upsample_linear1d_cpu(const Tensor& self, std::span<const int64_t> output_size,
                             bool align_corners, const std::optional<double>& scales) {
  return Upsample{"upsample_linear1d", Interpolation::Linear, align_corners, {scales}}.run(
      self, output_size);
}
Tensor upsample_linear1d_backward_cpu(const Tensor& grad_output,
                                      std::span<const int64_t> output_size,
                                      std::span<const int64_t> input_size, bool align_corners,
                                      const std::optional<double>& scales) {
  return Upsample{"upsample_linear1d_backward", Interpolation::Linear, align_corners, {scales}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_linear1d_fake(const FakeTensor& self, std::span<const SymInt> output_size,
                                  bool align_corners, const std::optional<double>& scales) {
  return Upsample{"upsample_linear1d", Interpolation::Linear, align_corners, {scales}}.run(
      self, output_size);
}
FakeTensor upsample_linear1d_backward_fake(const FakeTensor& grad_output,
                                           std::span<const SymInt> output_size,
                                           std::span<const SymInt> input_size, bool align_corners,
                                           const std::optional<double>& scales) {
  return Upsample{"upsample_linear1d_backward", Interpolation::Linear, align_corners, {scales}}
      .differentiate(grad_output, output_size, input_size);
}

Tensor upsample_bilinear2d_cpu(const Tensor& self, std::span<const int64_t> output_size,
                               bool align_corners, const std::optional<double>& scales_h,
                               const std::optional<double>& scales_w) {
  return Upsample{"upsample_bilinear2d", Interpolation::Linear, align_corners, {scales_h, scales_w}}
      .run(self, output_size);
}
Tensor upsample_bilinear2d_backward_cpu(const Tensor& grad_output,
                                        std::span<const int64_t> output_size,
                                        std::span<const int64_t> input_size, bool align_corners,
                                        const std::optional<double>& scales_h,
                                        const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_bilinear2d_backward", Interpolation::Linear, align_corners, {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_bilinear2d_fake(const FakeTensor& self, std::span<const SymInt> output_size,
                                    bool align_corners, const std::optional<double>& scales_h,
                                    const std::optional<double>& scales_w) {
  return Upsample{"upsample_bilinear2d", Interpolation::Linear, align_corners, {scales_h, scales_w}}
      .run(self, output_size);
}
FakeTensor upsample_bilinear2d_backward_fake(const FakeTensor& grad_output,
                                             std::span<const SymInt> output_size,
                                             std::span<const SymInt> input_size, bool align_corners,
                                             const std::optional<double>& scales_h,
                                             const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_bilinear2d_backward", Interpolation::Linear, align_corners, {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}

Tensor upsample_trilinear3d_cpu(const Tensor& self, std::span<const int64_t> output_size,
                                bool align_corners, const std::optional<double>& scales_d,
                                const std::optional<double>& scales_h,
                                const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_trilinear3d", Interpolation::Linear, align_corners, {scales_d, scales_h, scales_w}}
      .run(self, output_size);
}
Tensor upsample_trilinear3d_backward_cpu(const Tensor& grad_output,
                                         std::span<const int64_t> output_size,
                                         std::span<const int64_t> input_size, bool align_corners,
                                         const std::optional<double>& scales_d,
                                         const std::optional<double>& scales_h,
                                         const std::optional<double>& scales_w) {
  return Upsample{"upsample_trilinear3d_backward",
                  Interpolation::Linear,
                  align_corners,
                  {scales_d, scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_trilinear3d_fake(const FakeTensor& self, std::span<const SymInt> output_size,
                                     bool align_corners, const std::optional<double>& scales_d,
                                     const std::optional<double>& scales_h,
                                     const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_trilinear3d", Interpolation::Linear, align_corners, {scales_d, scales_h, scales_w}}
      .run(self, output_size);
}
FakeTensor upsample_trilinear3d_backward_fake(
    const FakeTensor& grad_output, std::span<const SymInt> output_size,
    std::span<const SymInt> input_size, bool align_corners, const std::optional<double>& scales_d,
    const std::optional<double>& scales_h, const std::optional<double>& scales_w) {
  return Upsample{"upsample_trilinear3d_backward",
                  Interpolation::Linear,
                  align_corners,
                  {scales_d, scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}

Tensor upsample_bicubic2d_cpu(const Tensor& self, std::span<const int64_t> output_size,
                              bool align_corners, const std::optional<double>& scales_h,
                              const std::optional<double>& scales_w) {
  return Upsample{"upsample_bicubic2d", Interpolation::Cubic, align_corners, {scales_h, scales_w}}
      .run(self, output_size);
}
Tensor upsample_bicubic2d_backward_cpu(const Tensor& grad_output,
                                       std::span<const int64_t> output_size,
                                       std::span<const int64_t> input_size, bool align_corners,
                                       const std::optional<double>& scales_h,
                                       const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_bicubic2d_backward", Interpolation::Cubic, align_corners, {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_bicubic2d_fake(const FakeTensor& self, std::span<const SymInt> output_size,
                                   bool align_corners, const std::optional<double>& scales_h,
                                   const std::optional<double>& scales_w) {
  return Upsample{"upsample_bicubic2d", Interpolation::Cubic, align_corners, {scales_h, scales_w}}
      .run(self, output_size);
}
FakeTensor upsample_bicubic2d_backward_fake(const FakeTensor& grad_output,
                                            std::span<const SymInt> output_size,
                                            std::span<const SymInt> input_size, bool align_corners,
                                            const std::optional<double>& scales_h,
                                            const std::optional<double>& scales_w) {
  return Upsample{
      "upsample_bicubic2d_backward", Interpolation::Cubic, align_corners, {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}

}  // namespace opwright
