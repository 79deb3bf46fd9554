// An invalid graph is rejected, with a specific message for each fault.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ir/graph_operators.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

using testing::arg;
using testing::constant;
using testing::fake;
using testing::insert;
using testing::insert_add;
using testing::op;

class VerifyGraph : public ::testing::Test {
 protected:
  testing::GraphOperators operators_;
  ShapeEnvPtr env_ = make_intrusive<ShapeEnv>();
  GraphPtr graph_ = make_intrusive<Graph>(env_);
  GraphValue& x_ = graph_->add_input("x", Value(fake({2, 3})));
};

TEST_F(VerifyGraph, WantsOutputs) {
  EXPECT_ERROR(verify(*graph_), "ValueError", "graph: it has no outputs; call set_outputs");
}

TEST_F(VerifyGraph, RefusesAValueBeforeItIsComputed) {
  GraphValue& first = insert_add(*graph_, x_, x_);
  GraphValue& second = insert_add(*graph_, first, x_);
  graph_->set_outputs({arg(second)});
  graph_->move_before(second.node(), first.node());

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: '%add_1 = test::add(%add, %x)' uses %add before '%add = test::add(%x, %x)' "
               "computes it; move that node before this one");
}

TEST_F(VerifyGraph, RefusesAnotherNumberOfArguments) {
  insert(*graph_, "test::add", {arg(x_)}, fake({2, 3}));
  graph_->set_outputs({});

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: '%add = test::add(%x)' has 1 arguments, test::add takes 3");
}

TEST_F(VerifyGraph, RefusesConstantsOfAnotherType) {
  insert(*graph_, "test::add", {arg(x_), constant(int64_t{3}), constant(1.0)}, fake({2, 3}));
  graph_->set_outputs({});

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: '%add = test::add(%x, 3)' is given 3 for 'y', which is Tensor");
}

TEST_F(VerifyGraph, RefusesValuesOfAnotherType) {
  GraphValue& n = graph_->add_input("n", Value(int64_t{4}));
  insert(*graph_, "test::add", {arg(x_), arg(n), constant(1.0)}, fake({2, 3}));
  graph_->set_outputs({});

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: '%add = test::add(%x, %n)' is given %n, int(4), for 'y', which is Tensor");
}

TEST_F(VerifyGraph, RefusesAListWhereNoneIs) {
  insert(*graph_, "test::add", {arg(x_), NodeArgument::list({arg(x_)}), constant(1.0)},
         fake({2, 3}));
  graph_->set_outputs({});

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: '%add = test::add(%x, [%x])' is given a list for 'y', which is Tensor");
}

TEST_F(VerifyGraph, NamesTheLineOfANode) {
  std::vector<Value> results;
  results.emplace_back(fake({2, 3}));
  graph_->insert_call({.op = &op("test::negative"),
                       .args = {NodeArgument()},
                       .results = std::move(results),
                       .site = {"model.py", 12},
                       .module_path = {}});
  graph_->set_outputs({});

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: '%negative = test::negative(None)' (model.py:12) is given None for 'x', "
               "which is Tensor");
}

TEST_F(VerifyGraph, RefusesResultsThatDoNotFitTheSchema) {
  std::vector<Value> results;
  results.emplace_back(SymInt(3));
  graph_->insert_call({.op = &op("test::negative"),
                       .args = {arg(x_)},
                       .results = std::move(results),
                       .site = {},
                       .module_path = {}});
  graph_->set_outputs({});

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: '%negative = test::negative(%x)' gives %negative, int(3), as its result 0, "
               "which is Tensor");
}

TEST_F(VerifyGraph, RefusesAMissingResult) {
  graph_->insert_call({.op = &op("test::negative"),
                       .args = {arg(x_)},
                       .results = std::vector<Value>(1),
                       .site = {},
                       .module_path = {}});
  graph_->set_outputs({});

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: 'test::negative(%x)' has no value for its result 0, which is Tensor");
}

TEST_F(VerifyGraph, RefusesAListResultOfOneTensor) {
  std::vector<Value> results;
  results.emplace_back(std::vector<Tensor>{fake({2})});
  graph_->insert_call({.op = &op("test::negative"),
                       .args = {arg(x_)},
                       .results = std::move(results),
                       .site = {},
                       .module_path = {}});
  graph_->set_outputs({});

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: '%negative = test::negative(%x)' gives a list as its result 0, which is "
               "Tensor");
}

TEST_F(VerifyGraph, RefusesARemovedOperator) {
  Registration defined = Registry::get().define("test::passing(Tensor x) -> Tensor");
  insert(*graph_, "test::passing", {arg(x_)}, fake({2, 3}));
  graph_->set_outputs({});
  defined.remove();

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: '%passing = test::passing(%x)' calls test::passing, which was removed from "
               "the registry; load the library that defines it");
}

TEST_F(VerifyGraph, RefusesASymbolThatNothingBinds) {
  const SymInt rows = env_->make_size(5, "y.size(0)");
  insert(*graph_, "test::full",
         {NodeArgument::constant(Value(std::vector<SymInt>{rows})), constant(1.0)}, fake({rows}));
  graph_->set_outputs({});

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: '%full = test::full([s0], 1.0)' uses the symbol s0, which no input and no "
               "earlier node binds; give the graph an input of that size");
}

TEST_F(VerifyGraph, TakesSymbolsFromInputsAndEarlierNodes) {
  const SymInt rows = env_->make_size(5, "y.size(0)");
  const SymInt found = env_->make_unbacked();
  graph_->add_input("y", Value(fake({rows * 2 + 1})));
  insert(*graph_, "test::positive", {arg(x_)}, fake({found}));
  const SymInt sizes[] = {rows, found};
  insert(*graph_, "test::full",
         {NodeArgument::constant(Value(std::vector<SymInt>(sizes, sizes + 2))), constant(1.0)},
         fake({rows, found}));
  graph_->set_outputs({});

  EXPECT_NO_THROW(verify(*graph_));
}

TEST_F(VerifyGraph, RefusesAnInputWhoseSizeNoSymbolGives) {
  const SymInt rows = env_->make_size(5, "y.size(0)");
  const SymInt columns = env_->make_size(7, "y.size(1)");
  graph_->add_input("y", Value(fake({rows * columns})));
  graph_->set_outputs({});

  EXPECT_ERROR(
      verify(*graph_), "ValueError",
      "graph: 'input %y' uses the symbol s0, which no input and no earlier node binds; give "
      "the graph an input of that size");
}

TEST_F(VerifyGraph, RefusesSymbolsOfAnotherTrace) {
  const auto other = make_intrusive<ShapeEnv>();
  graph_->add_input("y", Value(fake({other->make_size(5, "y.size(0)")})));
  graph_->set_outputs({});

  EXPECT_ERROR(
      verify(*graph_), "ValueError",
      "graph: 'input %y' has the size s0 of another trace; the symbols of a graph are those "
      "of its own environment");
}

TEST_F(VerifyGraph, RefusesAFaultInASubGraph) {
  auto inner = make_intrusive<Graph>(env_);
  GraphValue& y = inner->add_input("y", Value(fake({2})));
  insert(*inner, "test::add", {arg(y), constant(true), constant(1.0)}, fake({2}));
  inner->set_outputs({arg(y)});
  std::vector<Value> results;
  results.emplace_back(std::vector<Tensor>{fake({2})});
  graph_->insert_call(
      {.op = &op("test::branch"),
       .args = {arg(x_), NodeArgument::constant(graph_value(inner)),
                NodeArgument::constant(graph_value(inner)), NodeArgument::list({arg(x_)})},
       .results = std::move(results),
       .site = {},
       .module_path = {}});
  graph_->set_outputs({});

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: in a sub-graph of test::branch: '%add = test::add(%y, True)' is given True "
               "for 'y', which is Tensor");
}

TEST_F(VerifyGraph, RefusesASubGraphOfAnotherTrace) {
  auto inner = make_intrusive<Graph>(make_intrusive<ShapeEnv>());
  inner->set_outputs({});
  std::vector<Value> results;
  results.emplace_back(std::vector<Tensor>{fake({2})});
  graph_->insert_call(
      {.op = &op("test::branch"),
       .args = {arg(x_), NodeArgument::constant(graph_value(inner)),
                NodeArgument::constant(graph_value(inner)), NodeArgument::list({arg(x_)})},
       .results = std::move(results),
       .site = {},
       .module_path = {}});
  graph_->set_outputs({});

  EXPECT_ERROR_CONTAINS(
      verify(*graph_), "ValueError",
      "has a sub-graph with symbols of its own; trace it in the environment of the "
      "graph around it");
}

TEST_F(VerifyGraph, RefusesAGraphAsAnOutput) {
  auto inner = make_intrusive<Graph>();
  inner->set_outputs({});
  graph_->set_outputs({NodeArgument::constant(graph_value(inner))});

  EXPECT_ERROR(verify(*graph_), "ValueError",
               "graph: 'return graph() -> () {\n}' returns a graph, which only operators accept");
}

}  // namespace
}  // namespace opwright
