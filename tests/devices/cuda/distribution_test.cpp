// Random elements as the threads of a kernel compute them, against the CPU's.
#include "devices/cuda/kernels/distribution.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "ops/op_tensors.h"
#include "opwright/functions.h"
#include "opwright/tensor/random_state.h"

namespace opwright::cuda {
namespace {

using opwright::testing::elements;

constexpr uint64_t kSeed = 0x123456789abcdefULL;
constexpr int64_t kCount = 64 * 5 + 23;

Generator make_seeded() {
  Generator generator = make_generator(kCpu);
  random_state(generator).set_seed(kSeed);
  return generator;
}

template <class Distribution>
std::vector<typename Distribution::Value> draw(const Distribution& distribution) {
  std::vector<typename Distribution::Value> result(kCount);
  constexpr int kWords = Distribution::kWords;
  for (int64_t group = 0; group * 64 < kCount; ++group) {
    for (int64_t lane = 0; lane < 16; ++lane) {
      PhiloxWords words[kWords];
      for (int k = 0; k < kWords; ++k)
        words[k] = philox(kSeed, static_cast<uint64_t>(16 * (group * kWords + k) + lane));
      typename Distribution::Value values[4];
      distribution.compute(words, values);
      for (int64_t i = 0; i < 4; ++i) {
        const int64_t at = group * 64 + 16 * i + lane;
        if (at < kCount) result[static_cast<size_t>(at)] = values[i];
      }
    }
  }
  return result;
}

Tensor empty_of(DType dtype) { return empty({kCount}, dtype); }

TEST(CudaDistribution, UniformFloatsAreTheCpusToTheBit) {
  const Tensor expected = empty_of(DType::Float32).uniform_(0, 1, make_seeded());

  EXPECT_EQ(draw(Uniform{0, 1, std::nextafter(1.0F, 0.0F), 24}), elements<float>(expected));
}

TEST(CudaDistribution, UniformDoublesAreTheCpusToTheBit) {
  const Tensor expected = empty_of(DType::Float64).uniform_(0, 1, make_seeded());

  EXPECT_EQ(draw(UniformDouble{0, 1, std::nextafter(1.0, 0.0)}), elements<double>(expected));
}

TEST(CudaDistribution, ChancesAreTheCpusToTheBit) {
  const Tensor expected = empty_of(DType::Bool).bernoulli_(0.3, make_seeded());

  const std::vector<bool> actual = draw(Chance{static_cast<uint32_t>(std::llround(0.3 * 0x1p31))});

  for (size_t i = 0; i < actual.size(); ++i) EXPECT_EQ(actual[i], expected.data<bool>()[i]) << i;
}

TEST(CudaDistribution, IntegersOfEveryRangeAreTheCpusToTheBit) {
  const auto expected = [](int64_t from, int64_t to) {
    return elements<int64_t>(empty_of(DType::Int64).random_(from, to, make_seeded()));
  };

  EXPECT_EQ(draw(NarrowRange{-5, 15}), expected(-5, 10));
  EXPECT_EQ(draw(WideRange{7, 1000000}), expected(7, 1000007));
  EXPECT_EQ(draw(WideRange{-3, uint64_t{1} << 40}), expected(-3, (int64_t{1} << 40) - 3));
}

template <class T>
void expect_near(const std::vector<T>& actual, const Tensor& expected, T allowed) {
  const std::vector<T> right = elements<T>(expected);
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], right[i], allowed * (1 + std::abs(right[i]))) << i;
}

TEST(CudaDistribution, NormalNumbersAreTheCpus) {
  expect_near(draw(Normal{1, 2}), empty_of(DType::Float32).normal_(1, 2, make_seeded()), 4e-6F);
  expect_near(draw(NormalDouble{1, 2}), empty_of(DType::Float64).normal_(1, 2, make_seeded()),
              1e-13);
}

TEST(CudaDistribution, ExponentialNumbersAreTheCpus) {
  expect_near(draw(Exponential{0.5F}), empty_of(DType::Float32).exponential_(2, make_seeded()),
              2e-6F);
  expect_near(draw(ExponentialDouble{0.5}), empty_of(DType::Float64).exponential_(2, make_seeded()),
              1e-14);
}

}  // namespace
}  // namespace opwright::cuda
