// _grouped_mm: one matrix product for each group of rows, columns or inner elements.
//
// The groups of a matrix end at the offsets. A matrix (M, K) times a batch (G, K, N) has groups of
// rows, a batch (G, M, K) times a matrix (K, N) groups of columns, and two matrices have groups of
// K; two batches have a product each.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/product/product.h"
#include "opwright/ops/engine/product/tensor_product.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr const char* kGroupedProduct = "_grouped_mm";

SymSizes grouped_sizes(const Tensor& self, const Tensor& mat2, const std::optional<Tensor>& offs,
                       const std::optional<Tensor>& bias, const std::optional<DType>& out_dtype) {
  const auto is_matrix = [](const Tensor& tensor) { return tensor.dim() == 2; };
  for (const Tensor& each : {self, mat2})
    OPWRIGHT_CHECK(each.dim() == 2 || each.dim() == 3, kGroupedProduct,
                   ": self and mat2 must be matrices or batches of matrices, got ", self, " and ",
                   mat2);
  const DType dtype = self.dtype();
  if (!is_floating(dtype) || item_size(dtype) == 1)
    throw_dtype(dtype, kGroupedProduct, "floating dtypes");
  OPWRIGHT_CHECK(dtype == mat2.dtype(), kGroupedProduct,
                 ": self and mat2 must have the same dtype, got ", dtype, " and ", mat2.dtype());
  OPWRIGHT_CHECK(!bias, kGroupedProduct, ": bias is not supported; add it to the result");
  OPWRIGHT_CHECK(!out_dtype || *out_dtype == dtype, kGroupedProduct,
                 ": out_dtype must be the dtype of self, got ", *out_dtype, " and ", dtype);
  const SymInt depth = self.sym_size(-1);
  const SymInt rows = mat2.sym_size(-2);
  OPWRIGHT_DEMAND(depth == rows, kGroupedProduct, ": self and mat2 do not fit: self has ", depth,
                  " columns, and mat2 has ", rows, " rows");
  const bool has_groups = is_matrix(self) || is_matrix(mat2);
  OPWRIGHT_CHECK(offs.has_value() == has_groups, kGroupedProduct,
                 has_groups ? ": a matrix needs offs, the ends of its groups"
                            : ": two batches of matrices have no offs");
  if (!has_groups) {
    const SymInt left = self.sym_size(0);
    const SymInt right = mat2.sym_size(0);
    OPWRIGHT_DEMAND(left == right, kGroupedProduct,
                    ": self and mat2 must have the same number of matrices, got ", left, " and ",
                    right);
    return {left, self.sym_size(1), mat2.sym_size(2)};
  }
  OPWRIGHT_CHECK(offs->dim() == 1 && offs->dtype() == DType::Int32, kGroupedProduct,
                 ": offs must be a vector of int32, got ", *offs);
  const SymInt groups = offs->sym_size(0);
  for (const Tensor& each : {self, mat2}) {
    if (is_matrix(each)) continue;
    const SymInt matrices = each.sym_size(0);
    OPWRIGHT_DEMAND(matrices == groups, kGroupedProduct,
                    ": offs must have an element for each matrix, got ", groups, " and ", matrices);
  }
  if (is_matrix(self) && is_matrix(mat2)) return {groups, self.sym_size(0), mat2.sym_size(1)};
  return {self.sym_size(-2), mat2.sym_size(-1)};
}

struct Group {
  int64_t first, end;
};

// Ends below the one before, and above `size`, would read foreign memory.
std::vector<Group> read_groups(const Tensor& offs, int64_t size) {
  const Tensor dense = as_contiguous(offs);
  const auto* ends = dense.data<int32_t>();
  std::vector<Group> groups;
  int64_t first = 0;
  for (int64_t i = 0; i < dense.numel(); ++i) {
    const int64_t end = ends[i];
    OPWRIGHT_CHECK(end >= first && end <= size, kGroupedProduct,
                   ": offs must not decrease, and be at most ", size, ", got ", end, " after ",
                   first);
    groups.push_back({first, end});
    first = end;
  }
  return groups;
}

template <class T>
void multiply_groups(const Tensor& self, const Tensor& mat2, const Tensor& result,
                     const std::vector<Group>& groups) {
  const bool cuts_rows = mat2.dim() == 3;
  const bool cuts_columns = self.dim() == 3;
  const MatrixProduct<T> whole{.rows = self.size(-2),
                               .depth = self.size(-1),
                               .columns = mat2.size(-1),
                               .a = self.data<T>(),
                               .a_row = self.stride(-2),
                               .a_column = self.stride(-1),
                               .b = mat2.data<T>(),
                               .b_row = mat2.stride(-2),
                               .b_column = mat2.stride(-1),
                               .c = result.mutable_data<T>(),
                               .c_row = result.size(-1)};
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto [first, end] = groups[i];
    const auto place = static_cast<int64_t>(i);
    MatrixProduct<T> part = whole;
    if (cuts_rows) {
      part.rows = end - first;
      part.a += first * whole.a_row;
      part.b += place * mat2.stride(0);
      part.c += first * whole.c_row;
    } else if (cuts_columns) {
      part.columns = end - first;
      part.a += place * self.stride(0);
      part.b += first * whole.b_column;
      part.c += first;
    } else {
      part.depth = end - first;
      part.a += first * whole.a_column;
      part.b += first * whole.b_row;
      part.c += place * whole.rows * whole.columns;
    }
    if (part.rows > 0 && part.columns > 0 && part.depth > 0) multiply_batch(part, 1, 0, 0, 0);
  }
}

}  // namespace

Tensor grouped_mm_cpu(const Tensor& self, const Tensor& mat2, const std::optional<Tensor>& offs,
                      const std::optional<Tensor>& bias, const std::optional<DType>& out_dtype) {
  Sizes sizes;
  for (const SymInt& size : grouped_sizes(self, mat2, offs, bias, out_dtype))
    sizes.push_back(size.specialise());
  if (!offs) return as_dtype(multiply_tensors(kGroupedProduct, self, mat2, sizes), self.dtype());
  const DType dtype = product_dtype(self.dtype());
  const Tensor left = as_dtype(self, dtype);
  const Tensor right = as_dtype(mat2, dtype);
  const Tensor result = make_empty(sizes, dtype);
  const int64_t cut = mat2.dim() == 3 ? self.size(0) : mat2.size(self.dim() == 3 ? 1 : 0);
  const std::vector<Group> groups = read_groups(*offs, cut);
  for_floating_dtype(dtype, kGroupedProduct, [&]<typename T>() {
    if constexpr (!kIsHalf<T>) {
      T* out = result.mutable_data<T>();
      std::fill(out, out + result.numel(), T(0));
      multiply_groups<T>(left, right, result, groups);
    }
  });
  return as_dtype(result, self.dtype());
}
FakeTensor grouped_mm_fake(const FakeTensor& self, const FakeTensor& mat2,
                           const std::optional<FakeTensor>& offs,
                           const std::optional<FakeTensor>& bias,
                           const std::optional<DType>& out_dtype) {
  const auto given = [](const std::optional<FakeTensor>& fake) {
    return fake ? std::optional<Tensor>(as_tensor(*fake)) : std::nullopt;
  };
  return make_fake_like(
      self, grouped_sizes(as_tensor(self), as_tensor(mat2), given(offs), given(bias), out_dtype),
      self.dtype());
}

}  // namespace opwright
