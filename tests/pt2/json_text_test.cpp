#include <string>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/pt2/container/json.h"

namespace opwright::pt2 {
namespace {

std::string written_again(const std::string& text) { return to_text(parse_json(text, "m.json")); }

TEST(JsonText, WritesEveryKindOfValue) {
  const std::string text =
      R"({"a": [1, -2.5, true, false, null, []], "b\n\"\\": "x\u0001é", "c": {}})";
  EXPECT_EQ(written_again(text),
            R"({"a": [1, -2.5, true, false, null, []], "b\u000a\"\\": "x\u0001é", "c": {}})");
}

TEST(JsonText, KeepsFloatsExactlyAndApartFromInts) {
  EXPECT_EQ(written_again("[1.0, 0.1, 1e300, -9223372036854775808]"),
            "[1.0, 0.1, 1e+300, -9223372036854775808]");
}

TEST(JsonText, RefusesTextThatIsNotUtf8) {
  EXPECT_ERROR(to_text(JsonValue(std::string("a\xff"))), "ValueError",
               "save: a name or string of the program is not UTF-8: a\xff");
}

}  // namespace
}  // namespace opwright::pt2
