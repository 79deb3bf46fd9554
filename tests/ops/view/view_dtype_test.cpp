#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/wrapper.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::range;
using testing::sizes;

TEST(ViewDtype, SharesTheBytesOfTheTensor) {
  const Tensor x = range({2, 3});

  const Tensor halves = x.view(DType::Int16);

  EXPECT_EQ(sizes(halves), (std::vector<int64_t>{2, 6}));
  EXPECT_EQ(halves.dtype(), DType::Int16);
  EXPECT_EQ(&storage_of(halves), &storage_of(x));
  EXPECT_EQ(sizes(halves.view(DType::Float32)), (std::vector<int64_t>{2, 3}));
}

TEST(ViewDtype, KeepsTheOffsetInBytes) {
  const Tensor row = range({2, 4}).select(0, 1);

  const Tensor pairs = row.view(DType::Float64);

  EXPECT_EQ(pairs.data(), row.data());
  EXPECT_EQ(sizes(pairs), (std::vector<int64_t>{2}));
}

TEST(ViewDtype, NamesTheLayoutThatDoesNotFit) {
  EXPECT_ERROR_CONTAINS(range({}).view(DType::Int8), "RuntimeError",
                        "view: self.dim() cannot be 0 to view float32 as int8 (different element "
                        "sizes)");
  EXPECT_ERROR_CONTAINS(range({3}).view(DType::Float64), "RuntimeError",
                        "view: self.size(-1) must be divisible by 2 to view float32 as float64 "
                        "(different element sizes), but got 3");
  EXPECT_ERROR_CONTAINS(range({4, 4}).t().view(DType::Int8), "RuntimeError",
                        "view: self.stride(-1) must be 1 to view float32 as int8 (different "
                        "element sizes), but got 4");
}

TEST(ViewDtype, MultipliesASymbolicSize) {
  testing::TestOwner owner;
  const Tensor x = make_fake(SymSizes{owner.backed("s0", 5)}, DType::Float32, kCpu);

  EXPECT_EQ(x.view(DType::Int32).sym_size(0).word(), x.sym_size(0).word());
}

TEST(ComplexView, ShowsThePartsInALastDimension) {
  const Tensor x = view_as_complex(range({2, 2}));

  EXPECT_EQ(x.dtype(), DType::Complex64);
  EXPECT_EQ(sizes(view_as_real(x)), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(testing::floats(imag(x)), (std::vector<float>{1, 3}));
  EXPECT_EQ(&storage_of(real(x)), &storage_of(x));
}

TEST(ComplexView, NamesTensorsWithoutPairs) {
  EXPECT_ERROR_CONTAINS(view_as_complex(range({3})), "RuntimeError",
                        "view_as_complex: Tensor must have a last dimension of size 2, got 3");
  EXPECT_ERROR_CONTAINS(view_as_real(range({3})), "RuntimeError",
                        "view_as_real: it is only supported for complex tensors, got float32");
  EXPECT_ERROR_CONTAINS(imag(range({3})), "RuntimeError",
                        "imag: it is not implemented for tensors with non-complex dtypes");
}

}  // namespace
}  // namespace opwright
