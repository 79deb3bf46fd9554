// Calls on a device without a kernel for them: which fallback runs, and what is counted.
#include "opwright/transforms/mode/kernel_fallback.h"

#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/functions.h"
#include "opwright/tensor/tensor_impl.h"
#include "tensor/tensors.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::range;
using testing::TestDevice;

class FallbackScope {
 public:
  FallbackScope() {
    reset_fallback_counts();
    set_allows_fallback(true);
  }
  ~FallbackScope() {
    set_allows_fallback(false);
    reset_fallback_counts();
  }
  FallbackScope(const FallbackScope&) = delete;
  FallbackScope& operator=(const FallbackScope&) = delete;
};

Slot device_slot() { return opwright::device_slot(TestDevice::device().type); }
Tensor on_device(const Tensor& x) { return x.to(TestDevice::device(), x.dtype()); }
std::vector<float> values(const Tensor& x) {
  const Tensor dense = x.to(kCpu, x.dtype()).contiguous();
  return {dense.data<float>(), dense.data<float>() + dense.numel()};
}

// cumsum of a vector; the test device's memory is the CPU's.
Tensor cumsum_of_test_device(const Tensor& self, int64_t /*dim*/, std::optional<DType> /*dtype*/) {
  Tensor result = empty_like(self);
  float sum = 0;
  for (int64_t i = 0; i < self.numel(); ++i)
    result.mutable_data<float>()[i] = sum += self.data<float>()[i];
  return result;
}

Tensor negate_of_test_device(const Tensor& self) {
  Tensor result = empty_like(self);
  for (int64_t i = 0; i < self.numel(); ++i)
    result.mutable_data<float>()[i] = -self.data<float>()[i];
  return result;
}

TEST(KernelStandIn, RunsAFormThatWritesAsTheOneThatDoesNot) {
  const Registration kernel =
      Registry::get().implement("aten::neg", device_slot(), &negate_of_test_device);
  Tensor x = on_device(range({3}));
  const Tensor& given = x.neg_();
  EXPECT_EQ(given.get(), x.get());
  EXPECT_EQ(values(x), (std::vector<float>{0, -1, -2}));

  Tensor out = on_device(range({0}));
  static OperatorHandle<Tensor&(const Tensor&, Tensor&)> neg_out("aten::neg.out");
  neg_out(x, out);
  EXPECT_EQ(values(out), (std::vector<float>{0, 1, 2}));
  EXPECT_TRUE(fallback_counts().empty());
}

TEST(KernelStandIn, RunsTheDecompositionOfAnOperator) {
  auto& registry = Registry::get();
  const Registration kernel =
      registry.implement("aten::cumsum", device_slot(), &cumsum_of_test_device);
  const Registration definition = registry.define("test::running(Tensor x) -> Tensor");
  const Registration rule = registry.implement(
      "test::running", Slot::Decompose, +[](const Tensor& x) { return x.cumsum(0).cumsum(0); });
  OperatorHandle<Tensor(const Tensor&)> running("test::running");
  EXPECT_EQ(values(running(on_device(range({3})))), (std::vector<float>{0, 1, 4}));
}

TEST(KernelStandIn, RefusesWhatTheUserDidNotAllow) {
  const Tensor x = on_device(range({3}));
  EXPECT_ERROR_CONTAINS(x.cumsum(0), "NotImplementedError",
                        "aten::cumsum has no kernel for TEST (self is float32[3] on test:0)");
  EXPECT_TRUE(fallback_counts().empty());
}

// masked_scatter is masked_scatter_ on a copy, which without a kernel would be masked_scatter.
TEST(KernelStandIn, RefusesFormsThatAreDefinedByEachOther) {
  Tensor x = on_device(range({3}));
  const Tensor mask = on_device(range({3}).gt(0));
  EXPECT_ERROR_CONTAINS(x.masked_scatter(mask, x), "NotImplementedError",
                        "aten::masked_scatter_ has no kernel for TEST");
  EXPECT_ERROR_CONTAINS(x.masked_scatter_(mask, x), "NotImplementedError",
                        "aten::masked_scatter_ has no kernel for TEST");

  const FallbackScope allowed;
  EXPECT_EQ(values(x.masked_scatter(mask, on_device(range({3})))), (std::vector<float>{0, 0, 1}));
  EXPECT_EQ(values(x.masked_scatter_(mask, on_device(range({3})))), (std::vector<float>{0, 0, 1}));
}

TEST(KernelStandIn, RunsOnTheCpuByCopyingWhereThatIsAllowed) {
  const FallbackScope allowed;
  const Tensor x = on_device(range({2, 2}));
  const Tensor sums = x.cumsum(0);
  EXPECT_EQ(sums.device(), x.device());
  EXPECT_EQ(values(sums), (std::vector<float>{0, 1, 2, 4}));
  EXPECT_EQ(values(x.cumsum(1)), (std::vector<float>{0, 1, 2, 5}));

  const std::vector<FallbackCount> counts = fallback_counts();
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].name, "aten::cumsum");
  EXPECT_EQ(counts[0].times, 2);
}

TEST(KernelStandIn, GivesWrittenArgumentsOfAFallbackBack) {
  const FallbackScope allowed;
  Tensor x = on_device(range({3}).pow(2));
  const uint64_t before = impl(x.get()).storage->current_version();
  const Tensor& given = x.sqrt_();
  EXPECT_EQ(given.get(), x.get());
  EXPECT_GT(impl(x.get()).storage->current_version(), before);
  EXPECT_EQ(values(x), (std::vector<float>{0, 1, 2}));
}

TEST(KernelStandIn, GivesSeveralResultsOfAFallback) {
  const FallbackScope allowed;
  const auto [sorted, order] = on_device(range({3})).sort(0, true);
  EXPECT_EQ(sorted.device(), TestDevice::device());
  EXPECT_EQ(order.device(), TestDevice::device());
  EXPECT_EQ(values(sorted), (std::vector<float>{2, 1, 0}));
}

}  // namespace
}  // namespace opwright
