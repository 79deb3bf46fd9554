#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/fake_tensor.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::TestDevice;

TEST(Arange, CountsUpToTheEndThatIsLeftOut) {
  EXPECT_EQ(elements<int64_t>(arange(4)), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(elements<int64_t>(arange(2, 5)), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(elements<int64_t>(arange(7, 0, -3)), (std::vector<int64_t>{7, 4, 1}));
  EXPECT_EQ(floats(arange(0.5, 2.25, 0.5)), (std::vector<float>{0.5, 1, 1.5, 2}));
  EXPECT_EQ(testing::sizes(arange(3, 3)), (std::vector<int64_t>{0}));
  EXPECT_EQ(elements<int32_t>(arange(0, 2.5, 0.5, DType::Int32)),
            (std::vector<int32_t>{0, 0, 0, 0, 0}));
}

TEST(Arange, IsOfInt64ForIntsAndOfFloat32Otherwise) {
  EXPECT_EQ(arange(3).dtype(), DType::Int64);
  EXPECT_EQ(arange(0, 3, 1).dtype(), DType::Int64);
  EXPECT_EQ(arange(3.0).dtype(), DType::Float32);
  EXPECT_EQ(arange(0, 3, 1.0).dtype(), DType::Float32);
  EXPECT_EQ(arange(3, DType::Int8).dtype(), DType::Int8);
}

TEST(Arange, TakesEveryRealDType) {
  for (const DType dtype : testing::kNumberDTypes) {
    if (is_complex(dtype)) continue;
    EXPECT_EQ(elements<double>(arange(3, dtype).to(DType::Float64)),
              (std::vector<double>{0, 1, 2}));
  }
  EXPECT_ERROR_CONTAINS(arange(3, DType::Bool), "TypeError",
                        "arange: dtype bool is not supported; it takes integral and floating");
}

TEST(Arange, ReachesTheEndsOfInt64) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  const int64_t middle = int64_t{1} << 62;

  EXPECT_EQ(elements<int64_t>(arange(most - 2, most)), (std::vector<int64_t>{most - 2, most - 1}));
  EXPECT_EQ(elements<int64_t>(arange(-middle, most, middle)),
            (std::vector<int64_t>{-middle, 0, middle}));
}

TEST(Arange, RefusesStepsThatDoNotLeadToTheEnd) {
  EXPECT_ERROR_CONTAINS(arange(0, 3, 0), "ValueError",
                        "arange: step must not be zero in int64, got 0");
  EXPECT_ERROR_CONTAINS(arange(0, 3, 0.5, DType::Int64), "ValueError",
                        "arange: step must not be zero in int64, got 0.5");
  EXPECT_ERROR_CONTAINS(arange(5, 3), "ValueError",
                        "arange: steps of 1 do not lead from 5 to 3; step needs the other sign");
  EXPECT_ERROR_CONTAINS(arange(0, 3, -0.5), "ValueError",
                        "arange: steps of -0.5 do not lead from 0 to 3; step needs the other sign");
}

TEST(Arange, RefusesWhatHasNoEnd) {
  EXPECT_ERROR_CONTAINS(arange(std::numeric_limits<double>::quiet_NaN()), "ValueError",
                        "arange: start, end and step must be finite, got 0, nan and 1");
  EXPECT_ERROR_CONTAINS(arange(0, 1e30), "ValueError",
                        "arange: 0 to 1e+30 in steps of 1 are too many elements (1e+30)");
  EXPECT_ERROR_CONTAINS(arange(Complex<double>(0, 1)), "TypeError",
                        "the complex number 0+1j cannot become a real one");
}

TEST(Arange, OnMetaIsFake) {
  const FakeTensor x = arange<FakeTensor>(5, {}, {}, Device(kOpwDeviceMeta));

  EXPECT_TRUE(x.size(0) == 5);
}

TEST(Arange, IsMadeOnADevice) {
  const Tensor x = arange(3, {}, {}, TestDevice::device());

  EXPECT_TRUE(x.device() == TestDevice::device());
  EXPECT_EQ(elements<int64_t>(_to_copy(x, {}, {}, kCpu)), (std::vector<int64_t>{0, 1, 2}));
}

TEST(Linspace, HitsBothEnds) {
  EXPECT_EQ(floats(linspace(0, 1, 5)), (std::vector<float>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(floats(linspace(3, -1, 3)), (std::vector<float>{3, 1, -1}));
  EXPECT_EQ(floats(linspace(0.1, 0.7, 8)).back(), 0.7F);
  EXPECT_EQ(floats(linspace(2, 9, 1)), (std::vector<float>{2}));
  EXPECT_EQ(testing::sizes(linspace(0, 1, 0)), (std::vector<int64_t>{0}));
}

TEST(Linspace, TakesItsDType) {
  EXPECT_EQ(elements<int64_t>(linspace(0, 10, 3, DType::Int64)), (std::vector<int64_t>{0, 5, 10}));
  EXPECT_EQ(linspace(0, Complex<double>(0, 1), 2).dtype(), DType::Complex64);
  EXPECT_EQ(elements<Complex<double>>(linspace(0, Complex<double>(2, 4), 3, DType::Complex128))[1],
            Complex<double>(1, 2));
  EXPECT_ERROR_CONTAINS(linspace(0, 1, 2, DType::Bool), "TypeError",
                        "linspace: dtype bool is not supported");
  EXPECT_ERROR_CONTAINS(linspace(0, 1, -1), "ValueError",
                        "linspace: steps must not be negative, got -1");
}

TEST(Logspace, OfIntsCutsPowersOff) {
  EXPECT_EQ(elements<int32_t>(logspace(-1, 3, 4, 10, DType::Int32)),
            (std::vector<int32_t>{0, 2, 46, 1000}));
  EXPECT_EQ(elements<int64_t>(logspace(0, -3, 2, 1.1, DType::Int64)), (std::vector<int64_t>{1, 0}));
}

TEST(Logspace, OfComplexEndsIsComplex) {
  const Tensor powers = logspace(0, Complex<double>(0, 1), 2);

  EXPECT_EQ(powers.dtype(), DType::Complex64);
  EXPECT_NEAR(elements<Complex<float>>(powers)[1].imag, 0.7440, 1e-4);
  EXPECT_ERROR_CONTAINS(logspace(0, Complex<double>(0, 1), 2, 10, DType::Float32), "TypeError",
                        "logspace: the ends 0 and ");
}

}  // namespace
}  // namespace opwright
