// A repeated plan run allocates only what it returns: calls of malloc are counted.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ir/graph_operators.h"
#include "opwright/base/block_cache.h"
#include "opwright/run/plan.h"
#include "run/plan_runs.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    defined(OPWRIGHT_POISONS_BLOCKS)
#define OPWRIGHT_COUNTS_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define OPWRIGHT_COUNTS_MALLOC 0
#endif
#endif
#ifndef OPWRIGHT_COUNTS_MALLOC
#define OPWRIGHT_COUNTS_MALLOC 1
#endif

#if OPWRIGHT_COUNTS_MALLOC
namespace {
thread_local size_t allocations = 0;
}  // namespace

// The C library's functions with a counter; operator new uses them too.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
}
// NOLINTEND(readability-identifier-naming)
#endif

namespace opwright {
namespace {

using testing::given;
using testing::lent;
using testing::make_plan;
using testing::matrix;
using testing::tensor;

class PlanAllocations : public ::testing::Test {
 protected:
  void SetUp() override {
#if !OPWRIGHT_COUNTS_MALLOC
    GTEST_SKIP() << "a sanitizer has malloc";
#endif
  }

  // Counts over a hundred runs, after a few warm-up runs.
  static size_t count([[maybe_unused]] const Plan& plan,
                      [[maybe_unused]] const std::vector<Value>& inputs) {
#if OPWRIGHT_COUNTS_MALLOC
    const std::vector<OpwValue> arguments = lent(inputs);
    std::vector<OpwValue> results(plan.num_outputs());
    size_t before = 0;
    for (int i = 0; i < 105; ++i) {
      if (i == 5) before = allocations;
      plan.run(arguments, results);
      for (OpwValue& result : results) release_value(result);
    }
    return allocations - before;
#else
    return 0;
#endif
  }
  testing::GraphOperators operators_;
};

#if OPWRIGHT_COUNTS_MALLOC
TEST_F(PlanAllocations, AreCounted) {
  const size_t before = allocations;

  const std::vector<int> several(100);

  EXPECT_EQ(allocations, before + 1);
  EXPECT_EQ(several.size(), 100);
}
#endif

TEST_F(PlanAllocations, OfSmallValuesAreNone) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[4], %y: float32[4]) -> (%d, %c) {\n"
      "  %a: float32[4] = aten::add.Tensor(%x, %y)  # model.py:1\n"
      "  %b: float32[4] = aten::mul.Tensor(%a, %y)  # model.py:2\n"
      "  %c: float32[4] = aten::tanh(%b)  # model.py:3\n"
      "  %d: float32[4] = aten::sub.Tensor(%c, %a), no_grad\n"
      "}\n");

  EXPECT_EQ(count(*plan, given(tensor({1, 2, 3, 4}), tensor({1, 2, 3, 4}))), 0);
}

TEST_F(PlanAllocations, OfLargeValuesAndViewsAreNoneButWhatIsReturned) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[40, 30], %w: float32[20, 30]) -> (%f) {\n"
      "  %t: float32[30, 20] strides [1, 30] = aten::t(%w)\n"
      "  %a: float32[40, 20] = aten::mm(%x, %t)\n"
      "  %b: float32[40, 20] = aten::relu(%a)\n"
      "  %c: float32[800] = aten::view(%b, [800])\n"
      "  %d: float32[800] = aten::mul.Tensor(%c, %c)\n"
      "  %e: float32[40, 20] = aten::view(%d, [40, 20])\n"
      "  %f: float32[40] = aten::sum.dim_IntList(%e, [1])\n"
      "}\n");

  EXPECT_EQ(count(*plan, given(matrix(40, 30), matrix(20, 30))), 0);
  EXPECT_GT(plan->memory().placed_bytes, 0);
}

TEST_F(PlanAllocations, OfSizesThatStayTheSameAreNone) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[s0, 30]) -> (%b) {\n"
      "  symbol s0 in [2, inf], hint 5, from x.size(0)\n"
      "  guard s0 >= 3  # model.py:12\n"
      "  %v: float32[30*s0] = aten::view(%x, [30*s0])\n"
      "  %a: float32[30*s0] = aten::exp(%v)\n"
      "  %b: float32[] = aten::sum(%a)\n"
      "}\n");

  EXPECT_EQ(count(*plan, given(matrix(40, 30))), 0);
}

TEST_F(PlanAllocations, OfWritesToInputsAreNone) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[4], %buffer: float32[4]) -> (%a) {\n"
      "  %a: float32[4] = aten::add.Tensor(%x, %buffer)\n"
      "  %b: float32[4] = aten::copy_(%buffer, %a)\n"
      "}\n");

  EXPECT_EQ(count(*plan, given(tensor({1, 2, 3, 4}), tensor({1, 2, 3, 4}))), 0);
}

TEST_F(PlanAllocations, OfALargeResultAreItsOwn) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[40, 30]) -> (%b) {\n"
      "  %a: float32[40, 30] = aten::exp(%x)\n"
      "  %b: float32[40, 30] = aten::exp(%a)\n"
      "}\n");

  EXPECT_EQ(count(*plan, given(matrix(40, 30))), 100);
}

}  // namespace
}  // namespace opwright
