// Tensors made in inference mode: readable everywhere, writable only inside.
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/c_api.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

bool is_inference(const Tensor& tensor) { return (tensor.get()->flags & kOpwFlagInference) != 0; }

Tensor make_in_inference_mode() {
  const InferenceScope inference;
  return ones({2});
}

TEST(InferenceTensor, IsWhatIsMadeInTheMode) {
  const InferenceScope inference;
  EXPECT_TRUE(is_inference(ones({2})));
  EXPECT_TRUE(is_inference(ones({2}, {}, {}, Device(kOpwDeviceMeta))));
  EXPECT_TRUE(is_inference(ones({2}) + ones({2})));
}

TEST(InferenceTensor, IsWhatAViewOfOneIs) {
  const Tensor made = make_in_inference_mode();
  const Tensor plain = ones({2});

  EXPECT_TRUE(is_inference(made.select(0, 0)));
  const InferenceScope inference;
  EXPECT_FALSE(is_inference(plain.select(0, 0)));
}

TEST(InferenceTensor, GivesPlainResultsOutsideOfTheMode) {
  const Tensor made = make_in_inference_mode();
  EXPECT_FALSE(is_inference(made * made));
  EXPECT_FALSE(is_inference(made.clone()));
}

TEST(InferenceTensor, IsWrittenInTheModeOnly) {
  Tensor made = make_in_inference_mode();
  EXPECT_ERROR(made.add_(made), "RuntimeError",
               "aten::add_.Tensor: 'self' was made in inference mode and is written outside of it\n"
               "  Write a clone, or write it under inference_mode.");
  const InferenceScope inference;
  made.add_(made);
  EXPECT_EQ(made.sum().item().to<double>(), 4.0);
}

TEST(InferenceTensor, IsNotWrittenThroughAViewEither) {
  const Tensor made = make_in_inference_mode();
  const NoGradScope no_grad;
  EXPECT_ERROR_CONTAINS(made.view({2, 1}).zero_(), "RuntimeError", "aten::zero_: 'self' was made");
}

}  // namespace
}  // namespace opwright
