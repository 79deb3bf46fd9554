#include "opwright/ops/fft/fft_arguments.h"

#include <cstddef>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tensor/view.h"

namespace opwright {

int64_t normalization_of(const char* who, const FftNorm& norm, bool forward) {
  constexpr int64_t kNone = 0;
  constexpr int64_t kByRoot = 1;
  constexpr int64_t kByElements = 2;
  const std::string_view name = norm.value_or("backward");
  if (name == "ortho") return kByRoot;
  OPWRIGHT_CHECK(name == "forward" || name == "backward", who,
                 ": norm must be 'forward', 'backward' or 'ortho', got '", name, "'");
  return (name == "forward") == forward ? kByElements : kNone;
}

Tensor as_fft_input(const char* who, const Tensor& self, bool must_be_complex) {
  const DType given = self.dtype();
  OPWRIGHT_CHECK_TYPE(given != DType::Float16 && given != DType::BFloat16, who, ": self of ", given,
                      " is not supported; convert it to float32");
  DType dtype = is_floating(given) || is_complex(given) ? given : DType::Float32;
  if (must_be_complex && !is_complex(dtype))
    dtype = dtype == DType::Float64 ? DType::Complex128 : DType::Complex64;
  return dtype == given ? self : self.to(dtype);
}

Tensor as_real_input(const char* who, const Tensor& self) {
  OPWRIGHT_CHECK(!is_complex(self.dtype()), who, ": self must be a real tensor, got ",
                 self.dtype());
  return as_fft_input(who, self, false);
}

Tensor resized(const Tensor& self, int64_t dim, const SymInt& size) {
  const SymInt have = self.sym_size(dim);
  if (guard_or_false(have == size)) return self;
  if (guard_or_false(have >= size)) return self.narrow(dim, 0, size);
  return padded_at_end(self, dim, size - have);
}

Tensor padded_at_end(const Tensor& self, int64_t dim, const SymInt& count) {
  const auto ndim = static_cast<size_t>(self.dim());
  std::vector<SymInt> padding(2 * (ndim - wrap_dim(dim, ndim, "fft")), SymInt(0));
  padding.back() = count;
  return constant_pad_nd(self, padding);
}

void check_fft_length(const char* who, const SymInt& length, const FftLengthOrigin& origin) {
  if (guard_or_true(length >= 1)) return;
  OPWRIGHT_CHECK(!origin.is_given, who, ": ", origin.argument,
                 " must be at least 1 for the dimension ", origin.dim, ", got ", length);
  throw_error("RuntimeError", who, ": the dimension ", origin.dim, " of self (", origin.self,
              ") is too small for a transform; name another one in dim, or give ", origin.argument);
}

FftShape fft_shape_of(const char* who, const Tensor& self, const FftSizes& s, const FftDims& dim) {
  FftShape shape;
  const auto ndim = static_cast<size_t>(self.dim());
  if (dim) {
    for (const int64_t each : *dim) {
      const auto place = static_cast<int64_t>(wrap_dim(each, ndim, who));
      for (const int64_t other : shape.dims)
        OPWRIGHT_CHECK(other != place, who, ": dim names dimension ", place, " twice");
      shape.dims.push_back(place);
    }
    OPWRIGHT_CHECK(!s || s->size() == dim->size(), who,
                   ": dim and s must have the same length, got ", dim->size(), " and ",
                   s ? s->size() : 0);
  } else {
    const size_t count = s ? s->size() : ndim;
    OPWRIGHT_CHECK(count <= ndim, who, ": s has ", count, " sizes for a tensor of ", ndim,
                   " dimensions");
    for (size_t i = ndim - count; i < ndim; ++i) shape.dims.push_back(static_cast<int64_t>(i));
  }
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    const bool keeps = !s || guard_or_false((*s)[i] == -1);
    shape.sizes.push_back(keeps ? self.sym_size(shape.dims[i]) : (*s)[i]);
    check_fft_length(who, shape.sizes.back(), {self, shape.dims[i], "s", !keeps});
  }
  return shape;
}

}  // namespace opwright
