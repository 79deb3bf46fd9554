// Covers: src/tensor/level.
#include "opwright/tensor/wrapper_keeper.h"

#include <vector>

#include <gtest/gtest.h>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/dtype.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/level.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

class KeepingLevel final : public Level, public WrapperKeeper {
 public:
  explicit KeepingLevel(bool asks) {
    if (asks) ask_for_wrappers();
  }
  [[nodiscard]] const char* name() const override { return "keeping"; }
  [[nodiscard]] size_t num_live() { return live_wrappers().size(); }
};

Tensor plain() {
  const int64_t size = 2;
  return make_empty({&size, 1}, DType::Float32);
}

TEST(WrapperKeeper, KnowsTheWrappersThatAreAlive) {
  const auto level = make_intrusive<KeepingLevel>(true);
  const Tensor kept = make_wrapper(level.get(), plain());
  {
    const Tensor gone = make_wrapper(level.get(), plain());
  }

  EXPECT_EQ(level->num_live(), 1u);
  const Tensor alias = alias_of(kept);
  EXPECT_EQ(level->num_live(), 2u);
}

TEST(WrapperKeeper, ForgetsAWrapperThatBecamePlain) {
  const auto level = make_intrusive<KeepingLevel>(true);
  const Tensor kept = make_wrapper(level.get(), plain());

  replace_contents(impl(kept), impl(plain()));

  EXPECT_EQ(level->num_live(), 0u);
}

TEST(WrapperKeeper, CostsNothingWhereNobodyAsks) {
  const auto level = make_intrusive<KeepingLevel>(false);
  const Tensor kept = make_wrapper(level.get(), plain());

  EXPECT_FALSE(WrapperKeeper::is_any_asking());
  EXPECT_EQ(level->num_live(), 0u);
}

}  // namespace
}  // namespace opwright
