#include "opwright/ops/engine/product/tensor_product.h"

#include <array>

#include "opwright/base/thread_pool.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/product/product.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr int64_t kRowGrain = 16384;  // elements

// A tensor as a batch of matrices; strides in elements.
struct Matrices {
  int64_t batch, rows, columns;
  int64_t batch_stride, row_stride, column_stride;
};

Matrices as_matrices(const Tensor& tensor, bool vector_is_row) {
  const auto sizes = tensor.sizes();
  const auto strides = tensor.strides();
  if (sizes.size() == 1 && vector_is_row) return {1, 1, sizes[0], 0, 0, strides[0]};
  if (sizes.size() == 1) return {1, sizes[0], 1, 0, strides[0], 1};
  if (sizes.size() == 2) return {1, sizes[0], sizes[1], 0, strides[0], strides[1]};
  return {sizes[0], sizes[1], sizes[2], strides[0], strides[1], strides[2]};
}

template <class T>
void multiply(const Tensor& output, const Tensor& a, const Tensor& b) {
  const Matrices left = as_matrices(a, true);
  const Matrices right = as_matrices(b, false);
  const MatrixProduct<T> product{.rows = left.rows,
                                 .depth = left.columns,
                                 .columns = right.columns,
                                 .a = a.data<T>(),
                                 .a_row = left.row_stride,
                                 .a_column = left.column_stride,
                                 .b = b.data<T>(),
                                 .b_row = right.row_stride,
                                 .b_column = right.column_stride,
                                 .c = output.mutable_data<ComputeType<T>>(),
                                 .c_row = right.columns};
  multiply_batch(product, left.batch, left.batch_stride, right.batch_stride,
                 left.rows * right.columns);
}

// One row: out = beta * addend + alpha * out.
template <class T>
struct AddScaledLoop {
  OPWRIGHT_INLINE static void run(T* out, const T* addend, int64_t step, int64_t count, T beta,
                                  T alpha) {
    if (step == 1) {
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < count; ++i)
        out[i] = wrap_add(wrap_mul(beta, addend[i]), wrap_mul(alpha, out[i]));
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      out[i] = wrap_add(wrap_mul(beta, addend[i * step]), wrap_mul(alpha, out[i]));
  }
};

template <class T>
void scale(const Tensor& product, T alpha) {
  T* out = product.mutable_data<T>();
  parallel_for(product.numel(), kRowGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = wrap_mul(alpha, out[i]);
  });
}

template <class T>
void add_scaled(const Tensor& product, const Tensor& addend, const Geometry& layout, T beta,
                T alpha) {
  std::array<int64_t, 3> sizes{1, 1, 1};
  std::array<int64_t, 3> strides{};
  const size_t absent = 3 - layout.sizes.size();
  for (size_t i = 0; i < layout.sizes.size(); ++i) {
    sizes[absent + i] = layout.sizes[i];
    strides[absent + i] = layout.strides[i];
  }
  T* out = product.mutable_data<T>();
  const T* from = addend.data<T>();
  const int64_t columns = sizes[2];
  const int64_t grain = std::max<int64_t>(1, kRowGrain / std::max<int64_t>(1, columns));
  parallel_for(sizes[0] * sizes[1], grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* line = from + row / sizes[1] * strides[0] + row % sizes[1] * strides[1];
      run_at_level<AddScaledLoop<T>>(out + row * columns, line, strides[2], columns, beta, alpha);
    }
  });
}

template <class T>
void check_factor(const char* who, const char* name, const Scalar& factor) {
  OPWRIGHT_CHECK_TYPE(kIsComplex<T> || !factor.is_complex(), who, ": ", name,
                      " is a complex number and the operands are not complex");
}

}  // namespace

DType product_dtype(DType dtype) {
  const bool is_half = dtype == DType::Float16 || dtype == DType::BFloat16;
  return is_half ? DType::Float32 : dtype;
}

Tensor multiply_tensors(const char* who, const Tensor& a, const Tensor& b,
                        std::span<const int64_t> sizes) {
  Tensor output = make_empty(sizes, product_dtype(a.dtype()));
  if (output.numel() == 0) return output;
  for_dtype(a.dtype(), who, [&]<typename T>() {
    if constexpr (!kIsBool<T>) {
      using Sum = ComputeType<T>;
      if (a.numel() == 0)  // an empty sum
        std::fill_n(output.mutable_data<Sum>(), output.numel(), Sum{});
      else
        multiply<T>(output, a, b);
    }
  });
  return output;
}

void add_to_product(const char* who, const Tensor& product, const Tensor& addend,
                    const Scalar& beta, const Scalar& alpha) {
  const Tensor wide = as_dtype(addend, product.dtype());
  const Geometry layout = expand_geometry<int64_t>(geometry_of(wide), product.sizes(), who);
  if (product.numel() == 0) return;
  for_dtype(product.dtype(), who, [&]<typename T>() {
    if constexpr (!kIsBool<T> && !kIsHalf<T>) {
      check_factor<T>(who, "beta", beta);
      check_factor<T>(who, "alpha", alpha);
      const T weight = number_as<T>(beta);
      const T factor = number_as<T>(alpha);
      if (factor == T{}) std::fill_n(product.mutable_data<T>(), product.numel(), T{});
      if (weight != T{})
        add_scaled<T>(product, wide, layout, weight, factor);
      else if (factor != T{1} && factor != T{})
        scale<T>(product, factor);
    }
  });
}

}  // namespace opwright
