#include "devices/cuda/product_layout.h"

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/c_api.h"

namespace opwright::cuda {
namespace {

// The product as cuBLASLt defines it, on the cpu.
void multiply_columns(const ColumnProduct& product) {
  const auto element = [](const ColumnMatrix& matrix, bool is_transposed, int64_t row,
                          int64_t column) -> double {
    const int64_t place =
        is_transposed ? column + row * matrix.leading : row + column * matrix.leading;
    return static_cast<double*>(matrix.data)[place];
  };
  for (int64_t row = 0; row < product.rows; ++row) {
    for (int64_t column = 0; column < product.columns; ++column) {
      double sum = 0;
      for (int64_t i = 0; i < product.depth; ++i) {
        sum += element(product.first, product.transposes_first, row, i) *
               element(product.second, product.transposes_second, i, column);
      }
      static_cast<double*>(product.result.data)[row + column * product.result.leading] = sum;
    }
  }
}

struct Case {
  int64_t rows, depth, columns;
  bool left_by_columns, right_by_columns, result_by_columns;
};

OpwMatrix matrix_in(std::vector<double>& memory, int64_t rows, int64_t columns, bool by_columns) {
  const int64_t leading = (by_columns ? rows : columns) + 3;
  memory.assign(static_cast<size_t>(leading * (by_columns ? columns : rows)), 0);
  std::mt19937 random(1);
  for (double& value : memory) value = static_cast<double>(random() % 9);
  return {.data = memory.data(),
          .batch = 0,
          .row = by_columns ? 1 : leading,
          .column = by_columns ? leading : 1};
}

class CudaProductLayout : public testing::TestWithParam<Case> {};

TEST_P(CudaProductLayout, GivesTheSameProductWithoutACopy) {
  const Case& given = GetParam();
  std::vector<double> left, right, result;
  OpwProduct product{};
  product.batch = 1;
  product.rows = given.rows;
  product.depth = given.depth;
  product.columns = given.columns;
  product.left = matrix_in(left, given.rows, given.depth, given.left_by_columns);
  product.right = matrix_in(right, given.depth, given.columns, given.right_by_columns);
  product.result = matrix_in(result, given.rows, given.columns, given.result_by_columns);
  std::vector<double> expected;
  for (int64_t i = 0; i < given.rows; ++i) {
    for (int64_t j = 0; j < given.columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < given.depth; ++k) {
        sum += left[static_cast<size_t>(i * product.left.row + k * product.left.column)] *
               right[static_cast<size_t>(k * product.right.row + j * product.right.column)];
      }
      expected.push_back(sum);
    }
  }

  const std::optional<ColumnProduct> columns = column_product(product);
  ASSERT_TRUE(columns);
  multiply_columns(*columns);

  std::vector<double> actual;
  for (int64_t i = 0; i < given.rows; ++i) {
    for (int64_t j = 0; j < given.columns; ++j) {
      actual.push_back(
          result[static_cast<size_t>(i * product.result.row + j * product.result.column)]);
    }
  }
  EXPECT_EQ(actual, expected);
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const int64_t rows : {1, 3}) {
    for (const int64_t depth : {1, 4}) {
      for (const int64_t columns : {1, 5}) {
        for (int bits = 0; bits < 8; ++bits) {
          cases.push_back(
              {rows, depth, columns, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
        }
      }
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, CudaProductLayout, testing::ValuesIn(all_cases()));

OpwProduct dense_product() {
  OpwProduct product{};
  product.batch = 2;
  product.rows = 3;
  product.depth = 4;
  product.columns = 5;
  product.left = {.data = nullptr, .batch = 12, .row = 4, .column = 1};
  product.right = {.data = nullptr, .batch = 20, .row = 5, .column = 1};
  product.result = {.data = nullptr, .batch = 15, .row = 5, .column = 1};
  return product;
}

TEST(CudaProductLayoutLimits, TakesABatchAndARepeatedOperand) {
  OpwProduct product = dense_product();
  product.left.batch = 0;
  const std::optional<ColumnProduct> columns = column_product(product);
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->first.batch, 20);
  EXPECT_EQ(columns->second.batch, 0);
  EXPECT_EQ(columns->result.batch, 15);
}

TEST(CudaProductLayoutLimits, LeavesStridesThatAreNeitherRowsNorColumns) {
  OpwProduct spread = dense_product();
  spread.left = {.data = nullptr, .batch = 24, .row = 8, .column = 2};
  OpwProduct repeated = dense_product();
  repeated.right = {.data = nullptr, .batch = 5, .row = 0, .column = 1};
  OpwProduct backwards = dense_product();
  backwards.left.row = -4;
  OpwProduct without_depth = dense_product();
  without_depth.depth = 0;
  OpwProduct one_result = dense_product();
  one_result.result.batch = 0;

  EXPECT_FALSE(column_product(spread));
  EXPECT_FALSE(column_product(repeated));
  EXPECT_FALSE(column_product(backwards));
  EXPECT_FALSE(column_product(without_depth));
  EXPECT_FALSE(column_product(one_result));
}

}  // namespace
}  // namespace opwright::cuda
