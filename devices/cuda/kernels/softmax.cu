// _softmax, _log_softmax and their gradients: rows in registers, other dimensions by columns.
#include <cstdint>
#include <tuple>

#include <cuda_runtime.h>

#include "devices/cuda/device.h"
#include "devices/cuda/kernels/formula_functions.h"
#include "devices/cuda/kernels/kernel_call.h"
#include "devices/cuda/kernels/row_lanes.h"
#include "opwright/functions.h"
#include "opwright/opwright.h"

namespace opwright::cuda {
namespace {

template <class C>
__device__ __forceinline__ C lowest() {
  return -static_cast<C>(__builtin_huge_val());
}

template <class T, class C, int kPacks, int kWidth>
__global__ void __launch_bounds__(kMostRowThreads)
    softmax_rows(T* out, const T* in, int64_t rows, int length, bool is_log) {
  using Part = RowPart<T, C, kPacks, kWidth>;
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const int inside = row < rows ? length : 0;  // a missing row has no elements
  Part part;
  part.load(in + row * length, inside, lowest<C>());
  C largest = lowest<C>();
  Part::for_each(inside,
                 [&](int k, int e) { largest = LargestLane::apply(largest, part.values[k][e]); });
  largest = over_lanes<LargestLane>(largest, lowest<C>());
  C sum = 0;
  Part::for_each(inside, [&](int k, int e) {
    const C power = formula::exp(part.values[k][e] - largest);
    if (!is_log) part.values[k][e] = power;
    sum += power;
  });
  sum = sum_over_lanes(sum);
  const C factor = C(1) / sum;
  const C logarithm = formula::log(sum);
  Part::for_each(inside, [&](int k, int e) {
    C& value = part.values[k][e];
    value = is_log ? value - largest - logarithm : value * factor;
  });
  part.store(out + row * length, inside);
}

template <class T, class C, int kPacks, int kWidth>
__global__ void __launch_bounds__(kMostRowThreads)
    softmax_gradient_rows(T* out, const T* gradient, const T* result, int64_t rows, int length,
                          bool is_log) {
  using Part = RowPart<T, C, kPacks, kWidth>;
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const int inside = row < rows ? length : 0;
  Part g;
  Part y;
  g.load(gradient + row * length, inside, C(0));
  y.load(result + row * length, inside, C(0));
  C sum = 0;
  Part::for_each(inside, [&](int k, int e) {
    sum += is_log ? g.values[k][e] : g.values[k][e] * y.values[k][e];
  });
  sum = sum_over_lanes(sum);
  Part::for_each(inside, [&](int k, int e) {
    const C of_result = y.values[k][e];
    C& value = g.values[k][e];
    value = is_log ? value - formula::exp(of_result) * sum : (value - sum) * of_result;
  });
  g.store(out + row * length, inside);
}

// One line of `length` elements with stride `inner`; threadIdx.x lines next to each other, and the
// threads of one line along y combine their results.
template <class Operation, class C>
__device__ __forceinline__ C over_column(C value) {
  __shared__ C shared[256];
  const unsigned place = threadIdx.y * blockDim.x + threadIdx.x;
  __syncthreads();
  shared[place] = value;
  __syncthreads();
  value = shared[threadIdx.x];
  for (unsigned y = 1; y < blockDim.y; ++y)
    value = Operation::apply(value, shared[y * blockDim.x + threadIdx.x]);
  return value;
}

struct Columns {
  int64_t lines;  // outer * inner
  int64_t length;
  int64_t inner;
};
__device__ __forceinline__ int64_t first_of_line(const Columns& columns, int64_t line) {
  return line / columns.inner * columns.length * columns.inner + line % columns.inner;
}

template <class T, class C>
__global__ void __launch_bounds__(256)
    softmax_columns(T* out, const T* in, Columns columns, bool is_log) {
  const int64_t line = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int64_t length = line < columns.lines ? columns.length : 0;
  const int64_t first = length > 0 ? first_of_line(columns, line) : 0;
  C largest = lowest<C>();
  for (int64_t i = threadIdx.y; i < length; i += blockDim.y)
    largest = LargestLane::apply(largest, convert<C>(in[first + i * columns.inner]));
  largest = over_column<LargestLane>(largest);
  C sum = 0;
  for (int64_t i = threadIdx.y; i < length; i += blockDim.y)
    sum += formula::exp(convert<C>(in[first + i * columns.inner]) - largest);
  sum = over_column<AddLanes>(sum);
  const C logarithm = formula::log(sum);
  for (int64_t i = threadIdx.y; i < length; i += blockDim.y) {
    const C value = convert<C>(in[first + i * columns.inner]) - largest;
    out[first + i * columns.inner] =
        convert<T>(is_log ? value - logarithm : formula::exp(value) / sum);
  }
}

template <class T, class C>
__global__ void __launch_bounds__(256)
    softmax_gradient_columns(T* out, const T* gradient, const T* result, Columns columns,
                             bool is_log) {
  const int64_t line = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int64_t length = line < columns.lines ? columns.length : 0;
  const int64_t first = length > 0 ? first_of_line(columns, line) : 0;
  C sum = 0;
  for (int64_t i = threadIdx.y; i < length; i += blockDim.y) {
    const C g = convert<C>(gradient[first + i * columns.inner]);
    sum += is_log ? g : g * convert<C>(result[first + i * columns.inner]);
  }
  sum = over_column<AddLanes>(sum);
  for (int64_t i = threadIdx.y; i < length; i += blockDim.y) {
    const C g = convert<C>(gradient[first + i * columns.inner]);
    const C y = convert<C>(result[first + i * columns.inner]);
    out[first + i * columns.inner] = convert<T>(is_log ? g - formula::exp(y) * sum : (g - sum) * y);
  }
}

Columns columns_of(const char* who, const Tensor& self, int64_t dim) {
  const int64_t ndim = self.dim();
  const int64_t wrapped = dim < 0 ? dim + (ndim > 0 ? ndim : 1) : dim;
  OPWRIGHT_CHECK_INDEX(wrapped >= 0 && wrapped < (ndim > 0 ? ndim : 1), who, ": dim ", dim,
                       " is out of range for a tensor of ", ndim, " dimensions");
  Columns columns{1, 1, 1};
  for (int64_t i = 0; i < ndim; ++i) {
    if (i == wrapped)
      columns.length = self.size(i);
    else
      columns.lines *= self.size(i);
    if (i > wrapped) columns.inner *= self.size(i);
  }
  return columns;
}

dim3 column_threads(const Columns& columns) {
  return columns.inner > 1 ? dim3(32, 8) : dim3(1, 256);
}
unsigned column_blocks(const Columns& columns) {
  return static_cast<unsigned>(blocks_for(columns.lines, column_threads(columns).x));
}

template <class T>
void run_softmax(const KernelCall& call, const Columns& columns, Tensor& output,
                 const Tensor& input, bool is_log) {
  using C = ComputedAs<T>;
  T* out = data_of<T>(output);
  const T* in = data_of<T>(input);
  const RowPlan plan = plan_rows(columns.lines, columns.length, sizeof(T), are_aligned({out, in}));
  if constexpr (!kIsSame<T, double>) {
    if (columns.inner == 1 && plan.packs > 0) {
      for_row_plan<T>(plan, [&]<int kPacks, int kWidth>() {
        softmax_rows<T, C, kPacks, kWidth><<<plan.blocks, plan.threads, 0, call.stream()>>>(
            out, in, columns.lines, static_cast<int>(columns.length), is_log);
      });
      return;
    }
  }
  softmax_columns<T, C><<<column_blocks(columns), column_threads(columns), 0, call.stream()>>>(
      out, in, columns, is_log);
}

Tensor compute_softmax(const char* who, const Tensor& self, int64_t dim, bool half_to_float,
                       bool is_log) {
  OPWRIGHT_CHECK(!half_to_float, who, ": half_to_float is not supported; convert self first");
  const Columns columns = columns_of(who, self, dim);
  const Tensor input = self.contiguous();
  Tensor output = empty_like(self, {}, {}, {}, {}, MemoryFormat::Contiguous);
  if (self.numel() == 0) return output;
  const KernelCall call(who, self);
  call.for_floating_type(self.dtype(),
                         [&]<class T>() { run_softmax<T>(call, columns, output, input, is_log); });
  return output;
}

template <class T>
void run_gradient(const KernelCall& call, const Columns& columns, Tensor& output,
                  const Tensor& gradient, const Tensor& result, bool is_log) {
  using C = ComputedAs<T>;
  T* out = data_of<T>(output);
  const T* g = data_of<T>(gradient);
  const T* y = data_of<T>(result);
  const RowPlan plan =
      plan_rows(columns.lines, columns.length, sizeof(T), are_aligned({out, g, y}));
  if constexpr (!kIsSame<T, double>) {
    if (columns.inner == 1 && plan.packs > 0) {
      for_row_plan<T>(plan, [&]<int kPacks, int kWidth>() {
        softmax_gradient_rows<T, C, kPacks, kWidth>
            <<<plan.blocks, plan.threads, 0, call.stream()>>>(
                out, g, y, columns.lines, static_cast<int>(columns.length), is_log);
      });
      return;
    }
  }
  softmax_gradient_columns<T, C>
      <<<column_blocks(columns), column_threads(columns), 0, call.stream()>>>(out, g, y, columns,
                                                                              is_log);
}

Tensor compute_gradient(const char* who, const Tensor& grad_output, const Tensor& output,
                        int64_t dim, bool is_log) {
  const Columns columns = columns_of(who, output, dim);
  const Tensor gradient = grad_output.to(output.dtype()).contiguous();
  const Tensor result = output.contiguous();
  Tensor of_input = empty_like(output, {}, {}, {}, {}, MemoryFormat::Contiguous);
  if (output.numel() == 0) return of_input;
  const KernelCall call(who, output);
  call.for_floating_type(output.dtype(), [&]<class T>() {
    run_gradient<T>(call, columns, of_input, gradient, result, is_log);
  });
  return of_input;
}

Tensor softmax_cuda(const Tensor& self, int64_t dim, bool half_to_float) {
  return compute_softmax("_softmax", self, dim, half_to_float, false);
}
Tensor log_softmax_cuda(const Tensor& self, int64_t dim, bool half_to_float) {
  return compute_softmax("_log_softmax", self, dim, half_to_float, true);
}
Tensor softmax_backward_cuda(const Tensor& grad_output, const Tensor& output, int64_t dim,
                             DType /*input_dtype*/) {
  return compute_gradient("_softmax_backward_data", grad_output, output, dim, false);
}
Tensor log_softmax_backward_cuda(const Tensor& grad_output, const Tensor& output, int64_t dim,
                                 DType /*input_dtype*/) {
  return compute_gradient("_log_softmax_backward_data", grad_output, output, dim, true);
}

}  // namespace

OPWRIGHT_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("_softmax", &softmax_cuda);
  m.impl("_log_softmax", &log_softmax_cuda);
  m.impl("_softmax_backward_data", &softmax_backward_cuda);
  m.impl("_log_softmax_backward_data", &log_softmax_backward_cuda);
}

}  // namespace opwright::cuda
