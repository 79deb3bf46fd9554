#include "opwright/ops/engine/shape/promotion.h"

#include <algorithm>
#include <iterator>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"

namespace opwright {
namespace {

struct Named {
  const char* name;
  DType dtype;
};
constexpr Named kNames[] = {
    {"b1", DType::Bool},    {"u1", DType::UInt8},     {"i1", DType::Int8},
    {"i2", DType::Int16},   {"i4", DType::Int32},     {"i8", DType::Int64},
    {"f2", DType::Float16}, {"bf", DType::BFloat16},  {"f4", DType::Float32},
    {"f8", DType::Float64}, {"c8", DType::Complex64}, {"c16", DType::Complex128},
};

// torch.promote_types of 2.13, in the order of kNames.
constexpr const char* kPromoted[12][12] = {
    {"b1", "u1", "i1", "i2", "i4", "i8", "f2", "bf", "f4", "f8", "c8", "c16"},
    {"u1", "u1", "i2", "i2", "i4", "i8", "f2", "bf", "f4", "f8", "c8", "c16"},
    {"i1", "i2", "i1", "i2", "i4", "i8", "f2", "bf", "f4", "f8", "c8", "c16"},
    {"i2", "i2", "i2", "i2", "i4", "i8", "f2", "bf", "f4", "f8", "c8", "c16"},
    {"i4", "i4", "i4", "i4", "i4", "i8", "f2", "bf", "f4", "f8", "c8", "c16"},
    {"i8", "i8", "i8", "i8", "i8", "i8", "f2", "bf", "f4", "f8", "c8", "c16"},
    {"f2", "f2", "f2", "f2", "f2", "f2", "f2", "f4", "f4", "f8", "c8", "c16"},
    {"bf", "bf", "bf", "bf", "bf", "bf", "f4", "bf", "f4", "f8", "c8", "c16"},
    {"f4", "f4", "f4", "f4", "f4", "f4", "f4", "f4", "f4", "f8", "c8", "c16"},
    {"f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "c16", "c16"},
    {"c8", "c8", "c8", "c8", "c8", "c8", "c8", "c8", "c8", "c16", "c8", "c16"},
    {"c16", "c16", "c16", "c16", "c16", "c16", "c16", "c16", "c16", "c16", "c16", "c16"},
};

TEST(Promotion, OfTwoDTypesIsThatOfTorch) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    for (size_t j = 0; j < std::size(kNames); ++j) {
      const DType promoted = promote_dtypes(kNames[i].dtype, kNames[j].dtype);
      const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                       [&](const Named& each) { return each.dtype == promoted; });
      EXPECT_STREQ(found->name, kPromoted[i][j]) << kNames[i].name << " with " << kNames[j].name;
    }
  }
}

TEST(Promotion, RefusesWideUnsignedIntsWithOtherInts) {
  EXPECT_EQ(promote_dtypes(DType::UInt32, DType::UInt32), DType::UInt32);
  EXPECT_EQ(promote_dtypes(DType::UInt32, DType::Bool), DType::UInt32);
  EXPECT_EQ(promote_dtypes(DType::UInt32, DType::Float16), DType::Float16);
  EXPECT_ERROR((void)promote_dtypes(DType::UInt32, DType::Int64), "TypeError",
               "no dtype holds both uint32 and int64; convert one of them first");
  EXPECT_ERROR((void)promote_dtypes(DType::Float8E5M2, DType::Float32), "TypeError",
               "no dtype holds both float8_e5m2 and float32; convert one of them first");
}

TEST(Promotion, AZeroDimTensorCountsByItsKindOnly) {
  const Tensor half = make_empty(IntList{2}, DType::Float16);
  const Tensor int8 = make_empty(IntList{2}, DType::Int8);
  EXPECT_EQ(result_dtype(half, make_empty({}, DType::Float64)), DType::Float16);
  EXPECT_EQ(result_dtype(int8, make_empty({}, DType::Int64)), DType::Int8);
  EXPECT_EQ(result_dtype(int8, make_empty({}, DType::Float64)), DType::Float64);
  EXPECT_EQ(result_dtype(make_empty({}, DType::Int8), make_empty({}, DType::Int64)), DType::Int64);
}

TEST(Promotion, ANumberCountsByItsKindOnly) {
  const Tensor int8 = make_empty(IntList{2}, DType::Int8);
  const Tensor boolean = make_empty(IntList{2}, DType::Bool);
  const Tensor wide = make_empty(IntList{2}, DType::Float64);
  EXPECT_EQ(result_dtype(int8, 300), DType::Int8);
  EXPECT_EQ(result_dtype(int8, 0.5), DType::Float32);
  EXPECT_EQ(result_dtype(int8, Complex<double>(0, 1)), DType::Complex64);
  EXPECT_EQ(result_dtype(boolean, 1), DType::Int64);
  EXPECT_EQ(result_dtype(boolean, true), DType::Bool);
  EXPECT_EQ(result_dtype(wide, Complex<double>(0, 1)), DType::Complex128);
  EXPECT_EQ(result_dtype(make_empty({}, DType::Int8), 1), DType::Int8);
}

TEST(Promotion, AnInPlaceResultIsNotStoredInALowerKind) {
  EXPECT_TRUE(can_store(DType::Float64, DType::Float16));
  EXPECT_TRUE(can_store(DType::Int64, DType::Float16));
  EXPECT_FALSE(can_store(DType::Float32, DType::Int64));
  EXPECT_FALSE(can_store(DType::Complex64, DType::Float64));
  EXPECT_FALSE(can_store(DType::Int8, DType::Bool));
}

}  // namespace
}  // namespace opwright
