// Covers: src/pt2/container/json_reader.
#include "opwright/pt2/container/json.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/pt2/container/json_reader.h"

namespace opwright::pt2 {
namespace {

JsonValue parse(const std::string& text) { return parse_json(text, "model.json"); }

TEST(Json, ReadsEveryKindOfValue) {
  const JsonValue value =
      parse(R"({"a": [1, -2.5e1, true, null], "b": "x\n\u00e9\ud83d\ude00", "c": {}})");
  ASSERT_EQ(value.kind(), JsonKind::Object);
  const auto& elements = value.find("a")->elements();
  EXPECT_EQ(elements[0].as_int(), 1);
  EXPECT_EQ(elements[1].as_float(), -25);
  EXPECT_TRUE(elements[2].as_bool());
  EXPECT_TRUE(elements[3].is_null());
  EXPECT_EQ(value.find("b")->as_string(), "x\n\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(value.find("c")->member_count(), 0U);
  EXPECT_EQ(value.find("d"), nullptr);
}

TEST(Json, AnIntegerOfMoreThan64BitsIsAFloat) {
  EXPECT_EQ(parse("9223372036854775807").as_int(), INT64_MAX);
  EXPECT_EQ(parse("9223372036854775808").as_float(), 9223372036854775808.0);
}

TEST(Json, ReportsWhereATextIsNotValid) {
  EXPECT_ERROR(parse("{\"a\": 1,\n \"b\" 2}"), "ValueError",
               "model.json: not valid JSON at line 2, column 6: ':' is expected");
  EXPECT_ERROR(parse("[1, 2"), "ValueError",
               "model.json: not valid JSON at line 1, column 6: ']' is expected");
  EXPECT_ERROR(parse("[01]"), "ValueError",
               "model.json: not valid JSON at line 1, column 2: a value is expected");
  EXPECT_ERROR(parse("\"a"), "ValueError",
               "model.json: not valid JSON at line 1, column 3: a string does not end on its line");
  EXPECT_ERROR(parse("\"\\ud800\""), "ValueError",
               "model.json: not valid JSON at line 1, column 8: a surrogate without its partner");
  EXPECT_ERROR(parse("1 2"), "ValueError",
               "model.json: not valid JSON at line 1, column 3: the end of the text is expected");
  EXPECT_ERROR(parse(""), "ValueError",
               "model.json: not valid JSON at line 1, column 1: a value is expected");
}

TEST(Json, RefusesRepeatedNames) {
  EXPECT_ERROR(parse(R"({"a": 1, "a": 2})"), "ValueError",
               "model.json: not valid JSON at line 1, column 17: the object has two members 'a'");
}

TEST(Json, RefusesDeepNesting) {
  const std::string deep(100'000, '[');
  EXPECT_ERROR(parse(deep), "ValueError",
               "model.json: not valid JSON at line 1, column 258: it is nested deeper than 256");
}

TEST(JsonReader, NamesThePathOfAValueOfAnotherKind) {
  const JsonValue value = parse(R"({"graph": {"nodes": [{"target": 3}]}})");
  const JsonReader root(value, "model.json");
  const JsonReader graph = root.member("graph");
  const JsonReader nodes = graph.member("nodes");
  const JsonReader node = nodes[0];
  EXPECT_ERROR(node.member("target").as_string(), "ValueError",
               "model.json: graph.nodes[0].target: a string is expected, got an int");
  EXPECT_ERROR(node.member("name"), "ValueError",
               "model.json: graph.nodes[0]: the member 'name' is missing");
}

TEST(JsonReader, ReadsFloatsThatJsonCannotWrite) {
  const JsonValue value = parse(R"(["Infinity", "-Infinity", "NaN", 2])");
  const JsonReader list(value, "model.json");
  EXPECT_EQ(list[0].as_float(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(list[1].as_float(), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(list[2].as_float()));
  EXPECT_EQ(list[3].as_float(), 2);
}

TEST(JsonReader, AUnionHasOneMember) {
  const JsonValue value = parse(R"([{"as_int": 3}, {"as_int": 3, "as_bool": true}])");
  const JsonReader list(value, "model.json");
  const JsonReader first = list[0];
  EXPECT_EQ(first.tag(), "as_int");
  EXPECT_EQ(first.content().as_int(), 3);
  EXPECT_ERROR((void)list[1].tag(), "ValueError",
               "model.json[1]: an object with one member is expected, got 2 members");
}

}  // namespace
}  // namespace opwright::pt2
