// Covers: src/schema/coerce, src/schema/value_fits.
#include "opwright/schema/bind.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/schema/parser.h"

namespace opwright {
namespace {

// Binding never accesses a tensor's contents.
OpwTensor* some_tensor() {
  static OpwTensor tensor{};
  return &tensor;
}
OpwValue tensor_value() {
  OpwValue value{};
  value.tag = kOpwTensor;
  value.as_tensor = some_tensor();
  return value;
}
OpwValue int_value(int64_t number) { return ValueOf<int64_t>::lend(number); }
OpwValue float_value(double number) { return ValueOf<double>::lend(number); }
OpwValue bool_value(bool flag) { return ValueOf<bool>::lend(flag); }
OpwValue text_value(std::string_view text) { return ValueOf<std::string_view>::lend(text); }
OpwValue ints_value(const std::vector<int64_t>& list) {
  return ValueOf<std::vector<int64_t>>::lend(list);
}
OpwValue list_value(const std::vector<OpwValue>& list) {
  OpwValue value{};
  value.tag = kOpwList;
  value.length = static_cast<uint32_t>(list.size());
  value.as_values = list.data();
  return value;
}

using Positional = std::vector<OpwValue>;
using Keywords = std::vector<KeywordValue>;

// The text of the value that `given` is bound to, for the only argument.
std::string bound_text(const std::string& argument, const OpwValue& given) {
  const Schema schema = parse_schema("a::f(" + argument + ") -> ()");
  return value_text(bind_arguments(schema, Positional{given})[0]);
}
uint32_t bound_tag(const std::string& argument, const OpwValue& given) {
  const Schema schema = parse_schema("a::f(" + argument + ") -> ()");
  return bind_arguments(schema, Positional{given})[0].tag;
}
void bind_one(const std::string& argument, const OpwValue& given) {
  (void)bound_text(argument, given);
}

class SoftClip : public ::testing::Test {
 protected:
  Schema schema_ = parse_schema("audio::soft_clip(Tensor x, float limit=1.0) -> Tensor");
  Schema keyword_only_ = parse_schema("audio::f(Tensor x, *, float limit) -> Tensor");
};

TEST_F(SoftClip, FillsInDefaults) {
  const BoundArguments bound = bind_arguments(schema_, Positional{tensor_value()});

  ASSERT_EQ(bound.size(), 2u);
  EXPECT_EQ(bound[0].as_tensor, some_tensor());
  EXPECT_EQ(bound[1].as_double, 1.0);
}

TEST_F(SoftClip, TakesKeywordsInAnyOrder) {
  const Keywords keywords{{"limit", float_value(2.0)}, {"x", tensor_value()}};
  const BoundArguments bound = bind_arguments(schema_, {}, keywords);

  EXPECT_EQ(bound[0].tag, kOpwTensor);
  EXPECT_EQ(bound[1].as_double, 2.0);
}

TEST_F(SoftClip, NeedsNoHeapForACommonCall) {
  EXPECT_FALSE(bind_arguments(schema_, Positional{tensor_value(), int_value(2)}).uses_heap());
}

TEST_F(SoftClip, RefusesTooManyArguments) {
  EXPECT_ERROR(bind_arguments(schema_, Positional(3, tensor_value())), "TypeError",
               "audio::soft_clip() takes 2 arguments but 3 were given\n"
               "  schema: audio::soft_clip(Tensor x, float limit=1.0) -> Tensor");
}

TEST_F(SoftClip, RefusesAKeywordOnlyArgumentByPosition) {
  EXPECT_ERROR(
      bind_arguments(keyword_only_, Positional{tensor_value(), float_value(1)}), "TypeError",
      "audio::f() takes 1 positional argument but 2 were given; 'limit' must be given by keyword\n"
      "  schema: audio::f(Tensor x, *, float limit) -> Tensor");
}

TEST_F(SoftClip, NamesAMissingArgument) {
  EXPECT_ERROR(bind_arguments(schema_, {}), "TypeError",
               "audio::soft_clip() missing argument 'x' (position 1)\n"
               "  schema: audio::soft_clip(Tensor x, float limit=1.0) -> Tensor");
  EXPECT_ERROR_CONTAINS(bind_arguments(keyword_only_, Positional{tensor_value()}), "TypeError",
                        "missing argument 'limit'\n");
}

TEST_F(SoftClip, SuggestsTheKeywordThatWasMeant) {
  const Keywords keywords{{"limt", float_value(2.0)}};
  EXPECT_ERROR(
      bind_arguments(schema_, Positional{tensor_value()}, keywords), "TypeError",
      "audio::soft_clip() got an unexpected keyword argument 'limt'; did you mean 'limit'?\n"
      "  schema: audio::soft_clip(Tensor x, float limit=1.0) -> Tensor");
}

TEST_F(SoftClip, RefusesAnArgumentGivenTwice) {
  const Keywords keywords{{"x", tensor_value()}};
  EXPECT_ERROR(bind_arguments(schema_, Positional{tensor_value()}, keywords), "TypeError",
               "audio::soft_clip() got multiple values for argument 'x'\n"
               "  schema: audio::soft_clip(Tensor x, float limit=1.0) -> Tensor");
}

TEST_F(SoftClip, NamesTheArgumentOfAWrongType) {
  EXPECT_ERROR(bind_arguments(schema_, Positional{tensor_value(), text_value("loud")}), "TypeError",
               "audio::soft_clip(): argument 'limit' (position 2) must be float, got str\n"
               "  schema: audio::soft_clip(Tensor x, float limit=1.0) -> Tensor");
}

TEST_F(SoftClip, NamesAKeywordOnlyArgumentWithoutAPosition) {
  const Keywords keywords{{"limit", text_value("loud")}};
  EXPECT_ERROR_CONTAINS(bind_arguments(keyword_only_, Positional{tensor_value()}, keywords),
                        "TypeError", "audio::f(): argument 'limit' must be float, got str");
}

TEST(Coercion, AnIntBecomesAFloat) { EXPECT_EQ(bound_text("float x", int_value(2)), "2.0"); }

TEST(Coercion, TrueIsAcceptedAsAnInt) {
  EXPECT_EQ(bound_text("int x", bool_value(true)), "1");
  EXPECT_EQ(bound_tag("int x", bool_value(true)), kOpwInt);
}

TEST(Coercion, AFloatIsNoInt) {
  EXPECT_ERROR_CONTAINS(bind_one("int x", float_value(1.0)), "TypeError",
                        "argument 'x' (position 1) must be int, got float");
}

TEST(Coercion, AnIntIsNoBool) {
  EXPECT_ERROR_CONTAINS(bind_one("bool x", int_value(1)), "TypeError", "must be bool, got int");
}

TEST(Coercion, AScalarKeepsItsKind) {
  EXPECT_EQ(bound_tag("Scalar x", int_value(1)), kOpwInt);
  EXPECT_EQ(bound_tag("Scalar x", bool_value(true)), kOpwBool);
  EXPECT_EQ(bound_tag("Scalar x", float_value(1)), kOpwFloat);
}

TEST(Coercion, ARealNumberBecomesComplex) {
  EXPECT_EQ(bound_text("complex x", int_value(2)), "2.0+0.0j");
}

TEST(Coercion, ATensorIsNoNumber) {
  EXPECT_ERROR_CONTAINS(bind_one("Scalar x", tensor_value()), "TypeError",
                        "must be Scalar, got Tensor; its item() is the number that it holds");
}

TEST(Coercion, PlainIntsAreSymInts) {
  EXPECT_EQ(bound_tag("SymInt x", int_value(3)), kOpwSymInt);
  EXPECT_EQ(bound_tag("SymInt[] x", ints_value({3, 4})), kOpwSymIntList);
}

TEST(Coercion, NoneIsForOptionalTypes) {
  EXPECT_EQ(bound_tag("Tensor? x", OpwValue{}), kOpwNone);
  EXPECT_ERROR_CONTAINS(bind_one("Tensor x", OpwValue{}), "TypeError", "must be Tensor, got None");
}

TEST(Coercion, AStringNamesADevice) {
  EXPECT_EQ(bound_text("Device x", text_value("cuda:1")), "\"cuda:1\"");
  EXPECT_ERROR_CONTAINS(bind_one("Device x", text_value("cdua")), "ValueError",
                        "a::f(): argument 'x' (position 1): unknown device 'cdua'");
  EXPECT_ERROR_CONTAINS(bind_one("ScalarType x", text_value("float32")), "TypeError",
                        "must be ScalarType, got str");
}

TEST(Coercion, ANumberIsRepeatedForAListOfFixedLength) {
  EXPECT_EQ(bound_text("int[2] x", int_value(3)), "[3, 3]");
  EXPECT_EQ(bound_text("int[2] x", ints_value({3})), "[3, 3]");
  EXPECT_EQ(bound_text("float[2] x", int_value(3)), "[3.0, 3.0]");
  EXPECT_ERROR_CONTAINS(bind_one("int[] x", int_value(3)), "TypeError", "must be int[], got int");
}

TEST(Coercion, RefusesAListOfAnotherLength) {
  EXPECT_ERROR_CONTAINS(bind_one("int[2] x", ints_value({1, 2, 3})), "TypeError",
                        "argument 'x' (position 1) must be int[2], got a list of 3");
}

TEST(Coercion, AnEmptyListStandsForOneOfFixedLengthThatWasNotGiven) {
  EXPECT_EQ(bound_text("int[2] x", ints_value({})), "[]");
}

TEST(Coercion, AListMayHaveTheLengthOfItsDefault) {
  EXPECT_EQ(bound_text("int[2] x=[]", ints_value({})), "[]");
}

TEST(Coercion, ALengthOfOneBoundsNothing) {
  EXPECT_EQ(bound_text("int[1] x", ints_value({1, 2, 3})), "[1, 2, 3]");
}

TEST(Coercion, AnEmptyListFitsEveryListType) {
  EXPECT_EQ(bound_tag("Tensor[] x", list_value({})), kOpwTensorList);
  EXPECT_EQ(bound_tag("str[] x", ints_value({})), kOpwList);
}

TEST(Coercion, ListsBecomeWhatTheTypeWants) {
  const std::vector<OpwValue> mixed{int_value(1), float_value(2.5), bool_value(true)};
  EXPECT_EQ(bound_text("float[] x", list_value(mixed)), "[1.0, 2.5, 1.0]");
  EXPECT_EQ(bound_tag("float[] x", list_value(mixed)), kOpwFloatList);
  EXPECT_EQ(bound_text("int?[] x", ints_value({1, 2})), "[1, 2]");
}

TEST(Coercion, AListOfTensorsFitsOptionalTensors) {
  OpwTensor* tensors[] = {some_tensor(), some_tensor()};
  OpwValue list{};
  list.tag = kOpwTensorList;
  list.length = 2;
  list.as_tensors = tensors;
  EXPECT_EQ(bound_tag("Tensor?[] x", list), kOpwList);
}

TEST(Coercion, NamesTheElementOfAWrongType) {
  const std::vector<OpwValue> mixed{int_value(1), text_value("two")};
  EXPECT_ERROR_CONTAINS(bind_one("int[] x", list_value(mixed)), "TypeError",
                        "argument 'x' (position 1) must be int[], but element 1 is str");
}

TEST(Coercion, ATupleWantsEachElementInItsPlace) {
  const std::vector<OpwValue> pair{int_value(1), int_value(2)};
  EXPECT_EQ(bound_text("(int, float) x", list_value(pair)), "[1, 2.0]");
  EXPECT_ERROR_CONTAINS(bind_one("(int, float, int) x", list_value(pair)), "TypeError",
                        "must be (int, float, int), got a list of 2");
}

TEST(Binding, MoreValuesGoToDots) {
  const Schema schema = parse_schema("prim::f(int a, ...) -> ()");
  EXPECT_EQ(bind_arguments(schema, Positional(3, int_value(1))).size(), 3u);
}

}  // namespace
}  // namespace opwright
