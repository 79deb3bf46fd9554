// _softmax_backward_data and _log_softmax_backward_data.
#include <algorithm>
#include <cmath>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/normalization/norm_parameters.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr int64_t kSoftmaxGradientGrain = 16384;  // elements
constexpr int64_t kSoftmaxGradientColumns = 128;

// What is summed along the dimension, and the gradient from the sum.
template <class C, bool kIsLog>
OPWRIGHT_INLINE C term_of(C gradient, C output) {
  return kIsLog ? gradient : gradient * output;
}
template <class C, bool kIsLog>
OPWRIGHT_INLINE C softmax_gradient(C gradient, C output, C sum) {
  if constexpr (kIsLog)
    return gradient - vector_math::exp(output) * sum;
  else
    return (gradient - sum) * output;
}

// One dense line.
template <class C, bool kIsLog>
struct GradientLine {
  OPWRIGHT_INLINE static void run(C* result, const C* gradient, const C* output, int64_t count) {
    constexpr int64_t kLanes = 32;
    C lanes[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k)
        lanes[k] += term_of<C, kIsLog>(gradient[i + k], output[i + k]);
    }
    for (int64_t k = 0; i < count; ++i, ++k) lanes[k] += term_of<C, kIsLog>(gradient[i], output[i]);
    for (int64_t width = kLanes / 2; width > 0; width /= 2) {
      for (int64_t k = 0; k < width; ++k) lanes[k] += lanes[k + width];
    }
    const C sum = lanes[0];
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (i = 0; i < count; ++i)
      result[i] = softmax_gradient<C, kIsLog>(gradient[i], output[i], sum);
  }
};

// Several neighbouring lines whose elements are `stride` apart.
template <class C, bool kIsLog>
struct GradientColumns {
  OPWRIGHT_INLINE static void run(C* result, const C* gradient, const C* output, int64_t count,
                                  int64_t stride, int64_t columns) {
    C sums[kSoftmaxGradientColumns] = {};
    for (int64_t row = 0; row < count; ++row) {
      const int64_t at = row * stride;
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < columns; ++i)
        sums[i] += term_of<C, kIsLog>(gradient[at + i], output[at + i]);
    }
    for (int64_t row = 0; row < count; ++row) {
      const int64_t at = row * stride;
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < columns; ++i)
        result[at + i] = softmax_gradient<C, kIsLog>(gradient[at + i], output[at + i], sums[i]);
    }
  }
};

template <class C, bool kIsLog>
void compute_gradient(C* result, const C* gradient, const C* output, int64_t outer, int64_t length,
                      int64_t inner) {
  if (inner == 1) {
    parallel_for(outer, std::max<int64_t>(1, kSoftmaxGradientGrain / length),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i)
                     run_at_level<GradientLine<C, kIsLog>>(
                         result + i * length, gradient + i * length, output + i * length, length);
                 });
    return;
  }
  const int64_t blocks = (inner + kSoftmaxGradientColumns - 1) / kSoftmaxGradientColumns;
  const int64_t grain = std::max<int64_t>(
      1, kSoftmaxGradientGrain / (length * std::min(inner, kSoftmaxGradientColumns)));
  parallel_for(outer * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * kSoftmaxGradientColumns;
      const int64_t offset = i / blocks * length * inner + first;
      run_at_level<GradientColumns<C, kIsLog>>(result + offset, gradient + offset, output + offset,
                                               length, inner,
                                               std::min(kSoftmaxGradientColumns, inner - first));
    }
  });
}

template <class AnyTensor>
size_t check_softmax_backward(const char* who, const AnyTensor& grad_output,
                              const AnyTensor& output, int64_t dim, DType input_dtype) {
  const DType dtype = grad_output.dtype();
  if (!is_floating(dtype) || dtype_bits(dtype) == 8) throw_dtype(dtype, who, "floating dtypes");
  OPWRIGHT_CHECK_TYPE(output.dtype() == dtype, who, ": output of ", output.dtype(),
                      " must have the dtype of grad_output, ", dtype);
  OPWRIGHT_CHECK_TYPE(input_dtype == dtype, who, ": input_dtype ", input_dtype,
                      " must be the dtype of grad_output, ", dtype,
                      "; a softmax that converts is not supported on the CPU");
  OPWRIGHT_DEMAND(have_same_sizes(grad_output.sizes(), output.sizes()), who, ": grad_output (",
                  grad_output, ") must have the sizes of output (", output, ")");
  return wrap_dim(dim, static_cast<size_t>(std::max<int64_t>(output.dim(), 1)), who);
}

template <bool kIsLog>
Tensor compute_softmax_gradient(const char* who, const Tensor& grad_output, const Tensor& output,
                                int64_t dim, DType input_dtype) {
  const size_t along = check_softmax_backward(who, grad_output, output, dim, input_dtype);
  const auto sizes = output.sizes();
  const DType wide = wide_dtype(output.dtype());
  const Tensor result = make_empty(sizes, wide);
  if (result.numel() == 0) return as_dtype(result, output.dtype());
  const Tensor gradient = as_contiguous(as_dtype(grad_output, wide));
  const Tensor y = as_contiguous(as_dtype(output, wide));
  const bool has_dims = !sizes.empty();
  for_floating_dtype(wide, who, [&]<typename C>() {
    if constexpr (std::is_floating_point_v<C>)
      compute_gradient<C, kIsLog>(result.mutable_data<C>(), gradient.data<C>(), y.data<C>(),
                                  has_dims ? product(sizes.first(along)) : 1,
                                  has_dims ? sizes[along] : 1,
                                  has_dims ? product(sizes.subspan(along + 1)) : 1);
  });
  return as_dtype(result, output.dtype());
}

FakeTensor fake_softmax_gradient(const char* who, const FakeTensor& grad_output,
                                 const FakeTensor& output, int64_t dim, DType input_dtype) {
  (void)check_softmax_backward(who, grad_output, output, dim, input_dtype);
  return make_fake_like(output, output.sizes(), output.dtype());
}

}  // namespace

Tensor softmax_backward_cpu(const Tensor& grad_output, const Tensor& output, int64_t dim,
                            DType input_dtype) {
  return compute_softmax_gradient<false>("_softmax_backward_data", grad_output, output, dim,
                                         input_dtype);
}
FakeTensor softmax_backward_fake(const FakeTensor& grad_output, const FakeTensor& output,
                                 int64_t dim, DType input_dtype) {
  return fake_softmax_gradient("_softmax_backward_data", grad_output, output, dim, input_dtype);
}
Tensor log_softmax_backward_cpu(const Tensor& grad_output, const Tensor& output, int64_t dim,
                                DType input_dtype) {
  return compute_softmax_gradient<true>("_log_softmax_backward_data", grad_output, output, dim,
                                        input_dtype);
}
FakeTensor log_softmax_backward_fake(const FakeTensor& grad_output, const FakeTensor& output,
                                     int64_t dim, DType input_dtype) {
  return fake_softmax_gradient("_log_softmax_backward_data", grad_output, output, dim, input_dtype);
}

}  // namespace opwright
