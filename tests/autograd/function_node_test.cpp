// Covers: src/autograd/short_lock.
#include "opwright/autograd/function_node.h"

#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "base/expect_error.h"

namespace opwright {
namespace {

using testing::floats;
using testing::gradient_values;
using testing::gradient_with_respect_to;
using testing::leaf;
using testing::run_backward_of;
using testing::Values;

// x * x, with a gradient of its own: 10 * x.
class SquareNode final : public FunctionNode {
 public:
  explicit SquareNode(const Tensor& x) : FunctionNode("Square", {x}) {}

  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override {
    fill_missing(gradients);
    given[0] = fit_gradient(0, gradients[0] * saved(0) * 10.0);
  }
};

Tensor square(const Tensor& x) {
  auto* node = new SquareNode(x);
  const TapeNodePtr kept = TapeNodePtr::take(node);
  std::vector<Tensor> outputs;
  {
    const FunctionNode::ForwardScope scope;
    outputs.push_back(x * x);
    OpwTensor* const saved[] = {x.get()};
    node->save(saved);
  }
  node->finish(outputs);
  return outputs[0];
}

TEST(FunctionNode, RecordsItsOwnGradient) {
  const Tensor x = leaf({2});

  run_backward_of(square(x));

  EXPECT_EQ(gradient_values(x), Values{20});
}

TEST(FunctionNode, ASecondBackwardWithoutTheSavedValuesIsAnError) {
  const Tensor y = square(leaf({2}));
  run_backward_of(y);

  EXPECT_ERROR_CONTAINS(run_backward_of(y), "RuntimeError",
                        "the values that Square saved for its backward were freed by an earlier "
                        "backward");
}

TEST(FunctionNode, ASavedInputThatWasWrittenIsAnError) {
  Tensor x = leaf({2}) * 1.0;
  const Tensor y = square(x);
  x.mul_(2.0);

  EXPECT_ERROR_CONTAINS(run_backward_of(y), "RuntimeError",
                        "Square: saved tensor 0 was modified by an in-place operation");
}

TEST(FunctionNodeThreads, OfTwoThatFreeAGraphOneMayFailButNoneIsWrong) {
  for (int round = 0; round < 50; ++round) {
    const Tensor x = leaf({2});
    Tensor y = x;
    for (int i = 0; i < 20; ++i) y = square(y) * 0.5;
    const Values expected = floats(gradient_with_respect_to(x, y, {.keeps_graph = true}));

    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        const auto error =
            testing::error_of([&] { EXPECT_EQ(floats(gradient_with_respect_to(x, y)), expected); });
        EXPECT_TRUE(!error || error->message().find("freed by an earlier") != std::string::npos);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace opwright
