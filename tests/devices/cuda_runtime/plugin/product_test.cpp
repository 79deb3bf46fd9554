// Matrix products on a device, against sums on the cpu.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "tests/devices/cuda_runtime/plugin/plugin.h"

namespace opwright::cuda {
namespace {

enum class Order { Rows, Columns, Spread };

// A matrix of small integers, which every dtype represents exactly, in memory with gaps.
template <class T>
struct Matrix {
  int64_t rows, columns, batch;
  OpwMatrix layout;
  std::vector<T> values;

  Matrix(int64_t batch_, int64_t rows_, int64_t columns_, Order order, uint32_t seed)
      : rows(rows_), columns(columns_), batch(batch_), layout{} {
    const int64_t step = order == Order::Spread ? 2 : 1;
    layout.column = order == Order::Columns ? rows + 3 : step;
    layout.row = order == Order::Columns ? 1 : step * (columns + 2);
    layout.batch = layout.row * rows + layout.column * columns;
    values.resize(static_cast<size_t>(layout.batch * batch));
    std::mt19937 random(seed);
    for (T& value : values) value = T(static_cast<float>(random() % 5));
  }
  [[nodiscard]] double at(int64_t b, int64_t i, int64_t j) const {
    return static_cast<double>(static_cast<float>(
        values[static_cast<size_t>(b * layout.batch + i * layout.row + j * layout.column)]));
  }
};

struct Case {
  int64_t batch, rows, depth, columns;
  Order left, right, result;
  double alpha, beta;
};

std::vector<Case> all_cases() {
  using enum Order;
  return {
      {1, 3, 4, 5, Rows, Rows, Rows, 1, 0},       {1, 64, 128, 96, Rows, Columns, Rows, 1, 0},
      {1, 33, 65, 17, Columns, Rows, Rows, 2, 0}, {1, 33, 65, 17, Columns, Columns, Columns, 1, 1},
      {4, 20, 30, 40, Rows, Rows, Rows, 1, 3},    {3, 1, 30, 40, Rows, Columns, Rows, 1, 0},
      {2, 70, 1, 90, Rows, Rows, Rows, 1, 0},     {1, 70, 50, 1, Rows, Rows, Rows, 1, 0},
      {2, 70, 50, 90, Spread, Rows, Rows, 1, 1},  {1, 70, 50, 90, Rows, Spread, Spread, 2, 0}};
}

template <class T>
void expect_product(const Case& given, OpwDtype dtype) {
  const Matrix<T> left(given.batch, given.rows, given.depth, given.left, 1);
  const Matrix<T> right(given.batch, given.depth, given.columns, given.right, 2);
  Matrix<T> result(given.batch, given.rows, given.columns, given.result, 3);
  const Memory left_memory(left.values);
  const Memory right_memory(right.values);
  const Memory result_memory(result.values);
  OpwProduct product{};
  product.struct_size = sizeof product;
  product.dtype = dtype;
  product.batch = given.batch;
  product.rows = given.rows;
  product.depth = given.depth;
  product.columns = given.columns;
  product.left = left.layout;
  product.left.data = left_memory.data();
  product.right = right.layout;
  product.right.data = right_memory.data();
  product.result = result.layout;
  product.result.data = result_memory.data();
  product.alpha = given.alpha;
  product.beta = given.beta;
  std::vector<double> expected;
  for (int64_t b = 0; b < given.batch; ++b) {
    for (int64_t i = 0; i < given.rows; ++i) {
      for (int64_t j = 0; j < given.columns; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < given.depth; ++k) sum += left.at(b, i, k) * right.at(b, k, j);
        const double exact = given.alpha * sum + given.beta * result.at(b, i, j);
        expected.push_back(static_cast<double>(static_cast<float>(T(static_cast<float>(exact)))));
      }
    }
  }

  expect_ok(table().compute_product(host(), 0, &product, nullptr));
  result.values = result_memory.read<T>();

  std::vector<double> actual;
  for (int64_t b = 0; b < given.batch; ++b) {
    for (int64_t i = 0; i < given.rows; ++i) {
      for (int64_t j = 0; j < given.columns; ++j) actual.push_back(result.at(b, i, j));
    }
  }
  EXPECT_EQ(actual, expected);
}

constexpr OpwDtype dtype_as(DType dtype) {
  const auto word = static_cast<uint32_t>(dtype);
  return {.code = static_cast<uint8_t>(word), .bits = static_cast<uint8_t>(word >> 8), .lanes = 1};
}

class CudaProduct : public testing::TestWithParam<Case> {};

TEST_P(CudaProduct, IsThatOfTheCpu) {
  OPWRIGHT_NEED_DEVICE();
  expect_product<float>(GetParam(), dtype_as(DType::Float32));
  expect_product<double>(GetParam(), dtype_as(DType::Float64));
  expect_product<__half>(GetParam(), dtype_as(DType::Float16));
  expect_product<__nv_bfloat16>(GetParam(), dtype_as(DType::BFloat16));
  expect_product<int32_t>(GetParam(), dtype_as(DType::Int32));
  expect_product<int64_t>(GetParam(), dtype_as(DType::Int64));
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaProduct, testing::ValuesIn(all_cases()));

OpwProduct square(int64_t size, DType dtype, const Memory& left, const Memory& right,
                  const Memory& result) {
  OpwProduct product{};
  product.struct_size = sizeof product;
  product.dtype = dtype_as(dtype);
  product.batch = 1;
  product.rows = product.depth = product.columns = size;
  product.left = {.data = left.data(), .batch = 0, .row = size, .column = 1};
  product.right = {.data = right.data(), .batch = 0, .row = size, .column = 1};
  product.result = {.data = result.data(), .batch = 0, .row = size, .column = 1};
  product.alpha = 1;
  return product;
}

TEST(CudaProductLimits, OfNothingKeepsTheResultTimesBeta) {
  OPWRIGHT_NEED_DEVICE();
  const Memory empty(4);
  const Memory result(std::vector<float>{1, 2, 3, 4});
  OpwProduct product = square(2, DType::Float32, empty, empty, result);
  product.depth = 0;
  product.beta = 3;
  expect_ok(table().compute_product(host(), 0, &product, nullptr));
  EXPECT_EQ(result.read<float>(), (std::vector<float>{3, 6, 9, 12}));
}

TEST(CudaProductLimits, RefusesBool) {
  OPWRIGHT_NEED_DEVICE();
  const Memory memory(4);
  const OpwProduct product = square(2, DType::Bool, memory, memory, memory);
  EXPECT_EQ(table().compute_product(host(), 0, &product, nullptr), 1);
  EXPECT_EQ(given_error(), "NotImplementedError: a matrix product does not compute bool on cuda");
}

TEST(CudaProductLimits, TellsItsSpeed) {
  OPWRIGHT_NEED_DEVICE();
  if (!property("matmul").starts_with("cuBLASLt")) GTEST_SKIP() << property("matmul");
  if (property("name") == "made up") GTEST_SKIP() << "the device is made up";
  constexpr int64_t kSize = 4096;
  std::vector<__nv_bfloat16> values(kSize * kSize);
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (__nv_bfloat16& value : values) value = __float2bfloat16(normal(random));
  const Memory left(values);
  const Memory right(values);
  const Memory result(values);
  const OpwProduct product = square(kSize, DType::BFloat16, left, right, result);
  constexpr int kTimes = 50;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    OpwEvent* start = nullptr;
    OpwEvent* end = nullptr;
    expect_ok(table().record_event(host(), 0, nullptr, &start));
    for (int i = 0; i < kTimes; ++i) {
      expect_ok(table().compute_product(host(), 0, &product, nullptr));
    }
    expect_ok(table().record_event(host(), 0, nullptr, &end));
    expect_ok(table().synchronize_event(host(), end));
    double milliseconds = 0;
    expect_ok(table().event_time(host(), start, end, &milliseconds));
    best = std::min(best, milliseconds / kTimes);
    table().free_event(start);
    table().free_event(end);
  }
  const double rate = 2.0 * kSize * kSize * kSize / best / 1e9;
  std::printf("bfloat16 product of %d: %.3f ms, %.0f TFLOP/s\n", static_cast<int>(kSize), best,
              rate);
  EXPECT_GT(rate, 0);
}

}  // namespace
}  // namespace opwright::cuda
