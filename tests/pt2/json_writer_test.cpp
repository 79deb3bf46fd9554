#include "opwright/pt2/container/json_writer.h"

#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/pt2/container/json.h"

namespace opwright::pt2 {
namespace {

TEST(JsonWriter, WritesInfinitiesAndNansAsTheirWords) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers = {1.5, infinity, -infinity,
                                       std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(to_text(json_list(numbers, json_float)), R"([1.5, "Infinity", "-Infinity", "NaN"])");
}

TEST(JsonWriter, KeepsTheOrderOfTheMembersOfAnObject) {
  EXPECT_EQ(to_text(json_object({{"b", json_string("x")}, {"a", JsonValue()}})),
            R"({"b": "x", "a": null})");
}

TEST(JsonWriter, WritesAMapByNames) {
  const std::map<std::string, std::string> names = {{"a", "x"}, {"b", "y"}};
  EXPECT_EQ(to_text(json_map(names, json_string)), R"({"a": "x", "b": "y"})");
}

}  // namespace
}  // namespace opwright::pt2
