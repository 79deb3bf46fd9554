#include "opwright/pt2/archive/operator_target.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace opwright::pt2 {
namespace {

TEST(OperatorTarget, NamesOperatorsAsTorchDoes) {
  EXPECT_EQ(target_of_operator({"aten", "add", "Tensor"}), "torch.ops.aten.add.Tensor");
  EXPECT_EQ(target_of_operator({"audio", "gain", ""}), "torch.ops.audio.gain.default");
}

TEST(OperatorTarget, ReadsWhatItWrites) {
  EXPECT_EQ(operator_of_target("torch.ops.aten.add.Tensor"), "aten::add.Tensor");
  EXPECT_EQ(operator_of_target("torch.ops.audio.gain.default"), "audio::gain");
  EXPECT_FALSE(is_operator_target("_operator.mul"));
}

TEST(OperatorTarget, RefusesATargetWithoutAnOperator) {
  EXPECT_ERROR(operator_of_target("torch.ops.aten"), "ValueError",
               "'torch.ops.aten' does not name an operator");
}

}  // namespace
}  // namespace opwright::pt2
