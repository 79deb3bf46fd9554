// mm, bmm, mv, dot.
#include <algorithm>
#include <array>
#include <type_traits>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/copy.h"
#include "opwright/ops/cpu/numbers.h"
#include "opwright/symbolic/sizes.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr int64_t kTileRows = 4;
constexpr int64_t kTileColumns = 256;     // of accumulators that stay in the first cache
constexpr int64_t kProductGrain = 65536;  // multiplications

// A batch of matrices; strides in elements.
struct Matrices {
  int64_t batch_stride, row_stride, column_stride;
};

struct ProductSizes {
  int64_t batch, rows, depth, columns;
};

template <class T>
using AccumulateType =
    typename std::conditional_t<kIsInt<T>,
                                std::type_identity<WrapType<std::conditional_t<kIsInt<T>, T, int>>>,
                                std::type_identity<T>>::type;

// Up to kTileRows rows of one output matrix. `b` and `out` have dense rows.
template <class T>
void multiply_rows(const T* a, const Matrices& layout, const T* b, T* out, int64_t rows,
                   const ProductSizes& sizes) {
  using S = AccumulateType<T>;
  for (int64_t first = 0; first < sizes.columns; first += kTileColumns) {
    const int64_t columns = std::min(kTileColumns, sizes.columns - first);
    std::array<std::array<S, kTileColumns>, kTileRows> sums{};
    for (int64_t k = 0; k < sizes.depth; ++k) {
      const T* row_of_b = b + k * sizes.columns + first;
      for (int64_t r = 0; r < rows; ++r) {
        // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a character
        const S factor = static_cast<S>(a[r * layout.row_stride + k * layout.column_stride]);
        S* sum = sums[static_cast<size_t>(r)].data();
        for (int64_t j = 0; j < columns; ++j)
          sum[j] = sum[j] + factor * static_cast<S>(row_of_b[j]);
      }
    }
    for (int64_t r = 0; r < rows; ++r) {
      const S* sum = sums[static_cast<size_t>(r)].data();
      for (int64_t j = 0; j < columns; ++j)
        out[r * sizes.columns + first + j] = static_cast<T>(sum[j]);
    }
  }
}

template <class T>
void multiply(const Tensor& output, const Tensor& a, const Matrices& layout, const Tensor& b,
              const ProductSizes& sizes) {
  const T* a_data = a.data<T>();
  const T* b_data = b.data<T>();
  T* out = output.mutable_data<T>();
  const int64_t tiles = (sizes.rows + kTileRows - 1) / kTileRows;
  const int64_t work = std::max<int64_t>(1, kTileRows * sizes.depth * sizes.columns);
  parallel_for(sizes.batch * tiles, std::max<int64_t>(1, kProductGrain / work),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t batch = i / tiles;
                   const int64_t row = i % tiles * kTileRows;
                   multiply_rows(a_data + batch * layout.batch_stride + row * layout.row_stride,
                                 layout, b_data + batch * sizes.depth * sizes.columns,
                                 out + (batch * sizes.rows + row) * sizes.columns,
                                 std::min(kTileRows, sizes.rows - row), sizes);
                 }
               });
}

// `output` is contiguous; the right matrices are made so.
void compute_product(const char* who, const Tensor& output, const Tensor& a, const Matrices& layout,
                     const Tensor& b, const ProductSizes& sizes) {
  const DType dtype = a.dtype();
  OPWRIGHT_CHECK_TYPE(dtype != DType::Bool, who, ": bool matrices cannot be multiplied");
  if (dtype == DType::Float16 || dtype == DType::BFloat16) {
    const Tensor wide = make_empty(output.sizes(), DType::Float32);
    const Tensor wide_a = as_dtype(as_contiguous(a), DType::Float32);
    const Matrices dense = {sizes.rows * sizes.depth, sizes.depth, 1};
    compute_product(who, wide, wide_a, dense, as_dtype(b, DType::Float32), sizes);
    return copy_elements(output, wide);
  }
  const Tensor right = as_contiguous(b);
  for_dtype(dtype, who, [&]<typename T>() {
    if constexpr (!kIsBool<T> && !kIsHalf<T>) multiply<T>(output, a, layout, right, sizes);
  });
}

void check_dims(const char* who, const char* argument, const Tensor& tensor, int64_t ndim) {
  OPWRIGHT_CHECK(tensor.dim() == ndim, who, ": ", argument, " must have ", ndim,
                 ndim == 1 ? " dimension" : " dimensions", ", got sizes ", to_text(tensor.sizes()));
}

void check_product(const char* who, const Tensor& a, const Tensor& b, int64_t columns_of_a,
                   int64_t rows_of_b) {
  OPWRIGHT_CHECK_TYPE(a.dtype() == b.dtype(), who, ": both operands must have one dtype, got ",
                      a.dtype(), " and ", b.dtype());
  OPWRIGHT_CHECK(columns_of_a == rows_of_b, who, ": sizes ", to_text(a.sizes()), " and ",
                 to_text(b.sizes()), " cannot be multiplied: ", columns_of_a, " against ",
                 rows_of_b);
}

}  // namespace

Tensor mm_cpu(const Tensor& self, const Tensor& mat2) {
  check_dims("mm", "self", self, 2);
  check_dims("mm", "mat2", mat2, 2);
  check_product("mm", self, mat2, self.size(1), mat2.size(0));
  Tensor output = make_empty(std::array{self.size(0), mat2.size(1)}, self.dtype());
  compute_product("mm", output, self, {0, self.stride(0), self.stride(1)}, mat2,
                  {1, self.size(0), self.size(1), mat2.size(1)});
  return output;
}

Tensor bmm_cpu(const Tensor& self, const Tensor& mat2) {
  check_dims("bmm", "self", self, 3);
  check_dims("bmm", "mat2", mat2, 3);
  OPWRIGHT_CHECK(self.size(0) == mat2.size(0), "bmm: self has ", self.size(0),
                 " matrices and mat2 ", mat2.size(0));
  check_product("bmm", self, mat2, self.size(2), mat2.size(1));
  Tensor output = make_empty(std::array{self.size(0), self.size(1), mat2.size(2)}, self.dtype());
  compute_product("bmm", output, self, {self.stride(0), self.stride(1), self.stride(2)}, mat2,
                  {self.size(0), self.size(1), self.size(2), mat2.size(2)});
  return output;
}

Tensor mv_cpu(const Tensor& self, const Tensor& vec) {
  check_dims("mv", "self", self, 2);
  check_dims("mv", "vec", vec, 1);
  check_product("mv", self, vec, self.size(1), vec.size(0));
  Tensor output = make_empty(std::array{self.size(0)}, self.dtype());
  compute_product("mv", output, self, {0, self.stride(0), self.stride(1)}, vec,
                  {1, self.size(0), self.size(1), 1});
  return output;
}

Tensor dot_cpu(const Tensor& self, const Tensor& tensor) {
  check_dims("dot", "self", self, 1);
  check_dims("dot", "tensor", tensor, 1);
  check_product("dot", self, tensor, self.size(0), tensor.size(0));
  Tensor output = make_empty({}, self.dtype());
  compute_product("dot", output, self, {0, 0, self.stride(0)}, tensor, {1, 1, self.size(0), 1});
  return output;
}

}  // namespace opwright
