#include "opwright/pt2/archive/call_tree_writer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace opwright::pt2 {
namespace {

constexpr const char* kLeaf = R"({"type": null, "context": null, "children_spec": []})";

WrittenCall write(const std::string& arguments, const std::string& results) {
  return write_call_trees({.arguments = arguments, .results = results}, {}, 0);
}

std::string results_of(const std::string& text) { return write("((), {})", text).results.json; }

TEST(CallTreeWriter, WritesContainersAsTorchDoes) {
  const std::string leaf = kLeaf;
  EXPECT_EQ(results_of("*"), "[1, " + leaf + "]");
  EXPECT_EQ(results_of("(*,)"), R"([1, {"type": "builtins.tuple", "context": "null", )"
                                R"("children_spec": [)" +
                                    leaf + "]}]");
  EXPECT_EQ(results_of(R"({"a": [*], 3: None})"),
            R"([1, {"type": "builtins.dict", "context": "[\"a\", 3]", "children_spec": [)"
            R"({"type": "builtins.list", "context": "null", "children_spec": [)" +
                leaf + "]}, " + leaf + "]}]");
  EXPECT_EQ(results_of(R"(OrderedDict({"a": *}))"),
            R"([1, {"type": "collections.OrderedDict", "context": "[\"a\"]", "children_spec": [)" +
                leaf + "]}]");
}

TEST(CallTreeWriter, CountsNoneAsALeaf) {
  const std::vector<char> expected = {0, 1, 0};
  EXPECT_EQ(write("((), {})", "(*, None, *)").results.is_none, expected);
}

TEST(CallTreeWriter, NamesTheArguments) {
  const WrittenCall call = write(R"(((x=*, *), {scale=*, "if": *}))", "*");
  const std::vector<std::string> expected = {"x", "args_1", "scale", "if"};
  EXPECT_EQ(call.argument_names, expected);
  EXPECT_NE(call.arguments.json.find(R"("context": "[\"scale\", \"if\"]")"), std::string::npos);
}

TEST(CallTreeWriter, ACallWithoutAStructureTakesItsInputsAndReturnsATuple) {
  const WrittenCall call = write_call_trees({}, {"x", "y"}, 2);
  const std::vector<std::string> names = {"x", "y"};
  EXPECT_EQ(call.argument_names, names);
  EXPECT_EQ(call.results.is_none.size(), 2U);
}

TEST(CallTreeWriter, RefusesAClassByName) {
  EXPECT_ERROR(results_of("dataclass \"models:Pair\"(left=*, right=*)"), "NotImplementedError",
               "save: the call of the program has the class 'models:Pair', which PyTorch could "
               "not load without its definition; a PyTorch archive may have tuples, lists, dicts "
               "and OrderedDicts");
}

TEST(CallTreeWriter, ReportsAnInvalidText) {
  EXPECT_ERROR(results_of("(*, "), "ValueError",
               "save: the structure of the call is not valid at character 5: (*, ");
}

}  // namespace
}  // namespace opwright::pt2
