#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "devices/cuda/device.h"
#include "devices/cuda/product_fallback.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::cuda {
namespace {

// A block of threads computes a tile of the result; each thread kEach x kEach elements of it.
constexpr int kTile = 64;
constexpr int kDepth = 16;
constexpr int kEach = 4;
constexpr int kSide = kTile / kEach;
constexpr int kThreads = kSide * kSide;
constexpr int64_t kMostBlocks = 65535;  // along the second and third axis of a grid

struct Strides {
  int64_t batch;
  int64_t row;
  int64_t column;
};

struct Shape {
  int64_t batch;
  int64_t rows;
  int64_t depth;
  int64_t columns;
  Strides left;
  Strides right;
  Strides result;
};

// The accumulation type.
template <class T>
struct SumOf {
  using Type = T;
};
template <>
struct SumOf<__half> {
  using Type = float;
};
template <>
struct SumOf<__nv_bfloat16> {
  using Type = float;
};

template <class T>
__device__ typename SumOf<T>::Type load(const T* data, int64_t row, int64_t column, int64_t rows,
                                        int64_t columns, const Strides& strides) {
  using Sum = typename SumOf<T>::Type;
  if (row >= rows || column >= columns) return Sum(0);
  return static_cast<Sum>(data[row * strides.row + column * strides.column]);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    multiply(const T* left, const T* right, T* result, Shape shape, typename SumOf<T>::Type alpha,
             typename SumOf<T>::Type beta) {
  using Sum = typename SumOf<T>::Type;
  // The left tile is stored by columns; an extra element per line avoids bank conflicts.
  __shared__ Sum left_tile[kDepth][kTile + 1];
  __shared__ Sum right_tile[kDepth][kTile + 1];
  const int thread = static_cast<int>(threadIdx.x);
  const int thread_row = thread / kSide;
  const int thread_column = thread % kSide;
  const int64_t column_start = static_cast<int64_t>(blockIdx.x) * kTile;

  for (int64_t batch = blockIdx.z; batch < shape.batch; batch += gridDim.z) {
    const T* left_matrix = left + batch * shape.left.batch;
    const T* right_matrix = right + batch * shape.right.batch;
    T* result_matrix = result + batch * shape.result.batch;
    for (int64_t row_start = static_cast<int64_t>(blockIdx.y) * kTile; row_start < shape.rows;
         row_start += static_cast<int64_t>(gridDim.y) * kTile) {
      Sum sums[kEach][kEach] = {};
      for (int64_t depth_start = 0; depth_start < shape.depth; depth_start += kDepth) {
        for (int i = thread; i < kTile * kDepth; i += kThreads) {
          left_tile[i % kDepth][i / kDepth] =
              load(left_matrix, row_start + i / kDepth, depth_start + i % kDepth, shape.rows,
                   shape.depth, shape.left);
          right_tile[i / kTile][i % kTile] =
              load(right_matrix, depth_start + i / kTile, column_start + i % kTile, shape.depth,
                   shape.columns, shape.right);
        }
        __syncthreads();
        for (int depth = 0; depth < kDepth; ++depth) {
          Sum row_values[kEach];
          Sum column_values[kEach];
          for (int i = 0; i < kEach; ++i) {
            row_values[i] = left_tile[depth][thread_row + i * kSide];
            column_values[i] = right_tile[depth][thread_column + i * kSide];
          }
          for (int i = 0; i < kEach; ++i) {
            for (int j = 0; j < kEach; ++j) sums[i][j] += row_values[i] * column_values[j];
          }
        }
        __syncthreads();
      }
      for (int i = 0; i < kEach; ++i) {
        const int64_t row = row_start + thread_row + i * kSide;
        for (int j = 0; j < kEach; ++j) {
          const int64_t column = column_start + thread_column + j * kSide;
          if (row >= shape.rows || column >= shape.columns) continue;
          T& place = result_matrix[row * shape.result.row + column * shape.result.column];
          Sum value = alpha * sums[i][j];
          if (beta != Sum(0)) value += beta * static_cast<Sum>(place);
          place = static_cast<T>(value);
        }
      }
    }
  }
}

Strides strides_of(const OpwMatrix& matrix) { return {matrix.batch, matrix.row, matrix.column}; }

}  // namespace

void multiply_by_kernel(int32_t index, const OpwProduct& product, DType dtype, OpwStream* stream) {
  OPWRIGHT_CHECK_KIND("NotImplementedError", dtype != DType::Bool,
                      "a matrix product does not compute bool on cuda");
  const Shape shape{product.batch,
                    product.rows,
                    product.depth,
                    product.columns,
                    strides_of(product.left),
                    strides_of(product.right),
                    strides_of(product.result)};
  const dim3 blocks(static_cast<unsigned>(blocks_for(product.columns, kTile)),
                    static_cast<unsigned>(std::min(blocks_for(product.rows, kTile), kMostBlocks)),
                    static_cast<unsigned>(std::min(product.batch, kMostBlocks)));
  for_element_type(dtype, "a matrix product", [&]<typename T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      using Sum = typename SumOf<T>::Type;
      multiply<T><<<blocks, kThreads, 0, cuda_stream(stream)>>>(
          static_cast<const T*>(product.left.data), static_cast<const T*>(product.right.data),
          static_cast<T*>(product.result.data), shape, static_cast<Sum>(product.alpha),
          static_cast<Sum>(product.beta));
    }
  });
  check_launch("multiply", index);
}

}  // namespace opwright::cuda
