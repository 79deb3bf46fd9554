#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/schema/parser.h"

namespace opwright {
namespace {

// "ValueError: text" of the error that the call throws; "nothing" if it throws none.
template <class Call>
std::string message_of(Call call) {
  const auto error = testing::error_of(call);
  return error ? concatenate(error->kind(), ": ", error->text()) : "nothing";
}

std::string parse_error(const std::string& text) {
  return message_of([&] { (void)parse_schema(text); });
}
std::string argument_error(const std::string& argument) {
  return parse_error("a::f(" + argument + ") -> ()");
}
std::string definition_error(const std::string& text) {
  return message_of([&] { (void)parse_definition(text); });
}

TEST(SchemaError, ShowsTheTokenTheSuggestionAndThePlace) {
  const auto define = [] {
    (void)parse_definition("soft_clip(Tensr x, float limit=1.0) -> Tensor",
                           {"operators/soft_clip.cpp", 30}, "audio");
  };
  EXPECT_EQ(message_of(define),
            "ValueError: schema of audio::soft_clip: unknown type 'Tensr' at column 11\n"
            "    soft_clip(Tensr x, float limit=1.0) -> Tensor\n"
            "              ^^^^^\n"
            "  did you mean 'Tensor'? registered at operators/soft_clip.cpp:30");
}

TEST(SchemaError, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(parse_error("a::f(Xyzzy x) -> ()"),
            "ValueError: schema of a::f: unknown type 'Xyzzy' at column 6\n"
            "    a::f(Xyzzy x) -> ()\n"
            "         ^^^^^");
}

TEST(SchemaError, NamesTheLineOfATextWithSeveral) {
  EXPECT_EQ(parse_error("a::f(\n  int x,\n  Tensr y) -> ()"),
            "ValueError: schema of a::f: unknown type 'Tensr' at line 3, column 3\n"
            "      Tensr y) -> ()\n"
            "      ^^^^^\n"
            "  did you mean 'Tensor'?");
}

TEST(SchemaError, UnderlinesBelowCharactersOfSeveralBytes) {
  EXPECT_EQ(parse_error("a::f(str x=\"é\", Tensr y) -> ()"),
            "ValueError: schema of a::f: unknown type 'Tensr' at column 17\n"
            "    a::f(str x=\"é\", Tensr y) -> ()\n"
            "                    ^^^^^\n"
            "  did you mean 'Tensor'?");
}

TEST(SchemaError, PointsBehindATextThatEnds) {
  EXPECT_EQ(parse_error("a::f(int x"),
            "ValueError: schema of a::f: expected ')', but the text ends at column 11\n"
            "    a::f(int x\n"
            "              ^");
}

TEST(SchemaError, NamesWhatWasExpected) {
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(int x)"), "ValueError",
                        "expected '->' and the returns, but the text ends at column 12");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(int) -> ()"), "ValueError",
                        "expected the name of the int argument, got ')' at column 9");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(int x,) -> ()"), "ValueError",
                        "expected a type, got ')' at column 12");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f() -> () x"), "ValueError",
                        "expected the end, got 'x' at column 14");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f() -> $"), "ValueError",
                        "'$' has no meaning in a schema at column 11");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(str x=\"a) -> ()"), "ValueError",
                        "the string has no closing \" at column 12");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(str x=\"\\q\") -> ()"), "ValueError",
                        "unknown escape '\\q' in a string at column 13");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(..., int x) -> ()"), "ValueError",
                        "'...' must be the last of the arguments at column 11");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f() -> (..., int)"), "ValueError",
                        "'...' must be the last of the returns at column 17");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f.default() -> ()"), "ValueError",
                        "'default' is what the overload without a name is called");
}

TEST(SchemaError, TellsHowThisLanguageWritesAForeignType) {
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(Optional[int] x) -> ()"), "ValueError",
                        "write 'T?' for an optional T.");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(List[int] x) -> ()"), "ValueError",
                        "write 'T[]' for a list of T.");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(Dict(int) x) -> ()"), "ValueError",
                        "'Dict' takes two types at column 6");
}

TEST(SchemaError, RefusesDuplicateArgumentNames) {
  EXPECT_EQ(parse_error("a::f(int x, int x) -> ()"),
            "ValueError: schema of a::f: there are two arguments 'x' at column 17\n"
            "    a::f(int x, int x) -> ()\n"
            "                    ^");
}

TEST(SchemaError, RefusesAnArgumentWithoutADefaultBehindOneThatHas) {
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(int x=1, int y) -> ()"), "ValueError",
                        "argument 'y' has no default but follows one that has at column 19");
}

TEST(SchemaError, RefusesNumbersThatAreNotDecimal) {
  EXPECT_EQ(argument_error("int x=0x10"),
            "ValueError: schema of a::f: '0x10' is not a decimal number at column 12\n"
            "    a::f(int x=0x10) -> ()\n"
            "               ^^^^");
}

TEST(SchemaError, RefusesADefaultThatDoesNotFitItsType) {
  EXPECT_EQ(
      argument_error("int x=1e3"),
      "ValueError: schema of a::f: the default of an int must be an int, got '1e3' at column 12\n"
      "    a::f(int x=1e3) -> ()\n"
      "               ^^^");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(int x=-1.5) -> ()"), "ValueError",
                        "must be an int, got '-1.5' at column 12");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(int x=99999999999999999999) -> ()"), "ValueError",
                        "'99999999999999999999' does not fit an int");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(float x=1e999) -> ()"), "ValueError",
                        "'1e999' does not fit a float");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(bool x=true) -> ()"), "ValueError",
                        "must be True or False, got 'true'");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(bool x=true) -> ()"), "ValueError",
                        "did you mean 'True'?");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(str x=a) -> ()"), "ValueError",
                        "must be a string in quotes, got 'a'");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(ScalarType x=flaot) -> ()"), "ValueError",
                        "did you mean 'float'?");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(Device x=\"cdua\") -> ()"), "ValueError",
                        "unknown device 'cdua'");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(int[] x=1) -> ()"), "ValueError",
                        "must be a list, got '1'");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(Tensor x=None) -> ()"), "ValueError",
                        "None cannot be the default of a Tensor");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(Tensor x=None) -> ()"), "ValueError",
                        "did you mean 'Tensor?'?");
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(Dict(str, int) x=1) -> ()"), "ValueError",
                        "a Dict(str, int) can have no default");
}

TEST(SchemaError, RefusesTypesThatAreNestedTooDeeply) {
  const std::string deep = std::string(1000, '(') + "int" + std::string(1000, ')');
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(" + deep + " x) -> ()"), "ValueError",
                        "types may be nested 32 deep");
  EXPECT_ERROR_CONTAINS(
      parse_schema(
          "a::f(int[][][][][][][][][][][][][][][][][][][][][][][][][][][][][][][][][] x) -> ()"),
      "ValueError", "types may be nested 32 deep");
}

TEST(SchemaError, RefusesListsThatAreTooLong) {
  EXPECT_ERROR_CONTAINS(parse_schema("a::f(int[5000] x) -> ()"), "ValueError",
                        "a whole number up to 1024, got '5000'");
  std::string text = "a::f(int x";
  for (int i = 0; i < 1024; ++i) text.append(", int x").append(std::to_string(i));
  EXPECT_ERROR_CONTAINS(parse_schema(text + ") -> ()"), "ValueError",
                        "there can be 1024 arguments, these are more");
}

TEST(OperatorDefinition, RefusesAReturnedAliasThatNoArgumentHas) {
  EXPECT_ERROR_CONTAINS(parse_definition("audio::normalize_(Tensor(a!) x) -> Tensor(b)"),
                        "ValueError", "alias 'b' is returned but no argument has it at column 43");
}

TEST(OperatorDefinition, TakesAReturnedAliasThatAnArgumentHas) {
  EXPECT_EQ(definition_error("audio::f(Tensor(a!)[] x, Tensor(b)? y) -> (Tensor(a!), Tensor(b))"),
            "nothing");
}

TEST(OperatorDefinition, RefusesAReturnedWriteMarkWithoutAName) {
  EXPECT_ERROR_CONTAINS(
      parse_definition("audio::f(Tensor! x) -> Tensor!"), "ValueError",
      "a returned '!' must name the alias of the argument that is written at column 30");
}

TEST(OperatorDefinition, RefusesAWriteMarkOnWhatHoldsNoTensor) {
  EXPECT_ERROR_CONTAINS(parse_definition("audio::f(int(a!) x) -> ()"), "ValueError",
                        "only a Tensor or a list of Tensors can be written, not int at column 15");
}

TEST(OperatorDefinition, RefusesTypesThatCannotCrossTheAbi) {
  EXPECT_EQ(
      definition_error("audio::f(Dict(str, int)[] x) -> ()"),
      "ValueError: schema of audio::f: type 'Dict(str, int)' cannot cross the ABI at column 10\n"
      "    audio::f(Dict(str, int)[] x) -> ()\n"
      "             ^^^^^^^^^^^^^^^^");
  EXPECT_ERROR_CONTAINS(parse_definition("audio::f() -> Any"), "ValueError",
                        "type 'Any' cannot cross the ABI at column 15");
  EXPECT_ERROR_CONTAINS(parse_definition("audio::f(t x) -> ()"), "ValueError",
                        "type 't' cannot cross the ABI");
}

TEST(OperatorDefinition, TakesAMisspelledLowerCaseTypeForWhatItIs) {
  EXPECT_ERROR_CONTAINS(parse_definition("audio::f(flaot x) -> ()"), "ValueError",
                        "unknown type 'flaot' at column 10");
  EXPECT_ERROR_CONTAINS(parse_definition("audio::f(double x) -> ()"), "ValueError",
                        "did you mean 'float'?");
}

TEST(OperatorDefinition, RefusesDots) {
  EXPECT_ERROR_CONTAINS(parse_definition("audio::f(...) -> ()"), "ValueError",
                        "an operator cannot be defined with '...' at column 10");
  EXPECT_ERROR_CONTAINS(parse_definition("audio::f() -> ..."), "ValueError",
                        "an operator cannot be defined with '...' at column 15");
}

TEST(OperatorDefinition, RefusesMoreThan64Arguments) {
  std::string text = "audio::f(";
  for (int i = 0; i < 65; ++i) text.append(i ? ", " : "").append("int x").append(std::to_string(i));
  EXPECT_ERROR_CONTAINS(parse_definition(text + ") -> ()"), "ValueError",
                        "there can be 64 arguments, these are more");
}

TEST(OperatorDefinition, RefusesANameWithoutANamespace) {
  EXPECT_EQ(definition_error("mix(Tensor x) -> Tensor"),
            "ValueError: schema of mix: 'mix' has no namespace at column 1\n"
            "    mix(Tensor x) -> Tensor\n"
            "    ^^^\n"
            "  an operator is named namespace::name or namespace::name.overload.");
}

TEST(OperatorDefinition, TakesTheNamespaceOfItsLibrary) {
  EXPECT_EQ(parse_definition("mix(Tensor x) -> Tensor", {}, "audio").full_name(), "audio::mix");
  EXPECT_EQ(parse_definition("audio::mix(Tensor x) -> Tensor", {}, "audio").full_name(),
            "audio::mix");
  EXPECT_ERROR_CONTAINS(
      parse_definition("video::mix(Tensor x) -> Tensor", {}, "audio"), "ValueError",
      "'video::mix' does not belong to the library of namespace 'audio' at column 1");
}

TEST(OperatorDefinition, RefusesAStarThatDoesNothing) {
  EXPECT_ERROR_CONTAINS(parse_definition("audio::f(int x, *) -> ()"), "ValueError",
                        "'*' must stand once, before the keyword-only arguments");
}

}  // namespace
}  // namespace opwright
