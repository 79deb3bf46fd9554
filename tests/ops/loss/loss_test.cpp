// Covers: src/ops/loss/*.
#include <optional>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/tensor/factory.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::floats;
using testing::range;
using testing::tensor_of;
using testing::TestOwner;

const std::optional<Tensor> kNoWeight;

TEST(Loss, RefusesAnUnknownReduction) {
  EXPECT_ERROR_CONTAINS(mse_loss(range({2}), range({2}), 3), "ValueError",
                        "mse_loss: reduction must be 0 (none), 1 (mean) or 2 (sum), got 3");
}

TEST(Loss, RefusesWidthsThatAreNone) {
  EXPECT_ERROR_CONTAINS(huber_loss(range({2}), range({2}), 1, 0.0), "RuntimeError",
                        "huber_loss: delta must be positive, got 0");
  EXPECT_ERROR_CONTAINS(smooth_l1_loss(range({2}), range({2}), 1, -1.0), "RuntimeError",
                        "smooth_l1_loss: beta must not be negative, got -1");
}

TEST(BinaryCrossEntropy, RefusesWhatIsNoProbability) {
  EXPECT_ERROR_CONTAINS(binary_cross_entropy(tensor_of<float>({2}, {0.5, 1.5}), range({2})),
                        "RuntimeError",
                        "binary_cross_entropy: all elements of self must lie between 0 and 1, got "
                        "elements from 0.5 to 1.5; give it probabilities, e.g. of sigmoid");
}

TEST(NllLoss, RefusesAClassOutOfRange) {
  EXPECT_ERROR_CONTAINS(nll_loss(range({2, 3}), tensor_of<int64_t>({2}, {0, 3})), "IndexError",
                        "nll_loss_forward: target 3 is out of range for 3 classes");
}

TEST(NllLoss, RefusesTargetsOfAnotherBatch) {
  EXPECT_ERROR_CONTAINS(nll_loss(range({2, 3}), tensor_of<int64_t>({1}, {0})), "RuntimeError",
                        "nll_loss_forward: self (float32[2, 3]) and target (int64[1]) must have "
                        "batches of the same size");
  EXPECT_ERROR_CONTAINS(nll_loss(range({2, 3}), range({2})), "TypeError",
                        "nll_loss_forward: target must hold classes of int64 or uint8, got "
                        "float32[2]");
}

TEST(CrossEntropy, RefusesSmoothingThatIsNoShare) {
  EXPECT_ERROR_CONTAINS(
      cross_entropy_loss(range({1, 3}), tensor_of<int64_t>({1}, {0}), kNoWeight, 1, -100, 1.5),
      "RuntimeError", "cross_entropy_loss: label_smoothing must lie between 0 and 1, got 1.5");
}

TEST(FakeLosses, KeepSymbolicSizes) {
  TestOwner owner;
  const SymInt batch = owner.backed("s0", 5);
  const Tensor x = make_fake(std::vector<SymInt>{batch, 4}, DType::Float32, kCpu);
  const Tensor classes = make_fake(std::vector<SymInt>{batch}, DType::Int64, kCpu);
  const Tensor one = make_fake(std::vector<SymInt>{}, DType::Float32, kCpu);

  EXPECT_EQ(concatenate(mse_loss(x, x, 0)), "float32[s0, 4]");
  EXPECT_EQ(concatenate(mse_loss(x, x)), "float32[]");
  EXPECT_EQ(concatenate(mse_loss_backward(one, x, x, 1)), "float32[s0, 4]");
  EXPECT_EQ(concatenate(binary_cross_entropy(x, x, kNoWeight, 0)), "float32[s0, 4]");
  EXPECT_EQ(concatenate(std::get<0>(nll_loss_forward(x, classes, kNoWeight, 0, -100))),
            "float32[s0]");
  EXPECT_EQ(concatenate(nll_loss_backward(one, x, classes, kNoWeight, 1, -100, one)),
            "float32[s0, 4]");
  EXPECT_EQ(concatenate(cross_entropy_loss(x, classes, kNoWeight, 0, -100, 0.1)), "float32[s0]");
  EXPECT_EQ(concatenate(cross_entropy_loss(x, x)), "float32[]");
  EXPECT_TRUE(owner.specialisations.empty());
}

TEST(MultilabelMarginLoss, RefusesSeveralTargetsOfANumber) {
  const Tensor score = full({}, 1.0);
  const Tensor classes = tensor_of<int64_t>({3}, {0, 0, 0});
  constexpr const char* kText = "target must have one element if self is a number, got int64[3]";

  EXPECT_ERROR_CONTAINS(multilabel_margin_loss_forward(score, classes, 1), "RuntimeError", kText);
  EXPECT_ERROR_CONTAINS(
      multilabel_margin_loss_forward(make_fake(std::vector<SymInt>{}, DType::Float32, kCpu),
                                     make_fake(std::vector<SymInt>{3}, DType::Int64, kCpu), 1),
      "RuntimeError", kText);
  EXPECT_EQ(
      floats(std::get<0>(multilabel_margin_loss_forward(score, tensor_of<int64_t>({1}, {0}), 1))),
      (std::vector<float>{0}));
}

TEST(CtcLoss, RefusesLengthsWhoseSumOverflows) {
  const Tensor log_probs = range({2, 3, 4}).neg();
  const Tensor targets = tensor_of<int64_t>({2}, {1, 1});
  const std::vector<int64_t> frames{2, 2, 2};
  const std::vector<int64_t> lengths{INT64_MAX, INT64_MAX, 2};

  EXPECT_ERROR_CONTAINS(_ctc_loss(log_probs, targets, frames, lengths), "ValueError",
                        "_ctc_loss: targets must hold the labels that target_lengths count, but a "
                        "length is 9223372036854775807");
}

TEST(CtcLoss, RefusesLengthsThatDoNotFitTheTargets) {
  const Tensor log_probs = range({2, 1, 4}).neg();
  const Tensor targets = tensor_of<int64_t>({2}, {1, 1});
  const std::vector<int64_t> frames{2};
  const auto loss_of = [&](int64_t length) {
    return _ctc_loss(log_probs, targets, frames, std::vector<int64_t>{length});
  };

  EXPECT_ERROR_CONTAINS(loss_of(-1), "RuntimeError",
                        "_ctc_loss: target_lengths must not be negative, got -1");
  EXPECT_ERROR_CONTAINS(loss_of(3), "ValueError",
                        "_ctc_loss: targets must hold the 3 labels that target_lengths count, got "
                        "2");
}

TEST(CtcLoss, RefusesLogProbsWithoutElements) {
  const std::vector<int64_t> lengths{0};

  EXPECT_ERROR_CONTAINS(_ctc_loss(range({0, 1, 4}), tensor_of<int64_t>({1}, {1}), lengths, lengths),
                        "RuntimeError",
                        "_ctc_loss: log_probs must have elements, got float32[0, 1, 4]");
}

}  // namespace
}  // namespace opwright
