#include "opwright/ir/text/python_code.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ir/graph_operators.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {
namespace {

class GraphCode : public ::testing::Test {
 protected:
  testing::GraphOperators operators_;
};

constexpr const char* kText =
    "graph(%x: float32[s0, 3], %y: float32[2*s1 + 1], captured %w: float32[3]) -> (%a, [%low, "
    "%high], s1 + u0) {\n"
    "  symbol s0 in [2, inf], hint 5\n"
    "  symbol s1 in [2, inf], hint 4\n"
    "  symbol u0 in [0, inf]\n"
    "  %a: float32[s0, 3] = test::add(%x, %w, alpha=inf)  # model.py:3\n"
    "  [%low: float32[s0], %high: float32[s0]] = test::halves(%a), in encoder  # model.py:4\n"
    "  %positive: float32[u0] = test::positive(%a), no_grad\n"
    "  %full: float32[u0] = test::full([u0, 2*s1], 1.5)\n"
    "  test::send(%positive)\n"
    "}\n";

TEST_F(GraphCode, IsAFunctionOfTheInputs) {
  EXPECT_EQ(python_code(*parse_graph(kText)),
            "def forward(self, x, y):\n"
            "    w = self.w\n"
            "    s1 = (y.size(0) - 1) // 2\n"
            "    a = opwright.ops.test.add.default(x, w, alpha=float(\"inf\"))\n"
            "    [low, high] = opwright.ops.test.halves.default(a)\n"
            "    with opwright.no_grad():\n"
            "        positive = opwright.ops.test.positive.default(a)\n"
            "        u0 = positive.size(0)\n"
            "    full = opwright.ops.test.full.default([u0, 2*s1], 1.5)\n"
            "    opwright.ops.test.send.default(positive)\n"
            "    return (a, [low, high], s1 + u0)\n");
}

TEST_F(GraphCode, ShowsTypesAndLinesToPeople) {
  EXPECT_EQ(readable_code(*parse_graph(kText), "Net"),
            "class Net:\n"
            "    def forward(self, x: \"float32[s0, 3]\", y: \"float32[2*s1 + 1]\"):\n"
            "        w: \"float32[3]\" = self.w\n"
            "        s1 = (y.size(0) - 1) // 2\n"
            "\n"
            "        # File: model.py:3\n"
            "        a: \"float32[s0, 3]\" = opwright.ops.test.add.default(x, w, "
            "alpha=float(\"inf\"))\n"
            "\n"
            "        # File: model.py:4, module encoder\n"
            "        [low, high] = opwright.ops.test.halves.default(a)  # float32[s0], "
            "float32[s0]\n"
            "\n"
            "        # no line is known\n"
            "        with opwright.no_grad():\n"
            "            positive: \"float32[u0]\" = opwright.ops.test.positive.default(a)\n"
            "            u0 = positive.size(0)\n"
            "        full: \"float32[u0]\" = opwright.ops.test.full.default([u0, 2*s1], 1.5)\n"
            "        opwright.ops.test.send.default(positive)\n"
            "        return (a, [low, high], s1 + u0)\n");
}

TEST_F(GraphCode, WritesConstantsAsPythonDoes) {
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[2], %n: int(s0)) -> (%e) {\n"
      "  symbol s0 in [-inf, inf], hint 4\n"
      "  %e: float32[2] = test::everything(%x, 2, nan, True, \"a\\\"b\", [1], [0.5], [True], "
      "[\"c\"], False, bfloat16, device(\"cuda:1\"), strided, channels_last, 1.0-infj, %x, [%x, "
      "None], [[1], []], [4, s0], k=s0 // 2)\n"
      "}\n");

  EXPECT_EQ(
      python_code(*graph),
      "def forward(self, x, n):\n"
      "    s0 = n\n"
      "    e = opwright.ops.test.everything.default(x, 2, float(\"nan\"), True, \"a\\\"b\", "
      "[1], [0.5], [True], [\"c\"], False, opwright.bfloat16, opwright.device(\"cuda:1\"), "
      "opwright.strided, opwright.channels_last, complex(1.0, float(\"-inf\")), x, [x, None], "
      "[[1], []], [4, s0], k=s0//2)\n"
      "    return e\n");
}

TEST_F(GraphCode, KeepsSymbolsApartFromValuesOfTheirName) {
  const GraphPtr graph = parse_graph(
      "graph(%s0: float32[s0]) -> (%full) {\n"
      "  symbol s0 in [2, inf], hint 4\n"
      "  %full: float32[2*s0 + 1] = test::full([2*s0 + 1], 1.0)\n"
      "}\n");

  EXPECT_EQ(python_code(*graph),
            "def forward(self, s0):\n"
            "    s0_ = s0.size(0)\n"
            "    full = opwright.ops.test.full.default([2*s0_ + 1], 1.0)\n"
            "    return full\n");
}

TEST_F(GraphCode, ReadsSubGraphsFromItsModule) {
  const GraphPtr graph = parse_graph(
      "graph(%p: bool[], %x: float32[2], constant %c: float32[2]) -> (%y) {\n"
      "  [%y: float32[2]] = test::branch(%p, graph(%x: float32[2]) -> (%x) {\n"
      "  }, graph(%x: float32[2]) -> () {\n"
      "  }, [%x, %c])\n"
      "}\n");

  EXPECT_EQ(python_code(*graph),
            "def forward(self, p, x):\n"
            "    c = self.c\n"
            "    [y] = opwright.ops.test.branch.default(p, self.sub_graph_0, self.sub_graph_1, [x, "
            "c])\n"
            "    return y\n");
  const auto attributes = python_attributes(*graph);
  ASSERT_EQ(attributes.size(), 3);
  EXPECT_EQ(attributes[0].first, "c");
  EXPECT_TRUE(attributes[0].second.is_none());
  EXPECT_EQ(attributes[2].first, "sub_graph_1");
  EXPECT_TRUE(is_graph(attributes[2].second.get()));
}

TEST_F(GraphCode, ShowsAPictureInTheLanguageOfDot) {
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[2], captured %w: float32[2]) -> (%high) {\n"
      "  [%low: float32[1], %high: float32[1]] = test::halves(%x)  # \"a \\\"b\\\".py\":3\n"
      "}\n");

  EXPECT_EQ(to_dot(*graph),
            "digraph graph_ {\n"
            "  node [style=filled, fontname=\"monospace\", fontsize=10];\n"
            "  n0 [shape=ellipse, fillcolor=\"#dce9f7\", label=\"x: float32[2]\\l\"];\n"
            "  n1 [shape=ellipse, fillcolor=\"#f7ecd9\", label=\"w: float32[2]\\l\"];\n"
            "  n2 [shape=box, fillcolor=\"#f4f4f4\", label=\"test::halves\\llow: "
            "float32[1]\\lhigh: float32[1]\\la \\\"b\\\".py:3\\l\"];\n"
            "  n0 -> n2;\n"
            "  n3 [shape=ellipse, fillcolor=\"#e2f2df\", label=\"output\"];\n"
            "  n2 -> n3 [label=\"high\", fontsize=9];\n"
            "}\n");
}

}  // namespace
}  // namespace opwright
