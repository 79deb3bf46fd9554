// Autocast from C++: scopes, nesting, cached casts. tests/python/autograd/test_autocast.py compares
// each operator with torch.
//
// Covers: src/transforms/mode/cast_cache.
#include "opwright/runtime/autocast.h"

#include <cstddef>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/mode.h"
#include "opwright/dispatch/operator.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/runtime/make_fx.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

DType product_dtype(const Tensor& x) { return mm(x, x).dtype(); }

TEST(Autocast, LastsAsLongAsItsScope) {
  const Tensor x = ones({2, 2});
  {
    const AutocastScope autocast;
    EXPECT_EQ(product_dtype(x), DType::BFloat16);
    EXPECT_TRUE(is_autocast_enabled());
  }
  EXPECT_EQ(product_dtype(x), DType::Float32);
  EXPECT_FALSE(is_autocast_enabled());
}

TEST(Autocast, IsDecidedByTheInnermostScopeOfADevice) {
  const Tensor x = ones({2, 2});
  const AutocastScope outer;
  const AutocastScope other{Device(kOpwDeviceCuda)};
  {
    const AutocastScope inner(kCpu, DType::Float16);
    EXPECT_EQ(product_dtype(x), DType::Float16);
    EXPECT_EQ(autocast_dtype(), DType::Float16);
    const AutocastScope off(kCpu, std::nullopt, false);
    EXPECT_EQ(product_dtype(x), DType::Float32);
    EXPECT_FALSE(is_autocast_enabled());
  }
  EXPECT_EQ(product_dtype(x), DType::BFloat16);
}

TEST(Autocast, RefusesADtypeThatIsNotLower) {
  EXPECT_ERROR(AutocastScope(kCpu, DType::Float32), "ValueError",
               "autocast: dtype must be bfloat16 or float16, got float32");
}

TEST(Autocast, IsOffInsideOfAnOperatorThatItCasts) {
  struct Seen final : Mode {
    bool process(const Operator& /*op*/, Arguments /*args*/, Results /*results*/) override {
      was_enabled |= is_autocast_enabled();
      return false;
    }
    bool was_enabled = false;
  };
  Seen seen;
  const ModeScope watching(seen);
  const AutocastScope autocast;
  (void)linear(ones({2, 2}), ones({2, 2}));
  EXPECT_FALSE(seen.was_enabled);
}

// Counts the casts of a scope; it is entered outside, where it sees the mode's calls.
class CountedCasts final : public Mode {
 public:
  bool process(const Operator& op, Arguments /*args*/, Results /*results*/) override {
    count += op.name() == "aten::_to_copy" ? 1 : 0;
    return false;
  }
  int count = 0;
};

class KeptCasts : public ::testing::Test {
 protected:
  KeptCasts() { impl(weight).flags |= kOpwFlagRequiresGrad; }

  Tensor x = ones({2, 2}, DType::BFloat16);
  Tensor weight = ones({2, 2});
  CountedCasts casts;
  ModeScope counting{casts};
};

TEST_F(KeptCasts, AreMadeOnceForALeafUntilTheOutermostScopeEnds) {
  {
    const AutocastScope outer;
    (void)mm(x, weight);
    const AutocastScope inner;
    (void)mm(x, weight);
    (void)mm(weight, weight);
    EXPECT_EQ(casts.count, 1);
  }
  const AutocastScope next;
  (void)mm(x, weight);
  EXPECT_EQ(casts.count, 2);
}

TEST_F(KeptCasts, AreNotForTensorsWithoutGrad) {
  const Tensor plain = ones({2, 2});
  const AutocastScope autocast;
  (void)mm(x, plain);
  (void)mm(x, plain);
  EXPECT_EQ(casts.count, 2);
}

TEST_F(KeptCasts, AreNotKeptWhereThatIsTurnedOff) {
  const AutocastScope autocast(kCpu, std::nullopt, true, false);
  (void)mm(x, weight);
  (void)mm(x, weight);
  EXPECT_EQ(casts.count, 2);
}

TEST_F(KeptCasts, AreMadeAnewAfterAWrite) {
  const AutocastScope autocast;
  (void)mm(x, weight);
  {
    const NoGradScope no_grad;
    weight.add_(1);
  }
  const Tensor result = mm(x, weight);
  EXPECT_EQ(casts.count, 2);
  EXPECT_EQ(result.to(DType::Float32).sum().item().to<double>(), 16.0);
}

TEST_F(KeptCasts, AreOneWithAndOneWithoutGrad) {
  const AutocastScope autocast;
  {
    const NoGradScope no_grad;
    (void)mm(x, weight);
  }
  (void)mm(x, weight);
  EXPECT_EQ(casts.count, 2);
}

TEST_F(KeptCasts, OfAGraphAreInTheGraph) {
  const AutocastScope autocast;
  (void)mm(x, weight);
  const auto f = [&](const Tensor& input) { return mm(mm(input, weight), weight); };
  const TracedGraph graph = make_fx(f)(x);
  const std::string text = graph.text();
  const size_t cast = text.find("aten::_to_copy(");
  EXPECT_NE(cast, std::string::npos) << text;
  EXPECT_EQ(text.find("aten::_to_copy(", cast + 1), std::string::npos) << text;
}

}  // namespace
}  // namespace opwright
