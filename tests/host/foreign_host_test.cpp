// What the core does for a host that has no operators and no tensors of its own.
//
// Covers: src/host/foreign_call_scope.
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/registry.h"
#include "opwright/grad_mode.h"
#include "opwright/opwright.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::testing {
namespace {

// A matrix of 2 x 2 floats on the stack.
struct ForeignMatrix {
  float elements[4] = {1, 2, 3, 4};
  int64_t sizes[2] = {2, 2};
  int64_t strides[2] = {2, 1};

  OpwDlTensor show() {
    return {.data = elements,
            .device = {kOpwDeviceCpu, 0},
            .ndim = 2,
            .dtype = {kOpwDtypeFloat, 32, 1},
            .shape = sizes,
            .strides = strides,
            .byte_offset = 0};
  }
};

TEST(BorrowedMemory, IsReadInPlace) {
  ForeignMatrix matrix;
  const BorrowedMemory memory(matrix.show(), BorrowedMemory::Access::ReadOnly);
  EXPECT_EQ(memory.tensor().data(), matrix.elements);
  EXPECT_EQ(*memory.tensor().sum().data<float>(), 10);
}

TEST(BorrowedMemory, IsWrittenWhereItMayBe) {
  ForeignMatrix matrix;
  const BorrowedMemory memory(matrix.show(), BorrowedMemory::Access::ReadWrite);
  Tensor tensor = memory.tensor();
  tensor.mul_(2);
  EXPECT_EQ(matrix.elements[3], 8);
}

TEST(BorrowedMemory, RefusesAWriteToMemoryThatIsReadOnly) {
  ForeignMatrix matrix;
  const BorrowedMemory memory(matrix.show(), BorrowedMemory::Access::ReadOnly);
  Tensor tensor = memory.tensor();
  EXPECT_ERROR_CONTAINS(tensor.mul_(2), "ValueError", "read-only");
}

TEST(BorrowedMemory, TellsAtItsEndThatNobodyShowsIt) {
  ForeignMatrix matrix;
  BorrowedMemory memory(matrix.show(), BorrowedMemory::Access::ReadOnly);
  const Tensor copy = memory.tensor().clone();
  EXPECT_TRUE(memory.end());
  EXPECT_TRUE(memory.end());
}

TEST(BorrowedMemory, TellsAtItsEndThatAViewIsKept) {
  ForeignMatrix matrix;
  BorrowedMemory memory(matrix.show(), BorrowedMemory::Access::ReadOnly);
  const Tensor row = memory.tensor().select(0, 1);
  EXPECT_FALSE(memory.end());
}

TEST(NamedOperator, IsCalledWithValues) {
  NamedOperator negative("aten::neg");
  const Tensor x = full({2}, 3.0);
  const OpwValue args[] = {ValueOf<Tensor>::lend(x)};
  OpwValue results[1]{};
  negative.call(args, 1, results, 1);
  EXPECT_EQ(Tensor::take(results[0].as_tensor).data<float>()[1], -3);
}

TEST(NamedOperator, FailsAfterTheOperatorWasRemoved) {
  Registration definition = Registry::get().define("foreign_host::gone(Tensor x) -> Tensor");
  NamedOperator gone("foreign_host::gone");
  {
    const Registration removed = std::move(definition);
  }
  const Tensor x = full({2}, 3.0);
  const OpwValue args[] = {ValueOf<Tensor>::lend(x)};
  OpwValue results[1]{};
  EXPECT_ERROR_CONTAINS(gone.call(args, 1, results, 1), "AttributeError",
                        "there is no operator foreign_host::gone");
}

TEST(ForeignCallScope, SetsTheGradModeOfItsThreadAside) {
  const NoGradScope no_grad;
  {
    const ForeignCallScope scope;
    EXPECT_TRUE(is_grad_enabled());
  }
  EXPECT_FALSE(is_grad_enabled());
}

}  // namespace
}  // namespace opwright::testing
