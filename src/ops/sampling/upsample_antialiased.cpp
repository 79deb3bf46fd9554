// _upsample_bilinear2d_aa, bicubic2d_aa and lanczos2d_aa with their gradients: resizing with a
// filter against aliasing.
#include <optional>
#include <span>

#include "opwright/ops/sampling/upsample.h"

namespace opwright {
namespace {

using Scale = std::optional<double>;

}  // namespace

Tensor upsample_bilinear2d_aa_cpu(const Tensor& self, std::span<const int64_t> output_size,
                                  bool align_corners, const Scale& scales_h,
                                  const Scale& scales_w) {
  return Upsample{
      "_upsample_bilinear2d_aa", Interpolation::SmoothLinear, align_corners, {scales_h, scales_w}}
      .run(self, output_size);
}
FakeTensor upsample_bilinear2d_aa_fake(const FakeTensor& self, std::span<const SymInt> output_size,
                                       bool align_corners, const Scale& scales_h,
                                       const Scale& scales_w) {
  return Upsample{
      "_upsample_bilinear2d_aa", Interpolation::SmoothLinear, align_corners, {scales_h, scales_w}}
      .run(self, output_size);
}
Tensor upsample_bilinear2d_aa_backward_cpu(const Tensor& grad_output,
                                           std::span<const int64_t> output_size,
                                           std::span<const int64_t> input_size, bool align_corners,
                                           const Scale& scales_h, const Scale& scales_w) {
  return Upsample{"_upsample_bilinear2d_aa_backward",
                  Interpolation::SmoothLinear,
                  align_corners,
                  {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_bilinear2d_aa_backward_fake(const FakeTensor& grad_output,
                                                std::span<const SymInt> output_size,
                                                std::span<const SymInt> input_size,
                                                bool align_corners, const Scale& scales_h,
                                                const Scale& scales_w) {
  return Upsample{"_upsample_bilinear2d_aa_backward",
                  Interpolation::SmoothLinear,
                  align_corners,
                  {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}

Tensor upsample_bicubic2d_aa_cpu(const Tensor& self, std::span<const int64_t> output_size,
                                 bool align_corners, const Scale& scales_h, const Scale& scales_w) {
  return Upsample{
      "_upsample_bicubic2d_aa", Interpolation::SmoothCubic, align_corners, {scales_h, scales_w}}
      .run(self, output_size);
}
FakeTensor upsample_bicubic2d_aa_fake(const FakeTensor& self, std::span<const SymInt> output_size,
                                      bool align_corners, const Scale& scales_h,
                                      const Scale& scales_w) {
  return Upsample{
      "_upsample_bicubic2d_aa", Interpolation::SmoothCubic, align_corners, {scales_h, scales_w}}
      .run(self, output_size);
}
Tensor upsample_bicubic2d_aa_backward_cpu(const Tensor& grad_output,
                                          std::span<const int64_t> output_size,
                                          std::span<const int64_t> input_size, bool align_corners,
                                          const Scale& scales_h, const Scale& scales_w) {
  return Upsample{"_upsample_bicubic2d_aa_backward",
                  Interpolation::SmoothCubic,
                  align_corners,
                  {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_bicubic2d_aa_backward_fake(const FakeTensor& grad_output,
                                               std::span<const SymInt> output_size,
                                               std::span<const SymInt> input_size,
                                               bool align_corners, const Scale& scales_h,
                                               const Scale& scales_w) {
  return Upsample{"_upsample_bicubic2d_aa_backward",
                  Interpolation::SmoothCubic,
                  align_corners,
                  {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}

Tensor upsample_lanczos2d_aa_cpu(const Tensor& self, std::span<const int64_t> output_size,
                                 bool align_corners, const Scale& scales_h, const Scale& scales_w) {
  return Upsample{
      "_upsample_lanczos2d_aa", Interpolation::SmoothLanczos, align_corners, {scales_h, scales_w}}
      .run(self, output_size);
}
FakeTensor upsample_lanczos2d_aa_fake(const FakeTensor& self, std::span<const SymInt> output_size,
                                      bool align_corners, const Scale& scales_h,
                                      const Scale& scales_w) {
  return Upsample{
      "_upsample_lanczos2d_aa", Interpolation::SmoothLanczos, align_corners, {scales_h, scales_w}}
      .run(self, output_size);
}
Tensor upsample_lanczos2d_aa_backward_cpu(const Tensor& grad_output,
                                          std::span<const int64_t> output_size,
                                          std::span<const int64_t> input_size, bool align_corners,
                                          const Scale& scales_h, const Scale& scales_w) {
  return Upsample{"_upsample_lanczos2d_aa_backward",
                  Interpolation::SmoothLanczos,
                  align_corners,
                  {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}
FakeTensor upsample_lanczos2d_aa_backward_fake(const FakeTensor& grad_output,
                                               std::span<const SymInt> output_size,
                                               std::span<const SymInt> input_size,
                                               bool align_corners, const Scale& scales_h,
                                               const Scale& scales_w) {
  return Upsample{"_upsample_lanczos2d_aa_backward",
                  Interpolation::SmoothLanczos,
                  align_corners,
                  {scales_h, scales_w}}
      .differentiate(grad_output, output_size, input_size);
}

}  // namespace opwright
