// The registration generated from src/ops/functions.yaml.
#include <gtest/gtest.h>

#include "ops/op_tensors.h"
#include "opwright/dispatch/registry.h"

namespace opwright {

namespace {

TEST(BuiltinOperators, AreRegisteredBeforeMain) {
  const Operator* op = Registry::get().find("aten::add.Tensor");

  ASSERT_NE(op, nullptr);
  EXPECT_TRUE(op->tags().has(Tag::Pointwise));
  EXPECT_TRUE(op->tags().has(Tag::Core));
  EXPECT_EQ(op->site().text().rfind("src/ops/functions.yaml:", 0), 0U) << op->site().text();
}

TEST(BuiltinOperators, CanAllBeCalledOnTheCpu) {
  const auto operators = Registry::get().list("aten");

  EXPECT_GE(operators.size(), 60U);
  for (const Operator* op : operators) EXPECT_NE(op->record(Slot::Cpu), nullptr) << op->name();
}

TEST(BuiltinOperators, SayWhichOperatorAndArgumentsFailed) {
  const Tensor x = make_empty(IntList{2, 3}, DType::Float32);
  try {
    (void)mm(x, x);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("aten::mm"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace opwright
