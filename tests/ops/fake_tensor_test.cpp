// The generated functions and methods over FakeTensor, with which fake kernels and rules are
// written.
#include "opwright/fake_tensor.h"

#include <gtest/gtest.h>

#include "ops/op_tensors.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/wrapper.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

FakeTensor fake_of_sizes(const SymSizes& sizes) {
  return FakeTensor::borrow(make_fake(sizes, DType::Float32, kCpu).get());
}

TEST(FakeTensorFunctions, TakeAndGiveFakeTensorsWithSymbols) {
  testing::TestOwner owner;
  const SymInt rows = owner.backed("s0", 5);

  const FakeTensor y = maximum(fake_of_sizes({rows, 4}), fake_of_sizes({1}));

  EXPECT_EQ(y.size(0).word(), rows.word());
  EXPECT_EQ(y.size(1).word(), 4);
}

TEST(FakeTensorMethods, TakeSymbolicSizes) {
  testing::TestOwner owner;
  const SymInt rows = owner.backed("s0", 5);
  const FakeTensor x = fake_of_sizes({rows, 4});

  const FakeTensor y = (x * 2.0 + x).unsqueeze(0).expand({3, x.size(0), 4});
  const FakeTensor z = x.new_empty({x.size(0), 7}, DType::Int64);

  EXPECT_EQ(y.size(1).word(), rows.word());
  EXPECT_EQ(z.size(0).word(), rows.word());
  EXPECT_EQ(z.dtype(), DType::Int64);
  EXPECT_TRUE(owner.specialisations.empty());
}

TEST(FakeTensorMethods, WriteInPlace) {
  FakeTensor x = fake_of_sizes({2, 3});

  const FakeTensor& y = x.add_(fake_of_sizes({3}));

  EXPECT_EQ(&y, &x);
}

}  // namespace
}  // namespace opwright
