// Covers: src/transforms/trace/*, src/dispatch/declined.
#include "opwright/transforms/trace/trace.h"

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ir/check_graph_texts.h"  // IWYU pragma: keep: every graph here reads back
#include "opwright/functions.h"
#include "opwright/runtime/make_fx.h"
#include "opwright/transforms/control_flow/control_flow.h"

namespace opwright {
namespace {

Tensor ones_of(std::vector<SymInt> sizes) { return ones(sizes); }

TEST(MakeFx, RecordsEachCallAsANode) {
  const auto f = [](const Tensor& x, const Tensor& y) { return sin(x * y); };

  const TracedGraph graph = make_fx(f)(ones_of({2}), ones_of({2}));

  EXPECT_EQ(graph.text(),
            "graph(%x: float32[2], %x_1: float32[2]) -> (%sin) {\n"
            "  %mul: float32[2] = aten::mul.Tensor(%x, %x_1)\n"
            "  %sin: float32[2] = aten::sin(%mul)\n"
            "}\n");
}

TEST(MakeFx, GivesSizesSymbolsInSymbolicMode) {
  const auto f = [](const Tensor& x) { return x.transpose(0, 1) + 1; };

  const TracedGraph graph = make_fx(f, TracingMode::Symbolic)(ones_of({3, 5}));

  EXPECT_EQ(graph.text(),
            "graph(%x: float32[s0, s1]) -> (%add) {\n"
            "  symbol s0 in [2, inf], hint 3, from x.size(0)\n"
            "  symbol s1 in [2, inf], hint 5, from x.size(1)\n"
            "  %transpose: float32[s1, s0] strides [1, s1] = aten::transpose.int(%x, 0, 1)\n"
            "  %add: float32[s1, s0] strides [1, s1] = aten::add.Scalar(%transpose, 1)\n"
            "}\n");
  EXPECT_EQ(graph({ones_of({4, 2})})[0].sizes()[0], 2);
}

TEST(MakeFx, SeesABranchOnASizeAsAGuard) {
  const auto f = [](const Tensor& x) { return x.sym_size(0) > 4 ? x + 1 : x; };

  const TracedGraph graph = make_fx(f, TracingMode::Symbolic)(ones_of({6}));

  EXPECT_EQ(graph({ones_of({9})})[0].sizes()[0], 9);
  EXPECT_THROW((void)graph({ones_of({3})}), Error);
}

TEST(MakeFx, TakesCapturedTensorsAsInputs) {
  Tensor weight = ones_of({2});
  const auto f = [&](const Tensor& x) { return x * weight; };

  const TracedGraph graph = make_fx(f, TracingMode::Fake)(ones_of({2}));
  weight.mul_(3);

  EXPECT_EQ(graph({ones_of({2})})[0].data<float>()[0], 3);
}

TEST(MakeFx, RefusesDataOfTracedValues) {
  const auto f = [](const Tensor& x) { return x.sum().item().to<double>() > 0 ? x : x + 1; };

  EXPECT_ERROR_CONTAINS((void)make_fx(f)(ones_of({2})), "DataDependentError",
                        "item: cannot read the data of a tensor inside make_fx (float32[])");
}

TEST(MakeFx, ReadsNumbersThatAreComputedFromLiterals) {
  const Tensor literal = scalar_tensor(2.0);
  const auto f = [&](const Tensor& x) {
    Tensor two = lift_fresh_copy(literal);
    two.add_(1);
    return x * two.neg().item();
  };

  for (const TracingMode mode : {TracingMode::Real, TracingMode::Fake, TracingMode::Symbolic}) {
    EXPECT_EQ(make_fx(f, mode)(ones_of({2}))({ones_of({2})})[0].data<float>()[0], -3);
  }
}

TEST(MakeFx, DoesNotReadALiteralThatAViewHasWritten) {
  const Tensor literal = zeros({2});
  const auto f = [&](const Tensor& x) {
    const Tensor zero = lift_fresh_copy(literal).select(0, 0);
    Tensor alias = zero.expand({3});
    alias.select(0, 0).copy_(x.select(0, 0));
    return x * zero.item();
  };

  EXPECT_ERROR_CONTAINS((void)make_fx(f)(ones_of({2})), "DataDependentError",
                        "item: cannot read the data of a tensor inside make_fx");
}

TEST(MakeFx, FunctionalisesAGraph) {
  const auto f = [](const Tensor& x) {
    Tensor y = x * 2;
    Tensor view = y.select(0, 0);
    view.add_(1);
    return y;
  };

  const TracedGraph graph = make_fx(f, TracingMode::Symbolic)(ones_of({3, 2})).functionalize();

  EXPECT_EQ(graph.text().find("add_"), std::string::npos);
  EXPECT_EQ(graph({ones_of({2, 2})})[0].data<float>()[0], 3);
  EXPECT_EQ(graph({ones_of({2, 2})})[0].data<float>()[2], 2);
}

TEST(Cond, BecomesANodeWithTwoGraphs) {
  const auto f = [](const Tensor& x) {
    const Tensor inputs[] = {x};
    const Branch doubled = [](std::span<const Tensor> own) -> std::vector<Tensor> {
      return {own[0] * 2};
    };
    const Branch negated = [](std::span<const Tensor> own) -> std::vector<Tensor> {
      return {neg(own[0])};
    };
    return cond(gt(x.sum(), 0), doubled, negated, inputs);
  };

  const TracedGraph graph = make_fx(f, TracingMode::Symbolic)(ones_of({3}));

  EXPECT_EQ(graph({ones_of({4})})[0].data<float>()[0], 2);
  EXPECT_EQ(graph({neg(ones_of({4}))})[0].data<float>()[0], 1);
}

}  // namespace
}  // namespace opwright
