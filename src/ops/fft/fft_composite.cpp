// The transforms of the fft module, as composites of _fft_c2c, _fft_r2c and _fft_c2r.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/fft/fft_arguments.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using OptionalSize = std::optional<SymInt>;

Tensor transform_complex(const Tensor& self, std::span<const int64_t> dims, int64_t normalization,
                         bool forward) {
  return _fft_c2c(self, std::vector<SymInt>(dims.begin(), dims.end()), normalization, forward);
}

Tensor resized_to(Tensor self, const FftShape& shape) {
  for (size_t i = 0; i < shape.dims.size(); ++i)
    self = resized(self, shape.dims[i], shape.sizes[i]);
  return self;
}

// Counted from the first dimension: other frameworks accept no other in the operators below.
int64_t place_of(const char* who, const Tensor& self, int64_t dim) {
  return static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(self.dim()), who));
}

Tensor resized_line(const char* who, const Tensor& self, const OptionalSize& n, int64_t dim) {
  check_fft_length(who, n ? *n : self.sym_size(dim), {self, dim, "n", n.has_value()});
  return n ? resized(self, dim, *n) : self;
}

// A complex spectrum; that of a real tensor is computed whole.
Tensor transform_line(const char* who, const Tensor& self, const OptionalSize& n, int64_t dim,
                      const FftNorm& norm, bool forward) {
  const bool is_real = forward && !is_complex(self.dtype());
  const Tensor line = resized_line(who, as_fft_input(who, self, !is_real), n, dim);
  const int64_t normalization = normalization_of(who, norm, forward);
  const int64_t place = place_of(who, line, dim);
  if (is_real) return _fft_r2c(line, {place}, normalization, false);
  return transform_complex(line, {&place, 1}, normalization, forward);
}

Tensor transform_real_line(const char* who, const Tensor& self, const OptionalSize& n, int64_t dim,
                           const FftNorm& norm, bool forward) {
  const Tensor line = resized_line(who, as_real_input(who, self), n, dim);
  const Tensor half =
      _fft_r2c(line, {place_of(who, line, dim)}, normalization_of(who, norm, forward), true);
  return forward ? half : half.conj_physical();
}

SymInt half_size(const SymInt& size) { return size / SymInt(2) + SymInt(1); }

// The real line of half a spectrum.
Tensor transform_to_real_line(const char* who, const Tensor& self, const OptionalSize& n,
                              int64_t dim, const FftNorm& norm, bool forward) {
  const Tensor given = as_fft_input(who, self, true);
  const SymInt length = n ? *n : (given.sym_size(dim) - SymInt(1)) * SymInt(2);
  check_fft_length(who, length, {self, dim, "n", n.has_value()});
  const Tensor half = n ? resized(given, dim, half_size(length)) : given;
  return _fft_c2r(forward ? half.conj_physical() : half, {place_of(who, half, dim)},
                  normalization_of(who, norm, forward), length);
}

Tensor transform_all(const char* who, const Tensor& self, const FftSizes& s, const FftDims& dim,
                     const FftNorm& norm, bool forward) {
  const FftShape shape = fft_shape_of(who, self, s, dim);
  const Tensor input = resized_to(as_fft_input(who, self, true), shape);
  const int64_t normalization = normalization_of(who, norm, forward);
  return shape.dims.empty() ? input.clone()
                            : transform_complex(input, shape.dims, normalization, forward);
}

FftShape shape_with_last(const char* who, const Tensor& self, const FftSizes& s,
                         const FftDims& dim) {
  FftShape shape = fft_shape_of(who, self, s, dim);
  OPWRIGHT_CHECK(!shape.dims.empty(), who, ": at least one dimension must be transformed");
  return shape;
}

Tensor transform_real(const char* who, const Tensor& self, const FftSizes& s, const FftDims& dim,
                      const FftNorm& norm, bool forward) {
  const FftShape shape = shape_with_last(who, self, s, dim);
  const Tensor input = resized_to(as_real_input(who, self), shape);
  const int64_t normalization = normalization_of(who, norm, forward);
  if (forward) return _fft_r2c(input, shape.dims, normalization, true);
  const Tensor half = _fft_r2c(input, {shape.dims.back()}, normalization, true).conj_physical();
  const std::span<const int64_t> others = std::span(shape.dims).first(shape.dims.size() - 1);
  return others.empty() ? half : transform_complex(half, others, normalization, false);
}

Tensor transform_to_real(const char* who, const Tensor& self, const FftSizes& s, const FftDims& dim,
                         const FftNorm& norm, bool forward) {
  FftShape shape = shape_with_last(who, self, s, dim);
  const int64_t last = shape.dims.back();
  const bool is_given = s && !guard_or_false(s->back() == -1);
  SymInt length = is_given ? shape.sizes.back() : (self.sym_size(last) - SymInt(1)) * SymInt(2);
  check_fft_length(who, length, {self, last, "s", is_given});
  shape.sizes.back() = half_size(length);
  const Tensor input = resized_to(as_fft_input(who, self, true), shape);
  const int64_t normalization = normalization_of(who, norm, forward);
  if (!forward) return _fft_c2r(input, shape.dims, normalization, length);
  const std::span<const int64_t> others = std::span(shape.dims).first(shape.dims.size() - 1);
  const Tensor lines =
      others.empty() ? input : transform_complex(input, others, normalization, true);
  return _fft_c2r(lines.conj_physical(), {last}, normalization, length);
}

}  // namespace

// ---- one dimension

Tensor fft_fft_composite(const Tensor& self, const OptionalSize& n, int64_t dim,
                         const FftNorm& norm) {
  return transform_line("fft_fft", self, n, dim, norm, true);
}
Tensor fft_ifft_composite(const Tensor& self, const OptionalSize& n, int64_t dim,
                          const FftNorm& norm) {
  return transform_line("fft_ifft", self, n, dim, norm, false);
}
Tensor fft_rfft_composite(const Tensor& self, const OptionalSize& n, int64_t dim,
                          const FftNorm& norm) {
  return transform_real_line("fft_rfft", self, n, dim, norm, true);
}
Tensor fft_ihfft_composite(const Tensor& self, const OptionalSize& n, int64_t dim,
                           const FftNorm& norm) {
  return transform_real_line("fft_ihfft", self, n, dim, norm, false);
}
Tensor fft_irfft_composite(const Tensor& self, const OptionalSize& n, int64_t dim,
                           const FftNorm& norm) {
  return transform_to_real_line("fft_irfft", self, n, dim, norm, false);
}
Tensor fft_hfft_composite(const Tensor& self, const OptionalSize& n, int64_t dim,
                          const FftNorm& norm) {
  return transform_to_real_line("fft_hfft", self, n, dim, norm, true);
}

// ---- several dimensions

Tensor fft_fftn_composite(const Tensor& self, FftSizes s, FftDims dim, const FftNorm& norm) {
  return transform_all("fft_fftn", self, s, dim, norm, true);
}
Tensor fft_ifftn_composite(const Tensor& self, FftSizes s, FftDims dim, const FftNorm& norm) {
  return transform_all("fft_ifftn", self, s, dim, norm, false);
}
Tensor fft_rfftn_composite(const Tensor& self, FftSizes s, FftDims dim, const FftNorm& norm) {
  return transform_real("fft_rfftn", self, s, dim, norm, true);
}
Tensor fft_ihfftn_composite(const Tensor& self, FftSizes s, FftDims dim, const FftNorm& norm) {
  return transform_real("fft_ihfftn", self, s, dim, norm, false);
}
Tensor fft_irfftn_composite(const Tensor& self, FftSizes s, FftDims dim, const FftNorm& norm) {
  return transform_to_real("fft_irfftn", self, s, dim, norm, false);
}
Tensor fft_hfftn_composite(const Tensor& self, FftSizes s, FftDims dim, const FftNorm& norm) {
  return transform_to_real("fft_hfftn", self, s, dim, norm, true);
}

// ---- the last two dimensions by default

Tensor fft_fft2_composite(const Tensor& self, FftSizes s, std::span<const int64_t> dim,
                          const FftNorm& norm) {
  return transform_all("fft_fft2", self, s, dim, norm, true);
}
Tensor fft_ifft2_composite(const Tensor& self, FftSizes s, std::span<const int64_t> dim,
                           const FftNorm& norm) {
  return transform_all("fft_ifft2", self, s, dim, norm, false);
}
Tensor fft_rfft2_composite(const Tensor& self, FftSizes s, std::span<const int64_t> dim,
                           const FftNorm& norm) {
  return transform_real("fft_rfft2", self, s, dim, norm, true);
}
Tensor fft_ihfft2_composite(const Tensor& self, FftSizes s, std::span<const int64_t> dim,
                            const FftNorm& norm) {
  return transform_real("fft_ihfft2", self, s, dim, norm, false);
}
Tensor fft_irfft2_composite(const Tensor& self, FftSizes s, std::span<const int64_t> dim,
                            const FftNorm& norm) {
  return transform_to_real("fft_irfft2", self, s, dim, norm, false);
}
Tensor fft_hfft2_composite(const Tensor& self, FftSizes s, std::span<const int64_t> dim,
                           const FftNorm& norm) {
  return transform_to_real("fft_hfft2", self, s, dim, norm, true);
}

}  // namespace opwright
