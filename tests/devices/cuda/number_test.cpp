#include "devices/cuda/kernels/number.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "opwright/ops/engine/cpu/numbers.h"

namespace opwright::cuda {
namespace {

constexpr double kNumbers[] = {0,     -0.0,  1.5,    -1.5,  2.9,  -2.9,  255,  256,
                               -129,  70000, 3e9,    -3e9,  1e10, -1e10, 1e19, 1.5e19,
                               1e300, 1e-50, 65504., 65520, 1e-7, 0.1};

template <class To>
void expect_conversion(double value) {
  EXPECT_EQ(convert<To>(value), convert_number<To>(value)) << value;
}

TEST(CudaNumber, DoublesBecomeIntsAsOnTheCpu) {
  for (const double value : kNumbers) {
    expect_conversion<int8_t>(value);
    expect_conversion<uint8_t>(value);
    expect_conversion<int32_t>(value);
    expect_conversion<int64_t>(value);
    expect_conversion<uint64_t>(value);
    expect_conversion<bool>(value);
    expect_conversion<float>(value);
  }
  EXPECT_EQ(convert<int64_t>(std::nan("")), std::numeric_limits<int64_t>::min());
}

TEST(CudaNumber, HalvesAreRoundedAsOnTheCpu) {
  for (const double value : kNumbers) {
    const auto narrow = static_cast<float>(value);
    EXPECT_EQ(convert<HalfBits>(narrow).bits, Half(narrow).bits) << value;
    EXPECT_EQ(convert<BFloatBits>(narrow).bits, opwright::BFloat16(narrow).bits) << value;
  }
}

TEST(CudaNumber, StoresAndLoadsEveryElementType) {
  for (int code = 0; code < static_cast<int>(Element::None); ++code) {
    const auto element = static_cast<Element>(code);
    alignas(16) unsigned char memory[32] = {};

    store_as(memory, element, 1, 1.0);

    EXPECT_EQ(load_as<double>(memory, element, 1), 1.0) << code;
    EXPECT_EQ(load_as<double>(memory, element, 0), 0.0) << code;
    EXPECT_EQ(load_as<int64_t>(memory, element, 1), 1) << code;
    EXPECT_TRUE(load_as<bool>(memory, element, 1)) << code;
  }
}

template <class C>
void expect_runs(Element element) {
  alignas(16) unsigned char memory[128] = {};
  for (int i = 0; i < 8; ++i) store_as(memory, element, i, static_cast<double>(i % 3));
  C values[4];
  load_run_as<C>(memory, element, 4, values);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(values[i], load_as<C>(memory, element, 4 + i)) << static_cast<int>(element);

  alignas(16) unsigned char stored[128] = {};
  alignas(16) unsigned char expected[128] = {};
  store_run_as<C>(stored, element, 4, values);
  for (int i = 0; i < 4; ++i) store_as(expected, element, 4 + i, values[i]);
  EXPECT_TRUE(std::ranges::equal(stored, expected)) << static_cast<int>(element);
}

TEST(CudaNumber, LoadsAndStoresRunsAsSingleElements) {
  for (int code = 0; code < static_cast<int>(Element::None); ++code) {
    const auto element = static_cast<Element>(code);
    expect_runs<float>(element);
    expect_runs<double>(element);
    expect_runs<int32_t>(element);
    expect_runs<int64_t>(element);
    expect_runs<bool>(element);
  }
}

TEST(CudaNumber, RoundsThroughNarrowerDtypes) {
  EXPECT_EQ(round_through(300, Element::UInt8), 44);
  EXPECT_EQ(round_through(int64_t{200}, Element::Int8), -56);
  EXPECT_EQ(round_through(1.0009765625F + 0.0001F, Element::Float16), 1.0009765625F);
  EXPECT_EQ(round_through(2.5F, Element::Bool), 1.0F);
  EXPECT_EQ(round_through(2.5F, Element::None), 2.5F);
}

}  // namespace
}  // namespace opwright::cuda
