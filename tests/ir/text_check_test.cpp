#include "opwright/ir/graph/text_check.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ir/check_graph_texts.h"
#include "ir/graph_operators.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {
namespace {

TEST(GraphTextCheck, ComparesEveryGraphThatEnds) {
  const testing::GraphOperators operators;
  const size_t before = num_checked_graph_texts();

  (void)parse_graph("graph(%x: float32[2]) -> (%y) { %y: float32[2] = test::negative(%x) }");

  EXPECT_EQ(num_checked_graph_texts(), before + 1);
  EXPECT_TRUE(take_graph_text_failures().empty());
}

TEST(GraphTextCheck, LeavesOutWhatCannotBeRead) {
  const size_t before = num_checked_graph_texts();

  {
    const Graph without_outputs;
  }

  EXPECT_EQ(num_checked_graph_texts(), before);
}

TEST(GraphTextCheck, TellsOfAGraphThatDoesNotReadBack) {
  const testing::GraphOperators operators;
  GraphPtr graph = parse_graph(
      "graph(%x: float32[2]) -> (%y) { %y: float32[2] = test::everything(%x, dtype=float32) }");
  Node& node = graph->find("y")->node();
  std::vector<NodeArgument> args(node.args().begin(), node.args().end());
  args[10] = NodeArgument::constant(Value::take(make_value(kOpwDtype, 12345)));
  graph->set_arguments(node, std::move(args));

  graph = nullptr;

  const std::vector<std::string> failures = take_graph_text_failures();
  ASSERT_EQ(failures.size(), 1);
  EXPECT_NE(failures[0].find("dtype=12345"), std::string::npos) << failures[0];
}

}  // namespace
}  // namespace opwright
