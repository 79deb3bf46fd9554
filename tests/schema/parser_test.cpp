// Covers: src/base/ascii, src/schema/lexer, src/schema/type_parser, src/schema/default_parser,
//   src/schema/alias_info, src/schema/schema, src/schema/schema_source, src/schema/string_literal,
//   src/schema/constant, src/schema/constant_names, src/schema/opaque_types.
#include "opwright/schema/parser.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace opwright {
namespace {

Argument only_argument(const std::string& argument) {
  return parse_schema("audio::f(" + argument + ") -> ()").arguments.at(0);
}

std::string printed(const std::string& text) { return to_text(parse_schema(text)); }

std::string default_of(const std::string& argument) {
  return value_text(only_argument(argument).default_value->get());
}

TEST(SchemaParser, KeepsADefaultValueWithItsType) {
  const Schema schema = parse_schema("audio::soft_clip(Tensor x, float limit=1.0) -> Tensor");

  const Argument& limit = schema.argument("limit");
  EXPECT_EQ(limit.type, Type::Float);
  EXPECT_EQ(limit.default_value, Value(1.0));
}

TEST(SchemaParser, ReadsNamespaceNameAndOverload) {
  const Schema schema = parse_schema("audio::mix.out(Tensor x) -> Tensor");

  EXPECT_EQ(schema.name, (OperatorName{"audio", "mix", "out"}));
  EXPECT_EQ(schema.full_name(), "audio::mix.out");
  EXPECT_EQ(schema.name.packet(), "audio::mix");
}

TEST(SchemaParser, TakesANameWithoutANamespace) {
  EXPECT_EQ(parse_schema("mix() -> ()").full_name(), "mix");
}

TEST(SchemaParser, ArgumentsBehindTheStarAreKeywordOnly) {
  const Schema schema = parse_schema("audio::f(int a, *, int b) -> ()");

  EXPECT_FALSE(schema.argument("a").is_keyword_only);
  EXPECT_TRUE(schema.argument("b").is_keyword_only);
  EXPECT_EQ(schema.num_positional(), 1u);
}

TEST(SchemaParser, NamesMayBeKeywordsOfPythonAndOfTheLanguage) {
  const std::string text =
      "audio::print(int from, int in, int if, int int, int Tensor, int lambda) -> int return";
  EXPECT_EQ(printed(text), text);
}

TEST(SchemaParser, ReadsTheAliasMarksOfListAndElement) {
  const Argument argument = only_argument("Tensor(a)[](b!) x");

  EXPECT_EQ(argument.alias.before, std::vector<std::string>{"b"});
  EXPECT_TRUE(argument.alias.is_write);
  EXPECT_EQ(argument.alias.element(0).before, std::vector<std::string>{"a"});
  EXPECT_FALSE(argument.alias.element(0).is_write);
}

TEST(SchemaParser, ReadsTheSetsBeforeAndAfter) {
  const AliasInfo alias = only_argument("Tensor(a! -> c|b|*) x").alias;

  EXPECT_EQ(alias.before, std::vector<std::string>{"a"});
  EXPECT_EQ(alias.after, (std::vector<std::string>{"b", "c", "*"}));
  EXPECT_TRUE(alias.is_write);
}

TEST(SchemaParser, AMarkBehindTheQuestionMarkBelongsToTheType) {
  EXPECT_EQ(printed("a::f(Tensor?(a!) x) -> ()"), "a::f(Tensor(a!)? x) -> ()");
}

TEST(SchemaParser, TheShorthandForAWrittenTensorRoundTrips) {
  const std::string text = "audio::f(Tensor! x, Tensor[]! y) -> ()";
  EXPECT_TRUE(parse_schema(text).is_mutable());
  EXPECT_EQ(printed(text), text);
}

TEST(SchemaParser, ReadsEveryKindOfDefault) {
  EXPECT_EQ(default_of("int x=-3"), "-3");
  EXPECT_EQ(default_of("int x=-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(default_of("float x=1"), "1.0");
  EXPECT_EQ(default_of("float x=-.5e-3"), "-0.0005");
  EXPECT_EQ(default_of("float x=-inf"), "-inf");
  EXPECT_EQ(default_of("float x=nan"), "nan");
  EXPECT_EQ(default_of("bool x=True"), "True");
  EXPECT_EQ(default_of("Scalar x=2"), "2");
  EXPECT_EQ(default_of("Scalar x=2."), "2.0");
  EXPECT_EQ(default_of("complex x=1-2j"), "1.0-2.0j");
  EXPECT_EQ(default_of("complex x=2.5j"), "2.5j");
  EXPECT_EQ(default_of("ScalarType x=long"), "int64");
  EXPECT_EQ(default_of("ScalarType x=6"), "float32");
  EXPECT_EQ(default_of("Device x=\"cuda:1\""), "\"cuda:1\"");
  EXPECT_EQ(default_of("Device x=cpu"), "\"cpu\"");
  EXPECT_EQ(default_of("Layout x=strided"), "strided");
  EXPECT_EQ(default_of("MemoryFormat x=0"), "contiguous_format");
  EXPECT_EQ(default_of("int reduction=Mean"), "1");
  EXPECT_EQ(default_of("Tensor? x=None"), "None");
  EXPECT_EQ(default_of("str[] x=[\"a\", 'b']"), "[\"a\", \"b\"]");
  EXPECT_EQ(default_of("int?[] x=[1, None]"), "[1, None]");
  EXPECT_EQ(default_of("int[][] x=[[1], []]"), "[[1], []]");
  EXPECT_EQ(default_of("(int, float) x=(1, 2)"), "[1, 2.0]");
  EXPECT_EQ(default_of("Tensor[] x=[]"), "[]");
}

TEST(SchemaParser, ADefaultHasTheTagOfItsType) {
  EXPECT_EQ(only_argument("SymInt x=1").default_value->tag(), kOpwSymInt);
  EXPECT_EQ(only_argument("SymInt[2] x=1").default_value->tag(), kOpwSymIntList);
  EXPECT_EQ(only_argument("float? x=1").default_value->tag(), kOpwFloat);
  EXPECT_EQ(only_argument("bool[] x=[]").default_value->tag(), kOpwBoolList);
}

TEST(SchemaParser, RepeatsADefaultOfAListOfFixedLength) {
  EXPECT_EQ(default_of("int[2] x=3"), "[3, 3]");
  EXPECT_EQ(printed("a::f(int[2] x=3) -> ()"), "a::f(int[2] x=3) -> ()");
  EXPECT_EQ(printed("a::f(int[2] x=[]) -> ()"), "a::f(int[2] x=[]) -> ()");
}

TEST(SchemaParser, ReadsStringsInBothQuotesWithTheirEscapes) {
  EXPECT_EQ(only_argument(R"(str x="a\"\n\t\\\101\x42\u00e9")").default_value,
            Value(std::string("a\"\n\t\\ABé")));
  EXPECT_EQ(only_argument(R"(str x='it\'s')").default_value, Value(std::string("it's")));
  EXPECT_EQ(only_argument(R"(str x="""a"b""")").default_value, Value(std::string("a\"b")));
}

TEST(SchemaParser, NotANumberEqualsItself) {
  EXPECT_EQ(parse_schema("a::f(float x=nan) -> ()"), parse_schema("a::f(float x=nan) -> ()"));
  EXPECT_NE(parse_schema("a::f(float x=0.0) -> ()"), parse_schema("a::f(float x=-0.0) -> ()"));
}

TEST(SchemaParser, ReadsVarargsAndVarrets) {
  const Schema schema = parse_schema("prim::f(int a, ...) -> (int, ...)");

  EXPECT_TRUE(schema.is_vararg);
  EXPECT_TRUE(schema.is_varret);
  EXPECT_EQ(printed("prim::f(...) -> (...)"), "prim::f(...) -> ...");
}

TEST(SchemaParser, ASingleReturnNeedsNoParenthesesButATupleDoes) {
  EXPECT_EQ(printed("a::f() -> (int x)"), "a::f() -> int x");
  EXPECT_EQ(printed("a::f() -> ((int, int))"), "a::f() -> ((int, int))");
}

TEST(SchemaParser, SkipsCommentsAndNewlines) {
  EXPECT_EQ(printed("a::f(\n  int x  # the number\n) -> ()"), "a::f(int x) -> ()");
}

TEST(SchemaParser, KnowsRegisteredTypesByTheirDottedName) {
  OpaqueTypes types;
  types.add("audio.Filter");
  const Schema schema = parse_schema("audio::f(audio.Filter[] x) -> ()", {}, &types);

  EXPECT_EQ(schema.arguments[0].type, Type::list_of(Type::with_name(Type::Opaque, "audio.Filter")));
  EXPECT_ERROR_CONTAINS(parse_schema("audio::f(audio.Filter x) -> ()"), "ValueError",
                        "unknown type 'audio.Filter' at column 10");
}

TEST(SchemaParser, AnUnknownArgumentIsNamedWithTheClosest) {
  const Schema schema = parse_schema("audio::f(int limit) -> ()");
  EXPECT_ERROR_CONTAINS(schema.argument("limt"), "ValueError",
                        "audio::f has no argument 'limt'; did you mean 'limit'?");
}

TEST(OperatorNameParser, ReadsNameAndOverload) {
  EXPECT_EQ(parse_operator_name("audio::mix.out"), (OperatorName{"audio", "mix", "out"}));
  EXPECT_EQ(parse_operator_name("audio::mix.default"), (OperatorName{"audio", "mix", ""}));
}

TEST(OperatorNameParser, ShowsTheFormOfAName) {
  EXPECT_ERROR_CONTAINS(parse_operator_name("mix"), "ValueError",
                        "'mix' has no namespace at column 1");
  EXPECT_ERROR_CONTAINS(parse_operator_name("mix"), "ValueError",
                        "an operator is named namespace::name or namespace::name.overload.");
  EXPECT_ERROR_CONTAINS(parse_operator_name("a::b::c"), "ValueError",
                        "a name has one namespace at column 5");
  EXPECT_ERROR_CONTAINS(parse_operator_name(""), "ValueError", "the name is missing");
  EXPECT_ERROR_CONTAINS(parse_operator_name("a::b()"), "ValueError",
                        "expected the end of the name, got '('");
}

}  // namespace
}  // namespace opwright
