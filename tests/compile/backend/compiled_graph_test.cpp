// Covers: src/compile/backend/*.
#include "opwright/compile/backend/compiled_graph.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/compile/backend/executable.h"
#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/tensor.h"
#include "opwright/tensor/random_state.h"
#include "opwright/value.h"

namespace opwright {
namespace {

std::vector<OpwValue> lent(const std::vector<Tensor>& tensors) {
  std::vector<OpwValue> values;
  for (const Tensor& tensor : tensors) values.push_back(ValueOf<Tensor>::lend(tensor));
  return values;
}

std::vector<Tensor> run(const Executable& executable, const Graph& graph,
                        const std::vector<Tensor>& inputs) {
  std::vector<OpwValue> results(graph.outputs().size());
  executable.run(lent(inputs), results);
  std::vector<Tensor> tensors;
  for (const OpwValue& result : results) tensors.push_back(ValueOf<Tensor>::take(result));
  return tensors;
}

std::vector<Tensor> evaluated(const Graph& graph, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> tensors;
  for (Value& value : evaluate(graph, lent(inputs)))
    tensors.push_back(ValueOf<Tensor>::take(value.give()));
  return tensors;
}

// The number of nests in the code.
size_t count_nests(const Executable& executable) {
  size_t count = 0;
  for (const Executable::Section& section : executable.describe())
    count += section.title == "nest" ? 1 : 0;
  return count;
}

void expect_as_evaluated(const Executable& executable, const Graph& graph,
                         const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> expected = evaluated(graph, inputs);
  const std::vector<Tensor> got = run(executable, graph, inputs);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].dtype(), expected[i].dtype());
    ASSERT_EQ(got[i].dim(), expected[i].dim());
    for (int64_t dim = 0; dim < got[i].dim(); ++dim) {
      EXPECT_EQ(got[i].size(dim), expected[i].size(dim));
      if (got[i].size(dim) > 1) {
        EXPECT_EQ(got[i].stride(dim), expected[i].stride(dim));
      }
    }
    EXPECT_TRUE(allclose(got[i], expected[i], 1e-5, 1e-6, true)) << "output " << i;
  }
}

// Compiles the text; expects that many nests and the results of evaluation.
void check(const std::string& text, size_t num_nests, const std::vector<Tensor>& inputs) {
  const GraphPtr graph = parse_graph(text);
  const ExecutablePtr executable = compile_graph(graph);
  EXPECT_EQ(count_nests(*executable), num_nests);
  expect_as_evaluated(*executable, *graph, inputs);
}

Tensor random(std::initializer_list<SymInt> sizes) {
  default_generator(kCpu).set_seed(7);
  return randn(std::vector<SymInt>(sizes));
}

TEST(CompileGraph, RunsAChainOfPointwiseOperatorsAsOneNest) {
  check(
      "graph(%x: float32[5, 7], %y: float32[5, 7]) -> (%out) {\n"
      "  %mul: float32[5, 7] = aten::mul.Tensor(%x, %y)\n"
      "  %sin: float32[5, 7] = aten::sin(%mul)\n"
      "  %add: float32[5, 7] = aten::add.Tensor(%sin, %x)\n"
      "  %out: float32[5, 7] = aten::tanh(%add)\n"
      "}\n",
      1, {random({5, 7}), random({5, 7})});
}

TEST(CompileGraph, RunsASoftmaxAsOneNest) {
  check(
      "graph(%x: float32[6, 37]) -> (%out) {\n"
      "  %out: float32[6, 37] = aten::_softmax(%x, 1, False)\n"
      "}\n",
      1, {random({6, 37})});
}

TEST(CompileGraph, FoldsColumnsOfRows) {
  check(
      "graph(%x: float32[33, 21], %y: float32[33, 21]) -> (%total) {\n"
      "  %mul: float32[33, 21] = aten::mul.Tensor(%x, %y)\n"
      "  %total: float32[21] = aten::sum.dim_IntList(%mul, [0])\n"
      "}\n",
      1, {random({33, 21}), random({33, 21})});
}

TEST(CompileGraph, FoldsDimensionsThatDoNotLieTogether) {
  check(
      "graph(%x: float32[3, 5, 7]) -> (%total, %scaled) {\n"
      "  %square: float32[3, 5, 7] = aten::mul.Tensor(%x, %x)\n"
      "  %total: float32[1, 5, 1] = aten::mean.dim(%square, [0, 2], True)\n"
      "  %scaled: float32[3, 5, 7] = aten::mul.Tensor(%x, %total)\n"
      "}\n",
      1, {random({3, 5, 7})});
}

TEST(CompileGraph, KeepsTheStridesOfPermutedInputs) {
  check(
      "graph(%x: float32[4, 6] strides [1, 4], %y: float32[4, 6] strides [1, 4]) -> (%out) {\n"
      "  %add: float32[4, 6] strides [1, 4] = aten::add.Tensor(%x, %y)\n"
      "  %out: float32[4, 6] strides [1, 4] = aten::exp(%add)\n"
      "}\n",
      1, {random({6, 4}).t(), random({6, 4}).t()});
}

TEST(CompileGraph, CopiesAnInputThatLiesOtherwise) {
  check(
      "graph(%x: float32[4, 6]) -> (%out) {\n"
      "  %add: float32[4, 6] = aten::add.Tensor(%x, %x)\n"
      "  %out: float32[4, 6] = aten::exp(%add)\n"
      "}\n",
      1, {random({4, 6})});
}

TEST(CompileGraph, WritesOverValuesThatNothingNeedsAnyMore) {
  const std::string text =
      "graph(%x: float32[4, 6], %w: float32[6, 5], %b: float32[5]) -> (%out) {\n"
      "  %sum_1: float32[4, 5] = aten::addmm(%b, %x, %w)\n"
      "  %out: float32[4, 5] = aten::relu(%sum_1)\n"
      "}\n";
  check(text, 1, {random({4, 6}), random({6, 5}), random({5})});

  const ExecutablePtr executable = compile_graph(parse_graph(text));
  EXPECT_NE(executable->describe()[1].text.find("opwright::nest_.out1"), std::string::npos);
}

TEST(CompileGraph, WritesOverNothingThatAHiddenViewShows) {
  check(
      "graph(%x: float32[6, 4], %w: float32[4, 4]) -> (%mm, %out) {\n"
      "  %mm: float32[6, 4] = aten::mm(%x, %w)\n"
      "  %shown: float32[2, 3, 4] = aten::_unsafe_view(%mm, [2, 3, 4])\n"
      "  %relu: float32[2, 3, 4] = aten::relu(%shown)\n"
      "  %out: float32[2, 3, 4] = aten::neg(%relu)\n"
      "}\n",
      1, {random({6, 4}), random({4, 4})});
}

TEST(CompileGraph, WritesOverNothingThatAnAuthorsOperatorGave) {
  const Tensor kept = random({3});
  const Registration defined = Registry::get().define("keeping::give(Tensor x) -> Tensor");
  const Registration kernel = Registry::get().implement(
      "keeping::give", Slot::Cpu, [kept](const Tensor& /*x*/) { return kept; });
  const Tensor before = kept.clone();
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[3]) -> (%out) {\n"
      "  %given: float32[3] = keeping::give(%x)\n"
      "  %exp: float32[3] = aten::exp(%given)\n"
      "  %out: float32[3] = aten::neg(%exp)\n"
      "}\n");

  (void)run(*compile_graph(graph), *graph, {random({3})});

  EXPECT_TRUE(equal(kept, before));
}

TEST(CompileGraph, WritesInputsWithoutACopy) {
  const GraphPtr graph = parse_graph(
      "graph(%p: float32[3, 4], %g: float32[3, 4]) -> (%p) {\n"
      "  %mul: float32[3, 4] = aten::mul.Scalar(%g, 0.5)\n"
      "  %sub: float32[3, 4] = aten::sub.Tensor(%p, %mul)\n"
      "  %copy_: float32[3, 4] = aten::copy_(%p, %sub)\n"
      "}\n");
  const ExecutablePtr executable = compile_graph(graph);
  const Tensor p = random({3, 4});
  const Tensor g = random({3, 4});
  const Tensor expected = p - g * 0.5;

  const std::vector<Tensor> got = run(*executable, *graph, {p, g});

  EXPECT_EQ(executable->describe()[1].text.find("copy_"), std::string::npos);
  EXPECT_EQ(got[0].get(), p.get());
  EXPECT_TRUE(equal(p, expected));
}

TEST(CompileGraph, ReadsAnInputBeforeItIsWritten) {
  const GraphPtr graph = parse_graph(
      "graph(%p: float32[3, 3], %g: float32[3, 3]) -> (%mm) {\n"
      "  %mul: float32[3, 3] = aten::mul.Scalar(%g, 0.5)\n"
      "  %sub: float32[3, 3] = aten::sub.Tensor(%p, %mul)\n"
      "  %mm: float32[3, 3] = aten::mm(%p, %p)\n"
      "  %copy_: float32[3, 3] = aten::copy_(%p, %sub)\n"
      "}\n");
  const ExecutablePtr executable = compile_graph(graph);
  const Tensor p = random({3, 3});
  const Tensor g = random({3, 3});
  const Tensor product = mm(p, p);
  const Tensor expected = p - g * 0.5;

  const std::vector<Tensor> got = run(*executable, *graph, {p, g});

  EXPECT_TRUE(equal(got[0], product));
  EXPECT_TRUE(equal(p, expected));
}

TEST(CompileGraph, ServesAnySizeOfASymbol) {
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[s0, 9], %b: float32[9]) -> (%out, %mean_1) {\n"
      "  symbol s0 in [0, inf], hint 4, from x.size(0)\n"
      "  %add: float32[s0, 9] = aten::add.Tensor(%x, %b)\n"
      "  %out: float32[s0, 9] = aten::sigmoid(%add)\n"
      "  %mean_1: float32[s0] = aten::mean.dim(%out, [1])\n"
      "}\n");
  const ExecutablePtr executable = compile_graph(graph);
  for (const int64_t size : {4, 1, 0, 33, 700})
    expect_as_evaluated(*executable, *graph, {random({size, 9}), random({9})});
}

TEST(CompileGraph, RunsLargeNestsOnSeveralThreads) {
  check(
      "graph(%x: float32[1000, 1003], %b: float32[1003]) -> (%out, %total, %last) {\n"
      "  %add: float32[1000, 1003] = aten::add.Tensor(%x, %b)\n"
      "  %out: float32[1000, 1003] = aten::sigmoid(%add)\n"
      "  %total: float32[1000] = aten::sum.dim_IntList(%out, [1])\n"
      "  %square: float32[1000, 1003] = aten::mul.Tensor(%x, %x)\n"
      "  %last: float32[1003] = aten::sum.dim_IntList(%square, [0])\n"
      "}\n",
      2, {random({1000, 1003}), random({1003})});
}

TEST(CompileGraph, LeavesOtherOperatorsCalls) {
  check(
      "graph(%x: float32[4, 4]) -> (%out) {\n"
      "  %exp: float32[4, 4] = aten::exp(%x)\n"
      "  %sin: float32[4, 4] = aten::sin(%exp)\n"
      "  %mm: float32[4, 4] = aten::mm(%sin, %sin)\n"
      "  %add: float32[4, 4] = aten::add.Tensor(%mm, %exp)\n"
      "  %out: float32[4, 4] = aten::relu(%add)\n"
      "}\n",
      2, {random({4, 4})});
}

}  // namespace
}  // namespace opwright
