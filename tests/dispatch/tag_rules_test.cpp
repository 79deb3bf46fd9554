// The schemas that operators tagged inplace and out may have.
#include "opwright/dispatch/tag_rules.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/schema/parser.h"

namespace opwright::testing {
namespace {

constexpr Tags kInplace{Tag::Inplace};
constexpr Tags kOut{Tag::Out};

void check(const char* schema, Tags tags) { check_tags(parse_schema(schema), tags); }

std::string refusal(const char* schema, Tags tags) {
  try {
    check(schema, tags);
  } catch (const Error& error) {
    const std::string text = error.message();
    return text.substr(0, text.find('\n'));
  }
  return "accepted";
}

TEST(TagRules, AcceptsASchemaThatWritesAndReturnsItsFirstArgument) {
  EXPECT_EQ(refusal("t::f_(Tensor(a!) self, int n) -> Tensor(a!)", kInplace), "accepted");
}

TEST(TagRules, AcceptsASchemaThatReturnsItsKeywordOnlyTensorsInOrder) {
  EXPECT_EQ(
      refusal("t::f(Tensor x, *, Tensor(a!) p, Tensor(b!) q) -> (Tensor(a!), Tensor(b!))", kOut),
      "accepted");
}

TEST(TagRules, RefusesBothTags) {
  EXPECT_EQ(refusal("t::f(Tensor x) -> Tensor", Tags{Tag::Inplace, Tag::Out}),
            "t::f: an operator is tagged inplace or out, not both");
}

TEST(TagRules, TellsWhatAnInplaceOperatorLacks) {
  EXPECT_EQ(refusal("t::f(*, Tensor(a!) out) -> Tensor(a!)", kInplace),
            "t::f: an operator tagged inplace must have at least one positional argument");
  EXPECT_EQ(refusal("t::f(Tensor x) -> Tensor", kInplace),
            "t::f: an operator tagged inplace needs its first positional argument to be mutable, "
            "but 'x' is not marked as written, e.g. Tensor(a!)");
  EXPECT_EQ(refusal("t::f(Tensor(a!)[] x) -> ()", kInplace),
            "t::f: an operator tagged inplace needs its first positional argument to be a Tensor, "
            "but 'x' is Tensor[]");
  EXPECT_EQ(refusal("t::f(Tensor(a!) x, Tensor(b!) y) -> Tensor(a!)", kInplace),
            "t::f: an operator tagged inplace must only mutate the first positional argument, 'x'");
  EXPECT_EQ(refusal("t::f(Tensor(a!) x) -> ()", kInplace),
            "t::f: an operator tagged inplace must return exactly one value, 'x'");
  EXPECT_EQ(refusal("t::f(Tensor(a!) x) -> Tensor", kInplace),
            "t::f: an operator tagged inplace must return the first mutable argument: the return "
            "must alias 'x'");
  EXPECT_EQ(refusal("t::f(Tensor(a!) x) -> Tensor(a)", kInplace),
            "t::f: an operator tagged inplace marks what it returns as written: the return must be "
            "a mutable alias, e.g. Tensor(a!)");
}

TEST(TagRules, TellsWhatAnOutOperatorLacks) {
  EXPECT_EQ(refusal("t::f(Tensor x) -> Tensor", kOut),
            "t::f: an operator tagged out must have at least one mutable argument");
  EXPECT_EQ(refusal("t::f(Tensor x, Tensor(a!) out) -> Tensor(a!)", kOut),
            "t::f: an operator tagged out must have keyword-only mutable arguments, but 'out' is "
            "positional");
  EXPECT_EQ(refusal("t::f(Tensor x, *, Tensor(a!)[] out) -> ()", kOut),
            "t::f: an operator tagged out only supports Tensor mutable arguments, but 'out' is "
            "Tensor[]");
  EXPECT_EQ(refusal("t::f(Tensor x, *, Tensor(a!) out) -> (Tensor(a!), Tensor)", kOut),
            "t::f: an operator tagged out must return all mutable arguments in order: it writes 1 "
            "and returns 2");
  EXPECT_EQ(refusal("t::f(Tensor x, *, Tensor(a!) out) -> Tensor", kOut),
            "t::f: an operator tagged out returns what it writes: result 1 must alias mutable "
            "argument 'out'");
}

TEST(TagRules, ShowsTheSchema) {
  EXPECT_ERROR(check("t::f(Tensor x) -> Tensor", kOut), "ValueError",
               "t::f: an operator tagged out must have at least one mutable argument\n"
               "  schema: t::f(Tensor x) -> Tensor");
}

}  // namespace
}  // namespace opwright::testing
