// Covers: src/dispatch/library_block.
#include "opwright/dispatch/property.h"

#include <gtest/gtest.h>

#include "opwright/base/core_host.h"
#include "opwright/dispatch/library_block.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/tag_name.h"

namespace opwright {
namespace {

constexpr Tags kStated =
    with_properties({Tag::Pointwise}, {Property::Builtin, Property::UniqueIndices});

std::vector<Registration> register_as(const char* library, std::string schema) {
  BlockContents contents;
  contents.definitions.push_back({std::move(schema), "property_test", kStated.bits(), {}});
  return register_contents(std::move(contents), core_host(), library);
}

TEST(Property, IsStatedBesideTheTags) {
  const auto defined = register_as("", "stated(Tensor x) -> Tensor");
  const Operator& op = Registry::get().require("property_test::stated");

  EXPECT_TRUE(is_builtin(op));
  EXPECT_TRUE(has_property(op, Property::UniqueIndices));
  EXPECT_FALSE(has_property(op, Property::Cheap));
  EXPECT_EQ(tag_names(op.tags()), std::vector<std::string>{"pointwise"});
}

TEST(Property, CannotBeStatedByABinary) {
  const auto defined = register_as("libother.so", "foreign(Tensor x) -> Tensor");
  const Operator& op = Registry::get().require("property_test::foreign");

  EXPECT_FALSE(is_of_core(op));
  EXPECT_EQ(op.tags(), Tags{Tag::Pointwise});
}

TEST(Property, OfAnAuthorsOperatorIsNoneEvenInTheNamespaceOfTheBuiltInOnes) {
  const Registration defined =
      Registry::get().define("aten::property_test_own(Tensor x) -> Tensor");

  EXPECT_FALSE(is_builtin(Registry::get().require("aten::property_test_own")));
}

}  // namespace
}  // namespace opwright
