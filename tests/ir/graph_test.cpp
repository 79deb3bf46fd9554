// Covers: src/ir/graph/*.
#include "opwright/ir/graph/graph.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ir/graph_operators.h"

namespace opwright {
namespace {

using testing::arg;
using testing::constant;
using testing::fake;
using testing::insert;
using testing::insert_add;

class GraphTest : public ::testing::Test {
 protected:
  GraphPtr graph_ = make_intrusive<Graph>();
  GraphValue& x_ = graph_->add_input("x", Value(fake({2, 3})));
  testing::GraphOperators operators_;
};

TEST_F(GraphTest, NamesValuesAsTheirOperatorsWithNumbers) {
  GraphValue& first = insert_add(*graph_, x_, x_);
  GraphValue& second = insert_add(*graph_, x_, first);
  GraphValue& negative = insert(*graph_, "test::negative", {arg(x_)}, fake({2, 3}));

  EXPECT_EQ(first.name(), "add");
  EXPECT_EQ(second.name(), "add_1");
  EXPECT_EQ(negative.name(), "negative");
}

TEST_F(GraphTest, KeepsKeywordsBuiltinsAndOtherCharactersOutOfNames) {
  EXPECT_EQ(graph_->add_input("sum", Value(fake({1}))).name(), "sum_1");
  EXPECT_EQ(graph_->add_input("lambda", Value(fake({1}))).name(), "lambda_1");
  EXPECT_EQ(graph_->add_input("a.b-c", Value(fake({1}))).name(), "a_b_c");
  EXPECT_EQ(graph_->add_input("0", Value(fake({1}))).name(), "_0");
  EXPECT_EQ(graph_->add_input("", Value(fake({1}))).name(), "_unnamed");
  EXPECT_EQ(graph_->add_input("x", Value(fake({1}))).name(), "x_1");
  EXPECT_EQ(graph_->add_input("x_1", Value(fake({1}))).name(), "x_2");
  EXPECT_EQ(graph_->add_input("y_7", Value(fake({1}))).name(), "y_7");
  EXPECT_EQ(graph_->add_input("y", Value(fake({1}))).name(), "y_8");
}

TEST_F(GraphTest, CountsAUserOnceForEachPlace) {
  GraphValue& add = insert_add(*graph_, x_, x_);

  EXPECT_EQ(std::vector<Node*>(x_.users().begin(), x_.users().end()),
            (std::vector<Node*>{&add.node(), &add.node()}));
}

TEST_F(GraphTest, ReplacesEveryUse) {
  GraphValue& y = graph_->add_input("y", Value(fake({2, 3})));
  GraphValue& add = insert_add(*graph_, x_, x_);
  graph_->set_outputs({arg(x_), NodeArgument::list({arg(x_), arg(add)})});

  graph_->replace_uses(x_, y);

  EXPECT_TRUE(x_.users().empty());
  EXPECT_EQ(y.users().size(), 4);
  EXPECT_EQ(&add.node().args()[1].value(), &y);
  EXPECT_EQ(&graph_->outputs()[1].elements()[0].value(), &y);
}

TEST_F(GraphTest, PutsCallsBeforeTheNodeThatIsNamedOrBeforeTheOutput) {
  GraphValue& last = insert_add(*graph_, x_, x_);
  graph_->set_outputs({arg(last)});
  GraphValue& first = insert_add(*graph_, x_, x_, &last.node());
  GraphValue& end = insert_add(*graph_, x_, x_);

  EXPECT_EQ(first.node().next(), &last.node());
  EXPECT_EQ(last.node().next(), &end.node());
  EXPECT_EQ(end.node().next(), graph_->output());
  EXPECT_EQ(graph_->output()->next(), nullptr);
  EXPECT_EQ(graph_->num_nodes(), 5);
}

TEST_F(GraphTest, AddsInputsBehindTheInputsThereAre) {
  GraphValue& add = insert_add(*graph_, x_, x_);
  GraphValue& y = graph_->add_input("y", Value(fake({2, 3})));

  EXPECT_EQ(x_.node().next(), &y.node());
  EXPECT_EQ(y.node().next(), &add.node());
  EXPECT_EQ(graph_->inputs(), (std::vector<GraphValue*>{&x_, &y}));
}

TEST_F(GraphTest, MovesANode) {
  GraphValue& first = insert_add(*graph_, x_, x_);
  GraphValue& second = insert_add(*graph_, x_, x_);

  graph_->move_before(second.node(), first.node());

  EXPECT_EQ(x_.node().next(), &second.node());
  EXPECT_EQ(second.node().next(), &first.node());
  EXPECT_EQ(first.node().next(), nullptr);
}

TEST_F(GraphTest, RefusesToEraseWhatIsUsed) {
  GraphValue& add = insert_add(*graph_, x_, x_);
  insert(*graph_, "test::negative", {arg(add)}, fake({2, 3}));

  EXPECT_ERROR(graph_->erase(add.node()), "ValueError",
               "graph: '%add = test::add(%x, %x)' cannot be erased while '%negative = "
               "test::negative(%add)' uses %add; replace its uses first");
}

TEST_F(GraphTest, EraseDropsTheUsesAndTheName) {
  GraphValue& add = insert_add(*graph_, x_, x_);

  graph_->erase(add.node());

  EXPECT_TRUE(x_.users().empty());
  EXPECT_EQ(graph_->find("add"), nullptr);
  EXPECT_EQ(graph_->num_nodes(), 1);
  EXPECT_TRUE(add.node().is_erased());
}

TEST_F(GraphTest, RefusesAnErasedNodeEverywhere) {
  GraphValue& add = insert_add(*graph_, x_, x_);
  graph_->erase(add.node());

  EXPECT_ERROR(graph_->erase(add.node()), "ValueError",
               "graph: the node was erased from its graph");
  EXPECT_ERROR(graph_->set_outputs({arg(add)}), "ValueError",
               "graph: %add was erased from the graph");
  EXPECT_ERROR(graph_->replace_uses(x_, add), "ValueError",
               "graph: the node was erased from its graph");
  EXPECT_ERROR(graph_->rename(add, "y"), "ValueError", "graph: the node was erased from its graph");
}

TEST_F(GraphTest, RefusesAPlaceBeforeAnInput) {
  EXPECT_ERROR(insert_add(*graph_, x_, x_, &x_.node()), "ValueError",
               "graph: nothing can be inserted before the input %x; inputs come first");
}

TEST_F(GraphTest, RefusesValuesOfAnotherGraph) {
  Graph other;
  GraphValue& y = other.add_input("y", Value(fake({2, 3})));

  EXPECT_ERROR(insert_add(*graph_, x_, y), "ValueError", "graph: %y is a value of another graph");
  EXPECT_TRUE(y.users().empty());
}

TEST_F(GraphTest, RefusesAnotherNumberOfResults) {
  CallDescription call{
      .op = &testing::op("test::add"), .args = {}, .results = {}, .site = {}, .module_path = {}};

  EXPECT_ERROR(graph_->insert_call(std::move(call)), "ValueError",
               "graph: test::add has 1 results, the call was given 0");
}

TEST_F(GraphTest, RefusesNamesThatAreTakenOrNone) {
  GraphValue& add = insert_add(*graph_, x_, x_);

  EXPECT_ERROR(graph_->rename(add, "x"), "ValueError", "graph: the name %x is taken");
  EXPECT_ERROR(graph_->rename(add, "1x"), "ValueError",
               "graph: '1x' cannot name a value; a name is a Python identifier that is not a "
               "keyword or builtin");
  graph_->rename(add, "total");
  EXPECT_EQ(graph_->find("total"), &add);
  EXPECT_EQ(graph_->find("add"), nullptr);
}

TEST_F(GraphTest, RefusesInputsThatAreNeitherTensorsNorInts) {
  EXPECT_ERROR(graph_->add_input("y", Value(true)), "TypeError",
               "graph: %y must be a tensor or an int, got bool");
}

TEST_F(GraphTest, KeepsTensorsAndSymIntsAsValuesAndDropsOtherResults) {
  std::vector<Value> results;
  results.emplace_back(fake({2}));
  results.emplace_back();
  results.emplace_back(int64_t{3});
  Node& node = graph_->insert_call({.op = &testing::op("test::split"),
                                    .args = {arg(x_)},
                                    .results = std::move(results),
                                    .site = {},
                                    .module_path = {}});

  ASSERT_EQ(node.results().size(), 3);
  EXPECT_EQ(node.values().size(), 1);
  EXPECT_EQ(node.results()[1].count, 0);
  EXPECT_EQ(node.results()[2].count, 0);
}

TEST_F(GraphTest, CopiesIntoAnEqualGraphWithNodesOfItsOwn) {
  GraphValue& add = insert_add(*graph_, x_, x_);
  std::vector<Value> halves;
  halves.emplace_back(std::vector<Tensor>{fake({1, 3}), fake({1, 3})});
  Node& split = graph_->insert_call({.op = &testing::op("test::halves"),
                                     .args = {arg(add)},
                                     .results = std::move(halves),
                                     .site = {"model.py", 3},
                                     .module_path = "encoder",
                                     .grad_mode = false});
  graph_->set_outputs({NodeArgument::list({arg(split.values()[0]), arg(split.values()[1])})});

  const GraphPtr copy = graph_->copy();

  EXPECT_TRUE(is_equal(*copy, *graph_));
  EXPECT_NE(copy->find("add"), &add);
  copy->rename(*copy->find("add"), "sum_of_both");
  EXPECT_FALSE(is_equal(*copy, *graph_));
}

TEST(LargeGraph, HoldsAMillionNodesAndEndsWithoutRecursion) {
  const testing::GraphOperators operators;
  auto graph = make_intrusive<Graph>();
  GraphValue* value = &graph->add_input("x", Value(fake({2})));
  const Tensor meta = fake({2});
  const Operator& op = testing::op("test::negative");
  for (int i = 0; i < 1'000'000; ++i) {
    std::vector<Value> results;
    results.emplace_back(meta);
    value = graph
                ->insert_call({.op = &op,
                               .args = {arg(*value)},
                               .results = std::move(results),
                               .site = {},
                               .module_path = {}})
                .values()
                .data();
  }
  graph->set_outputs({arg(*value)});

  EXPECT_EQ(graph->num_nodes(), 1'000'002);
  EXPECT_EQ(value->name(), "negative_999999");
  verify(*graph);
}

}  // namespace
}  // namespace opwright
