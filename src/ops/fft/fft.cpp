// _fft_c2c, _fft_r2c and _fft_c2r: transforms over some dimensions, one after the other.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "opwright/error.h"
#include "opwright/fake_tensor.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/fft/fft_lines.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

enum class Direction : uint8_t { ToComplex, ToReal };

// PyTorch's numbers: 0 is no factor, 1 the root of the number of elements, 2 that number.
double scale_for(const char* who, int64_t normalization, double elements) {
  OPWRIGHT_CHECK_VALUE(normalization >= 0 && normalization <= 2, who,
                       ": normalization must be 0, 1 or 2, got ", normalization);
  if (normalization == 0) return 1;
  return 1 / (normalization == 1 ? std::sqrt(elements) : elements);
}

// The dimensions, from 0; each at most once.
Sizes wrap_dims(const char* who, std::span<const int64_t> dim, int64_t ndim) {
  Sizes wrapped;
  for (const int64_t each : dim) {
    const auto place = static_cast<int64_t>(wrap_dim(each, static_cast<size_t>(ndim), who));
    for (const int64_t other : wrapped)
      OPWRIGHT_CHECK(other != place, who, ": dim names dimension ", place, " twice");
    wrapped.push_back(place);
  }
  return wrapped;
}

// A transform of no elements does not exist.
void check_transformed(const char* who, const Tensor& self, std::span<const int64_t> dims) {
  for (const int64_t dim : dims)
    OPWRIGHT_CHECK(guard_or_true(self.sym_size(dim) >= 1), who, ": dimension ", dim,
                   " of self must have elements to be transformed, got ", self);
}

// Of a transform between real and complex numbers: the last dimension is the halved one.
Sizes find_dims(const char* who, const Tensor& self, std::span<const int64_t> dim) {
  Sizes dims = wrap_dims(who, dim, self.dim());
  OPWRIGHT_CHECK(!dims.empty(), who, ": dim must name at least one dimension");
  check_transformed(who, self, dims);
  return dims;
}

void check_dtype(const char* who, DType dtype, bool takes_complex) {
  if (takes_complex ? is_complex(dtype) : dtype == DType::Float32 || dtype == DType::Float64)
    return;
  throw_dtype(dtype, who, takes_complex ? "complex64 and complex128" : "float32 and float64");
}

void transform_dim(FftKind kind, const Tensor& in, const Tensor& out, int64_t dim, bool forward,
                   double scale) {
  if (out.numel() == 0) return;
  const auto sizes = out.sizes();
  const auto place = static_cast<size_t>(dim);
  const bool is_double = real_dtype(in.dtype()) == DType::Float64;
  const auto run = [&]<typename T>(T /*part*/) {
    transform_lines(FftLines<T>{
        .kind = kind,
        .forward = forward,
        .length = (kind == FftKind::RealToComplex ? in.sizes() : sizes)[place],
        .outer = product(sizes.first(place)),
        .inner = product(sizes.subspan(place + 1)),
        .in = static_cast<const T*>(in.data()),
        .out = static_cast<T*>(out.mutable_data()),
        .scale = scale,
    });
  };
  if (is_double)
    run(double{});
  else
    run(float{});
}

// Transforms `source` into `target`, then `target` in place.
void transform_dims(const Tensor& source, const Tensor& target, std::span<const int64_t> dims,
                    bool forward, double scale) {
  if (dims.empty()) return copy_elements(target, source);
  const Tensor dense = as_contiguous(source);
  for (size_t i = 0; i < dims.size(); ++i)
    transform_dim(FftKind::ComplexToComplex, i == 0 ? dense : target, target, dims[i], forward,
                  i == 0 ? scale : 1);
}

double count_elements(const Tensor& tensor, std::span<const int64_t> dims) {
  double elements = 1;
  for (const int64_t dim : dims) elements *= static_cast<double>(tensor.size(dim));
  return elements;
}

template <class AnyTensor>
SymSizes halved_sizes(const AnyTensor& self, int64_t dim) {
  SymSizes sizes = sym_geometry_of(self).sizes;
  SymInt& last = sizes[static_cast<size_t>(dim)];
  last = last / SymInt(2) + SymInt(1);
  return sizes;
}

DType complex_dtype_of(DType dtype) {
  return dtype == DType::Float64 ? DType::Complex128 : DType::Complex64;
}

void check_last_dim_size(const SymInt& size) {
  OPWRIGHT_CHECK(guard_or_true(size >= 1), "_fft_c2r: last_dim_size must be at least 1, got ",
                 size);
}

}  // namespace

Tensor fft_c2c_cpu(const Tensor& self, std::span<const int64_t> dim, int64_t normalization,
                   bool forward) {
  constexpr const char* kWho = "_fft_c2c";
  check_dtype(kWho, self.dtype(), true);
  const Sizes dims = wrap_dims(kWho, dim, self.dim());
  check_transformed(kWho, self, dims);
  const double scale = scale_for(kWho, normalization, count_elements(self, dims));
  Tensor result = make_empty(self.sizes(), self.dtype());
  transform_dims(self, result, dims, forward, scale);
  return result;
}
FakeTensor fft_c2c_fake(const FakeTensor& self, std::span<const SymInt> dim, int64_t normalization,
                        bool /*forward*/) {
  constexpr const char* kWho = "_fft_c2c";
  check_dtype(kWho, self.dtype(), true);
  Sizes plain;
  for (const SymInt& each : dim) plain.push_back(each.specialise());
  check_transformed(kWho, as_tensor(self), wrap_dims(kWho, plain, self.dim()));
  (void)scale_for(kWho, normalization, 1);
  return make_fake_like(self, sym_geometry_of(as_tensor(self)).sizes, self.dtype());
}

Tensor fft_r2c_cpu(const Tensor& self, std::span<const int64_t> dim, int64_t normalization,
                   bool onesided) {
  constexpr const char* kWho = "_fft_r2c";
  check_dtype(kWho, self.dtype(), false);
  const Sizes dims = find_dims(kWho, self, dim);
  const DType dtype = complex_dtype_of(self.dtype());
  const double scale = scale_for(kWho, normalization, count_elements(self, dims));
  if (!onesided) {
    Tensor result = make_empty(self.sizes(), dtype);
    copy_elements(result, self);
    transform_dims(result, result, dims, true, scale);
    return result;
  }
  const int64_t last = dims.back();
  Sizes sizes(self.sizes());
  sizes[static_cast<size_t>(last)] = self.size(last) / 2 + 1;
  Tensor result = make_empty(sizes, dtype);
  transform_dim(FftKind::RealToComplex, as_contiguous(self), result, last, true, scale);
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    transform_dim(FftKind::ComplexToComplex, result, result, dims[i], true, 1);
  return result;
}
FakeTensor fft_r2c_fake(const FakeTensor& self, std::span<const int64_t> dim, int64_t normalization,
                        bool onesided) {
  constexpr const char* kWho = "_fft_r2c";
  check_dtype(kWho, self.dtype(), false);
  const Sizes dims = find_dims(kWho, as_tensor(self), dim);
  (void)scale_for(kWho, normalization, 1);
  const Tensor& tensor = as_tensor(self);
  const SymSizes sizes =
      onesided ? halved_sizes(tensor, dims.back()) : sym_geometry_of(tensor).sizes;
  return make_fake_like(self, sizes, complex_dtype_of(self.dtype()));
}

Tensor fft_c2r_cpu(const Tensor& self, std::span<const int64_t> dim, int64_t normalization,
                   int64_t last_dim_size) {
  constexpr const char* kWho = "_fft_c2r";
  check_dtype(kWho, self.dtype(), true);
  check_last_dim_size(last_dim_size);
  const Sizes dims = find_dims(kWho, self, dim);
  const int64_t last = dims.back();
  OPWRIGHT_CHECK(self.size(last) == last_dim_size / 2 + 1, kWho, ": self must have ",
                 last_dim_size / 2 + 1, " elements in dimension ", last, " for a last_dim_size of ",
                 last_dim_size, ", got ", self.size(last));
  Sizes sizes(self.sizes());
  sizes[static_cast<size_t>(last)] = last_dim_size;
  Tensor result = make_empty(sizes, real_dtype(self.dtype()));
  const double scale = scale_for(kWho, normalization, count_elements(result, dims));
  Tensor spectrum = as_contiguous(self);
  if (dims.size() > 1) {
    const Tensor transformed = make_empty(self.sizes(), self.dtype());
    transform_dims(spectrum, transformed, std::span(dims).first(dims.size() - 1), false, 1);
    spectrum = transformed;
  }
  transform_dim(FftKind::ComplexToReal, spectrum, result, last, false, scale);
  return result;
}
FakeTensor fft_c2r_fake(const FakeTensor& self, std::span<const int64_t> dim, int64_t normalization,
                        const SymInt& last_dim_size) {
  constexpr const char* kWho = "_fft_c2r";
  check_dtype(kWho, self.dtype(), true);
  check_last_dim_size(last_dim_size);
  const Sizes dims = find_dims(kWho, as_tensor(self), dim);
  (void)scale_for(kWho, normalization, 1);
  SymSizes sizes = sym_geometry_of(as_tensor(self)).sizes;
  sizes[static_cast<size_t>(dims.back())] = last_dim_size;
  return make_fake_like(self, sizes, real_dtype(self.dtype()));
}

}  // namespace opwright
