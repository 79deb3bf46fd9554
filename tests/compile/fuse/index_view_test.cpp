#include "opwright/compile/fuse/index_view.h"

#include <string>

#include <gtest/gtest.h>

#include "opwright/ir/graph/graph.h"

namespace opwright {
namespace {

// The root of the last value of the graph, and which of its dimensions each dimension shows.
std::string seen_through(const std::string& text) {
  const GraphPtr graph = parse_graph(text);
  const IndexView view = look_through(graph->outputs()[0].value());
  std::string result = view.root->name() + ":";
  for (const int32_t dim : view.dims) result += dim == kNoDim ? " -" : " " + std::to_string(dim);
  return result;
}

TEST(LookThrough, FollowsPermutedDimensions) {
  EXPECT_EQ(
      seen_through("graph(%x: float32[2, 3, 4]) -> (%v) {\n"
                   "  %v: float32[4, 2, 3] strides [1, 12, 4] = aten::permute(%x, [2, 0, 1])\n"
                   "}\n"),
      "x: 2 0 1");
}

TEST(LookThrough, TellsDimensionsOfSizeOneAndRepeatedOnesFromOthers) {
  EXPECT_EQ(seen_through("graph(%x: float32[3]) -> (%v) {\n"
                         "  %u: float32[1, 3] = aten::unsqueeze(%x, 0)\n"
                         "  %v: float32[5, 3] strides [0, 1] = aten::expand(%u, [5, 3])\n"
                         "}\n"),
            "x: - 0");
}

TEST(LookThrough, FollowsSymbolicSizes) {
  EXPECT_EQ(seen_through("graph(%x: float32[s0, s1]) -> (%v) {\n"
                         "  symbol s0 in [2, inf], hint 4, from x.size(0)\n"
                         "  symbol s1 in [2, inf], hint 5, from x.size(1)\n"
                         "  %v: float32[s1, s0] strides [1, s1] = aten::t(%x)\n"
                         "}\n"),
            "x: 1 0");
}

TEST(LookThrough, StopsAtAViewOfAPart) {
  EXPECT_EQ(seen_through("graph(%x: float32[4, 3]) -> (%v) {\n"
                         "  %p: float32[2, 3] = aten::slice.Tensor(%x, 0, 0, 2)\n"
                         "  %v: float32[1, 2, 3] = aten::unsqueeze(%p, 0)\n"
                         "}\n"),
            "p: - 0 1");
}

TEST(LookThrough, StopsAtDimensionsThatAreParted) {
  EXPECT_EQ(seen_through("graph(%x: float32[4, 3]) -> (%v) {\n"
                         "  %v: float32[2, 2, 3] = aten::view(%x, [2, 2, 3])\n"
                         "}\n"),
            "v: 0 1 2");
}

}  // namespace
}  // namespace opwright
