// Covers: src/transforms/differentiate/*.
#include "opwright/runtime/func.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/runtime/vmap.h"
#include "opwright/transforms/differentiate/grad.h"

namespace opwright {
namespace {

Tensor numbers(std::initializer_list<double> values) {
  const Tensor made = empty({static_cast<int64_t>(values.size())}, DType::Float64);
  std::copy(values.begin(), values.end(), made.mutable_data<double>());
  return made;
}

std::vector<double> read(const Tensor& tensor) {
  const Tensor flat = tensor.contiguous();
  return {flat.data<double>(), flat.data<double>() + flat.numel()};
}

Tensor energy(const Tensor& x, const Tensor& y) { return (x * x * y).sum(); }

template <class Function>
std::string error_of(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// ---- Reverse mode ----

TEST(Grad, IsWithRespectToTheFirstArgument) {
  const Tensor x = numbers({1, 2});
  const Tensor y = numbers({3, 4});

  const std::vector<Tensor> found = grad(&energy)(x, y);

  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(read(found[0]), (std::vector<double>{6, 16}));
}

TEST(Grad, IsWithRespectToAllOfArgnums) {
  const Tensor x = numbers({1, 2});
  const Tensor y = numbers({3, 4});

  const GradResult found = value_and_grad(&energy, {.argnums = {-1, 0}})(x, y);

  EXPECT_EQ(read(found.value), (std::vector<double>{19}));
  EXPECT_EQ(read(found.gradients[0]), (std::vector<double>{1, 4}));
  EXPECT_EQ(read(found.gradients[1]), (std::vector<double>{6, 16}));
}

TEST(Grad, Nests) {
  const auto cube = [](const Tensor& x) { return (x * x * x).sum(); };
  const auto slope = [&](const Tensor& x) { return grad(cube)(x)[0].sum(); };

  EXPECT_EQ(read(grad(slope)(numbers({1, 2}))[0]), (std::vector<double>{6, 12}));
}

TEST(Grad, RefusesAnOutputThatIsNoScalar) {
  const auto twice = [](const Tensor& x) { return x * 2.0; };

  const std::string text = error_of([&] { (void)grad(twice)(numbers({1, 2})); });

  EXPECT_NE(text.find("grad: the function must return a scalar"), std::string::npos) << text;
}

TEST(Grad, RefusesArgnumsOutOfRange) {
  const std::string text =
      error_of([&] { (void)grad(&energy, {.argnums = {2}})(numbers({1}), numbers({1})); });

  EXPECT_NE(text.find("argnums has 2, but only 2 positional inputs"), std::string::npos) << text;
}

TEST(Vjp, PullsBackAgainAndUnderVmap) {
  const Tensor x = numbers({1, 2});

  const VjpResult run = vjp([](const Tensor& each) { return each * each; }, x);
  const std::vector<Tensor> rows =
      vmap([&](const Tensor& row) { return run.pull({row})[0]; })(eye(2, DType::Float64));

  EXPECT_EQ(read(run.outputs[0]), (std::vector<double>{1, 4}));
  EXPECT_EQ(read(run.pull({numbers({1, 1})})[0]), (std::vector<double>{2, 4}));
  EXPECT_EQ(read(rows[0]), (std::vector<double>{2, 0, 0, 4}));
}

TEST(Vjp, LeavesTheChainAsItWas) {
  Interpreter* before = current_interpreter();

  const VjpResult run = vjp([](const Tensor& each) { return each * each; }, numbers({1}));
  EXPECT_ANY_THROW((void)run.pull({numbers({1, 2, 3})}));

  EXPECT_EQ(current_interpreter(), before);
}

TEST(Vjp, RefusesTheWrongNumberOfCotangents) {
  const VjpResult run = vjp([](const Tensor& each) { return each * each; }, numbers({1}));

  const std::string text = error_of([&] { (void)run.pull(std::initializer_list<Tensor>{}); });

  EXPECT_NE(text.find("vjp: the function returned 1 tensors, but there are 0"), std::string::npos)
      << text;
}

// ---- Forward mode ----

TEST(Jvp, GivesValuesAndTangents) {
  const Tensor x = numbers({1, 2});
  const Tensor y = numbers({3, 4});

  const JvpResult found = jvp(&energy, {x, y}, {numbers({1, 0}), numbers({0, 1})});

  EXPECT_EQ(read(found.outputs[0]), (std::vector<double>{19}));
  EXPECT_EQ(read(found.tangents[0]), (std::vector<double>{6 + 4}));
}

TEST(Jvp, FollowsWritesThroughViews) {
  const auto write = [](const Tensor& x) {
    const Tensor y = x * 1.0;
    y.select(0, 0).mul_(x.select(0, 1));
    return y;
  };

  const JvpResult found = jvp(write, {numbers({3, 5})}, {numbers({1, 10})});

  EXPECT_EQ(read(found.outputs[0]), (std::vector<double>{15, 5}));
  EXPECT_EQ(read(found.tangents[0]), (std::vector<double>{5 + 30, 10}));
}

Tensor square(const Tensor& x) { return x * x; }
Tensor square_forward(const Tensor& x, const std::optional<Tensor>& tangent) {
  return x * *tangent * 2.0 + 100.0;
}

OPWRIGHT_LIBRARY(func_test, m) {
  m.def("square(Tensor x) -> Tensor");
  m.register_jvp("square", &square_forward);
  m.def("bare(Tensor x) -> Tensor");
}
OPWRIGHT_LIBRARY_IMPL(func_test, CPU, m) {
  m.impl("square", &square);
  m.impl("bare", &square);
}

Tensor run(const char* name, const Tensor& x) {
  return OperatorHandle<Tensor(const Tensor&)>(name)(x);
}

TEST(Jvp, UsesTheRuleOfTheOperator) {
  const JvpResult found = jvp([](const Tensor& x) { return run("func_test::square", x); },
                              {numbers({3})}, {numbers({1})});

  EXPECT_EQ(read(found.tangents[0]), (std::vector<double>{106}));
}

TEST(Jvp, NamesAnOperatorThatHasNoRule) {
  const std::string text = error_of([&] {
    (void)jvp([](const Tensor& x) { return run("func_test::bare", x); }, {numbers({3})},
              {numbers({1})});
  });

  EXPECT_NE(text.find("func_test::bare has neither a rule for forward mode"), std::string::npos)
      << text;
}

// ---- Jacobians ----

TEST(Jacobian, IsTheSameInBothModes) {
  const auto function = [](const Tensor& x) { return x * x.sum(); };
  const std::vector<double> wanted{4, 1, 2, 5};

  EXPECT_EQ(read(jacrev(function)(numbers({1, 2}))[0]), wanted);
  EXPECT_EQ(read(jacfwd(function)(numbers({1, 2}))[0]), wanted);
  EXPECT_EQ(read(jacrev(function, {.chunk_size = 1})(numbers({1, 2}))[0]), wanted);
}

TEST(Hessian, HasTheSecondDerivatives) {
  const auto function = [](const Tensor& x) { return (x * x * x).sum(); };

  EXPECT_EQ(read(hessian(function)(numbers({1, 2}))[0]), (std::vector<double>{6, 0, 0, 12}));
}

}  // namespace
}  // namespace opwright
