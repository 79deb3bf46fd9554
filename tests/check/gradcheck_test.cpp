// Covers: src/check/checks/gradcheck_check, src/check/gradient/*.
#include "opwright/check/gradient/gradcheck.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/autograd/history.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/registration/operator_handle.h"

namespace opwright {
namespace {

Tensor numbers(std::initializer_list<double> values) {
  const Tensor made = empty({static_cast<int64_t>(values.size())}, DType::Float64);
  std::copy(values.begin(), values.end(), made.mutable_data<double>());
  set_requires_grad(made, true);
  return made;
}

Tensor square(const Tensor& x) { return x * x; }
void save(AutogradContext& context, const Tensor& x, const Tensor& /*result*/) {
  context.save({x});
}
Gradients right(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * context.saved(0) * 2.0};
}
Gradients wrong(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * context.saved(0) * 3.0};
}

OPWRIGHT_LIBRARY(gradcheck_test, m) {
  m.def("right(Tensor x) -> Tensor");
  m.def("wrong(Tensor x) -> Tensor");
  m.register_autograd("right", &save, &right);
  m.register_autograd("wrong", &save, &wrong);
}
OPWRIGHT_LIBRARY_IMPL(gradcheck_test, CPU, m) {
  m.impl("right", &square);
  m.impl("wrong", &square);
}

auto calling(const char* name) {
  return [name](std::span<const Tensor> inputs) {
    return FunctionOutputs{.outputs = {OperatorHandle<Tensor(const Tensor&)>(name)(inputs[0])}};
  };
}

TEST(Gradcheck, PassesARightFormula) {
  auto body = calling("gradcheck_test::right");
  const Tensor inputs[] = {numbers({1, 2})};

  EXPECT_EQ(gradcheck(FunctionBody(body), inputs, {.check_forward_ad = true}), std::nullopt);
  EXPECT_EQ(gradgradcheck(FunctionBody(body), inputs, {}), std::nullopt);
}

TEST(Gradcheck, SaysWhichElementsAWrongFormulaIsWrongAt) {
  auto body = calling("gradcheck_test::wrong");
  const Tensor inputs[] = {numbers({1, 2})};

  const std::string problem = gradcheck(FunctionBody(body), inputs).value_or("nothing");

  EXPECT_NE(problem.find("the backward derivative of output 0 [0] by input 0 [0] is 3 by the"),
            std::string::npos)
      << problem;
}

TEST(Gradcheck, FindsItAlongRandomDirectionsToo) {
  auto body = calling("gradcheck_test::wrong");
  const Tensor inputs[] = {numbers({1, 2})};

  EXPECT_NE(gradcheck(FunctionBody(body), inputs, {.fast_mode = true}), std::nullopt);
}

}  // namespace
}  // namespace opwright
