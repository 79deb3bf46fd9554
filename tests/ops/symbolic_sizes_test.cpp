// Operators on symbolic sizes: their results, the guards on sizes known in this run, and the
// assertions on sizes known only at run time.
//
// Covers: src/ops/engine/shape/*.
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/functions.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/symbolic/shape_env/current_shape_env.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// "[u0, 3]", with strides that are not contiguous.
std::string show(const Tensor& tensor) {
  const SymGeometry geometry = sym_geometry_of(tensor);
  std::string text = to_text(geometry.sizes);
  const std::string strides = to_text(geometry.strides);
  if (strides != to_text(contiguous_strides(geometry.sizes))) text += " strides " + strides;
  return text;
}

std::vector<Tensor> tensor_list(const Tensor& a, const Tensor& b) { return {a, b}; }

template <class Conditions>
std::string conditions(const Conditions& all) {
  std::string text;
  for (const auto& each : all) {
    if (!text.empty()) text += "; ";
    append_text(text, each.condition);
  }
  return text;
}

class WithSymbols : public ::testing::Test {
 protected:
  [[nodiscard]] static Tensor fake(const SymSizes& sizes, DType dtype = DType::Float32) {
    return make_fake(sizes, dtype, kCpu);
  }
  [[nodiscard]] std::string asserts() const { return conditions(env->runtime_asserts()); }
  [[nodiscard]] std::string guards() const { return conditions(env->guards()); }

  ShapeEnvPtr env = make_intrusive<ShapeEnv>();
  ShapeEnvScope scope{env.get()};
  SymInt s0 = env->make_size(5, "x.size(0)");
  SymInt s1 = env->make_size(6, "x.size(1)");
};

class Unbacked : public WithSymbols {
 protected:
  // No answer may come from a guard.
  ~Unbacked() override { EXPECT_EQ(guards(), ""); }
  SymInt u0 = env->make_unbacked();
};

class Backed : public WithSymbols {};

TEST_F(Unbacked, PointwiseOperatorsKeepTheSize) {
  EXPECT_EQ(show(fake({u0}).relu()), "[u0]");
  EXPECT_EQ(show(fake({u0}).add(fake({u0}))), "[u0]");
  EXPECT_EQ(show(fake({u0, 3}).mul(fake({3}))), "[u0, 3]");
  EXPECT_EQ(show(fake({u0, 1}).mul(fake({u0, 3}))), "[u0, 3]");
  EXPECT_EQ(show(fake({u0, 3}).add(Scalar(u0))), "[u0, 3]");
  EXPECT_EQ(show(where(fake({u0, 3}, DType::Bool), fake({u0, 3}), fake({3}))), "[u0, 3]");
  EXPECT_EQ(show(fake({u0, 3}).t().add(fake({u0, 3}).t())), "[3, u0] strides [1, 3]");
}

TEST_F(Unbacked, BroadcastingToAnotherSizeIsAsserted) {
  EXPECT_EQ(show(fake({u0}).add(fake({s0}))), "[s0]");
  EXPECT_EQ(show(fake({u0, 2}).add(fake({s0, 1}))), "[s0, 2]");
  EXPECT_EQ(asserts(), "s0 == u0");
}

TEST_F(Unbacked, ReductionsAskNothing) {
  EXPECT_EQ(show(fake({u0, 3}).sum()), "[]");
  EXPECT_EQ(show(fake({u0, 3}).sum({0})), "[3]");
  EXPECT_EQ(show(fake({u0, 3}).mean({1})), "[u0]");
  EXPECT_EQ(show(fake({u0, 3}).amax({0})), "[3]");
  EXPECT_EQ(show(fake({u0, 3}).argmax(0)), "[3]");
  EXPECT_EQ(show(fake({u0, 3}).cumsum(0)), "[u0, 3]");
  EXPECT_EQ(show(softmax(fake({u0, 3}), 0)), "[u0, 3]");
}

TEST_F(Unbacked, JoinedSizesAddUp) {
  EXPECT_EQ(show(cat(tensor_list(fake({u0, 3}), fake({s0, 3})), 0)), "[s0 + u0, 3]");
  EXPECT_EQ(asserts(), "");
}

TEST_F(Unbacked, JoinedTensorsMustAgreeInTheOtherSizes) {
  EXPECT_EQ(show(cat(tensor_list(fake({u0, 3}), fake({s0, 4})), 1)), "[u0, 7]");
  EXPECT_EQ(show(stack(tensor_list(fake({u0}), fake({s0})), 0)), "[2, u0]");
  EXPECT_EQ(asserts(), "s0 == u0");
}

TEST_F(Unbacked, ViewsMoveTheSize) {
  EXPECT_EQ(show(fake({u0, 3}).unsqueeze(0)), "[1, u0, 3] strides [3*u0, 3, 1]");
  EXPECT_EQ(show(fake({u0, 3, 4}).permute({2, 0, 1})), "[4, u0, 3] strides [1, 12, 4]");
  EXPECT_EQ(show(fake({u0, 3}).transpose(0, 1)), "[3, u0] strides [1, 3]");
  EXPECT_EQ(show(fake({u0, 1}).squeeze(1)), "[u0]");
  EXPECT_EQ(show(fake({1, 3}).expand({u0, 3})), "[u0, 3] strides [0, 1]");
  EXPECT_EQ(show(fake({u0, 1}).expand({-1, 4})), "[u0, 4] strides [1, 0]");
  EXPECT_EQ(show(fake({u0, 3, 4}).flatten(0, 1)), "[3*u0, 4]");
  EXPECT_EQ(show(fake({u0, 12}).view({u0, 3, 4})), "[u0, 3, 4]");
  EXPECT_EQ(show(fake({u0, 3}).t().reshape({-1})), "[3*u0]");
}

TEST_F(Unbacked, AnInferredSizeDemandsThatTheOthersDivide) {
  EXPECT_EQ(show(fake({u0}).view({-1, 2})), "[u0//2, 2]");
  EXPECT_EQ(asserts(), "u0 % 2 == 0");
}

TEST_F(Unbacked, AnInferredSizeDividesWhatItKnows) {
  EXPECT_EQ(show(fake({u0, 12}).reshape({u0, -1})), "[u0, 12]");
  EXPECT_EQ(asserts(), "u0 >= 1");
}

TEST_F(Unbacked, AnExpandedSizeMustBeTheSame) {
  EXPECT_EQ(show(fake({u0}).expand({s0})), "[s0]");
  EXPECT_EQ(asserts(), "s0 == u0");
}

TEST_F(Unbacked, SqueezeTakesTheSizeNotToBeOne) {
  EXPECT_EQ(show(fake({u0, 3}).squeeze(0)), "[u0, 3]");
  EXPECT_EQ(asserts(), "u0 != 1");
}

TEST_F(Unbacked, SlicesAreClampedByExpressions) {
  EXPECT_EQ(show(slice(fake({u0, 3}), 0, SymInt(1))), "[u0 - min(u0, 1), 3]");
  EXPECT_EQ(show(slice(fake({u0, 3}), 0, SymInt(0), SymInt(3))), "[min(u0, 3), 3]");
  EXPECT_EQ(show(slice(fake({u0, 3}), 0, SymInt(0), SymInt(-1))), "[max(u0 - 1, 0), 3]");
  EXPECT_EQ(show(slice(fake({u0, 3}), 0, SymInt(0), SymInt(INT64_MAX), SymInt(2))),
            "[(u0 + 1)//2, 3] strides [6, 1]");
}

TEST_F(Unbacked, ASelectedElementMustBeThere) {
  EXPECT_EQ(show(fake({u0, 3}).select(0, 0)), "[3]");
  EXPECT_EQ(asserts(), "u0 >= 1");
}

TEST_F(Unbacked, ALengthThatIsNotKnownMustFit) {
  EXPECT_EQ(show(narrow(fake({s0, 3}), 0, SymInt(0), u0)), "[u0, 3]");
  EXPECT_EQ(asserts(), "u0 <= s0");
}

TEST_F(Unbacked, ProductsAndLayersTakeABatch) {
  EXPECT_EQ(show(fake({u0, 3}).mm(fake({3, 4}))), "[u0, 4]");
  EXPECT_EQ(show(matmul(fake({u0, 2, 3}), fake({3, 4}))), "[u0, 2, 4]");
  EXPECT_EQ(show(matmul(fake({u0, 2, 3}), fake({u0, 3, 4}))), "[u0, 2, 4]");
  EXPECT_EQ(show(linear(fake({u0, 7, 3}), fake({4, 3}), fake({4}))), "[u0, 7, 4]");
  EXPECT_EQ(show(conv2d(fake({u0, 3, 8, 8}), fake({4, 3, 3, 3}), fake({4}))), "[u0, 4, 6, 6]");
  EXPECT_EQ(show(max_pool2d(fake({u0, 3, 8, 8}), {2})), "[u0, 3, 4, 4]");
  EXPECT_EQ(show(adaptive_avg_pool2d(fake({u0, 3, 8, 8}), {1})), "[u0, 3, 1, 1]");
  EXPECT_EQ(show(layer_norm(fake({u0, 3}), {SymInt(3)}, fake({3}), fake({3}))), "[u0, 3]");
  EXPECT_EQ(show(group_norm(fake({u0, 4, 8, 8}), 2, fake({4}), fake({4}))), "[u0, 4, 8, 8]");
  EXPECT_EQ(show(cross_entropy_loss(fake({u0, 3}), fake({u0}, DType::Int64))), "[]");
  EXPECT_EQ(show(embedding(fake({10, 4}), fake({u0}, DType::Int64))), "[u0, 4]");
  EXPECT_EQ(show(dropout(fake({u0, 3}), 0.5, true)), "[u0, 3]");
}

TEST_F(Unbacked, FactorsMustHaveTheSameInnerSize) {
  EXPECT_EQ(show(fake({2, u0}).mm(fake({s0, 4}))), "[2, 4]");
  EXPECT_EQ(asserts(), "s0 == u0");
}

TEST_F(Unbacked, NewTensorsHaveTheSize) {
  EXPECT_EQ(show(fake({3}).new_empty({u0})), "[u0]");
  EXPECT_EQ(show(fake({3}).new_full({u0, 2}, 1)), "[u0, 2]");
  EXPECT_EQ(show(arange(Scalar(u0), DType::Int64, std::nullopt, Device{kOpwDeviceMeta, 0})),
            "[u0]");
  EXPECT_EQ(show(fake({u0, 3}).t().clone()), "[3, u0] strides [1, 3]");
  EXPECT_EQ(show(fake({u0, 3}).to(DType::Float64)), "[u0, 3]");
}

TEST_F(Unbacked, IndicesOfTheSizeSelectRows) {
  EXPECT_EQ(show(fake({s0, 3}).index_select(0, fake({u0}, DType::Int64))), "[u0, 3]");
  EXPECT_EQ(show(index(fake({s0, 3}), {fake({u0}, DType::Int64)})), "[u0, 3]");
  EXPECT_EQ(show(fake({10, 3}).index_add(0, fake({u0}, DType::Int64), fake({u0, 3}))), "[10, 3]");
  EXPECT_EQ(show(fake({10, 3}).scatter_add(0, fake({u0, 3}, DType::Int64), fake({u0, 3}))),
            "[10, 3]");
  EXPECT_EQ(show(std::get<0>(fake({u0, 3}).sort(0))), "[u0, 3]");
}

TEST_F(Unbacked, TopkDemandsEnoughElements) {
  EXPECT_EQ(show(std::get<0>(fake({u0, 3}).topk(2, 0))), "[2, 3]");
  EXPECT_EQ(asserts(), "u0 >= 2");
}

TEST_F(Unbacked, DataDecideASizeOfItsOwn) {
  EXPECT_EQ(show(fake({s0, 3}).nonzero()), "[u1, 2] strides [1, max(u1, 1)]");
  EXPECT_EQ(show(fake({s0, 3}).masked_select(fake({3}, DType::Bool))), "[u2]");
  EXPECT_EQ(show(index(fake({s0, 3}), {fake({s0}, DType::Bool)})), "[u3, 3]");
  EXPECT_EQ(show(fake({s0, 3}).repeat_interleave(fake({s0}, DType::Int64), 0)), "[u4, 3]");
}

TEST_F(Unbacked, ACountIsNoMoreThanThereAreElements) {
  const SymInt count = fake({4, 3}).nonzero().sym_size(0);

  EXPECT_EQ(env->range(count), (SymRange{.least = 0, .greatest = 12}));
  EXPECT_EQ(env->decide((count <= 12).value()), true);
}

TEST_F(Unbacked, HowManyPartsThereAreMustBeKnown) {
  EXPECT_ERROR_CONTAINS(split(fake({u0, 4}), 2, 0), "DataDependentError",
                        "cannot fix max((u0 + 1)//2, 1) at src/ops/view/split.cpp:");
}

TEST_F(Unbacked, WritesBroadcastIntoTheSize) {
  Tensor x = fake({u0, 3});

  x.add_(fake({3})).copy_(fake({u0, 1})).fill_(1);

  EXPECT_EQ(asserts(), "");
}

TEST_F(Backed, ContiguousTensorsAreNotAsked) {
  const Tensor x = fake({s0, s1, 4});

  (void)x.relu().add(fake({s1, 4})).mul(2).sum({1}).contiguous();
  (void)x.view({s0 * s1, 4}).mm(fake({4, 7})).view({s0, s1, 7}).transpose(0, 1).clone();
  (void)softmax(layer_norm(x, {SymInt(4)}, fake({4}), fake({4})), -1);

  EXPECT_EQ(guards(), "");
}

TEST_F(Backed, ResultsHaveTheOrderOfTheirInputs) {
  const Tensor images = fake({s0, 3, s1, s1}).contiguous(MemoryFormat::ChannelsLast);

  EXPECT_EQ(show(images.relu()), "[s0, 3, s1, s1] strides [3*s1*s1, 1, 3*s1, 3]");
  EXPECT_EQ(show(fake({s0, s1}).t().mul(2)), "[s1, s0] strides [1, s1]");
  EXPECT_EQ(show(fake({s0, s1}).t().to(DType::Int64)), "[s1, s0] strides [1, s1]");
}

TEST_F(Backed, AnEmptyOutTakesTheSizesOfTheResultWhateverItsOtherSizesAre) {
  Tensor out = fake({SymInt(1), SymInt(0), s0});

  (void)OperatorHandle<Tensor&(const Tensor&, Tensor&)>("aten::exp.out")(fake({s0, s1}), out);

  EXPECT_EQ(show(out), "[s0, s1]");
}

TEST_F(Backed, PartsAreGuardedByTheirNumberAlone) {
  const std::vector<Tensor> parts = split(fake({s0, 4}), 2, 0);

  EXPECT_EQ(show(parts.back()), "[s0 - 4, 4]");
  EXPECT_EQ(guards(), "(s0 + 1)//2 == 3");
}

}  // namespace
}  // namespace opwright
