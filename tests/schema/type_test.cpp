#include "opwright/schema/type.h"

#include <gtest/gtest.h>

namespace opwright {
namespace {

TEST(Type, PlainKindsNeedNoMoreThanTwoWords) { EXPECT_EQ(sizeof(Type), 16u); }

TEST(Type, EqualsItsKind) {
  EXPECT_EQ(Type(TypeKind::Float), Type::Float);
  EXPECT_NE(Type(TypeKind::Float), Type::Int);
}

TEST(Type, ComparesNestedTypesByContents) {
  EXPECT_EQ(Type::list_of(Type::Int), Type::list_of(Type::Int));
  EXPECT_NE(Type::list_of(Type::Int), Type::list_of(Type::Float));
  EXPECT_NE(Type::list_of(Type::Int), Type::list_of(Type::Int, 2));
}

TEST(Type, AnOptionalOfAnOptionalIsTheSame) {
  const Type once = Type::optional_of(Type::Int);
  EXPECT_EQ(Type::optional_of(once), once);
}

TEST(Type, PrintsAsASchemaWritesIt) {
  EXPECT_EQ(to_text(Type::optional_of(Type::list_of(Type::Int, 2))), "int[2]?");
  EXPECT_EQ(to_text(Type::with_elements(Type::Dict, {Type::String, Type::Tensor})),
            "Dict(str, Tensor)");
  EXPECT_EQ(to_text(Type::with_elements(Type::Tuple, {})), "()");
}

TEST(Type, KnowsTheTagOfItsValues) {
  EXPECT_EQ(Type(Type::Tensor).value_tag(), kOpwTensor);
  EXPECT_EQ(Type::optional_of(Type::ScalarType).value_tag(), kOpwDtype);
  EXPECT_EQ(Type::list_of(Type::SymInt).value_tag(), kOpwSymIntList);
  EXPECT_EQ(Type::list_of(Type::optional_of(Type::Tensor)).value_tag(), kOpwList);
  EXPECT_EQ(Type(Type::Scalar).value_tag(), kOpwNone);
}

TEST(Type, CrossesTheAbiWhenItsPartsDo) {
  EXPECT_TRUE(Type(Type::Scalar).can_cross_abi());
  EXPECT_TRUE(Type::list_of(Type::optional_of(Type::Tensor)).can_cross_abi());
  EXPECT_FALSE(Type(Type::Any).can_cross_abi());
  EXPECT_FALSE(
      Type::list_of(Type::with_elements(Type::Dict, {Type::String, Type::Int})).can_cross_abi());
}

}  // namespace
}  // namespace opwright
