// Sizes as values of the model.
//
// Covers: src/convert/size_walk.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "convert/sketched_graph.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symint.h"

namespace opwright::onnx {
namespace {

using testing::SketchedGraph;

class SizeNodes : public ::testing::Test {
 protected:
  SizeNodes() { (void)sketch.input("x", {rows, columns}); }

  ShapeEnvPtr env = make_intrusive<ShapeEnv>();
  SymInt rows = env->make_size(6, "x.size(0)");
  SymInt columns = env->make_size(4, "x.size(1)");
  SketchedGraph sketch;
  GraphBuilder& g = sketch.g;
};

TEST_F(SizeNodes, OfPlainNumbersAreOneConstant) {
  const OnnxValue sizes = g.sizes(std::vector<SymInt>{SymInt(2), SymInt(3)});

  EXPECT_TRUE(g.data(sizes).is_defined());
  EXPECT_EQ(sketch.text(), "  constant constant: int64[2] {2, 3}\n");
}

TEST_F(SizeNodes, OfASymbolReadTheShapeThatShowsIt) {
  (void)g.sizes(std::vector<SymInt>{columns});

  EXPECT_EQ(sketch.text(),
            "  constant constant: int64[1] {1}\n"
            "  Shape = Shape(x)\n"
            "  Gather = Gather<axis=0>(Shape, constant)\n");
}

TEST_F(SizeNodes, OfTheSameSizeTwiceAreComputedOnce) {
  (void)g.sizes(std::vector<SymInt>{rows});
  const std::string once = sketch.text();
  SketchedGraph twice;
  (void)twice.input("x", {rows, columns});
  (void)twice.g.sizes(std::vector<SymInt>{rows});
  (void)twice.g.sizes(std::vector<SymInt>{rows});

  EXPECT_EQ(twice.text(), once);
}

TEST_F(SizeNodes, OfNumbersAndSymbolsAreJoinedInRuns) {
  (void)g.sizes(std::vector<SymInt>{SymInt(2), SymInt(3), rows, SymInt(1)});

  EXPECT_NE(sketch.text().find("Concat<axis=0>(constant, Gather, constant_2)"), std::string::npos)
      << sketch.text();
}

TEST_F(SizeNodes, WithoutDimensionsAreReshaped) {
  const OnnxValue size = g.size(rows);

  EXPECT_EQ(g.shape(size)->size(), 0u);
  EXPECT_NE(sketch.text().find("Reshape = Reshape(Gather, constant_1)"), std::string::npos)
      << sketch.text();
}

TEST_F(SizeNodes, OfSumsAndProductsFollowTheExpression) {
  (void)g.sizes(std::vector<SymInt>{rows * columns * 2 - columns + 1});
  const std::string text = sketch.text();

  for (const char* node : {" = Mul(", " = Sub(", " = Add("})
    EXPECT_NE(text.find(node), std::string::npos) << text;
}

TEST_F(SizeNodes, OfAQuotientDivideAtOnceWhereNothingIsNegative) {
  (void)g.sizes(std::vector<SymInt>{rows / 2});
  const std::string text = sketch.text();

  EXPECT_NE(text.find("Div = Div(Gather, "), std::string::npos) << text;
  EXPECT_EQ(text.find("Mod"), std::string::npos) << text;
}

TEST_F(SizeNodes, OfARemainderAreTheNodeOfThatName) {
  (void)g.sizes(std::vector<SymInt>{rows % 4});

  EXPECT_NE(sketch.text().find("Mod = Mod(Gather, "), std::string::npos) << sketch.text();
}

TEST_F(SizeNodes, OfASymbolThatNothingShowsAreRefused) {
  const SymInt hidden = env->make_size(5, "y.size(0)");

  EXPECT_ERROR_CONTAINS((void)g.sizes(std::vector<SymInt>{hidden}), "RuntimeError",
                        "nothing before this call shows the size");
}

}  // namespace
}  // namespace opwright::onnx
