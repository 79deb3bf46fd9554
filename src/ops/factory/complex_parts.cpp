// complex, polar and conj: complex numbers from two real ones, and conjugates.
#include <cmath>
#include <cstdint>

#include "opwright/error.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/cpu/strided_loop.h"
#include "opwright/ops/engine/shape/elementwise_shape.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The dtype of the result.
DType check_parts(const char* who, const char* first, DType a, const char* second, DType b) {
  OPWRIGHT_CHECK_TYPE(a == b && (a == DType::Float32 || a == DType::Float64), who, ": ", first,
                      " and ", second, " must both be float32 or both float64, got ", a, " and ",
                      b);
  return a == DType::Float32 ? DType::Complex64 : DType::Complex128;
}

template <class T, class Join>
void join_parts(const Tensor& result, const Tensor& a, const Tensor& b, const Join& join) {
  StridedLoop({&result, &a, &b})
      .for_each_run([&](const StridedLoop::Pointers& pointers,
                        const StridedLoop::ByteStrides& strides, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          *reinterpret_cast<Complex<T>*>(pointers[0] + i * strides[0]) =
              join(*reinterpret_cast<const T*>(pointers[1] + i * strides[1]),
                   *reinterpret_cast<const T*>(pointers[2] + i * strides[2]));
        }
      });
}

template <class Join>
Tensor join_tensors(const char* who, DType dtype, const Tensor& a, const Tensor& b,
                    const Join& join) {
  const Sizes sizes = broadcast_sizes(a.sizes(), b.sizes(), who);
  const OperandLayout layouts[] = {{a.sizes(), a.strides()}, {b.sizes(), b.strides()}};
  Tensor result = make_empty_strided(sizes, elementwise_strides(sizes, layouts, false), dtype);
  if (dtype == DType::Complex64)
    join_parts<float>(result, a, b, join);
  else
    join_parts<double>(result, a, b, join);
  return result;
}

FakeTensor fake_joined(const char* who, DType dtype, const FakeTensor& a, const FakeTensor& b) {
  const SymGeometry first = sym_geometry_of(as_tensor(a));
  const SymGeometry second = sym_geometry_of(as_tensor(b));
  const SymSizes sizes = broadcast_sizes(first.sizes, second.sizes, who);
  const SymLayout layouts[] = {{first.sizes, first.strides}, {second.sizes, second.strides}};
  return make_fake_like(a, sizes, elementwise_strides(sizes, layouts, false), dtype);
}

}  // namespace

Tensor complex_cpu(const Tensor& real, const Tensor& imag) {
  const DType dtype = check_parts("complex", "real", real.dtype(), "imag", imag.dtype());
  return join_tensors("complex", dtype, real, imag,
                      []<typename T>(T a, T b) { return Complex<T>(a, b); });
}
FakeTensor complex_fake(const FakeTensor& real, const FakeTensor& imag) {
  return fake_joined("complex", check_parts("complex", "real", real.dtype(), "imag", imag.dtype()),
                     real, imag);
}

Tensor polar_cpu(const Tensor& abs, const Tensor& angle) {
  const DType dtype = check_parts("polar", "abs", abs.dtype(), "angle", angle.dtype());
  return join_tensors("polar", dtype, abs, angle, []<typename T>(T length, T turn) {
    return Complex<T>(length * std::cos(turn), length * std::sin(turn));
  });
}
FakeTensor polar_fake(const FakeTensor& abs, const FakeTensor& angle) {
  return fake_joined("polar", check_parts("polar", "abs", abs.dtype(), "angle", angle.dtype()), abs,
                     angle);
}

Tensor conj_composite(const Tensor& self) {
  return is_complex(self.dtype()) ? self.conj_physical() : self;
}

}  // namespace opwright
