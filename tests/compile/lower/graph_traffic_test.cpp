#include "opwright/compile/lower/graph_traffic.h"

#include <string>

#include <gtest/gtest.h>

namespace opwright {
namespace {

std::string traffic_of(const char* graph) { return traffic_text(*parse_graph(graph)); }

TEST(GraphTraffic, CountsWhatEachCallReadsAndWrites) {
  EXPECT_EQ(traffic_of("graph(%x: float32[4, 8], %y: float32[4, 8]) -> (%b) {\n"
                       "  %a: float32[4, 8] = aten::add.Tensor(%x, %y)\n"
                       "  %b: float32[4, 8] = aten::mul.Tensor(%a, %a)\n"
                       "}\n"),
            "moved 640\n"  // the intermediate value is written and read
            "least 384\n"
            "aten::add.Tensor reads 256, writes 128\n"
            "aten::mul.Tensor reads 128, writes 128\n");
}

TEST(GraphTraffic, CountsElementsThatAreShownManyTimesOnce) {
  EXPECT_EQ(traffic_of("graph(%x: float32[4, 8] strides [0, 1]) -> (%a) {\n"
                       "  %a: float32[4, 8] = aten::sin(%x)\n"
                       "}\n"),
            "moved 160\nleast 160\naten::sin reads 32, writes 128\n");
}

TEST(GraphTraffic, CountsNoViews) {
  EXPECT_EQ(traffic_of("graph(%x: float32[4, 8]) -> (%v) {\n"
                       "  %t: float32[8, 4] strides [1, 8] = aten::t(%x)\n"
                       "  %v: float32[4] strides [8] = aten::select.int(%t, 0, 1)\n"
                       "}\n"),
            "moved 0\nleast 0\n");
}

TEST(GraphTraffic, CountsInputsThatAreWritten) {
  EXPECT_EQ(traffic_of("graph(%x: float32[4], %y: float32[4]) -> () {\n"
                       "  %a: float32[4] = aten::sin(%y)\n"
                       "  %c: float32[4] = aten::copy_(%x, %a)\n"
                       "}\n"),
            "moved 64\nleast 32\naten::sin reads 16, writes 16\naten::copy_ reads 16, writes 16\n");
}

TEST(GraphTraffic, CountsNoInputThatNothingReadsAndAnOutputOnce) {
  EXPECT_EQ(traffic_of("graph(%x: float32[4], %y: float32[4]) -> (%a, %a, %x) {\n"
                       "  %a: float32[4] = aten::sin(%x)\n"
                       "}\n"),
            "moved 32\nleast 32\naten::sin reads 16, writes 16\n");
}

TEST(GraphTraffic, TakesTheSizesOfTheCapturedCall) {
  EXPECT_EQ(traffic_of("graph(%x: float32[s0, 8]) -> (%a) {\n"
                       "  symbol s0 in [2, inf], hint 5, from x.size(0)\n"
                       "  %a: float32[s0, 8] = aten::sin(%x)\n"
                       "}\n"),
            "moved 320\nleast 320\naten::sin reads 160, writes 160\n");
}

TEST(GraphTraffic, CountsNothingOfAnEmptyTensor) {
  EXPECT_EQ(traffic_of("graph(%x: float32[0, 8]) -> (%a) {\n"
                       "  %a: float32[0, 8] = aten::sin(%x)\n"
                       "}\n"),
            "moved 0\nleast 0\n");
}

}  // namespace
}  // namespace opwright
