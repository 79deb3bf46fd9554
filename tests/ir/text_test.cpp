// The text of graphs: its content, and that parsing it restores the same graph.
//
// Covers: src/ir/text/*.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ir/graph_operators.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

using testing::arg;
using testing::constant;
using testing::fake;
using testing::insert;
using testing::insert_add;
using testing::op;

// Prints, parses, and compares both ways.
void expect_text(const Graph& graph, const std::string& text) {
  EXPECT_EQ(to_text(graph), text);
  const GraphPtr again = parse_graph(text);
  EXPECT_TRUE(is_equal(*again, graph));
  EXPECT_EQ(to_text(*again), text);
}
// For a text in the form that to_text writes.
void expect_reads_back(const std::string& text) { EXPECT_EQ(to_text(*parse_graph(text)), text); }

class GraphText : public ::testing::Test {
 protected:
  testing::GraphOperators operators_;
  GraphPtr graph_ = make_intrusive<Graph>();
};

TEST_F(GraphText, ShowsInputsNodesOutputsAndLines) {
  GraphValue& x = graph_->add_input("x", Value(fake({2, 3})));
  GraphValue& y = graph_->add_input("y", Value(fake({2, 3}, DType::Float64)), InputRole::Captured,
                                    {}, {"model.py", 7});
  std::vector<Value> results;
  results.emplace_back(fake({2, 3}));
  Node& add = graph_->insert_call({.op = &op("test::add"),
                                   .args = {arg(x), arg(y), constant(2.0)},
                                   .results = std::move(results),
                                   .site = {"model.py", 12},
                                   .module_path = "encoder.layers.0",
                                   .grad_mode = false});
  graph_->set_outputs({arg(add.values()[0])});

  expect_text(*graph_,
              "graph(%x: float32[2, 3], captured %y: float64[2, 3] at model.py:7) -> (%add) {\n"
              "  %add: float32[2, 3] = test::add(%x, %y, alpha=2.0), no_grad, in encoder.layers.0  "
              "# model.py:12\n"
              "}\n");
}

TEST_F(GraphText, LeavesDefaultsOutAndNamesWhatFollowsThem) {
  expect_reads_back(
      "graph(%x: float32[2]) -> (%everything) {\n"
      "  %everything: float32[2] = test::everything(%x, f=1.5, k=4)\n"
      "}\n");
  expect_reads_back(
      "graph(%x: float32[2]) -> (%everything) {\n"
      "  %everything: float32[2] = test::everything(%x, 2, 1.5)\n"
      "}\n");
}

TEST_F(GraphText, ShowsTheMetadataOfTensors) {
  expect_reads_back(
      "graph(%a: float32[2, 3] strides [1, 2], %b: bool[] offset(3), %c: float16[4] on cuda:0, %d: "
      "float32[4, 1] strides [1, 7] offset(2) on meta grad, constant %e: int64[0], random_state "
      "%f: "
      "int64[2], %n: int(-5)) -> () {\n"
      "}\n");
}

TEST_F(GraphText, ReadsEveryKindOfConstantBack) {
  expect_reads_back(
      "graph(%x: float32[2]) -> (%everything) {\n"
      "  %everything: float32[2] = test::everything(%x, -9223372036854775808, -0.0, True, "
      "\"a\\\"\\n\\001\\\\ \xc3\xa9\", [1, -2], [0.1, inf, -inf, nan, 5e-324, "
      "1.7976931348623157e+308], [True, False], [\"x\", \"\"], 2.5, bfloat16, device(\"cuda:1\"), "
      "strided, channels_last, 1.0-2.0j, %x, [%x, None], [[1, 2], [], [3]], [4, 5], k=7)\n"
      "}\n");
  expect_reads_back(
      "graph(%x: float32[2]) -> (%everything) {\n"
      "  %everything: float32[2] = test::everything(%x, n=True, c=nan+infj)\n"
      "}\n");
}

TEST_F(GraphText, ShowsSeveralResultsListsAndMissingOnes) {
  expect_reads_back(
      "graph(%x: float32[4]) -> ([%halves, %halves_1], %low, None, [1, 2], 3, \"text\") {\n"
      "  [%halves: float32[2], %halves_1: float32[2]] = test::halves(%x)\n"
      "  %low: float32[4], _, _ = test::split(%x)\n"
      "  %a: float32[4], %b: float32[4], %c: int(4) = test::split(%x)\n"
      "  [] = test::halves(%x)\n"
      "  test::send(%x)\n"
      "}\n");
}

TEST_F(GraphText, NestsSubGraphs) {
  expect_reads_back(
      "graph(%p: bool[], %x: float32[2]) -> (%branch) {\n"
      "  [%branch: float32[2]] = test::branch(%p, graph(%x: float32[2]) -> (%negative) {\n"
      "    %negative: float32[2] = test::negative(%x)  # model.py:3\n"
      "  }, graph(%x: float32[2]) -> (%x) {\n"
      "  }, [%x])  # model.py:2\n"
      "}\n");
}

TEST_F(GraphText, ShowsSymbolsGuardsAndAssertions) {
  expect_reads_back(
      "graph(%x: float32[s0, 3], %y: float32[2*s0], %n: int(s1)) -> (%positive, s0 + u0) {\n"
      "  symbol s0 in [2, 8], hint 5, from x.size(0)\n"
      "  symbol s1 in [-inf, inf], hint 7, from \"a b\"\n"
      "  symbol u0 in [0, 8]  # model.py:9\n"
      "  guard s0 <= 8  # model.py:12, asked at src/ops/view/view.cpp:3\n"
      "  guard 2*s0 != s1  # asked at \"a file.cpp\":4\n"
      "  assert u0 <= s0, \"too many\"  # model.py:13\n"
      "  %full: float32[s0, s0 + 2*s1] = test::full([s0, s0 + 2*s1], 1.0)\n"
      "  %positive: float32[u0] = test::positive(%x)\n"
      "}\n");
}

TEST_F(GraphText, ShowsStridesOnlyWhereSymbolsMakeThemNotDense) {
  expect_reads_back(
      "graph(%x: float32[s0, s1], %y: float32[s0, s1] strides [1, s0]) -> () {\n"
      "  symbol s0 in [2, inf], hint 5, from x.size(0)\n"
      "  symbol s1 in [2, inf], hint 7, from x.size(1)\n"
      "}\n");
}

TEST_F(GraphText, KeepsWhatATraceLearned) {
  auto env = make_intrusive<ShapeEnv>();
  const SymInt rows = env->make_size(5, "x.size(0)");
  const SymInt columns = env->make_size(6, "x.size(1)");
  auto graph = make_intrusive<Graph>(env);
  GraphValue& x = graph->add_input("x", Value(fake({rows, columns})));
  graph->set_outputs({arg(x)});
  EXPECT_TRUE(rows < columns);
  EXPECT_TRUE(rows + 1 == columns);
  EXPECT_FALSE(rows % 2 == 0);

  const GraphPtr again = parse_graph(to_text(*graph));

  EXPECT_TRUE(is_equal(*again, *graph)) << to_text(*graph) << to_text(*again);
}

TEST_F(GraphText, KeepsExpressionsThatLaterFactsWouldSimplify) {
  auto env = make_intrusive<ShapeEnv>();
  const SymInt found = env->make_unbacked();
  auto graph = make_intrusive<Graph>(env);
  GraphValue& x = graph->add_input("x", Value(fake({2})));
  insert(*graph, "test::positive", {arg(x)}, fake({found}));
  const std::vector<SymInt> sizes = {3, sym_max(found, 1), (found + 2) / 2};
  insert(*graph, "test::full", {NodeArgument::constant(Value(sizes)), constant(1.0)},
         fake({SymInt(3), found}));
  graph->set_outputs({});
  check(found >= 2, "at least two");
  check(found % 2 == 0, "even");

  const GraphPtr again = parse_graph(to_text(*graph));

  EXPECT_TRUE(is_equal(*again, *graph)) << to_text(*graph) << to_text(*again);
}

TEST_F(GraphText, IsReadWithCommentsAndBlanksAnywhere) {
  const GraphPtr graph = parse_graph(
      "# a graph\n  graph (  %x :float32[ 2 ])->(%y){ # nothing: here\n\n %y\n : float32[2]  = "
      "test::negative( %x\n)  # in words\n}  # end\n");

  EXPECT_EQ(to_text(*graph),
            "graph(%x: float32[2]) -> (%y) {\n  %y: float32[2] = test::negative(%x)\n}\n");
}

TEST_F(GraphText, CoercesConstantsThatAPersonWrote) {
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[2]) -> (%y) { %y: float32[2] = test::everything(%x, f=1, size=3) }");

  EXPECT_EQ(to_text(*graph),
            "graph(%x: float32[2]) -> (%y) {\n  %y: float32[2] = test::everything(%x, f=1.0, "
            "size=[3, 3])\n}\n");
}

TEST_F(GraphText, QuotesFilesWithOtherCharacters) {
  expect_reads_back(
      "graph(%x: float32[2] at \"my model.py\":3) -> (%y) {\n"
      "  %y: float32[2] = test::negative(%x)  # \"C:\\\\a, asked at b.py\":12\n"
      "}\n");
}

TEST_F(GraphText, DoesNotReadObjectsBack) {
  graph_->add_input("x", Value(fake({2})));
  const Registration any = Registry::get().define("test::any(Generator value) -> ()");
  graph_->insert_call({.op = &op("test::any"),
                       .args = {constant(make_generator(kCpu))},
                       .results = {},
                       .site = {},
                       .module_path = {}});
  graph_->set_outputs({});

  const std::string text = to_text(*graph_);

  EXPECT_EQ(text, "graph(%x: float32[2]) -> () {\n  test::any(object(\"Generator\"))\n}\n");
  EXPECT_ERROR(parse_graph(text), "ValueError",
               "graph: an object of type Generator cannot be read from text at line 2, column 19\n"
               "      test::any(object(\"Generator\"))\n"
               "                      ^^^^^^^^^^^^^\n"
               "  give the operator an argument that a text can hold, or keep the graph as an "
               "object.");
}

TEST_F(GraphText, TellsEqualFromDifferentGraphs) {
  const std::string text =
      "graph(%x: float32[s0]) -> (%y) {\n"
      "  symbol s0 in [2, inf], hint 5\n"
      "  %y: float32[s0] = test::negative(%x)  # a.py:1\n"
      "}\n";
  const GraphPtr graph = parse_graph(text);
  const auto differs = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    for (size_t at = other.find(from); at != std::string::npos;
         at = other.find(from, at + to.size())) {
      other.replace(at, from.size(), to);
    }
    return !is_equal(*graph, *parse_graph(other));
  };

  EXPECT_TRUE(is_equal(*graph, *parse_graph(text)));
  EXPECT_TRUE(differs("%y", "%z"));
  EXPECT_TRUE(differs("float32", "float64"));
  EXPECT_TRUE(differs("hint 5", "hint 6"));
  EXPECT_TRUE(differs("[2, inf]", "[2, 9]"));
  EXPECT_TRUE(differs("a.py:1", "a.py:2"));
  EXPECT_TRUE(differs("negative", "random"));
  EXPECT_TRUE(differs("(%x)", "(%x), no_grad"));
  EXPECT_TRUE(differs("-> (%y)", "-> (%x)"));
}

}  // namespace
}  // namespace opwright
