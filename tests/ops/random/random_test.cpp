// Covers: src/ops/random/*, src/ops/engine/random/*.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/distribution_fit.h"
#include "ops/op_tensors.h"
#include "opwright/base/thread_pool.h"
#include "opwright/fake_tensor.h"
#include "opwright/tensor/random_state.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::chi_square_deviation;
using testing::elements;
using testing::floats;
using testing::kolmogorov_distance;
using testing::moments;
using testing::tensor_of;

constexpr DType kFloats[] = {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16};
constexpr int64_t kMany = 200000;
constexpr double kUnlikely = 1.95;

Generator seeded(uint64_t seed) {
  Generator generator = make_generator(kCpu);
  random_state(generator).set_seed(seed);
  return generator;
}

std::vector<double> doubles(const Tensor& tensor) {
  return elements<double>(tensor.to(DType::Float64));
}

// ---- determinism ------------------------------------------------------------------------------

TEST(Random, GivesTheSameNumbersForASeed) {
  EXPECT_EQ(floats(rand({100}, seeded(3))), floats(rand({100}, seeded(3))));
  EXPECT_NE(floats(rand({100}, seeded(3))), floats(rand({100}, seeded(4))));

  seed_default_generators(3);

  EXPECT_EQ(floats(rand({100})), floats(rand({100}, seeded(3))));
}

TEST(Random, GoesOnFromCallToCall) {
  const Generator generator = seeded(1);

  EXPECT_NE(floats(rand({3}, generator)), floats(rand({3}, generator)));
}

TEST(Random, IsTheSameWithAnyNumberOfThreads) {
  const int before = num_threads();
  set_num_threads(1);
  const Tensor normal = randn({kMany + 7}, seeded(5), DType::Float64);
  const Tensor ints = randint(1000000, {kMany}, seeded(5));
  set_num_threads(4);

  EXPECT_TRUE(equal(normal, randn({kMany + 7}, seeded(5), DType::Float64)));
  EXPECT_TRUE(equal(ints, randint(1000000, {kMany}, seeded(5))));

  set_num_threads(before);
}

TEST(Random, OfOneGeneratorDoesNotChangeWithAnother) {
  const Generator a = seeded(1);
  const Generator b = seeded(2);
  const Tensor first = rand({5}, a);
  (void)rand({5}, b);

  const Tensor second = rand({5}, a);

  const Generator alone = seeded(1);
  EXPECT_TRUE(equal(first, rand({5}, alone)));
  EXPECT_TRUE(equal(second, rand({5}, alone)));
}

TEST(Random, DoesNotDependOnStrides) {
  Tensor turned = empty({7, 5}).t();

  turned.uniform_(0, 1, seeded(8));

  EXPECT_TRUE(equal(turned, rand({5, 7}, seeded(8))));
}

TEST(Random, GivesDifferentNumbersToThreadsThatShareAGenerator) {
  const Generator generator = seeded(11);
  std::vector<Tensor> drawn(8);
  std::vector<std::thread> threads;
  for (Tensor& each : drawn)
    threads.emplace_back([&each, &generator] { each = rand({1000}, generator, DType::Float64); });
  for (std::thread& thread : threads) thread.join();

  std::vector<double> all;
  for (const Tensor& each : drawn) {
    const std::vector<double> mine = doubles(each);
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::sort(all.begin(), all.end());

  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

// ---- distributions ----------------------------------------------------------------------------

TEST(Uniform, FitsInEveryDType) {
  for (const DType dtype : kFloats) {
    const std::vector<double> numbers = doubles(rand({kMany}, seeded(1), dtype));

    EXPECT_NEAR(moments(numbers).mean, 0.5, 0.004) << concatenate(dtype);
    EXPECT_NEAR(moments(numbers).variance, 1.0 / 12, 0.001) << concatenate(dtype);
    EXPECT_GE(*std::min_element(numbers.begin(), numbers.end()), 0.0) << concatenate(dtype);
    EXPECT_LT(*std::max_element(numbers.begin(), numbers.end()), 1.0) << concatenate(dtype);
  }
  EXPECT_LT(kolmogorov_distance(doubles(rand({kMany}, seeded(1))), testing::uniform_cdf),
            kUnlikely);
  EXPECT_LT(
      kolmogorov_distance(doubles(rand({kMany}, seeded(1), DType::Float64)), testing::uniform_cdf),
      kUnlikely);
}

TEST(Uniform, NeverReachesItsUpperEnd) {
  for (const DType dtype : kFloats) {
    Tensor x = empty({kMany}, dtype);

    x.uniform_(0.7, 0.7001, seeded(2));

    const double limit = doubles(full({1}, 0.7001, dtype))[0];
    const double least = doubles(full({1}, 0.7, dtype))[0];
    const std::vector<double> numbers = doubles(x);
    EXPECT_LE(*std::max_element(numbers.begin(), numbers.end()),
              limit > least ? std::nextafter(limit, 0.0) : least)
        << concatenate(dtype);
  }
}

TEST(Normal, FitsInEveryDType) {
  for (const DType dtype : kFloats) {
    const std::vector<double> numbers = doubles(randn({kMany}, seeded(1), dtype));

    EXPECT_NEAR(moments(numbers).mean, 0, 0.01) << concatenate(dtype);
    EXPECT_NEAR(moments(numbers).variance, 1, 0.01) << concatenate(dtype);
  }
  EXPECT_LT(kolmogorov_distance(doubles(randn({kMany}, seeded(1))), testing::normal_cdf),
            kUnlikely);
  EXPECT_LT(
      kolmogorov_distance(doubles(randn({kMany}, seeded(1), DType::Float64)), testing::normal_cdf),
      kUnlikely);
}

TEST(Normal, HasTails) {
  const std::vector<double> numbers = doubles(randn({5000000}, seeded(1)));

  const auto beyond = [&](double limit) {
    return static_cast<double>(std::count_if(numbers.begin(), numbers.end(),
                                             [&](double x) { return std::abs(x) > limit; }));
  };

  EXPECT_NEAR(beyond(3), 5e6 * 2 * testing::normal_cdf(-3), 500);
  EXPECT_NEAR(beyond(4), 5e6 * 2 * testing::normal_cdf(-4), 80);
  EXPECT_GE(beyond(4.9), 1);
}

TEST(Normal, TakesMeanAndDeviation) {
  Tensor x = empty({kMany});

  x.normal_(5, 3, seeded(1));

  EXPECT_NEAR(moments(doubles(x)).mean, 5, 0.03);
  EXPECT_NEAR(moments(doubles(x)).variance, 9, 0.1);
  EXPECT_EQ(floats(empty({2}).normal_(5, 0, seeded(1))), (std::vector<float>{5, 5}));
}

TEST(Normal, OfComplexNumbersHasHalfOfTheVarianceInEachPart) {
  const auto numbers = elements<Complex<float>>(randn({kMany}, seeded(1), DType::Complex64));

  std::vector<double> real;
  std::vector<double> imag;
  for (const Complex<float>& each : numbers) {
    real.push_back(each.real);
    imag.push_back(each.imag);
  }
  EXPECT_NEAR(moments(real).variance, 0.5, 0.01);
  EXPECT_NEAR(moments(imag).variance, 0.5, 0.01);
}

TEST(Normal, SpreadsAroundTensors) {
  const Tensor mean = tensor_of<float>({2, 1}, {10, 20});
  const Tensor std = tensor_of<float>({3}, {0, 0, 0});

  EXPECT_EQ(floats(normal(mean, std, seeded(1))), (std::vector<float>{10, 10, 10, 20, 20, 20}));
  EXPECT_EQ(floats(normal(4.0, std, seeded(1))), (std::vector<float>{4, 4, 4}));
  EXPECT_EQ(floats(normal(mean, 0.0, seeded(1))), (std::vector<float>{10, 20}));
  EXPECT_TRUE(equal(normal(0.0, 1.0, {3}, seeded(1)), randn({3}, seeded(1))));
}

TEST(Exponential, Fits) {
  Tensor x = empty({kMany});
  Tensor y = empty({kMany}, DType::Float64);

  x.exponential_(1, seeded(1));
  y.exponential_(4, seeded(1));

  EXPECT_LT(kolmogorov_distance(doubles(x), testing::exponential_cdf), kUnlikely);
  EXPECT_LT(kolmogorov_distance(doubles(y * 4), testing::exponential_cdf), kUnlikely);
  EXPECT_GT(x.min().item().to<double>(), 0);
}

TEST(OtherDistributions, Fit) {
  const Tensor x = empty({kMany}, DType::Float64);

  EXPECT_LT(kolmogorov_distance(doubles(Tensor(x).cauchy_(0, 1, seeded(1))), testing::cauchy_cdf),
            kUnlikely);
  EXPECT_LT(kolmogorov_distance(doubles(Tensor(x).log_normal_(0, 1, seeded(1)).log()),
                                testing::normal_cdf),
            kUnlikely);
  const std::vector<double> failures = doubles(Tensor(x).geometric_(0.25, seeded(1)));
  EXPECT_NEAR(moments(failures).mean, 4, 0.04);
  EXPECT_NEAR(moments(failures).variance, 12, 0.3);
  EXPECT_EQ(*std::min_element(failures.begin(), failures.end()), 1);
}

TEST(Poisson, HasItsRateAsMeanAndVariance) {
  for (const double rate : {0.5, 9.0, 30.0, 1000.0}) {
    const std::vector<double> events =
        doubles(poisson(full({kMany}, rate, DType::Float64), seeded(1)));

    EXPECT_NEAR(moments(events).mean, rate, 5 * std::sqrt(rate / kMany)) << rate;
    EXPECT_NEAR(moments(events).variance, rate, 0.03 * rate) << rate;
  }
  EXPECT_EQ(floats(poisson(zeros({2}), seeded(1))), (std::vector<float>{0, 0}));
}

TEST(Bernoulli, HasTheProbability) {
  for (const DType dtype : {DType::Bool, DType::UInt8, DType::Int64, DType::Float16}) {
    Tensor x = empty({kMany}, dtype);
    x.bernoulli_(0.3, seeded(1));
    EXPECT_NEAR(moments(doubles(x)).mean, 0.3, 0.005) << concatenate(dtype);
  }
  EXPECT_EQ(floats(bernoulli(tensor_of<float>({4}, {0, 1, 0, 1}), seeded(1))),
            (std::vector<float>{0, 1, 0, 1}));
  EXPECT_NEAR(moments(doubles(bernoulli(full({kMany}, 0.7, DType::Float64), seeded(1)))).mean, 0.7,
              0.005);
  EXPECT_EQ(floats(ones({3}).bernoulli_(0.0)), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(floats(ones({3}).bernoulli_(1.0)), (std::vector<float>{1, 1, 1}));
}

// ---- ints -------------------------------------------------------------------------------------

TEST(RandomInts, AreEquallyLikely) {
  EXPECT_LT(chi_square_deviation(elements<int64_t>(randint(10, {kMany}, seeded(1))), 10), 4);
  EXPECT_LT(chi_square_deviation(elements<int64_t>(randint(1000, {kMany}, seeded(1))), 1000), 4);
  const Tensor middle = randint(3000000000, {kMany}, seeded(1));
  EXPECT_LT(chi_square_deviation(elements<int64_t>(div(middle, 3000000, "floor")), 1000), 4);
  const Tensor wide = randint(int64_t{1} << 60, {kMany}, seeded(1));
  EXPECT_LT(chi_square_deviation(elements<int64_t>(div(wide, int64_t{1} << 50, "floor")), 1024), 4);
}

TEST(RandomInts, StayInTheirRange) {
  const std::vector<int64_t> numbers = elements<int64_t>(randint(-3, 4, {kMany}, seeded(1)));

  EXPECT_EQ(*std::min_element(numbers.begin(), numbers.end()), -3);
  EXPECT_EQ(*std::max_element(numbers.begin(), numbers.end()), 3);
}

TEST(RandomInts, OfADTypeReachFromZeroToItsLargestNumber) {
  const auto bytes = elements<int8_t>(empty({kMany}, DType::Int8).random_(seeded(1)));

  EXPECT_EQ(*std::min_element(bytes.begin(), bytes.end()), 0);
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 127);
  const auto halves = doubles(empty({kMany}, DType::Float16).random_(seeded(1)));
  EXPECT_EQ(*std::max_element(halves.begin(), halves.end()), 2048);
  const auto all =
      elements<int64_t>(empty({kMany}, DType::Int64).random_(INT64_MIN, std::nullopt, seeded(1)));
  EXPECT_LT(*std::min_element(all.begin(), all.end()), INT64_MIN / 1000 * 999);
  EXPECT_GT(*std::max_element(all.begin(), all.end()), INT64_MAX / 1000 * 999);
}

TEST(RandomInts, TakeEveryDType) {
  for (const DType dtype :
       {DType::Bool, DType::UInt8, DType::Int16, DType::UInt64, DType::BFloat16}) {
    const std::vector<double> numbers = doubles(randint(2, {1000}, seeded(1), dtype));
    EXPECT_NEAR(moments(numbers).mean, 0.5, 0.05) << concatenate(dtype);
  }
}

// ---- permutations and samples -----------------------------------------------------------------

TEST(RandomPermutation, HasEveryNumberOnce) {
  for (const int64_t n : {0, 1, 2, 1000, 5000}) {
    std::vector<int64_t> numbers = elements<int64_t>(randperm(n, seeded(1)));
    std::sort(numbers.begin(), numbers.end());
    std::vector<int64_t> expected(static_cast<size_t>(n));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(numbers, expected);
  }
}

TEST(RandomPermutation, PutsEveryNumberAtEveryPlaceAsOften) {
  const Generator generator = seeded(1);
  std::vector<int64_t> pairs;
  for (int i = 0; i < 20000; ++i) {
    const auto order = elements<int64_t>(randperm(5, generator));
    pairs.push_back(order[0]);
  }

  EXPECT_LT(chi_square_deviation(pairs, 5), 4);
}

TEST(RandomPermutation, TakesDTypesThatHoldItsNumbers) {
  EXPECT_EQ(randperm(256, DType::UInt8).dtype(), DType::UInt8);
  EXPECT_EQ(randperm(2049, DType::Float16).dtype(), DType::Float16);
  EXPECT_ERROR_CONTAINS(randperm(257, DType::UInt8), "ValueError",
                        "randperm: uint8 does not hold all ints below n=257");
  EXPECT_ERROR_CONTAINS(randperm(2050, DType::Float16), "ValueError",
                        "randperm: float16 does not hold all ints below n=2050");
  EXPECT_ERROR_CONTAINS(randperm(-1), "ValueError", "randperm: n must not be negative, got -1");
}

TEST(Multinomial, DrawsByWeights) {
  const Tensor weights = tensor_of<float>({4}, {0, 1, 3, 0});
  const std::vector<double> positions = doubles(multinomial(weights, kMany, true, seeded(1)));

  EXPECT_NEAR(moments(positions).mean, 1.75, 0.005);
  EXPECT_EQ(*std::min_element(positions.begin(), positions.end()), 1);
  EXPECT_EQ(*std::max_element(positions.begin(), positions.end()), 2);
}

TEST(Multinomial, WithoutReplacementDrawsEachPositionOnce) {
  const Tensor weights = ones({3, 50});
  const Tensor drawn = multinomial(weights, 50, false, seeded(1));

  const auto numbers = elements<int64_t>(std::get<0>(drawn.sort(1)));
  EXPECT_EQ(testing::sizes(drawn), (std::vector<int64_t>{3, 50}));
  EXPECT_EQ(numbers[0], 0);
  EXPECT_EQ(numbers[49], 49);
  EXPECT_EQ(numbers[75], 25);
}

TEST(Multinomial, WithoutReplacementDrawsTheFirstByWeight) {
  const Tensor weights = tensor_of<double>({2}, {1, 3}).expand({kMany, 2});

  const std::vector<double> first = doubles(multinomial(weights, 2, false, seeded(1)).select(1, 0));

  EXPECT_NEAR(moments(first).mean, 0.75, 0.005);
}

// ---- dropout ----------------------------------------------------------------------------------

TEST(Dropout, KeepsTheMean) {
  const Tensor dropped = dropout(ones({kMany}), 0.25, true);

  const std::vector<double> numbers = doubles(dropped);
  EXPECT_NEAR(moments(numbers).mean, 1, 0.01);
  EXPECT_NEAR(static_cast<double>(std::count(numbers.begin(), numbers.end(), 0.0)), 0.25 * kMany,
              1000);
}

TEST(Dropout, DoesNothingWithoutTraining) {
  const Tensor x = ones({4});

  EXPECT_EQ(dropout(x, 0.5, false).get(), x.get());
  EXPECT_EQ(floats(std::get<0>(native_dropout(x, 0.5, false))), floats(x));
  EXPECT_EQ(floats(dropout(x, 1, true)), (std::vector<float>{0, 0, 0, 0}));
}

TEST(NativeDropout, GivesAMaskForTheBackward) {
  const auto [output, mask] = native_dropout(ones({1000}), 0.5, true);

  EXPECT_EQ(mask.dtype(), DType::Bool);
  EXPECT_TRUE(equal(output, mask.to(DType::Float32) * 2));
  EXPECT_TRUE(equal(native_dropout_backward(ones({1000}), mask, 2), output));
}

TEST(FeatureDropout, DropsWholeChannels) {
  const Tensor dropped = feature_dropout(ones({20, 30, 4, 5}), 0.5, true);

  const Tensor of_channel = sum(dropped, {2, 3});
  const std::vector<double> sums = doubles(of_channel);
  EXPECT_TRUE(std::all_of(sums.begin(), sums.end(), [](double x) { return x == 0 || x == 40; }));
  EXPECT_NEAR(moments(sums).mean, 20, 3);
}

TEST(AlphaDropout, KeepsMeanAndVariance) {
  const Tensor dropped = alpha_dropout(randn({kMany}, seeded(1)), 0.3, true);

  EXPECT_NEAR(moments(doubles(dropped)).mean, 0, 0.02);
  EXPECT_NEAR(moments(doubles(dropped)).variance, 1, 0.03);
}

TEST(DropoutInPlace, WritesItsArgument) {
  Tensor x = ones({1000});
  Tensor y = ones({10, 10, 4});

  x.copy_(dropout_(x, 0.5, true));
  feature_dropout_(y, 1, true);

  EXPECT_EQ(x.max().item().to<double>(), 2);
  EXPECT_EQ(x.min().item().to<double>(), 0);
  EXPECT_EQ(y.max().item().to<double>(), 0);
}

// ---- fakes ------------------------------------------------------------------------------------

TEST(RandomFakes, HaveSymbolicSizes) {
  testing::TestOwner owner;
  const SymInt n = owner.backed("s0", 5);
  const Device meta(kOpwDeviceMeta);
  const Tensor x = make_fake(std::vector<SymInt>{n, 4}, DType::Float32, kCpu);

  EXPECT_EQ(concatenate(rand_like(x), bernoulli(x), poisson(x), normal(x, 1.0)),
            "float32[s0, 4]float32[s0, 4]float32[s0, 4]float32[s0, 4]");
  EXPECT_EQ(concatenate(multinomial(x, 3)), "int64[s0, 3]");
  EXPECT_EQ(concatenate(std::get<1>(native_dropout(x, 0.5, true))), "bool[s0, 4]");
  EXPECT_EQ(concatenate(dropout(x, 0.5, true), feature_dropout(x, 0.5, true)),
            "float32[s0, 4]float32[s0, 4]");
  EXPECT_EQ(concatenate(randint_like(x, n)), "float32[s0, 4]");
  EXPECT_TRUE(is_symbolic(randn<FakeTensor>({n, 2}, DType::Float16, {}, meta).size(0).word()));
  EXPECT_TRUE(is_symbolic(randperm<FakeTensor>(n, DType::Int64, {}, meta).size(0).word()));
  EXPECT_TRUE(is_symbolic(eye<FakeTensor>(n, DType::Int64, {}, meta).size(1).word()));
  EXPECT_TRUE(owner.specialisations.empty());
}

// ---- errors -----------------------------------------------------------------------------------

TEST(RandomErrors, NameTheArgument) {
  Tensor x = zeros({2});
  EXPECT_ERROR_CONTAINS(x.normal_(0, -1), "ValueError",
                        "normal_: std must not be negative, got -1");
  EXPECT_ERROR_CONTAINS(normal(x, -1.0), "ValueError", "normal: std must not be negative, got -1");
  EXPECT_ERROR_CONTAINS(normal(x, x - 1), "ValueError",
                        "normal: no element of std may be negative");
  EXPECT_ERROR_CONTAINS(x.uniform_(2, 1), "ValueError",
                        "uniform_: from must not be above to, got 2 and 1");
  EXPECT_ERROR_CONTAINS(x.exponential_(0), "ValueError",
                        "exponential_: lambd must be positive, got 0");
  EXPECT_ERROR_CONTAINS(x.bernoulli_(1.5), "ValueError",
                        "bernoulli_: p must be a probability between 0 and 1, got 1.5");
  EXPECT_ERROR_CONTAINS(
      bernoulli(x - 1), "ValueError",
      "bernoulli_: every element of p must be a probability between 0 and 1, got -1");
  EXPECT_ERROR_CONTAINS(dropout(x, -0.5, true), "ValueError",
                        "dropout: p must be a probability between 0 and 1, got -0.5");
  EXPECT_ERROR_CONTAINS(x.geometric_(1), "ValueError",
                        "geometric_: p must be between 0 and 1, got 1");
  EXPECT_ERROR_CONTAINS(x.cauchy_(0, 0), "ValueError", "cauchy_: sigma must be positive, got 0");
  EXPECT_ERROR_CONTAINS(poisson(x - 1), "ValueError",
                        "poisson: rates must be finite and not negative, got -1");
  EXPECT_ERROR_CONTAINS(feature_dropout(x, 0.5, true), "ValueError",
                        "feature_dropout: input must have at least 2 dimensions, got sizes [2]");
}

TEST(RandomErrors, OfIntsNameTheRange) {
  EXPECT_ERROR_CONTAINS(randint(5, 5, {2}), "ValueError",
                        "randint: high must be above low, got low=5 and high=5");
  EXPECT_ERROR_CONTAINS(empty({2}).random_(3, 3), "ValueError",
                        "random_: from must be below to, got from=3 and to=3");
  EXPECT_ERROR_CONTAINS(randint(300, {2}, DType::UInt8), "ValueError",
                        "random_: to - 1 = 299 is not representable in uint8");
  EXPECT_ERROR_CONTAINS(randint(-1, 2, {2}, DType::UInt8), "ValueError",
                        "random_: from=-1 is not representable in uint8");
  EXPECT_ERROR_CONTAINS(randint(3, {2}, DType::Bool), "ValueError",
                        "random_: to - 1 = 2 is not representable in bool");
}

TEST(RandomErrors, OfDTypesNameTheOperator) {
  EXPECT_ERROR_CONTAINS(rand({2}, DType::Int64), "TypeError",
                        "rand: dtype int64 is not supported; it takes floating and complex dtypes");
  EXPECT_ERROR_CONTAINS(
      randn_like(zeros({2}, DType::Bool)), "TypeError",
      "randn_like: dtype bool is not supported; it takes floating and complex dtypes");
  EXPECT_ERROR_CONTAINS(bernoulli(zeros({2}, DType::Int64)), "TypeError",
                        "bernoulli: dtype int64 is not supported; it takes floating dtypes");
}

TEST(RandomErrors, OfMultinomialNameTheWeights) {
  EXPECT_ERROR_CONTAINS(
      multinomial(ones({2}), 3), "ValueError",
      "multinomial: num_samples=3 is more than the 2 positions that can be drawn without "
      "replacement; use replacement=True");
  EXPECT_ERROR_CONTAINS(multinomial(ones({2}), 0), "ValueError",
                        "multinomial: num_samples must be positive, got 0");
  EXPECT_ERROR_CONTAINS(multinomial(zeros({2}), 1), "ValueError",
                        "multinomial: at least one weight of each row must be positive");
  EXPECT_ERROR_CONTAINS(multinomial(zeros({2}) - 1, 1), "ValueError",
                        "multinomial: weights must be finite and not negative, got -1");
  EXPECT_ERROR_CONTAINS(multinomial(ones({2, 2, 2}), 1), "ValueError",
                        "multinomial: self must have 1 or 2 dimensions, got sizes [2, 2, 2]");
}

TEST(RandomErrors, RefuseATensorWhoseElementsShareMemory) {
  Tensor x = zeros({1}).expand({3});

  EXPECT_ERROR_CONTAINS(x.uniform_(), "RuntimeError", "uniform_: several elements of self");
}

}  // namespace
}  // namespace opwright
