// Optimizer steps on a device with loops.
//
// Covers: src/ops/optimizer/*.
#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/computing_device.h"
#include "ops/device_comparison.h"
#include "ops/op_tensors.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/device/device_formula.h"
#include "opwright/registration/operator_handle.h"

namespace opwright {
namespace {

using testing::computed;
using testing::ComputingDevice;
using testing::expect_same_on_device;
using testing::floats;
using testing::on_cpu;
using testing::range;
using testing::tensor_of;

// One parameter with its gradient and state, on the CPU and on the device.
struct Parameter {
  Tensor value = range({2, 3}).sub(2);
  Tensor gradient = range({2, 3}).mul(0.5).add(0.25);
  std::array<Tensor, 3> state{range({2, 3}).mul(0.1), range({2, 3}).mul(0.2),
                              range({2, 3}).mul(0.3)};

  [[nodiscard]] Parameter twin() const {
    return {computed(value),
            computed(gradient),
            {computed(state[0]), computed(state[1]), computed(state[2])}};
  }
  void expect_close(const Parameter& expected) const {
    expect_same_on_device(value, expected.value, 1e-5);
    for (size_t i = 0; i < state.size(); ++i)
      expect_same_on_device(state[i], expected.state[i], 1e-5);
  }
};

void step_sgd(const Parameter& p, double momentum, bool nesterov, bool is_first) {
  _fused_sgd_(std::array{p.value}, std::array{p.gradient}, std::array{p.state[0]}, 0.01, momentum,
              0.1, 0.2, nesterov, false, is_first, std::nullopt, std::nullopt);
}

// Several parameters, as lists for the operators.
struct Lists {
  explicit Lists(const std::vector<Parameter>& parameters) {
    for (const Parameter& p : parameters) {
      values.push_back(p.value);
      gradients.push_back(p.gradient);
      for (size_t i = 0; i < state.size(); ++i) state[i].push_back(p.state[i]);
      steps.push_back(tensor_of<float>({}, {3}));
    }
  }
  void step_adam() const {
    _fused_adam_(values, gradients, state[0], state[1], state[2], steps, 0.1, 0.9, 0.99, 0.05, 1e-8,
                 false, false, std::nullopt, std::nullopt);
  }

  std::vector<Tensor> values, gradients, steps;
  std::array<std::vector<Tensor>, 3> state;
};

Parameter in_dtype(const Parameter& p, DType dtype) {
  return {p.value.to(dtype),
          p.gradient.to(dtype),
          {p.state[0].to(dtype), p.state[1].to(dtype), p.state[2].to(dtype)}};
}

void step_adam(const Parameter& p, bool is_decoupled, bool amsgrad, bool maximize) {
  const std::array steps{tensor_of<float>({}, {3})};
  const auto step = [&](const auto& function) {
    function(std::array{p.value}, std::array{p.gradient}, std::array{p.state[0]},
             std::array{p.state[1]}, std::array{p.state[2]}, steps, 0.1, 0.9, 0.99, 0.05, 1e-3,
             amsgrad, maximize, std::nullopt, std::nullopt);
  };
  if (is_decoupled)
    step([](const auto&... args) { _fused_adamw_(args...); });
  else
    step([](const auto&... args) { _fused_adam_(args...); });
}

TEST(DeviceOptimizer, StepsDownTheGradientAsTheCpuDoes) {
  for (const auto& [momentum, nesterov, is_first] : {std::tuple{0.0, false, true},
                                                     {0.9, false, true},
                                                     {0.9, false, false},
                                                     {0.9, true, false}}) {
    const Parameter expected;
    const Parameter actual = expected.twin();

    step_sgd(expected, momentum, nesterov, is_first);
    step_sgd(actual, momentum, nesterov, is_first);

    actual.expect_close(expected);
  }
}

TEST(DeviceOptimizer, StepsByAdamAsTheCpuDoes) {
  for (const auto& [is_decoupled, amsgrad, maximize] : {std::tuple{false, false, false},
                                                        {true, false, false},
                                                        {false, true, false},
                                                        {true, true, true}}) {
    const Parameter expected;
    const Parameter actual = expected.twin();

    step_adam(expected, is_decoupled, amsgrad, maximize);
    step_adam(actual, is_decoupled, amsgrad, maximize);

    actual.expect_close(expected);
  }
}

TEST(DeviceOptimizer, RefusesStateOfOtherSizes) {
  Parameter parameter = Parameter().twin();
  parameter.state[0] = computed(range({3}));

  EXPECT_ERROR_CONTAINS(step_adam(parameter, false, false, false), "ValueError",
                        "_fused_adam_: exp_avgs[0] is float32[3] on computing:0, but the parameter "
                        "is float32[2, 3] on computing:0");
}

TEST(DeviceOptimizer, DividesByASquareThatAHalfDoesNotHold) {
  Parameter expected = in_dtype(Parameter(), DType::Float16);
  expected.gradient.fill_(1e-3);  // its square is below the smallest half
  for (Tensor& state : expected.state) state.zero_();
  const Parameter actual = expected.twin();

  Lists({expected}).step_adam();
  Lists({actual}).step_adam();

  EXPECT_TRUE(allclose(on_cpu(actual.value), expected.value, 1e-3, 1e-3));
}

TEST(DeviceOptimizer, WritesNothingWhereTheDeviceLacksALoopOfTheStep) {
  // No other test steps in this dtype: a device is queried once.
  const Parameter before = in_dtype(Parameter(), DType::Float64);
  const Parameter parameter = before.twin();

  ComputingDevice::refused = device_formula::kAdamStep;
  EXPECT_ERROR_CONTAINS(Lists({parameter}).step_adam(), "NotImplementedError", "refused");
  ComputingDevice::refused = {};

  parameter.expect_close(before);
  EXPECT_NO_THROW(Lists({parameter}).step_adam());
}

TEST(DeviceOptimizer, WritesNothingWhereTheDeviceLacksTheDtypeOfALaterParameter) {
  const Parameter before;
  const Parameter first = before.twin();
  const Parameter second = in_dtype(before, DType::Complex64).twin();

  EXPECT_ERROR_CONTAINS(Lists({first, second}).step_adam(), "NotImplementedError", "dtype");

  first.expect_close(before);
}

TEST(DeviceOptimizer, WritesNothingWhereALaterStepWasNotRaised) {
  const Parameter before;
  const Parameter first = before.twin();
  Lists lists({first, before.twin()});
  lists.steps[1] = tensor_of<float>({}, {0});

  EXPECT_ERROR_CONTAINS(lists.step_adam(), "ValueError",
                        "_fused_adam_: state_steps[1] must be incremented before the step and at "
                        "least 1, got 0");

  first.expect_close(before);
}

TEST(DeviceOptimizer, DividesGradientsByTheirScaleOnce) {
  const Parameter parameter = Parameter().twin();
  const Lists lists({parameter});
  const std::optional<Tensor> scale = computed(tensor_of<float>({}, {2}));

  _fused_sgd_(lists.values, lists.gradients, lists.state[0], 0, 0, 0.1, 0, false, false, true,
              scale, std::nullopt);

  EXPECT_TRUE(allclose(on_cpu(parameter.gradient), Parameter().gradient.mul(0.5), 1e-6, 1e-6));
}

TEST(DeviceOptimizer, AddsANumberToAList) {
  const std::array tensors{computed(range({2})), computed(range({3}))};

  _foreach_add_(tensors, 1);

  EXPECT_EQ(floats(on_cpu(tensors[1])), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace opwright
