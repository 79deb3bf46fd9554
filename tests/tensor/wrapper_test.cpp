#include "opwright/tensor/wrapper.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/tensor/device/live_counts.h"
#include "symbolic/test_owner.h"
#include "tensor/tensors.h"

namespace opwright {
namespace {

using testing::range;

class TestLevel : public Level {
 public:
  explicit TestLevel(int& live) : live_(live) { ++live_; }
  ~TestLevel() override { --live_; }
  [[nodiscard]] const char* name() const override { return "vmap"; }

 private:
  int& live_;
};

class Wrapper : public ::testing::Test {
 protected:
  int live_homes_ = 0;
  IntrusivePtr<TestLevel> level_ = make_intrusive<TestLevel>(live_homes_);
};

void count_drop(void* count) { ++*static_cast<int*>(count); }

TEST_F(Wrapper, HasTheSizesThatTheTransformSays) {
  const Tensor inner = range({4, 3});
  const Tensor wrapped =
      make_wrapper(level_.get(), inner, std::vector<int64_t>{3}, std::vector<int64_t>{1});

  EXPECT_EQ(wrapped.dim(), 1);
  EXPECT_EQ(wrapped.size(0), 3);
  EXPECT_EQ(wrapped.dtype(), DType::Float32);
  EXPECT_EQ(impl(wrapped).level, level_.get());
  EXPECT_TRUE(wrapped.get()->flags & kOpwFlagWrapped);
}

TEST_F(Wrapper, HasStorageAndVersionOfWhatItWrapsThroughAllLevels) {
  const Tensor inner = range({4});
  const Tensor twice = make_wrapper(level_.get(), make_wrapper(level_.get(), inner));

  storage_of(twice).raise_version();

  EXPECT_EQ(&storage_of(twice), &storage_of(inner));
  EXPECT_EQ(version_of(inner), 1U);
}

TEST_F(Wrapper, LetsNobodyReadItsData) {
  const Tensor wrapped = make_wrapper(level_.get(), range({4}));

  EXPECT_ERROR(wrapped.data<float>(), "DataDependentError",
               "the data of a tensor inside a transform was read; only kernels see data, so make "
               "the code that reads it "
               "an operator of its own");
}

TEST_F(Wrapper, DropsInnerPayloadAndHomeWithItself) {
  const LiveCounts before = live_counts();
  int drops = 0;
  {
    Tensor wrapped = make_wrapper(level_.get(), range({4}), {.data = &drops, .drop = &count_drop});
    level_.reset();
    EXPECT_EQ(live_homes_, 1);
    EXPECT_EQ(drops, 0);
  }
  EXPECT_EQ(drops, 1);
  EXPECT_EQ(live_homes_, 0);
  EXPECT_EQ(live_counts(), before);
}

TEST_F(Wrapper, DropsThePayloadWhenItCannotBeMade) {
  int drops = 0;
  EXPECT_ERROR(make_wrapper(level_.get(), Tensor(), {.data = &drops, .drop = &count_drop}),
               "ValueError", "an undefined tensor was used");
  EXPECT_EQ(drops, 1);
}

TEST_F(Wrapper, MayHaveSymbolicSizes) {
  testing::TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  const std::vector<SymInt> sizes{s0, 3};
  const std::vector<SymInt> strides{3, 1};
  const Tensor wrapped = make_wrapper(level_.get(), range({12}), sizes, strides, 0);

  EXPECT_EQ(concatenate(wrapped), "float32[s0, 3]");
  EXPECT_TRUE(wrapped.is_symbolic());
}

TEST_F(Wrapper, BecomesPlainWhenItsContentsAreReplaced) {
  const LiveCounts before = live_counts();
  int drops = 0;
  {
    const Tensor wrapped =
        make_wrapper(level_.get(), range({4}), {.data = &drops, .drop = &count_drop});
    const Tensor handle = wrapped;

    replace_contents(impl(wrapped), impl(range({2})));

    EXPECT_EQ(drops, 1);
    EXPECT_EQ(handle.data<float>()[1], 1.0F);
    EXPECT_EQ(impl(handle).level, nullptr);
    EXPECT_ERROR(wrapper(handle), "ValueError",
                 "a tensor inside a transform was expected, got a plain one");
  }
  EXPECT_EQ(live_counts(), before);
}

TEST_F(Wrapper, TakesAnotherInnerValue) {
  const Tensor wrapped = make_wrapper(level_.get(), range({4}));
  const Tensor other = range({4});

  set_inner(wrapper(wrapped), other);

  EXPECT_EQ(&storage_of(wrapped), &storage_of(other));
}

TEST_F(Wrapper, IsRefreshedByItsTransformWhenStale) {
  const auto refresh = [](WrapperImpl& self) {
    self.flags &= ~kOpwFlagStale;
    self.dl.shape[0] = 2;
  };
  const Tensor wrapped = make_wrapper(level_.get(), range({4}),
                                      {.data = nullptr, .drop = nullptr, .refresh = refresh});
  impl(wrapped).flags |= kOpwFlagStale;

  EXPECT_EQ(wrapped.size(0), 2);
}

TEST_F(Wrapper, GivesTheErrorOfARefreshThatFails) {
  const auto refresh = [](WrapperImpl&) { throw Error("RuntimeError", "the base is gone"); };
  const Tensor wrapped = make_wrapper(level_.get(), range({4}),
                                      {.data = nullptr, .drop = nullptr, .refresh = refresh});
  impl(wrapped).flags |= kOpwFlagStale;

  EXPECT_ERROR((void)wrapped.size(0), "RuntimeError", "the base is gone");
}

}  // namespace
}  // namespace opwright
