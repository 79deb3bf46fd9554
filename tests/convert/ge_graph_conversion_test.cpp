// Programs as graphs of the engine GE.
//
// Covers: src/convert/ge/*.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "convert/ge_text.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/convert/converter.h"
#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/graph_builder.h"
#include "opwright/convert/ge/graph_conversion.h"
#include "opwright/convert/ge/model.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/library.h"
#include "opwright/value.h"

namespace opwright::graph_engine {
namespace {

using testing::convert_text;

OPWRIGHT_LIBRARY(ge_test, m) {
  m.def("scale(Tensor x, float factor) -> Tensor");
  m.def("one_op(Tensor x, Tensor y, int k=3) -> Tensor");
  m.def("parts(Tensor x) -> Tensor[]");
  m.def("unknown(Tensor x) -> Tensor");
  m.register_converter("one_op", "ge", "OneOp(y, x, count=k)");
}

class RuleOf final : public GeConverter {
 public:
  using Function = GeValues (*)(GraphBuilder&, const Call&);
  explicit RuleOf(Function function) : function_(function) {}
  [[nodiscard]] GeValues convert(GraphBuilder& g, const Call& call) const override {
    return function_(g, call);
  }

 private:
  Function function_;
};

std::string convert_with_rule(const char* op, RuleOf::Function function, const std::string& text) {
  const Registration rule = register_converter(op, make_intrusive<RuleOf>(function));
  return convert_text(text);
}

constexpr const char* kScale =
    "graph(%x: float32[4]) -> (%y) {\n"
    "  %y: float32[4] = ge_test::scale(%x, 2.0)  # model.py:7\n"
    "}\n";

TEST(GeGraphConversion, GivesInputsOpsAndOneNetOutput) {
  EXPECT_EQ(convert_text("graph(%x: float32[2, 3], %w: float32[3, 4]) -> (%r) {\n"
                         "  %m: float32[2, 4] = aten::mm(%x, %w)\n"
                         "  %r: float32[2, 4] = aten::relu(%m)\n"
                         "}\n"),
            "graph g {\n"
            "  x = Data(; index = 0) -> (y: float32[2, 3])\n"
            "  w = Data(; index = 1) -> (y: float32[3, 4])\n"
            "  MatMulV2 = MatMulV2(x1=x:0, x2=w:0) -> (y: float32[2, 4])  # 0 aten::mm\n"
            "  Relu = Relu(x=MatMulV2:0) -> (y: float32[2, 4])  # 1 aten::relu\n"
            "  NetOutput = NetOutput(input0=Relu:0) -> ()\n"
            "}\n");
}

TEST(GeGraphConversion, CastsOperandsToWhatTheOperatorComputesIn) {
  EXPECT_EQ(convert_text("graph(%x: int32[2]) -> (%y) {\n"
                         "  %y: float32[2] = aten::add.Scalar(%x, 1.5, 2)\n"
                         "}\n"),
            "graph g {\n"
            "  x = Data(; index = 0) -> (y: int32[2])\n"
            "  Cast = Cast(x=x:0; dst_type = 0) -> (y: float32[2])  # 0 aten::add.Scalar\n"
            "  Const = Const(; value = float32[] {1.5}) -> (y: float32[])\n"
            "  Const_1 = Const(; value = float32[] {2.0}) -> (y: float32[])\n"
            "  Mul = Mul(x1=Const:0, x2=Const_1:0) -> (y: float32[])  # 0 aten::add.Scalar\n"
            "  Add = Add(x1=Cast:0, x2=Mul:0) -> (y: float32[2])  # 0 aten::add.Scalar\n"
            "  NetOutput = NetOutput(input0=Add:0) -> ()\n"
            "}\n");
}

TEST(GeGraphConversion, ComputesFreeSizesFromShapes) {
  EXPECT_EQ(convert_text("graph(%x: float32[s0, 4]) -> (%y) {\n"
                         "  symbol s0 in [2, inf], hint 6, from x.size(0)\n"
                         "  %y: float32[4 * s0] = aten::view(%x, [4 * s0])\n"
                         "}\n"),
            "graph g {\n"
            "  x = Data(; index = 0) -> (y: float32[-1, 4])\n"
            "  Const = Const(; value = int64[] {0}) -> (y: int64[])\n"
            "  Shape = Shape(x=x:0; dtype = 9) -> (y: int64[2])\n"
            "  Const_1 = Const(; value = int64[1] {0}) -> (y: int64[1])\n"
            "  GatherV2 = GatherV2(x=Shape:0, indices=Const_1:0, axis=Const:0) -> (y: int64[1])\n"
            "  Const_2 = Const(; value = int64[1] {4}) -> (y: int64[1])\n"
            "  Mul = Mul(x1=GatherV2:0, x2=Const_2:0) -> (y: int64[1])\n"
            "  Reshape = Reshape(x=x:0, shape=Mul:0) -> (y: float32[-1])  # 0 aten::view\n"
            "  NetOutput = NetOutput(input0=Reshape:0) -> ()\n"
            "}\n");
}

TEST(GeGraphConversion, KeepsWhichCallAnOpBelongsToAndWhatSizesAre) {
  const GeGraphPtr graph =
      convert_graph(parse_graph("graph(%x: float32[s0, 4]) -> (%y, %z) {\n"
                                "  symbol s0 in [2, inf], hint 6, from x.size(0)\n"
                                "  %y: float32[4, s0] = aten::view(%x, [4, s0])\n"
                                "  %z: float32[4, s0] = aten::alias(%y)\n"
                                "}\n"));

  ASSERT_EQ(graph->calls.size(), 2u);
  EXPECT_EQ(graph->calls[0].ops.size(), 1u);
  EXPECT_EQ(graph->ops[graph->calls[0].ops[0]].type, "Reshape");
  EXPECT_TRUE(graph->calls[1].ops.empty());
  EXPECT_EQ(graph->calls[1].results, graph->calls[0].results);
  EXPECT_EQ(graph->outputs[0], graph->outputs[1]);
  const OutputPlace shape = graph->ops[graph->calls[0].ops[0]].inputs[1];
  const GeOp& sizes = graph->ops[shape.op];
  EXPECT_EQ(sizes.type, "ConcatV2");
  EXPECT_EQ(sizes.call, kNoPlace);
  ASSERT_TRUE(sizes.sizes.has_value());
  EXPECT_EQ(concatenate(sizes.sizes->at(0), " ", sizes.sizes->at(1)), "4 s0");
}

TEST(GeGraphConversion, ReturnsWhatIsWrittenToInputs) {
  const GeGraphPtr graph =
      convert_graph(parse_graph("graph(%x: float32[2]) -> (None) {\n"
                                "  %y: float32[2] = aten::exp(%x)\n"
                                "  %c: float32[2] = aten::copy_(%x, %y, False)\n"
                                "}\n"));

  ASSERT_EQ(graph->writes.size(), 1u);
  EXPECT_EQ(graph->writes[0].input, graph->inputs[0]);
  EXPECT_EQ(graph->ops[graph->writes[0].value.op].type, "Exp");
  ASSERT_EQ(graph->outputs.size(), 1u);
  EXPECT_FALSE(graph->outputs[0].is_there());
  EXPECT_EQ(graph->ops.back().inputs, std::vector<OutputPlace>{graph->writes[0].value});
}

TEST(GeGraphConversion, MakesOneOpOfATextRule) {
  const std::string text = convert_text(
      "graph(%x: float32[2], %w: float32[2]) -> (%y) {\n"
      "  %y: float32[2] = ge_test::one_op(%x, %w, 5)\n"
      "}\n");

  EXPECT_NE(text.find("OneOp = OneOp(y=w:0, x=x:0; count = 5) -> (y_out: float32[2])"),
            std::string::npos)
      << text;
}

TEST(GeGraphConversion, TakesOpsOfAConverter) {
  const std::string text = convert_with_rule(
      "ge_test::scale",
      [](GraphBuilder& g, const Call& call) {
        return g.custom_op("ScaleCustom", {{"x", call.input(0)}}, {{"z"}},
                           {make_attribute("factor", call.constant(1))}, "scaled");
      },
      kScale);

  EXPECT_NE(text.find("scaled = ScaleCustom(x=x:0; factor = 2.0) -> (z: float32[4])"),
            std::string::npos)
      << text;
}

TEST(GeGraphConversion, TakesListsOfInputsAndOutputs) {
  const std::string text = convert_with_rule(
      "ge_test::parts",
      [](GraphBuilder& g, const Call& call) {
        const OutputPlace x = call.input(0);
        return g.custom_op("PartsCustom", {{"x", GeValues{x, x}}, {"none", OutputPlace{}}},
                           {{"y", 2}});
      },
      "graph(%x: float32[4]) -> (%a, %b) {\n"
      "  [%a: float32[2], %b: float32[2]] = ge_test::parts(%x)\n"
      "}\n");

  EXPECT_NE(text.find("PartsCustom(x0=x:0, x1=x:0, none=) -> (y0: float32[2], y1: float32[2])"),
            std::string::npos)
      << text;
}

TEST(GeGraphConversion, RefusesAnOperatorWithoutAConverter) {
  EXPECT_EQ(convert_text("graph(%x: float32[2]) -> (%y) {\n"
                         "  %y: float32[2] = ge_test::unknown(%x)  # model.py:12\n"
                         "}\n"),
            "NotImplementedError: ge_test::unknown (model.py:12): it has no converter for GE\n"
            "  Register one with opwright.ge.register_fx_node_ge_converter(opwright.ops.ge_test."
            "unknown.default), or, where it is one op, in C++ with m.register_converter("
            "\"unknown\", \"ge\", \"OpName(...)\").\n");
}

TEST(GeGraphConversion, RefusesGradientsThatNoOpGives) {
  EXPECT_EQ(
      convert_text("graph(%g: float32[2], %y: float32[2]) -> (%x) {\n"
                   "  %x: float32[2] = aten::leaky_relu_backward(%g, %y, -0.5, True)  # m.py:3\n"
                   "}\n"),
      "NotImplementedError: aten::leaky_relu_backward (m.py:3): a result does not determine "
      "the gradient where the slope is negative\n");
  EXPECT_EQ(convert_text("graph(%x: float32[3], %i: int64[]) -> (%y) {\n"
                         "  %y: float32[], %w: float32[] = aten::nll_loss_forward(%x, %i, None, 1, "
                         "-100)  # m.py:4\n"
                         "}\n"),
            "NotImplementedError: aten::nll_loss_forward (m.py:4): GE has this loss for batches "
            "alone\n");
  EXPECT_EQ(convert_text("graph(%x: float32[6], %s: float32[3]) -> (%y) {\n"
                         "  %y: float32[6] = aten::slice_scatter(%x, %s, 0, 0, 6, 2)  # m.py:5\n"
                         "}\n"),
            "NotImplementedError: aten::slice_scatter (m.py:5): the GE converter knows slices "
            "without gaps\n");
}

TEST(GeGraphConversion, RefusesAnotherNumberOfValues) {
  EXPECT_EQ(convert_with_rule(
                "ge_test::scale", [](GraphBuilder&, const Call&) { return GeValues(); }, kScale),
            "ValueError: ge_test::scale (model.py:7): its GE converter gave 0 values, but the call "
            "has 1\n  A converter returns one ge.Tensor for each result.\n");
}

TEST(GeGraphConversion, ShowsThePrototypeAndTheOpWhereTheyDoNotMatch) {
  EXPECT_EQ(convert_with_rule(
                "ge_test::scale",
                [](GraphBuilder& g, const Call& call) {
                  return g.custom_op("Add", {{"x1", call.input(0)}, {"other", call.input(0)}},
                                     {{"y"}});
                },
                kScale),
            "ValueError: GE: Add: the prototype has no input 'other'\n"
            "  prototype: Add(x1: BasicType|BOOL, x2: BasicType|BOOL) -> (y: BasicType|BOOL)\n"
            "  op:        Add(x1: float32[4], other: float32[4]) -> (y: ?)\n"
            "  while ge_test::scale (model.py:7) was converted to GE\n");
}

TEST(GeGraphConversion, RefusesADtypeThatThePrototypeDoesNotHave) {
  EXPECT_EQ(
      convert_text("graph(%x: float64[2, 3], %w: float64[3, 4]) -> (%m) {\n"
                   "  %m: float64[2, 4] = aten::mm(%x, %w)  # model.py:3\n"
                   "}\n"),
      "TypeError: GE: MatMulV2: input 'x1' is float64, which is not in {FLOAT, FLOAT16, INT8, "
      "INT32, BF16}\n"
      "  prototype: MatMulV2(x1: {FLOAT, FLOAT16, INT8, INT32, BF16}, x2: {FLOAT, FLOAT16, "
      "INT8, INT32, BF16}, bias?: {FLOAT, FLOAT16, INT32, BF16}; transpose_x1: Bool = False, "
      "transpose_x2: Bool = False, offset_x: Int = 0) -> (y: {FLOAT, FLOAT16, INT32, BF16})\n"
      "  op:        MatMulV2(x1: float64[2, 3], x2: float64[3, 4]) -> (y: ?)\n"
      "  while aten::mm (model.py:3) was converted to GE\n");
}

}  // namespace
}  // namespace opwright::graph_engine
