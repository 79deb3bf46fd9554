#include "opwright/compile/lower/whole_views.h"

#include <string>

#include <gtest/gtest.h>

#include "opwright/ir/graph/graph.h"

namespace opwright {
namespace {

std::string remove(const std::string& text) {
  const GraphPtr graph = parse_graph(text);
  remove_whole_views(*graph);
  verify(*graph);
  return to_text(*graph);
}

TEST(TellViews, MakesViewsOfThoseThatTheirSchemaHides) {
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[6]) -> (%exp, %given) {\n"
      "  %shown: float32[2, 3] = aten::_unsafe_view(%x, [2, 3])\n"
      "  %exp: float32[2, 3] = aten::exp(%shown)\n"
      "  %given: float32[3, 2] = aten::_unsafe_view(%x, [3, 2])\n"
      "}\n");

  EXPECT_EQ(tell_views(*graph), 1);

  EXPECT_EQ(to_text(*graph),
            "graph(%x: float32[6]) -> (%exp, %given) {\n"
            "  %view: float32[2, 3] = aten::view(%x, [2, 3])\n"
            "  %exp: float32[2, 3] = aten::exp(%view)\n"
            "  %given: float32[3, 2] = aten::_unsafe_view(%x, [3, 2])\n"
            "}\n");
}

TEST(RemoveWholeViews, TakesTheBaseInPlaceOfAViewOfAllOfIt) {
  EXPECT_EQ(remove("graph(%x: float32[2, 3]) -> (%exp) {\n"
                   "  %expand: float32[2, 3] = aten::expand(%x, [2, 3])\n"
                   "  %view: float32[2, 3] = aten::view(%expand, [2, 3])\n"
                   "  %exp: float32[2, 3] = aten::exp(%view)\n"
                   "}\n"),
            "graph(%x: float32[2, 3]) -> (%exp) {\n"
            "  %exp: float32[2, 3] = aten::exp(%x)\n"
            "}\n");
}

TEST(RemoveWholeViews, KeepsViewsThatShowSomethingElse) {
  const std::string text =
      "graph(%x: float32[2, 3]) -> (%exp) {\n"
      "  %view: float32[3, 2] = aten::view(%x, [3, 2])\n"
      "  %exp: float32[3, 2] = aten::exp(%view)\n"
      "}\n";

  EXPECT_EQ(remove(text), text);
}

TEST(RemoveWholeViews, KeepsViewsThatTheCallerGets) {
  const std::string text =
      "graph(%x: float32[2, 3]) -> (%view) {\n"
      "  %view: float32[2, 3] = aten::view(%x, [2, 3])\n"
      "}\n";

  EXPECT_EQ(remove(text), text);
}

}  // namespace
}  // namespace opwright
