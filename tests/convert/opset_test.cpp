#include "opwright/convert/onnx/model/opset.h"

#include <cstdint>
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

// The last line of the text: the node added last.
std::string last_node(SketchedGraph& sketch) {
  std::string text = sketch.text();
  text.pop_back();
  const size_t line = text.rfind('\n');
  return text.substr(line == std::string::npos ? 2 : line + 3);
}

const std::vector<SymInt> kSizes = {SymInt(2), SymInt(3)};

TEST(OpsetUnsqueeze, HasItsAxesAsAnAttributeBefore13) {
  SketchedGraph sketch(12);
  (void)unsqueeze(sketch.g, sketch.input("x", kSizes), std::vector<int64_t>{0, 2});

  EXPECT_EQ(last_node(sketch), "Unsqueeze = Unsqueeze<axes=[0, 2]>(x)");
}

TEST(OpsetUnsqueeze, HasItsAxesAsAnInputFrom13On) {
  SketchedGraph sketch(13);
  (void)unsqueeze(sketch.g, sketch.input("x", kSizes), std::vector<int64_t>{0, 2});

  EXPECT_EQ(last_node(sketch), "Unsqueeze = Unsqueeze(x, constant)");
}

TEST(OpsetSqueeze, OfNoAxesIsNoNode) {
  SketchedGraph sketch;
  const OnnxValue x = sketch.input("x", kSizes);

  EXPECT_EQ(squeeze(sketch.g, x, {}), x);
}

TEST(OpsetReduce, TakesAxesAsAnInputFrom13OnForSumsAndFrom18OnForOthers) {
  const std::vector<int64_t> axes = {1};
  const auto reduced = [&](int64_t opset, const char* type) {
    SketchedGraph sketch(opset);
    (void)reduce(sketch.g, type, sketch.input("x", kSizes), axes, true);
    return last_node(sketch);
  };

  EXPECT_EQ(reduced(12, "ReduceSum"), "ReduceSum = ReduceSum<keepdims=1, axes=[1]>(x)");
  EXPECT_EQ(reduced(13, "ReduceSum"), "ReduceSum = ReduceSum<keepdims=1>(x, constant)");
  EXPECT_EQ(reduced(17, "ReduceMax"), "ReduceMax = ReduceMax<keepdims=1, axes=[1]>(x)");
  EXPECT_EQ(reduced(18, "ReduceMax"), "ReduceMax = ReduceMax<keepdims=1>(x, constant)");
}

TEST(OpsetReduce, OfNoAxesFoldsEverything) {
  SketchedGraph sketch;
  (void)reduce(sketch.g, "ReduceMean", sketch.input("x", kSizes), {}, false);

  EXPECT_EQ(last_node(sketch), "ReduceMean = ReduceMean<keepdims=0>(x)");
}

TEST(OpsetReshape, SaysThatAZeroIsASize) {
  SketchedGraph sketch(14);
  const std::vector<SymInt> sizes = {SymInt(0), SymInt(3)};
  (void)reshape(sketch.g, sketch.input("x", sizes), sizes);

  EXPECT_EQ(last_node(sketch), "Reshape = Reshape<allowzero=1>(x, constant)");
}

TEST(OpsetReshape, ComputesNothingForOneSizeThatChanges) {
  SketchedGraph sketch;
  const ShapeEnvPtr env = make_intrusive<ShapeEnv>();
  const SymInt batch = env->make_size(4, "x.size(0)");
  (void)reshape(sketch.g, sketch.input("x", {batch, SymInt(6)}),
                std::vector<SymInt>{batch, SymInt(2), SymInt(3)});

  EXPECT_EQ(last_node(sketch), "Reshape = Reshape(x, constant)");
}

TEST(OpsetTranspose, OfTheSameOrderIsNoNode) {
  SketchedGraph sketch;
  const OnnxValue x = sketch.input("x", kSizes);

  EXPECT_EQ(transpose(sketch.g, x, std::vector<int64_t>{0, 1}), x);
  (void)transpose(sketch.g, x, std::vector<int64_t>{1, 0});
  EXPECT_EQ(last_node(sketch), "Transpose = Transpose<perm=[1, 0]>(x)");
}

TEST(OpsetSplit, HasItsLengthsAsAnAttributeBefore13) {
  SketchedGraph sketch(12);
  const OnnxValues parts =
      split(sketch.g, sketch.input("x", kSizes), 1, std::vector<int64_t>{1, 2});

  EXPECT_EQ(parts.size(), 2u);
  EXPECT_EQ(last_node(sketch), "Split, Split_1 = Split<axis=1, split=[1, 2]>(x)");
}

TEST(OpsetSoftmax, OfAnInnerDimensionIsTurnedToTheLastBefore13) {
  SketchedGraph sketch(12);
  (void)softmax(sketch.g, "Softmax", sketch.input("x", kSizes), 0, 2);

  EXPECT_EQ(sketch.text(),
            "  Transpose = Transpose<perm=[1, 0]>(x)\n"
            "  Softmax = Softmax<axis=1>(Transpose)\n"
            "  Transpose_1 = Transpose<perm=[1, 0]>(Softmax)\n");
}

TEST(OpsetSoftmax, IsOneNodeFrom13On) {
  SketchedGraph sketch(13);
  (void)softmax(sketch.g, "LogSoftmax", sketch.input("x", kSizes), 0, 2);

  EXPECT_EQ(sketch.text(), "  LogSoftmax = LogSoftmax<axis=0>(x)\n");
}

TEST(WrapDim, CountsFromTheEndAndRefusesWhatIsNotThere) {
  EXPECT_EQ(wrap_dim(-1, 3), 2);
  EXPECT_EQ(wrap_dim(2, 3), 2);
  EXPECT_EQ(wrap_dim(-1, 0), 0);
  EXPECT_ERROR(wrap_dim(3, 3), "IndexError", "dimension 3 of a tensor of 3 dimensions");
}

}  // namespace
}  // namespace opwright::onnx
