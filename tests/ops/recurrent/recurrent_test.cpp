// Covers: src/ops/recurrent/*.
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/fake_tensor.h"
#include "opwright/tensor/factory.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::floats;
using testing::sizes;
using testing::strides;
using testing::TestOwner;
using Tensors = std::vector<Tensor>;

// One layer in one direction, without biases: the hidden weight is 0, the input weight 1.
Tensors weights_that_forget(int64_t gates) { return {ones({gates, 1}), zeros({gates, 1})}; }

Tensor first_state() { return zeros({1, 1, 1}); }

Tensor steps() { return full({2, 1, 1}, 2.0); }

TEST(Recurrent, TakesEveryStepThroughTheActivation) {
  const auto [output, last] = rnn_relu(steps(), first_state(), Tensors{ones({1, 1}), ones({1, 1})},
                                       false, 1, 0, false, false, false);

  EXPECT_EQ(floats(output), (std::vector<float>{2, 4}));
  EXPECT_EQ(floats(last), (std::vector<float>{4}));
}

TEST(Recurrent, GoesBackwardsInTheSecondDirection) {
  const Tensors weights{ones({1, 1}), ones({1, 1}), ones({1, 1}), ones({1, 1})};

  const auto [output, last] =
      rnn_relu(steps(), zeros({2, 1, 1}), weights, false, 1, 0, false, true, false);

  EXPECT_EQ(floats(output), (std::vector<float>{2, 4, 4, 2}));
  EXPECT_EQ(floats(last), (std::vector<float>{4, 4}));
}

TEST(Recurrent, HasTheBatchFirstWhereItIsAskedTo) {
  const auto [output, last] = gru(ones({3, 2, 1}), zeros({1, 3, 1}), weights_that_forget(3), false,
                                  1, 0, false, false, true);

  EXPECT_EQ(sizes(output), (std::vector<int64_t>{3, 2, 1}));
  EXPECT_EQ(strides(output), (std::vector<int64_t>{1, 3, 1}));
  EXPECT_EQ(sizes(last), (std::vector<int64_t>{1, 3, 1}));
}

TEST(Recurrent, ShowsTheProjectionOfTheCell) {
  const Tensors weights{ones({8, 1}), zeros({8, 1}), ones({1, 2})};

  const auto [output, h, c] = lstm(steps(), Tensors{zeros({1, 1, 1}), zeros({1, 1, 2})}, weights,
                                   false, 1, 0, false, false, false);

  EXPECT_EQ(sizes(output), (std::vector<int64_t>{2, 1, 1}));
  EXPECT_EQ(sizes(h), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(sizes(c), (std::vector<int64_t>{1, 1, 2}));
}

FakeTensor fake_input(std::span<const SymInt> fake_sizes) {
  return FakeTensor::take(make_fake(fake_sizes, DType::Float32, kCpu).give());
}

TEST(Recurrent, KeepsTheLengthAndTheBatchOfAFake) {
  TestOwner owner;
  const SymInt length = owner.backed("length", 5);
  const SymInt batch = owner.backed("batch", 3);
  const std::vector<FakeTensor> first{fake_input({{1, batch, 4}}), fake_input({{1, batch, 4}})};
  const std::vector<FakeTensor> weights{fake_input({{16, 2}}), fake_input({{16, 4}})};

  const auto [output, h, c] =
      lstm(fake_input({{batch, length, 2}}), first, weights, false, 1, 0, false, false, true);

  EXPECT_EQ(output.size(0).word(), batch.word());
  EXPECT_EQ(output.size(1).word(), length.word());
  EXPECT_EQ(h.size(1).word(), batch.word());
  EXPECT_EQ(c.size(1).word(), batch.word());
  EXPECT_TRUE(owner.specialisations.empty());
}

TEST(Recurrent, RefusesArgumentsThatDoNotFit) {
  const auto run = [](const Tensor& input, const Tensor& state, const Tensors& weights) {
    return gru(input, state, weights, false, 1, 0, false, false, false);
  };
  const Tensors weights = weights_that_forget(3);

  EXPECT_ERROR_CONTAINS(run(ones({2, 1}), first_state(), weights), "RuntimeError",
                        "gru: input must have 3 dimensions");
  EXPECT_ERROR_CONTAINS(run(ones({0, 1, 1}), first_state(), weights), "RuntimeError",
                        "gru: the sequence is empty");
  EXPECT_ERROR_CONTAINS(run(ones({2, 1, 5}), first_state(), weights), "RuntimeError",
                        "gru: the last size of input must be that of the weights, 1, got 5");
  EXPECT_ERROR_CONTAINS(run(steps(), zeros({2, 1, 1}), weights), "RuntimeError",
                        "gru: the first state must have sizes [1, 1, 1], got [2, 1, 1]");
  EXPECT_ERROR_CONTAINS(
      run(steps(), first_state(), {ones({3, 1})}), "RuntimeError",
      "gru: params must have 2 tensors for each layer and direction, 2 in all, got 1");
  EXPECT_ERROR_CONTAINS(lstm(steps(), Tensors{first_state()}, weights_that_forget(4), false, 1, 0,
                             false, false, false),
                        "RuntimeError", "lstm: the state must have 2 tensors, got 1");
}

TEST(RecurrentCell, TakesOneStep) {
  const Tensor h = rnn_relu_cell(full({1, 1}, 2.0), full({1, 1}, 3.0), ones({1, 1}), ones({1, 1}));

  EXPECT_EQ(floats(h), (std::vector<float>{5}));
  EXPECT_ERROR_CONTAINS(lstm_cell(ones({1, 1}), Tensors{ones({1, 1})}, ones({4, 1}), ones({4, 1})),
                        "RuntimeError", "lstm_cell: hx must have 2 tensors, got 1");
}

}  // namespace
}  // namespace opwright
