// Steps of optimizers on a device that computes loops.
#include <array>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/computing_device.h"
#include "ops/device_twin.h"
#include "ops/op_tensors.h"
#include "opwright/functions.h"
#include "opwright/operator_handle.h"

namespace opwright {
namespace {

using testing::computed;
using testing::expect_twin;
using testing::floats;
using testing::on_cpu;
using testing::range;
using testing::tensor_of;

// One parameter with all that belongs to it, on the cpu and on the device.
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
    expect_twin(value, expected.value, 1e-5);
    for (size_t i = 0; i < state.size(); ++i) expect_twin(state[i], expected.state[i], 1e-5);
  }
};

void step_sgd(const Parameter& p, double momentum, bool nesterov, bool is_first) {
  _fused_sgd_(std::array{p.value}, std::array{p.gradient}, std::array{p.state[0]}, 0.01, momentum,
              0.1, 0.2, nesterov, false, is_first, std::nullopt, std::nullopt);
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

TEST(DeviceOptimizer, AddsANumberToAList) {
  const std::array tensors{computed(range({2})), computed(range({3}))};

  _foreach_add_(tensors, 1);

  EXPECT_EQ(floats(on_cpu(tensors[1])), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace opwright
