// Optimizer steps on devices with loops: each part of a step is a loop over one parameter. The
// arithmetic is that of the CPU kernels (cpu/fused_sgd.cpp, cpu/fused_adam.cpp).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/device/device_formula.h"
#include "opwright/ops/engine/move/aligned_tensors.h"
#include "opwright/ops/engine/pointwise/device_loop.h"
#include "opwright/ops/engine/pointwise/pointwise_formula.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

using device_formula::kWeightedSum;

constexpr size_t kMostParts = AlignedTensors::kMostParts;

// target = formula(operands), computed in the dtype of the target or, for a half, in float32.
void write(const char* who, const Tensor& target, const char* formula,
           std::initializer_list<const Tensor*> operands, std::initializer_list<double> numbers) {
  const DType compute = kernel_dtype(target.dtype());
  DeviceLoop loop(formula, compute);
  for (const Tensor* operand : operands) loop.add_operand(elements_of(*operand), compute);
  for (const double number : numbers) loop.add_number(number_in_formula(number, compute));
  loop.write(who, target.device(), elements_of(target));
}

// Updates the state and returns it in the precision that the rest of the step needs: a square that
// a half rounds to zero must not be a divisor.
Tensor renew(const char* who, const Tensor& state, const char* formula,
             std::initializer_list<const Tensor*> operands, std::initializer_list<double> numbers) {
  if (!is_half(state.dtype())) {
    write(who, state, formula, operands, numbers);
    return state;
  }
  Tensor wide = make_empty(state.sizes(), kernel_dtype(state.dtype()), state.device());
  write(who, wide, formula, operands, numbers);
  write(who, state, device_formula::kCopy, {&wide}, {});
  return wide;
}

// The gradient itself, or sign * gradient + decay * parameter.
Tensor directed(const char* who, const Tensor& gradient, const Tensor& parameter, double sign,
                double decay) {
  if (sign == 1 && decay == 0) return gradient;
  Tensor result =
      make_empty(parameter.sizes(), kernel_dtype(parameter.dtype()), parameter.device());
  write(who, result, kWeightedSum, {&gradient, &parameter}, {sign, decay});
  return result;
}

bool is_left_out(const std::optional<Tensor>& found_inf) {
  return found_inf && found_inf->item().to<double>() != 0;
}

void check_alike(const char* who, std::span<const TensorList> lists,
                 std::span<const char* const> names) {
  check_lengths(who, lists, names);
  for (size_t part = 1; part < lists.size(); ++part) {
    for (size_t i = 0; i < lists[0].size(); ++i)
      OPWRIGHT_CHECK_VALUE(lists[part][i].dtype() == lists[0][i].dtype() &&
                               std::ranges::equal(lists[part][i].sizes(), lists[0][i].sizes()),
                           who, ": ", names[part], "[", i, "] is ", lists[part][i],
                           ", but the parameter is ", lists[0][i]);
  }
}

// Steps that a device was able to run.
class TakenSteps {
 public:
  // A step: the optimizer's name, a number for the loops that its settings require, the device and
  // the dtype of the parameter.
  using Step = std::tuple<std::string_view, uint32_t, int32_t, int32_t, DType>;

  bool has(const Step& step) {
    const std::lock_guard lock(mutex_);
    return steps_.contains(step);
  }
  void add(const Step& step) {
    const std::lock_guard lock(mutex_);
    steps_.insert(step);
  }

 private:
  std::mutex mutex_;
  std::set<Step> steps_;
};
TakenSteps& taken_steps() {
  static auto* all = new TakenSteps;
  return *all;
}

using Parts = std::span<const Tensor>;

// Calls step(parts, i) for each parameter and its state, with gradients divided by the scale. A
// device that cannot run an entire step must fail before anything is written: otherwise the
// fallback would step a second time. `settings` distinguishes steps that need different loops.
template <class Step>
void step_all(const char* who, uint32_t settings, std::span<const TensorList> lists,
              const std::optional<Tensor>& grad_scale, const Step& step) {
  const auto run = [&](Parts parts, size_t i) {
    if (grad_scale) Tensor(parts[1]).div_(*grad_scale);
    step(parts, i);
  };
  settings = settings << 1 | (grad_scale ? 1 : 0);
  for (size_t i = 0; i < lists[0].size(); ++i) {
    const Tensor& parameter = lists[0][i];
    const Device device = parameter.device();
    const TakenSteps::Step asked{who, settings, device.type, device.index, parameter.dtype()};
    if (taken_steps().has(asked)) continue;
    SmallVector<Tensor, kMostParts> trial;
    for (size_t part = 0; part < lists.size(); ++part)
      trial.push_back(zeros({1}, parameter.dtype(), std::nullopt, device));
    run({trial.data(), trial.size()}, i);
    taken_steps().add(asked);
  }
  for (size_t i = 0; i < lists[0].size(); ++i) {
    SmallVector<Tensor, kMostParts> parts;
    for (const TensorList& list : lists) parts.push_back(list[i]);
    run({parts.data(), parts.size()}, i);
  }
}

struct AdamStep {
  const char* who;
  double lr, beta1, beta2, weight_decay, eps;
  bool is_amsgrad, is_maximized, is_decoupled;

  void update(Parts parts, double step) const {
    const Tensor& parameter = parts[0];
    const double decay = is_decoupled ? 0 : weight_decay;
    const Tensor gradient = directed(who, parts[1], parameter, is_maximized ? -1 : 1, decay);
    const Tensor mean =
        renew(who, parts[2], kWeightedSum, {&parts[2], &gradient}, {beta1, 1 - beta1});
    Tensor square = renew(who, parts[3], device_formula::kWeightedSquare, {&parts[3], &gradient},
                          {beta2, 1 - beta2});
    if (is_amsgrad)
      square = renew(who, parts[4], device_formula::kGreatest, {&parts[4], &square}, {});
    const double correction = 1 / std::sqrt(1 - std::pow(beta2, step));
    const double rate = lr / (1 - std::pow(beta1, step));
    write(who, parameter, device_formula::kAdamStep, {&parameter, &mean, &square},
          {is_decoupled ? 1 - lr * weight_decay : 1, rate / correction, eps / correction});
  }

  void update_all(std::span<const TensorList> given, TensorList state_steps,
                  const std::optional<Tensor>& grad_scale) const {
    constexpr std::array kNames{"self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"};
    const std::span lists = given.first(is_amsgrad ? 5 : 4);
    check_alike(who, lists, kNames);
    OPWRIGHT_CHECK_VALUE(state_steps.size() == lists[0].size(), who, ": state_steps must have ",
                         lists[0].size(), " tensors, one for each parameter, got ",
                         state_steps.size());
    std::vector<double> steps;
    for (size_t i = 0; i < lists[0].size(); ++i) {
      steps.push_back(state_steps[i].item().to<double>());
      OPWRIGHT_CHECK_VALUE(steps[i] >= 1, who, ": state_steps[", i,
                           "] must be incremented before the step and at least 1, got ", steps[i]);
    }
    const bool is_directed = is_maximized || (!is_decoupled && weight_decay != 0);
    const uint32_t settings = (is_amsgrad ? 2U : 0U) | (is_directed ? 1U : 0U);
    step_all(who, settings, lists, grad_scale,
             [&](Parts parts, size_t i) { update(parts, steps[i]); });
  }
};

}  // namespace

void foreach_add_scalar_in_place_all_devices(std::span<const Tensor> self, const Scalar& scalar) {
  for (const Tensor& tensor : self) {
    Tensor raised = tensor;
    raised.add_(scalar);
  }
}

// NOLINTBEGIN(readability-function-size): the parameters are those of the schemas
void fused_sgd_all_devices(std::span<const Tensor> self, std::span<const Tensor> grads,
                           std::span<const Tensor> momentum_buffer_list, double weight_decay,
                           double momentum, double lr, double dampening, bool nesterov,
                           bool maximize, bool is_first_step,
                           const std::optional<Tensor>& grad_scale,
                           const std::optional<Tensor>& found_inf) {
  constexpr const char* kWho = "_fused_sgd_";
  constexpr std::array kNames{"self", "grads", "momentum_buffer_list"};
  if (is_left_out(found_inf)) return;
  const bool has_momentum = momentum != 0;
  const std::array<TensorList, 3> given{self, grads, momentum_buffer_list};
  const std::span lists = std::span(given).first(has_momentum ? 3 : 2);
  check_alike(kWho, lists, kNames);
  const bool is_directed = maximize || weight_decay != 0;
  const uint32_t settings = (has_momentum ? 8U : 0U) | (is_first_step ? 4U : 0U) |
                            (nesterov ? 2U : 0U) | (is_directed ? 1U : 0U);
  step_all(kWho, settings, lists, grad_scale, [&](Parts parts, size_t /*i*/) {
    Tensor gradient = directed(kWho, parts[1], parts[0], maximize ? -1 : 1, weight_decay);
    if (has_momentum) {
      const Tensor& state = parts[2];
      const Tensor buffer =
          is_first_step
              ? renew(kWho, state, device_formula::kCopy, {&gradient}, {})
              : renew(kWho, state, kWeightedSum, {&state, &gradient}, {momentum, 1 - dampening});
      gradient = nesterov ? directed(kWho, gradient, buffer, 1, momentum) : buffer;
    }
    write(kWho, parts[0], kWeightedSum, {&parts[0], &gradient}, {1, -lr});
  });
}

void fused_adam_all_devices(std::span<const Tensor> self, std::span<const Tensor> grads,
                            std::span<const Tensor> exp_avgs, std::span<const Tensor> exp_avg_sqs,
                            std::span<const Tensor> max_exp_avg_sqs,
                            std::span<const Tensor> state_steps, double lr, double beta1,
                            double beta2, double weight_decay, double eps, bool amsgrad,
                            bool maximize, const std::optional<Tensor>& grad_scale,
                            const std::optional<Tensor>& found_inf) {
  if (is_left_out(found_inf)) return;
  const AdamStep step{"_fused_adam_", lr,       beta1, beta2, weight_decay, eps,
                      amsgrad,        maximize, false};
  step.update_all(std::array<TensorList, 5>{self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs},
                  state_steps, grad_scale);
}

void fused_adamw_all_devices(std::span<const Tensor> self, std::span<const Tensor> grads,
                             std::span<const Tensor> exp_avgs, std::span<const Tensor> exp_avg_sqs,
                             std::span<const Tensor> max_exp_avg_sqs,
                             std::span<const Tensor> state_steps, double lr, double beta1,
                             double beta2, double weight_decay, double eps, bool amsgrad,
                             bool maximize, const std::optional<Tensor>& grad_scale,
                             const std::optional<Tensor>& found_inf) {
  if (is_left_out(found_inf)) return;
  const AdamStep step{"_fused_adamw_", lr,       beta1, beta2, weight_decay, eps,
                      amsgrad,         maximize, true};
  step.update_all(std::array<TensorList, 5>{self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs},
                  state_steps, grad_scale);
}
// NOLINTEND(readability-function-size)

}  // namespace opwright
