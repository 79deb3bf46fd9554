// Describes a product of row-major and other matrices for cuBLASLt, which is column-major: pure
// arithmetic over strides.
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/c_api.h"

namespace opwright::cuda {

// A matrix in memory with contiguous columns.
struct ColumnMatrix {
  void* data;
  int64_t rows;
  int64_t columns;
  int64_t leading;  // elements between the starts of two columns
  int64_t batch;
};

// result = op(first) @ op(second), where op transposes those marked.
struct ColumnProduct {
  ColumnMatrix first;
  ColumnMatrix second;
  ColumnMatrix result;
  bool transposes_first;
  bool transposes_second;
  int64_t rows;  // of the column-major result
  int64_t columns;
  int64_t depth;
  int64_t batch;
};

// The product without copying any of its matrices; empty if one of them has neither contiguous rows
// nor columns (a stride of 0, a negative one, every second element), or if nothing is summed.
std::optional<ColumnProduct> column_product(const OpwProduct& product);

}  // namespace opwright::cuda
