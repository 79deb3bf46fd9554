// _softmax and _log_softmax.
#include <algorithm>
#include <cmath>
#include <limits>

#include "opwright/base/thread_pool.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/normalization/wide_row.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr int64_t kSoftmaxGrain = 16384;  // elements
constexpr int64_t kSoftmaxColumns = 64;   // computed side by side
constexpr int64_t kSoftmaxLanes = 32;

OPWRIGHT_INLINE float exponential(float x) { return vector_math::exp(x); }
OPWRIGHT_INLINE double exponential(double x) { return std::exp(x); }

// Sums lanes as a tree.
template <class C>
OPWRIGHT_INLINE C total_of(C* lanes) {
  for (int64_t width = kSoftmaxLanes / 2; width > 0; width /= 2) {
    for (int64_t k = 0; k < width; ++k) lanes[k] += lanes[k + width];
  }
  return lanes[0];
}

// One dense line. The largest element is subtracted first, so that nothing overflows; if it is NaN,
// or no element is finite, all results are NaN.
template <class C, bool kIsLog>
struct SoftmaxLine {
  OPWRIGHT_INLINE static void run(C* out, const C* in, int64_t count) {
    C lanes[kSoftmaxLanes];
    for (C& lane : lanes) lane = -std::numeric_limits<C>::infinity();
    int64_t i = 0;
    for (; i + kSoftmaxLanes <= count; i += kSoftmaxLanes) {
      for (int64_t k = 0; k < kSoftmaxLanes; ++k)
        lanes[k] = in[i + k] > lanes[k] ? in[i + k] : lanes[k];
    }
    for (int64_t k = 0; i < count; ++i, ++k) lanes[k] = in[i] > lanes[k] ? in[i] : lanes[k];
    for (int64_t width = kSoftmaxLanes / 2; width > 0; width /= 2) {
      for (int64_t k = 0; k < width; ++k)
        lanes[k] = lanes[k + width] > lanes[k] ? lanes[k + width] : lanes[k];
    }
    const C largest = lanes[0];
    for (C& lane : lanes) lane = 0;
    for (i = 0; i + kSoftmaxLanes <= count; i += kSoftmaxLanes) {
      for (int64_t k = 0; k < kSoftmaxLanes; ++k) {
        const C power = exponential(in[i + k] - largest);
        if constexpr (!kIsLog) out[i + k] = power;
        lanes[k] += power;
      }
    }
    for (int64_t k = 0; i < count; ++i, ++k) {
      const C power = exponential(in[i] - largest);
      if constexpr (!kIsLog) out[i] = power;
      lanes[k] += power;
    }
    const C sum = total_of(lanes);
    if constexpr (kIsLog) {
      const C logarithm = std::log(sum);
      for (i = 0; i < count; ++i) out[i] = (in[i] - largest) - logarithm;
    } else {
      const C scale = C{1} / sum;
      for (i = 0; i < count; ++i) out[i] *= scale;
    }
  }
};

// Several neighbouring lines whose elements are `stride` apart.
template <class C, bool kIsLog>
struct SoftmaxColumns {
  OPWRIGHT_INLINE static void run(C* out, const C* in, int64_t count, int64_t stride,
                                  int64_t columns) {
    C largest[kSoftmaxColumns];
    C sums[kSoftmaxColumns];
    for (int64_t i = 0; i < columns; ++i) {
      largest[i] = -std::numeric_limits<C>::infinity();
      sums[i] = 0;
    }
    for (int64_t row = 0; row < count; ++row) {
      const C* from = in + row * stride;
      for (int64_t i = 0; i < columns; ++i)
        largest[i] = from[i] > largest[i] ? from[i] : largest[i];
    }
    for (int64_t row = 0; row < count; ++row) {
      const C* from = in + row * stride;
      C* to = out + row * stride;
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < columns; ++i) {
        const C power = exponential(from[i] - largest[i]);
        if constexpr (!kIsLog) to[i] = power;
        sums[i] += power;
      }
    }
    for (int64_t i = 0; i < columns; ++i) {
      if constexpr (kIsLog)
        sums[i] = std::log(sums[i]);
      else
        sums[i] = C{1} / sums[i];
    }
    for (int64_t row = 0; row < count; ++row) {
      const C* from = in + row * stride;
      C* to = out + row * stride;
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < columns; ++i)
        to[i] = kIsLog ? (from[i] - largest[i]) - sums[i] : to[i] * sums[i];
    }
  }
};

template <class T, bool kIsLog>
void compute_lines(T* out, const T* in, int64_t lines, int64_t length) {
  using C = ComputeType<T>;
  parallel_for(lines, std::max<int64_t>(1, kSoftmaxGrain / length),
               [&](int64_t begin, int64_t end) {
                 WideRow<T> row(length);
                 for (int64_t i = begin; i < end; ++i) {
                   run_at_level<SoftmaxLine<C, kIsLog>>(row.result(out + i * length),
                                                        row.read(in + i * length), length);
                   row.write(out + i * length);
                 }
               });
}

template <class C, bool kIsLog>
void compute_columns(C* out, const C* in, int64_t outer, int64_t length, int64_t inner) {
  const int64_t blocks = (inner + kSoftmaxColumns - 1) / kSoftmaxColumns;
  const int64_t grain =
      std::max<int64_t>(1, kSoftmaxGrain / (length * std::min(inner, kSoftmaxColumns)));
  parallel_for(outer * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * kSoftmaxColumns;
      const int64_t offset = i / blocks * length * inner + first;
      run_at_level<SoftmaxColumns<C, kIsLog>>(out + offset, in + offset, length, inner,
                                              std::min(kSoftmaxColumns, inner - first));
    }
  });
}

size_t check_arguments(const char* who, DType dtype, int64_t ndim, int64_t dim,
                       bool half_to_float) {
  OPWRIGHT_CHECK(!half_to_float, who,
                 ": half_to_float is not supported on the CPU; convert self first");
  if (!is_floating(dtype)) throw_dtype(dtype, who, "floating dtypes");
  return wrap_dim(dim, static_cast<size_t>(std::max<int64_t>(ndim, 1)), who);
}

template <bool kIsLog>
Tensor compute_softmax(const char* who, const Tensor& self, int64_t dim, bool half_to_float) {
  const size_t along = check_arguments(who, self.dtype(), self.dim(), dim, half_to_float);
  const auto sizes = self.sizes();
  const bool has_dims = !sizes.empty();
  const int64_t length = has_dims ? sizes[along] : 1;
  const int64_t outer = has_dims ? product(sizes.first(along)) : 1;
  const int64_t inner = has_dims ? product(sizes.subspan(along + 1)) : 1;
  Tensor output = make_empty(sizes, self.dtype());
  if (output.numel() == 0) return output;
  const Tensor input = as_contiguous(self);
  for_floating_dtype(self.dtype(), who, [&]<typename T>() {
    T* out = output.mutable_data<T>();
    if (inner == 1) return compute_lines<T, kIsLog>(out, input.data<T>(), outer, length);
    if constexpr (kIsHalf<T>) {
      const Tensor wide = as_dtype(input, DType::Float32);
      auto* memory = wide.mutable_data<float>();
      compute_columns<float, kIsLog>(memory, memory, outer, length, inner);
      copy_elements(output, wide);
    } else {
      compute_columns<T, kIsLog>(out, input.data<T>(), outer, length, inner);
    }
  });
  return output;
}

FakeTensor fake_softmax(const char* who, const FakeTensor& self, int64_t dim, bool half_to_float) {
  (void)check_arguments(who, self.dtype(), self.dim(), dim, half_to_float);
  return make_fake_like(self, self.sizes(), self.dtype());
}

}  // namespace

Tensor softmax_cpu(const Tensor& self, int64_t dim, bool half_to_float) {
  return compute_softmax<false>("_softmax", self, dim, half_to_float);
}
FakeTensor softmax_fake(const FakeTensor& self, int64_t dim, bool half_to_float) {
  return fake_softmax("_softmax", self, dim, half_to_float);
}
Tensor log_softmax_cpu(const Tensor& self, int64_t dim, bool half_to_float) {
  return compute_softmax<true>("_log_softmax", self, dim, half_to_float);
}
FakeTensor log_softmax_fake(const FakeTensor& self, int64_t dim, bool half_to_float) {
  return fake_softmax("_log_softmax", self, dim, half_to_float);
}

}  // namespace opwright
