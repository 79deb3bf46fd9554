// upsample_*: resamples planes to other sizes, for 1-d, 2-d and 3-d operators.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "opwright/fake_tensor.h"
#include "opwright/ops/sampling/interpolation.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// One operator: planes with as many dimensions as there are scales.
struct Upsample {
  const char* who;
  Interpolation kind;
  bool align_corners;
  std::vector<std::optional<double>> scales;

  [[nodiscard]] Tensor run(const Tensor& self, std::span<const int64_t> output_size) const;
  [[nodiscard]] FakeTensor run(const FakeTensor& self, std::span<const SymInt> output_size) const;
  [[nodiscard]] Tensor differentiate(const Tensor& grad, std::span<const int64_t> output_size,
                                     std::span<const int64_t> input_size) const;
  [[nodiscard]] FakeTensor differentiate(const FakeTensor& grad,
                                         std::span<const SymInt> output_size,
                                         std::span<const SymInt> input_size) const;

 private:
  [[nodiscard]] LinearMap map(std::span<const int64_t> in, std::span<const int64_t> out,
                              DType dtype, bool has_shortcut) const;
  [[nodiscard]] MemoryFormat gradient_format(const Tensor& grad) const;
};

}  // namespace opwright
