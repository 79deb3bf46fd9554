#include "devices/cuda/product_layout.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "opwright/c_api.h"

namespace opwright::cuda {
namespace {

constexpr int64_t kMostBatches = std::numeric_limits<int32_t>::max();
constexpr int64_t kMostSize = std::numeric_limits<int32_t>::max();

// The distance between lines of `length` elements with the stride `inside`; there are `lines` of
// them, `between` apart. 0 if the elements of a line are not contiguous or lines overlap.
int64_t leading_of(int64_t length, int64_t inside, int64_t lines, int64_t between) {
  if (length > 1 && inside != 1) return 0;
  if (lines <= 1) return std::max<int64_t>(length, 1);
  return between >= length ? between : 0;
}

struct Stored {
  ColumnMatrix matrix;
  bool is_transposed;
};

// A matrix of rows x columns; with both swapped it is its transpose.
std::optional<Stored> stored(const OpwMatrix& matrix, int64_t rows, int64_t columns) {
  if (const int64_t leading = leading_of(rows, matrix.row, columns, matrix.column)) {
    return Stored{{matrix.data, rows, columns, leading, matrix.batch}, false};
  }
  if (const int64_t leading = leading_of(columns, matrix.column, rows, matrix.row)) {
    return Stored{{matrix.data, columns, rows, leading, matrix.batch}, true};
  }
  return std::nullopt;
}

OpwMatrix transposed(const OpwMatrix& matrix) {
  return {.data = matrix.data, .batch = matrix.batch, .row = matrix.column, .column = matrix.row};
}

// Like OpwProduct, with contiguous columns in the result.
std::optional<ColumnProduct> product_of_columns(const OpwMatrix& left, const OpwMatrix& right,
                                                const ColumnMatrix& result, int64_t depth,
                                                int64_t batch) {
  const std::optional<Stored> first = stored(left, result.rows, depth);
  const std::optional<Stored> second = stored(right, depth, result.columns);
  if (!first || !second) return std::nullopt;
  return ColumnProduct{.first = first->matrix,
                       .second = second->matrix,
                       .result = result,
                       .transposes_first = first->is_transposed,
                       .transposes_second = second->is_transposed,
                       .rows = result.rows,
                       .columns = result.columns,
                       .depth = depth,
                       .batch = batch};
}

bool is_in_range(const OpwProduct& product) {
  return product.depth > 0 && product.batch <= kMostBatches && product.rows <= kMostSize &&
         product.columns <= kMostSize && product.depth <= kMostSize;
}

}  // namespace

std::optional<ColumnProduct> column_product(const OpwProduct& product) {
  if (!is_in_range(product)) return std::nullopt;
  if (product.batch > 1 &&
      (product.left.batch < 0 || product.right.batch < 0 || product.result.batch <= 0)) {
    return std::nullopt;
  }
  // (left @ right)^T = right^T @ left^T, and the transpose of contiguous rows is columns.
  const std::optional<Stored> result =
      stored(transposed(product.result), product.columns, product.rows);
  if (!result) return std::nullopt;
  if (!result->is_transposed) {
    return product_of_columns(transposed(product.right), transposed(product.left), result->matrix,
                              product.depth, product.batch);
  }
  return product_of_columns(product.left, product.right, result->matrix, product.depth,
                            product.batch);
}

}  // namespace opwright::cuda
