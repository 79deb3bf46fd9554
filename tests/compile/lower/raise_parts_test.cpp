// Covers: src/compile/lower/node_copier.
#include "opwright/compile/lower/raise_parts.h"

#include <string>

#include <gtest/gtest.h>

#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/passes/dead_code.h"

namespace opwright {
namespace {

std::string raise(const std::string& text) {
  const GraphPtr graph = parse_graph(text);
  raise_parts(*graph, llvm_target());
  remove_dead_code(*graph);
  verify(*graph);
  return to_text(*graph);
}

TEST(RaiseParts, ComputesTheHalvesThatAreTaken) {
  EXPECT_EQ(
      raise("graph(%x: float32[4, 8], %r: float32[4, 1], %w: float32[8]) -> (%out) {\n"
            "  %n: float32[4, 8] = aten::mul.Tensor(%x, %r)\n"
            "  %y: float32[4, 8] = aten::mul.Tensor(%n, %w)\n"
            "  [%p: float32[4, 4] strides [8, 1], %q: float32[4, 4] strides [8, 1] offset(4)] = "
            "aten::split.Tensor(%y, 4, 1)\n"
            "  %out: float32[4, 4] = aten::mul.Tensor(%p, %q)\n"
            "}\n"),
      "graph(%x: float32[4, 8], %r: float32[4, 1], %w: float32[8]) -> (%out) {\n"
      "  %slice_5: float32[4, 4] strides [8, 1] = aten::slice.Tensor(%x, 1, 0, 4)\n"
      "  %mul_2: float32[4, 4] = aten::mul.Tensor(%slice_5, %r)\n"
      "  %slice_6: float32[4, 4] strides [8, 1] offset(4) = aten::slice.Tensor(%x, 1, 4, 8)\n"
      "  %mul_3: float32[4, 4] = aten::mul.Tensor(%slice_6, %r)\n"
      "  %slice_2: float32[4] = aten::slice.Tensor(%w, start=0, end=4)\n"
      "  %mul: float32[4, 4] = aten::mul.Tensor(%mul_2, %slice_2)\n"
      "  %slice_4: float32[4] offset(4) = aten::slice.Tensor(%w, start=4, end=8)\n"
      "  %mul_1: float32[4, 4] = aten::mul.Tensor(%mul_3, %slice_4)\n"
      "  %out: float32[4, 4] = aten::mul.Tensor(%mul, %mul_1)\n"
      "}\n");
}

TEST(RaiseParts, LeavesWhatIsNeededAsAWhole) {
  const std::string text =
      "graph(%x: float32[4, 8]) -> (%out, %y) {\n"
      "  %y: float32[4, 8] = aten::mul.Tensor(%x, %x)\n"
      "  %p: float32[4, 4] strides [8, 1] = aten::slice.Tensor(%y, 1, 0, 4)\n"
      "  %out: float32[4, 4] = aten::neg(%p)\n"
      "}\n";

  EXPECT_EQ(raise(text), text);
}

TEST(RaiseParts, LeavesCostlyFunctions) {
  const std::string text =
      "graph(%x: float32[4, 8]) -> (%out) {\n"
      "  %y: float32[4, 8] = aten::exp(%x)\n"
      "  %p: float32[4, 4] strides [8, 1] = aten::slice.Tensor(%y, 1, 0, 4)\n"
      "  %out: float32[4, 4] = aten::neg(%p)\n"
      "}\n";

  EXPECT_EQ(raise(text), text);
}

TEST(RaiseParts, LeavesPartsThatTheCallerGets) {
  const std::string text =
      "graph(%x: float32[4, 8]) -> (%p) {\n"
      "  %y: float32[4, 8] = aten::mul.Tensor(%x, %x)\n"
      "  %p: float32[4, 4] strides [8, 1] = aten::slice.Tensor(%y, 1, 0, 4)\n"
      "}\n";

  EXPECT_EQ(raise(text), text);
}

}  // namespace
}  // namespace opwright
