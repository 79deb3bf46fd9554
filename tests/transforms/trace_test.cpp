#include "opwright/transforms/trace.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/functions.h"
#include "opwright/make_fx.h"
#include "opwright/tensor/factory.h"

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

}  // namespace
}  // namespace opwright
