#include "opwright/compile/llvm/emit_llvm.h"

#include <string>

#include <gtest/gtest.h>

#include "compile/nest_text.h"
#include "opwright/compile/fuse/nest.h"

namespace opwright {
namespace {

constexpr const char* kSoftmax =
    "rows 128 depth columns 1024 folded\n"
    "operand 0 float32 [1024, 1]\n"
    "operand 1 written float32 [1024, 1]\n"
    "%0 float32 = load 0\n"
    "%1 float32 = fold_maximum %0\n"
    "%2 float32 = subtract %0 %1\n"
    "%3 float32 = exp %2\n"
    "%4 float32 = fold_sum %3\n"
    "%5 float32 = divide %3 %4\n"
    "store 1 %5\n";

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(NestText, IsReadAsItIsWritten) { EXPECT_EQ(to_text(testing::parse_nest(kSoftmax)), kSoftmax); }

TEST(EmitLlvm, KeepsTheExponentialsOfASoftmaxInItsOutput) {
  const EmittedNest emitted = emit_llvm(testing::parse_nest(kSoftmax), {.vector_bytes = 64});

  EXPECT_EQ(emitted.scratch_bytes, 0);
  // One of the exponentials, one of the quotients.
  EXPECT_EQ(count_of(emitted.ir, "store <16 x float>"), 2);
}

TEST(EmitLlvm, MakesNoCodeForARestWhereTheColumnsAreWholeVectors) {
  const EmittedNest emitted = emit_llvm(testing::parse_nest(kSoftmax), {.vector_bytes = 32});

  EXPECT_EQ(count_of(emitted.ir, "llvm.masked"), 0);
}

}  // namespace
}  // namespace opwright
