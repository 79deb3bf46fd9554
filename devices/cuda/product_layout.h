// How a product of row-major and other matrices is told to cuBLASLt, which thinks in columns: pure
// arithmetic over strides.
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/c_api.h"

namespace opwright::cuda {

// A matrix in memory as columns that each lie together.
struct ColumnMatrix {
  void* data;
  int64_t rows;
  int64_t columns;
  int64_t leading;  // elements between the starts of two columns
  int64_t batch;
};

// result = op(first) @ op(second), where op transposes those that say so.
struct ColumnProduct {
  ColumnMatrix first;
  ColumnMatrix second;
  ColumnMatrix result;
  bool transposes_first;
  bool transposes_second;
  int64_t rows;  // of the result, as columns
  int64_t columns;
  int64_t depth;
  int64_t batch;
};

// The product without a copy of any of its matrices; nothing where one of them has neither rows
// nor columns that lie together (a stride of 0, a negative one, every second element), or where
// nothing is summed.
std::optional<ColumnProduct> column_product(const OpwProduct& product);

}  // namespace opwright::cuda
