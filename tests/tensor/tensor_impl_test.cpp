// Covers: src/tensor/last_handle, src/tensor/stack_view.
#include "opwright/tensor/tensor_impl.h"

#include <string>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/stack_view.h"
#include "opwright/tensor/wrapper.h"
#include "tensor/tensors.h"

namespace opwright {
namespace {

using testing::range;

TEST(TensorImpl, KeepsManyDimensionsOnTheHeap) {
  const LiveCounts before = live_counts();
  {
    const Tensor tensor = range({1, 2, 1, 3, 1, 2, 1});
    EXPECT_EQ(tensor.dim(), 7);
    EXPECT_EQ(tensor.size(3), 3);
    EXPECT_EQ(tensor.stride(1), 6);
    EXPECT_NE(impl(tensor).dl.shape, impl(tensor).dims);
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(TensorImpl, HasAtMost64Dimensions) {
  const std::vector<int64_t> sizes(65, 1);
  EXPECT_ERROR(make_empty(sizes, DType::Float32), "ValueError",
               "empty: a tensor has at most 64 dimensions, got 65");
}

TEST(TensorImpl, IsNotFoundBehindAnUndefinedHandle) {
  EXPECT_ERROR(impl(Tensor()), "ValueError", "an undefined tensor was used");
}

TEST(TensorImpl, OwnsItsAutogradData) {
  struct Counting : AutogradMeta {
    explicit Counting(int& count) : live(count) { ++live; }
    ~Counting() override { --live; }
    [[nodiscard]] std::string node_name() const override { return ""; }
    int& live;
  };
  int live = 0;
  {
    const Tensor tensor = range({2});
    impl(tensor).autograd = new Counting(live);
    EXPECT_EQ(live, 1);
  }
  EXPECT_EQ(live, 0);
}

TensorImpl* dropped_by_mirror = nullptr;
constexpr MirrorTable kMirrors{
    .last_handle_dropped = [](TensorImpl* tensor) { dropped_by_mirror = tensor; }};

TEST(TensorImpl, GivesItsLastCountToTheLanguageOfAMirrorThatItOwns) {
  const LiveCounts before = live_counts();
  set_mirror_table(kMirrors);
  Tensor tensor = range({2});
  TensorImpl* self = &impl(tensor);
  self->count |= kOpwCountHostBit;

  Tensor copy = tensor;
  copy = Tensor();
  EXPECT_EQ(dropped_by_mirror, nullptr);
  tensor = Tensor();

  EXPECT_EQ(dropped_by_mirror, self);
  EXPECT_EQ(self->count, kOpwCountHostBit | 1U);
  destroy_tensor(self);
  EXPECT_EQ(live_counts(), before);
}

TEST(ReplaceContents, ShowsTheSourceThroughTheSameHandle) {
  const LiveCounts before = live_counts();
  {
    const Tensor target = range({2, 2});
    const Tensor handle = target;
    const Tensor source = testing::tensor_of<int64_t>({1, 1, 1, 1, 1, 3}, {7, 8, 9});

    replace_contents(impl(target), impl(source));

    EXPECT_EQ(handle.get(), target.get());
    EXPECT_EQ(handle.dtype(), DType::Int64);
    EXPECT_EQ(handle.dim(), 6);
    EXPECT_EQ(handle.data<int64_t>()[2], 9);
    EXPECT_EQ(&storage_of(handle), &storage_of(source));
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(ReplaceContents, KeepsWhetherTheTargetRequiresGrad) {
  const Tensor target = range({2});
  impl(target).flags |= kOpwFlagRequiresGrad;

  replace_contents(impl(target), impl(range({3})));

  EXPECT_TRUE(target.requires_grad());
  EXPECT_EQ(target.size(0), 3);
}

TEST(StackView, CostsNoCountWhenItIsPassedOn) {
  const Tensor tensor = range({2, 3});
  StackView view(tensor);

  EXPECT_EQ(tensor.get()->count, 1U);
  EXPECT_EQ(view.get()->dl.shape[1], 3);
  EXPECT_EQ(&impl(view.get()), &impl(tensor));
}

TEST(StackView, GivesAnOwningHandleOfTheSameTensorWhenCopied) {
  const Tensor tensor = range({2, 3});
  StackView view(tensor);

  const Tensor kept = Tensor::borrow(view.get());

  EXPECT_EQ(kept.get(), tensor.get());
  EXPECT_EQ(tensor.get()->count, 2U);
}

}  // namespace
}  // namespace opwright
