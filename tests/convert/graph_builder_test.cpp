#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "convert/sketched_graph.h"
#include "opwright/dtype.h"
#include "opwright/functions.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symint.h"

namespace opwright::onnx {
namespace {

using testing::SketchedGraph;

class Builder : public ::testing::Test {
 protected:
  SketchedGraph sketch;
  GraphBuilder& g = sketch.g;
  OnnxValue x = sketch.input("x", {SymInt(2), SymInt(3)});
};

TEST_F(Builder, GivesANodeWithItsDomainInputsAndAttributes) {
  (void)g.op("vendor::Mix", {x, OnnxValue(), x},
             {{"k", 2}, {"f", 0.5}, {"s", "a"}, {"b", true}, {"i", std::vector<int64_t>{1, 2}}}, 2);

  EXPECT_EQ(sketch.text(),
            "  Mix, Mix_1 = vendor::Mix<k=2, f=0.5, s=\"a\", b=1, i=[1, 2]>(x, _, x)\n");
}

TEST_F(Builder, LeavesInputsAtTheEndAwayThatAreNotThere) {
  (void)g.op("Clip", {x, OnnxValue(), OnnxValue()});

  EXPECT_EQ(sketch.text(), "  Clip = Clip(x)\n");
}

TEST_F(Builder, RefusesANodeWithoutAName) {
  EXPECT_ERROR(g.op("vendor::", {x}), "ValueError",
               "ONNX: 'vendor::' is not a node name: write 'Relu' or 'domain::Name'");
}

TEST_F(Builder, SharesSmallConstantsThatAreEqual) {
  EXPECT_EQ(g.ints({1, 2}), g.ints({1, 2}));
  EXPECT_EQ(g.scalar(1.5, DType::Float32), g.scalar(1.5, DType::Float32));
}

TEST_F(Builder, KeepsConstantsApartThatDifferInDtypeSizesOrSignOfZero) {
  EXPECT_NE(g.scalar(1, DType::Int64), g.scalar(1, DType::Int32));
  EXPECT_NE(g.ints({1}), g.scalar(1, DType::Int64));
  EXPECT_NE(g.scalar(0.0, DType::Float32), g.scalar(-0.0, DType::Float32));
}

TEST_F(Builder, CastsWhatIsAnotherDtypeAlone) {
  EXPECT_EQ(g.cast(x, DType::Float32), x);
  const OnnxValue wide = g.cast(x, DType::Float64);

  EXPECT_EQ(g.dtype(wide), DType::Float64);
  EXPECT_EQ(g.shape(wide)->size(), 2u);
  EXPECT_EQ(sketch.text(), "  Cast = Cast<to=11>(x)\n");
}

TEST_F(Builder, CastsAConstantAtOnce) {
  const OnnxValue number = g.cast(g.scalar(3, DType::Int64), DType::Float32);

  EXPECT_EQ(g.data(number).dtype(), DType::Float32);
  EXPECT_TRUE(sketch.body.nodes.empty());
}

TEST_F(Builder, MakesADenseCopyOfAConstantThatIsNot) {
  const Tensor turned = arange(0, 6).reshape({2, 3}).t();
  const OnnxValue constant = g.constant(turned);

  EXPECT_TRUE(equal(g.data(constant), turned));
  EXPECT_TRUE(g.data(constant).is_contiguous());
}

TEST_F(Builder, RefusesAConstantWithoutData) {
  EXPECT_ERROR_CONTAINS(g.constant(Tensor()), "TypeError",
                        "ONNX: a constant must be a tensor with data");
}

}  // namespace
}  // namespace opwright::onnx
