// The arguments that the transforms of the fft module share: dtypes, sizes, dimensions and norms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

using FftSizes = std::optional<std::span<const SymInt>>;
using FftDims = std::optional<std::span<const int64_t>>;
using FftNorm = std::optional<std::string_view>;

// The number of _fft_c2c for "forward", "backward" (the default) or "ortho". Throws ValueError.
[[nodiscard]] int64_t normalization_of(const char* who, const FftNorm& norm, bool forward);

// A floating or complex tensor; ints and bools become float32. Throws TypeError for halves and, if
// it must be real, for complex numbers.
[[nodiscard]] Tensor as_fft_input(const char* who, const Tensor& self, bool must_be_complex);
[[nodiscard]] Tensor as_real_input(const char* who, const Tensor& self);

// Cut or padded with zeros at the end to a size in a dimension.
[[nodiscard]] Tensor resized(const Tensor& self, int64_t dim, const SymInt& size);
// Padded with `count` zeros at the end of a dimension.
[[nodiscard]] Tensor padded_at_end(const Tensor& self, int64_t dim, const SymInt& count);

// Where the length of a transform comes from, for errors.
struct FftLengthOrigin {
  const Tensor& self;
  int64_t dim;
  const char* argument;  // "n" or "s"
  bool is_given;         // else the length is that of the dimension
};
// RuntimeError unless at least 1.
void check_fft_length(const char* who, const SymInt& length, const FftLengthOrigin& origin);

// Dimensions from 0, with the sizes to transform.
struct FftShape {
  Sizes dims;
  SymSizes sizes;
};
// All dimensions if none is given, or as many of the last as there are sizes; -1 keeps a size.
[[nodiscard]] FftShape fft_shape_of(const char* who, const Tensor& self, const FftSizes& s,
                                    const FftDims& dim);

}  // namespace opwright
