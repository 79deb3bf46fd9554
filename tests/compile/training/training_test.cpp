// Covers: src/compile/training/*.
#include "opwright/compile/training/training.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "compile/train_function.h"
#include "opwright/autograd/backward.h"
#include "opwright/autograd/history.h"

namespace opwright {
namespace {

using testing::Function;
using testing::Trained;
using Tensors = std::vector<Tensor>;

Tensor random_leaf(std::vector<SymInt> sizes) {
  Tensor made = randn(sizes);
  set_requires_grad(made, true);
  return made;
}

bool is_close(const Tensor& a, const Tensor& b) {
  return allclose(a.detach(), b.detach(), 1e-5, 1e-6);
}

// The gradients of the sum of all results that require grad, weighted.
Tensors gradients_of(const Tensors& results, const Tensors& inputs) {
  Tensors outputs;
  Tensors weights;
  for (const Tensor& result : results) {
    if (!requires_grad(result)) continue;
    outputs.push_back(result);
    weights.push_back(cos(result.detach() + 1));
  }
  return grad(outputs, inputs, weights, {.allow_unused = true});
}

void expect_as_eager(const Function& f, const Tensors& inputs, const Tensors& targets,
                     TracingMode mode = TracingMode::Fake) {
  const Trained compiled(f, inputs, mode);

  const Tensors actual = compiled(inputs);
  const Tensors expected = f(inputs);

  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_TRUE(is_close(actual[i], expected[i])) << i;
    EXPECT_EQ(requires_grad(actual[i]), requires_grad(expected[i])) << i;
    EXPECT_EQ(is_leaf(actual[i]), is_leaf(expected[i])) << i;
  }
  const Tensors actual_gradients = gradients_of(actual, targets);
  const Tensors expected_gradients = gradients_of(expected, targets);
  for (size_t i = 0; i < targets.size(); ++i) {
    ASSERT_EQ(actual_gradients[i].is_defined(), expected_gradients[i].is_defined()) << i;
    if (expected_gradients[i].is_defined()) {
      EXPECT_TRUE(is_close(actual_gradients[i], expected_gradients[i])) << i;
    }
  }
}

TEST(CompiledTraining, GivesTheGradientsOfEager) {
  const Tensor x = random_leaf({3, 4});
  const Tensor w = random_leaf({4, 2});

  expect_as_eager([](auto in) { return Tensors{tanh(mm(in[0], in[1])).sum()}; }, {x, w}, {x, w});
}

TEST(CompiledTraining, GivesGradientsToCapturedTensors) {
  const Tensor x = random_leaf({3, 4});
  const Tensor w = random_leaf({4, 2});

  expect_as_eager([&](auto in) { return Tensors{sin(mm(in[0], w))}; }, {x}, {x, w});
}

TEST(CompiledTraining, TakesNewSizesWhereTheyAreSymbols) {
  const Tensor w = random_leaf({4, 2});
  const Function f = [](auto in) {
    return Tensors{(tanh(mm(in[0], in[1])) * in[0].sym_size(0)).sum(std::vector<int64_t>{0}),
                   in[0].view({-1})};
  };
  const Trained compiled(f, Tensors{random_leaf({3, 4}), w}, TracingMode::Symbolic);

  for (const int64_t rows : {2, 5, 7}) {
    const Tensors inputs{random_leaf({rows, 4}), w};
    const Tensors actual = gradients_of(compiled(inputs), inputs);
    const Tensors expected = gradients_of(f(inputs), inputs);
    EXPECT_TRUE(is_close(actual[0], expected[0]));
    EXPECT_TRUE(is_close(actual[1], expected[1]));
  }
}

TEST(CompiledTraining, LeavesOutWhatNoGradientComesTo) {
  Tensor x = zeros(std::vector<SymInt>{3});
  set_requires_grad(x, true);
  const Tensor w = random_leaf({3});
  const Function f = [](auto in) { return Tensors{in[0] * 2, log(in[0]) * in[1]}; };
  const Trained compiled(f, Tensors{x, w});

  const Tensors results = compiled(Tensors{x, w});
  const Tensors gradients =
      grad(Tensors{results[0].sum()}, Tensors{x, w}, {}, {.allow_unused = true});

  EXPECT_TRUE(is_close(gradients[0], full_like(x, 2)));
  EXPECT_FALSE(gradients[1].is_defined());
}

TEST(CompiledTraining, GivesItsInputsBackAsThemselves) {
  const Tensor x = random_leaf({3});
  const Trained compiled([](auto in) { return Tensors{in[0], in[0] * 2}; }, Tensors{x});

  const Tensors results = compiled(Tensors{x});

  EXPECT_EQ(results[0].get(), x.get());
}

TEST(CompiledTraining, GivesViewsOfInputsWithTheirHistory) {
  const Tensor z = random_leaf({2, 3});
  const Tensor x = z * 1;
  const Trained compiled([](auto in) { return Tensors{in[0].view({6}), in[0] * 2}; }, Tensors{x});

  Tensors results = compiled(Tensors{x});
  results[0].mul_(3);
  const Tensors gradients = grad(Tensors{x.sum()}, Tensors{z}, {});

  EXPECT_EQ(find_history(results[0].get())->root.get(), x.get());
  EXPECT_TRUE(is_close(gradients[0], full_like(z, 3)));
}

TEST(CompiledTraining, GivesViewsOfOneValueThatShareIt) {
  const Tensor x = random_leaf({4});
  const Function f = [](auto in) {
    const Tensor h = in[0] * 2;
    return Tensors{h.view({2, 2}), h.view({4})};
  };
  const auto use = [&](Tensors results) {
    results[0].mul_(3);
    return grad(Tensors{(results[1] * results[1]).sum()}, Tensors{x}, {})[0];
  };
  const Trained compiled(f, Tensors{x});

  EXPECT_TRUE(is_close(use(compiled(Tensors{x})), use(f(Tensors{x}))));
}

TEST(CompiledTraining, WritesInputsAndGivesThemTheirHistory) {
  const Tensor w = random_leaf({3});
  const Function f = [](auto in) {
    Tensor buffer = in[0];
    buffer.mul_(in[1]);
    return Tensors{buffer.sum()};
  };
  const auto use = [&](const auto& function) {
    const Tensor buffer = w.detach().clone() + 1;
    const Tensors results = function(Tensors{buffer, w});
    return grad(Tensors{results[0] + (buffer * buffer).sum()}, Tensors{w}, {})[0];
  };
  const Trained compiled(f, Tensors{w.detach().clone(), w});

  EXPECT_TRUE(is_close(use(compiled), use(f)));
}

TEST(CompiledTraining, NoticesThatASavedValueWasWritten) {
  const Tensor x = random_leaf({3});
  Tensor w = random_leaf({3});
  const Trained compiled([](auto in) { return Tensors{in[0] * in[1]}; }, Tensors{x, w});

  const Tensors results = compiled(Tensors{x, w});
  {
    const NoGradScope no_grad;
    w.mul_(2);
  }

  EXPECT_ERROR_CONTAINS(backward(Tensors{results[0].sum()}, {}, {}), "RuntimeError",
                        "saved for its backward, was modified by an in-place operation");
}

TEST(CompiledTraining, FreesWhatItSavedUnlessItIsAskedToKeepIt) {
  const Tensor x = random_leaf({3});
  const Trained compiled([](auto in) { return Tensors{(in[0] * in[0]).sum()}; }, Tensors{x});

  const Tensors results = compiled(Tensors{x});
  backward(results, {}, {}, {.keeps_graph = true});
  backward(results, {}, {});

  EXPECT_TRUE(is_close(gradient_of(x), x.detach() * 4));
  EXPECT_ERROR_CONTAINS(backward(results, {}, {}), "RuntimeError",
                        "were freed by an earlier backward");
}

TEST(CompiledTraining, IsDifferentiatedTwiceAsEager) {
  const Tensor x = random_leaf({2, 3});
  const Tensor w = random_leaf({3, 2});
  const Function f = [](auto in) { return Tensors{tanh(mm(in[0], in[1])) * in[0].sum()}; };
  const auto use = [&](const auto& function) {
    const Tensor y = function(Tensors{x, w * 2})[0];
    const Tensors first = grad(Tensors{y.sum()}, Tensors{x, w}, {}, {.create_graph = true});
    return grad(Tensors{(first[0] * first[0]).sum() + sin(first[1]).sum()}, Tensors{x, w}, {});
  };
  const Trained compiled(f, Tensors{x, w * 2});

  const Tensors actual = use(compiled);
  const Tensors expected = use(f);

  EXPECT_TRUE(is_close(actual[0], expected[0]));
  EXPECT_TRUE(is_close(actual[1], expected[1]));
}

TEST(CompiledTraining, RefusesASecondDerivativeOfWhatIsGone) {
  const Tensor w = random_leaf({3});
  const Function f = [](auto in) {
    Tensor buffer = in[0];
    buffer.mul_(in[1]);
    return Tensors{buffer.sum()};
  };
  const Trained compiled(f, Tensors{w.detach().clone(), w});

  const Tensors results = compiled(Tensors{w.detach().clone(), w});

  EXPECT_ERROR_CONTAINS((void)grad(results, Tensors{w}, {}, {.create_graph = true}),
                        "NotImplementedError", "it writes to its input 'x'");
}

TEST(CompiledTraining, RecordsNothingWithGradModeOff) {
  const Tensor x = random_leaf({3});
  const Trained compiled([](auto in) { return Tensors{in[0] * in[0]}; }, Tensors{x});

  const NoGradScope no_grad;

  EXPECT_FALSE(requires_grad(compiled(Tensors{x})[0]));
}

}  // namespace
}  // namespace opwright
