// What the passes do besides the text: numbers, bound constants, large graphs.
//
// Covers: src/ir/passes/*.
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ir/graph_operators.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/passes/common_subexpressions.h"
#include "opwright/ir/passes/dead_code.h"
#include "opwright/ir/passes/fold_constants.h"

namespace opwright {
namespace {

using testing::arg;
using testing::fake;
using testing::tensor;
using testing::values_of;

class GraphPasses : public ::testing::Test {
 protected:
  testing::GraphOperators operators_;
};

TEST_F(GraphPasses, TellHowManyNodesWent) {
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[2]) -> (%d) {\n"
      "  %a: float32[2] = test::full([2], 2.0)\n"
      "  %b: float32[2] = test::negative(%x)\n"
      "  %c: float32[2] = test::negative(%x)\n"
      "  %d: float32[2] = test::add(%b, %a)\n"
      "}\n");

  EXPECT_EQ(share_common_subexpressions(*graph), 1);
  EXPECT_EQ(fold_constants(*graph), 1);
  EXPECT_EQ(remove_dead_code(*graph), 0);
  EXPECT_EQ(remove_dead_code(*parse_graph("graph(%x: float32[2]) -> () { %y: float32[2] = "
                                          "test::negative(%x) }")),
            1);
}

TEST_F(GraphPasses, FoldConstantsThatTheGraphIsBoundTo) {
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[2], constant %c: float32[2]) -> (%b) {\n"
      "  %a: float32[2] = test::negative(%c)\n"
      "  %b: float32[2] = test::add(%x, %a)\n"
      "}\n");
  graph->bind_input(*graph->find("c"), tensor({10, 20}));

  EXPECT_EQ(fold_constants(*graph), 1);

  const Value x(tensor({1, 2}));
  EXPECT_EQ(values_of(evaluate(*graph, std::span(&x.get(), 1))[0]), (std::vector<float>{-9, -18}));
  EXPECT_EQ(values_of(graph->find("a")->node().bound()), (std::vector<float>{-10, -20}));
}

TEST_F(GraphPasses, LeaveANodeThatFailsWhereItIs) {
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[2]) -> (%b) {\n"
      "  %a: float32[2] = test::full([-2], 2.0)\n"
      "  %b: float32[2] = test::add(%x, %a)\n"
      "}\n");

  EXPECT_EQ(fold_constants(*graph), 0);
}

TEST_F(GraphPasses, TakeLinearTimeOverManyUsersOfOneValue) {
  auto graph = make_intrusive<Graph>();
  GraphValue& x = graph->add_input("x", Value(fake({2})));
  const Tensor meta = fake({2});
  const Operator& op = testing::op("test::negative");
  for (int i = 0; i < 200'000; ++i) {
    std::vector<Value> results;
    results.emplace_back(meta);
    graph->insert_call({.op = &op,
                        .args = {arg(x)},
                        .results = std::move(results),
                        .site = {},
                        .module_path = {}});
  }
  graph->set_outputs({arg(x)});

  EXPECT_EQ(share_common_subexpressions(*graph), 199'999);
  EXPECT_EQ(remove_dead_code(*graph), 1);
}

}  // namespace
}  // namespace opwright
