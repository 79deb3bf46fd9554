// native_layer_norm and its gradient: rows in registers, sums in float32 (float64 for float64).
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "devices/cuda/device.h"
#include "devices/cuda/kernels/formula_functions.h"
#include "devices/cuda/kernels/joined_space.h"
#include "devices/cuda/kernels/kernel_call.h"
#include "devices/cuda/kernels/row_lanes.h"
#include "opwright/functions.h"
#include "opwright/opwright.h"

namespace opwright::cuda {
namespace {

// Weight or bias, with the input's dtype or float32.
struct ParameterView {
  const void* data = nullptr;
  Element element = Element::None;

  // Reads `kWidth` of them from `first` on, a multiple of it; `missing` if there is no memory.
  template <class T, class C, int kWidth>
  __device__ __forceinline__ void load(int first, C missing, C* values) const {
    if (!data) {
#pragma unroll
      for (int e = 0; e < kWidth; ++e) values[e] = missing;
    } else if (sizeof(T) == 2 && element == Element::Float32) {
      constexpr int kFloats = kWidth < 4 ? kWidth : 4;
#pragma unroll
      for (int e = 0; e < kWidth; e += kFloats) {
        const auto pack = *reinterpret_cast<const RowPack<float, kFloats>*>(
            static_cast<const float*>(data) + first + e);
#pragma unroll
        for (int i = 0; i < kFloats; ++i) values[e + i] = pack.elements[i];
      }
    } else {
      const auto pack =
          *reinterpret_cast<const RowPack<T, kWidth>*>(static_cast<const T*>(data) + first);
#pragma unroll
      for (int e = 0; e < kWidth; ++e) values[e] = convert<C>(pack.elements[e]);
    }
  }
};
// Means and reciprocal standard deviations.
struct StatisticsView {
  void* mean = nullptr;
  void* reciprocal = nullptr;
  Element element = Element::None;
};

template <class T, class C, int kPacks, int kWidth>
__global__ void __launch_bounds__(kMostRowThreads)
    layer_norm_rows(T* out, const T* in, int64_t rows, int length, double eps, ParameterView weight,
                    ParameterView bias, StatisticsView statistics) {
  using Part = RowPart<T, C, kPacks, kWidth>;
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const int inside = row < rows ? length : 0;
  Part part;
  part.load(in + row * length, inside, C(0));
  C sum = 0;
  Part::for_each(inside, [&](int k, int e) { sum += part.values[k][e]; });
  const C mean = sum_over_lanes(sum) / static_cast<C>(length);
  C squares = 0;
  Part::for_each(inside, [&](int k, int e) {
    const C distance = part.values[k][e] - mean;
    squares += distance * distance;
  });
  const C variance = sum_over_lanes(squares) / static_cast<C>(length);
  const C reciprocal = C(1) / formula::sqrt(variance + static_cast<C>(eps));
  Part::for_each_pack(inside, [&](int k, int first) {
    C scale[kWidth];
    C shift[kWidth];
    weight.load<T, C, kWidth>(first, C(1), scale);
    bias.load<T, C, kWidth>(first, C(0), shift);
#pragma unroll
    for (int e = 0; e < kWidth; ++e)
      part.values[k][e] = (part.values[k][e] - mean) * reciprocal * scale[e] + shift[e];
  });
  part.store(out + row * length, inside);
  if (inside > 0 && threadIdx.x == 0) {
    store_as(statistics.mean, statistics.element, row, mean);
    store_as(statistics.reciprocal, statistics.element, row, reciprocal);
  }
}

template <class T, class C, int kPacks, int kWidth>
__global__ void __launch_bounds__(kMostRowThreads)
    layer_norm_gradient_rows(T* out, const T* gradient, const T* in, int64_t rows, int length,
                             ParameterView weight, StatisticsView statistics) {
  using Part = RowPart<T, C, kPacks, kWidth>;
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const int inside = row < rows ? length : 0;
  Part g;
  Part x;
  g.load(gradient + row * length, inside, C(0));
  x.load(in + row * length, inside, C(0));
  const int64_t read = inside > 0 ? row : 0;
  const C mean = load_as<C>(statistics.mean, statistics.element, read);
  const C reciprocal = load_as<C>(statistics.reciprocal, statistics.element, read);
  C sum = 0;
  C product = 0;
  Part::for_each_pack(inside, [&](int k, int first) {
    C scale[kWidth];
    weight.load<T, C, kWidth>(first, C(1), scale);
#pragma unroll
    for (int e = 0; e < kWidth; ++e) {
      g.values[k][e] *= scale[e];
      x.values[k][e] = (x.values[k][e] - mean) * reciprocal;
      sum += g.values[k][e];
      product += g.values[k][e] * x.values[k][e];
    }
  });
  const C mean_of_sum = sum_over_lanes(sum) / static_cast<C>(length);
  const C mean_of_product = sum_over_lanes(product) / static_cast<C>(length);
  Part::for_each(inside, [&](int k, int e) {
    g.values[k][e] = reciprocal * (g.values[k][e] - mean_of_sum - x.values[k][e] * mean_of_product);
  });
  g.store(out + row * length, inside);
}

constexpr int kColumnThreads = 32;
constexpr int kRowThreads = 8;

// Column sums over a slice of the rows: of_weight and of_bias have a row for each slice.
template <class T, class C>
__global__ void layer_norm_gradient_columns(C* of_weight, C* of_bias, const T* gradient,
                                            const T* in, int64_t rows, int64_t length,
                                            int64_t slice, StatisticsView statistics) {
  const int64_t column = int64_t{blockIdx.x} * kColumnThreads + threadIdx.x;
  const int64_t begin = blockIdx.y * slice;
  const int64_t end = ::min(begin + slice, rows);
  C product = 0;
  C sum = 0;
  if (column < length) {
    for (int64_t row = begin + threadIdx.y; row < end; row += kRowThreads) {
      const C g = convert<C>(gradient[row * length + column]);
      const C mean = load_as<C>(statistics.mean, statistics.element, row);
      const C reciprocal = load_as<C>(statistics.reciprocal, statistics.element, row);
      product += g * ((convert<C>(in[row * length + column]) - mean) * reciprocal);
      sum += g;
    }
  }
  __shared__ C products[kRowThreads][kColumnThreads];
  __shared__ C sums[kRowThreads][kColumnThreads];
  products[threadIdx.y][threadIdx.x] = product;
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= length) return;
  for (int y = 1; y < kRowThreads; ++y) {
    product += products[y][threadIdx.x];
    sum += sums[y][threadIdx.x];
  }
  of_weight[blockIdx.y * length + column] = product;
  of_bias[blockIdx.y * length + column] = sum;
}

// The sums over all slices, in the parameters' dtype; null results are skipped.
template <class C>
__global__ void layer_norm_sum_slices(ParameterView of_weight, ParameterView of_bias,
                                      const C* weights, const C* biases, int64_t slices,
                                      int64_t length) {
  const int64_t column = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= length) return;
  C product = 0;
  C sum = 0;
  for (int64_t i = 0; i < slices; ++i) {
    product += weights[i * length + column];
    sum += biases[i * length + column];
  }
  if (of_weight.data)
    store_as(const_cast<void*>(of_weight.data), of_weight.element, column, product);
  if (of_bias.data) store_as(const_cast<void*>(of_bias.data), of_bias.element, column, sum);
}

constexpr const char* kWho = "native_layer_norm";
constexpr const char* kBackward = "native_layer_norm_backward";

ParameterView view_of(const std::optional<Tensor>& dense) {
  if (!dense || !dense->is_defined()) return {};
  return {dense->data(), element_of(to_dlpack(dense->dtype()), kWho)};
}
std::optional<Tensor> dense_of(const std::optional<Tensor>& given) {
  if (!given || !given->is_defined()) return std::nullopt;
  return given->contiguous();
}
bool is_half(DType dtype) { return dtype == DType::Float16 || dtype == DType::BFloat16; }

void check_parameter(const char* name, const std::optional<Tensor>& parameter,
                     std::span<const int64_t> shape, DType input) {
  if (!parameter || !parameter->is_defined()) return;
  const bool has_shape = parameter->sizes().size() == shape.size() &&
                         std::equal(shape.begin(), shape.end(), parameter->sizes().begin());
  OPWRIGHT_CHECK(has_shape, kWho, ": ", name, " does not have normalized_shape, got ", *parameter);
  const DType dtype = parameter->dtype();
  OPWRIGHT_CHECK_TYPE(dtype == input || (is_half(input) && dtype == DType::Float32), kWho, ": ",
                      name, " of ", dtype, " does not go with input of ", input,
                      "; all must have one dtype, or be float32 with a half");
}

// float32 if the input is a half and the parameters are float32.
DType statistics_dtype(const Tensor& input, const std::optional<Tensor>& weight,
                       const std::optional<Tensor>& bias) {
  for (const std::optional<Tensor>& parameter : {weight, bias}) {
    if (parameter && parameter->is_defined()) return parameter->dtype();
  }
  return input.dtype();
}

struct Rows {
  int64_t count = 1;
  int64_t length = 1;
  std::vector<int64_t> statistics;  // sizes: 1 for the normalized dimensions
};
Rows rows_of(const Tensor& input, std::span<const int64_t> shape) {
  const auto sizes = input.sizes();
  const bool ends_so = !shape.empty() && sizes.size() >= shape.size() &&
                       std::equal(shape.begin(), shape.end(), sizes.end() - shape.size());
  OPWRIGHT_CHECK(ends_so, kWho, ": input does not end with normalized_shape, got ", input);
  Rows rows;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool is_kept = i < sizes.size() - shape.size();
    (is_kept ? rows.count : rows.length) *= sizes[i];
    rows.statistics.push_back(is_kept ? sizes[i] : 1);
  }
  return rows;
}

void check_plan(const char* who, const RowPlan& plan, int64_t length) {
  OPWRIGHT_CHECK_KIND("NotImplementedError", plan.packs > 0, who, " on cuda does not hold rows of ",
                      length, " elements");
}

std::tuple<Tensor, Tensor, Tensor> layer_norm_cuda(const Tensor& input,
                                                   std::span<const int64_t> normalized_shape,
                                                   const std::optional<Tensor>& weight,
                                                   const std::optional<Tensor>& bias, double eps) {
  const Rows rows = rows_of(input, normalized_shape);
  check_parameter("weight", weight, normalized_shape, input.dtype());
  check_parameter("bias", bias, normalized_shape, input.dtype());
  const DType wide = statistics_dtype(input, weight, bias);
  const Tensor x = input.contiguous();
  const std::optional<Tensor> scale = dense_of(weight);
  const std::optional<Tensor> shift = dense_of(bias);
  Tensor y = empty_like(input, {}, {}, {}, {}, MemoryFormat::Contiguous);
  Tensor mean = empty(rows.statistics, wide, {}, input.device());
  Tensor reciprocal = empty(rows.statistics, wide, {}, input.device());
  if (input.numel() == 0) return {std::move(y), std::move(mean), std::move(reciprocal)};
  const KernelCall call(kWho, input);
  const StatisticsView statistics{mean.mutable_data(), reciprocal.mutable_data(),
                                  element_of(to_dlpack(wide), kWho)};
  call.for_floating_type(input.dtype(), [&]<class T>() {
    T* out = data_of<T>(y);
    const T* in = data_of<T>(x);
    const RowPlan plan =
        plan_rows(rows.count, rows.length, sizeof(T),
                  are_aligned({out, in, view_of(scale).data, view_of(shift).data}));
    check_plan(kWho, plan, rows.length);
    for_row_plan<T>(plan, [&]<int kPacks, int kWidth>() {
      layer_norm_rows<T, ComputedAs<T>, kPacks, kWidth>
          <<<plan.blocks, plan.threads, 0, call.stream()>>>(
              out, in, rows.count, static_cast<int>(rows.length), eps, view_of(scale),
              view_of(shift), statistics);
    });
  });
  return {std::move(y), std::move(mean), std::move(reciprocal)};
}

template <class T>
void run_columns(const KernelCall& call, const Rows& rows, const T* gradient, const T* in,
                 const StatisticsView& statistics, ParameterView of_weight, ParameterView of_bias) {
  using C = ComputedAs<T>;
  const int64_t column_blocks = blocks_for(rows.length, kColumnThreads);
  const int64_t busy = int64_t{4} * device_limits(call.index()).multiprocessors;
  const int64_t wanted = (busy + column_blocks - 1) / column_blocks;
  const int64_t slices = std::clamp<int64_t>(std::min(wanted, rows.count / 32), 1, 1024);
  const int64_t slice = (rows.count + slices - 1) / slices;
  const auto bytes = static_cast<size_t>(slices * rows.length) * sizeof(C);
  const Workspace weights(call.index(), bytes, call.table_stream());
  const Workspace biases(call.index(), bytes, call.table_stream());
  const dim3 blocks(static_cast<unsigned>(column_blocks), static_cast<unsigned>(slices));
  layer_norm_gradient_columns<T, C>
      <<<blocks, dim3(kColumnThreads, kRowThreads), 0, call.stream()>>>(
          weights.as<C>(), biases.as<C>(), gradient, in, rows.count, rows.length, slice,
          statistics);
  layer_norm_sum_slices<C>
      <<<static_cast<unsigned>(blocks_for(rows.length, 256)), 256, 0, call.stream()>>>(
          of_weight, of_bias, weights.as<C>(), biases.as<C>(), slices, rows.length);
}

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward_cuda(
    const Tensor& grad_out, const Tensor& input, std::span<const int64_t> normalized_shape,
    const Tensor& mean, const Tensor& rstd, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& bias, std::span<const bool> output_mask) {
  const Rows rows = rows_of(input, normalized_shape);
  const Tensor g = grad_out.to(input.dtype()).contiguous();
  const Tensor x = input.contiguous();
  const Tensor means = mean.contiguous();
  const Tensor reciprocals = rstd.to(mean.dtype()).contiguous();
  const std::optional<Tensor> scale = dense_of(weight);
  const auto dtype_of_gradient = [&](const std::optional<Tensor>& parameter) {
    return parameter && parameter->is_defined() ? parameter->dtype() : input.dtype();
  };
  std::tuple<Tensor, Tensor, Tensor> results;
  auto& [of_input, of_weight, of_bias] = results;
  if (output_mask[0]) of_input = empty_like(input, {}, {}, {}, {}, MemoryFormat::Contiguous);
  if (output_mask[1])
    of_weight = empty(normalized_shape, dtype_of_gradient(weight), {}, input.device());
  if (output_mask[2])
    of_bias = empty(normalized_shape, dtype_of_gradient(bias), {}, input.device());
  if (input.numel() == 0) {
    if (output_mask[1]) of_weight.zero_();
    if (output_mask[2]) of_bias.zero_();
    return results;
  }
  const KernelCall call(kBackward, input);
  const StatisticsView statistics{const_cast<void*>(static_cast<const void*>(means.data())),
                                  const_cast<void*>(static_cast<const void*>(reciprocals.data())),
                                  element_of(to_dlpack(mean.dtype()), kBackward)};
  const auto result_view = [](const Tensor& result) {
    return result.is_defined() ? ParameterView{result.mutable_data(),
                                               element_of(to_dlpack(result.dtype()), kBackward)}
                               : ParameterView{};
  };
  call.for_floating_type(input.dtype(), [&]<class T>() {
    const T* gradient = data_of<T>(g);
    const T* in = data_of<T>(x);
    if (output_mask[0]) {
      T* out = data_of<T>(of_input);
      const RowPlan plan = plan_rows(rows.count, rows.length, sizeof(T),
                                     are_aligned({out, gradient, in, view_of(scale).data}));
      check_plan(kBackward, plan, rows.length);
      for_row_plan<T>(plan, [&]<int kPacks, int kWidth>() {
        layer_norm_gradient_rows<T, ComputedAs<T>, kPacks, kWidth>
            <<<plan.blocks, plan.threads, 0, call.stream()>>>(out, gradient, in, rows.count,
                                                              static_cast<int>(rows.length),
                                                              view_of(scale), statistics);
      });
    }
    if (output_mask[1] || output_mask[2])
      run_columns<T>(call, rows, gradient, in, statistics, result_view(of_weight),
                     result_view(of_bias));
  });
  return results;
}

}  // namespace

OPWRIGHT_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("native_layer_norm", &layer_norm_cuda);
  m.impl("native_layer_norm_backward", &layer_norm_backward_cuda);
}

}  // namespace opwright::cuda
