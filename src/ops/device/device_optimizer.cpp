// Steps of optimizers on devices that compute loops: each part of a step is a loop over one
// parameter. The numbers are those of the CPU's kernels (cpu/fused_sgd.cpp, cpu/fused_adam.cpp).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/cpu/aligned_tensors.h"
#include "opwright/ops/device/device_formula.h"
#include "opwright/ops/device/device_loop.h"
#include "opwright/ops/pointwise_formula.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

using device_formula::kWeightedSum;

// target = formula(operands), in the dtype of the target.
void write(const char* who, const Tensor& target, const char* formula,
           std::initializer_list<const Tensor*> operands, std::initializer_list<double> numbers) {
  const DType compute = kernel_dtype(target.dtype());
  DeviceLoop loop(formula, compute);
  for (const Tensor* operand : operands) loop.add_operand(elements_of(*operand), compute);
  for (const double number : numbers) loop.add_number(number_in_formula(number, compute));
  loop.write(who, target.device(), elements_of(target));
}

// Divides by the scale; false: the step is left out.
bool unscale_elsewhere(std::span<const Tensor> gradients, const std::optional<Tensor>& grad_scale,
                       const std::optional<Tensor>& found_inf) {
  if (found_inf && found_inf->item().to<double>() != 0) return false;
  if (!grad_scale) return true;
  for (const Tensor& gradient : gradients) {
    Tensor scaled = gradient;
    scaled.div_(*grad_scale);
  }
  return true;
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

// The gradient itself, or sign * gradient + decay * parameter.
Tensor directed(const char* who, const Tensor& gradient, const Tensor& parameter, double sign,
                double decay) {
  if (sign == 1 && decay == 0) return gradient;
  Tensor result = make_empty(parameter.sizes(), parameter.dtype(), parameter.device());
  write(who, result, kWeightedSum, {&gradient, &parameter}, {sign, decay});
  return result;
}

struct AdamStep {
  const char* who;
  double lr, beta1, beta2, weight_decay, eps;
  bool is_amsgrad, is_maximized, is_decoupled;

  void update(std::span<const TensorList> lists, size_t i, double step) const {
    const Tensor& parameter = lists[0][i];
    const Tensor gradient = directed(who, lists[1][i], parameter, is_maximized ? -1 : 1,
                                     is_decoupled ? 0 : weight_decay);
    const Tensor& mean = lists[2][i];
    const Tensor& square = lists[3][i];
    write(who, mean, kWeightedSum, {&mean, &gradient}, {beta1, 1 - beta1});
    write(who, square, device_formula::kWeightedSquare, {&square, &gradient}, {beta2, 1 - beta2});
    if (is_amsgrad) write(who, lists[4][i], device_formula::kGreatest, {&lists[4][i], &square}, {});
    const double correction = 1 / std::sqrt(1 - std::pow(beta2, step));
    const double rate = lr / (1 - std::pow(beta1, step));
    write(who, parameter, device_formula::kAdamStep,
          {&parameter, &mean, is_amsgrad ? &lists[4][i] : &square},
          {is_decoupled ? 1 - lr * weight_decay : 1, rate / correction, eps / correction});
  }

  void update_all(std::span<const TensorList> given, TensorList state_steps) const {
    constexpr std::array kNames{"self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"};
    const std::span lists = given.first(is_amsgrad ? 5 : 4);
    check_alike(who, lists, kNames);
    OPWRIGHT_CHECK_VALUE(state_steps.size() == lists[0].size(), who, ": state_steps must have ",
                         lists[0].size(), " tensors, one for each parameter, got ",
                         state_steps.size());
    for (size_t i = 0; i < lists[0].size(); ++i) {
      const auto step = state_steps[i].item().to<double>();
      OPWRIGHT_CHECK_VALUE(step >= 1, who, ": state_steps[", i,
                           "] must be raised before the step and at least 1, got ", step);
      update(lists, i, step);
    }
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
  const std::array<TensorList, 3> lists{self, grads, momentum_buffer_list};
  check_alike(kWho, std::span(lists).first(momentum != 0 ? 3 : 2), kNames);
  if (!unscale_elsewhere(grads, grad_scale, found_inf)) return;
  for (size_t i = 0; i < self.size(); ++i) {
    Tensor gradient = directed(kWho, grads[i], self[i], maximize ? -1 : 1, weight_decay);
    if (momentum != 0) {
      const Tensor& buffer = momentum_buffer_list[i];
      if (is_first_step)
        write(kWho, buffer, device_formula::kCopy, {&gradient}, {});
      else
        write(kWho, buffer, kWeightedSum, {&buffer, &gradient}, {momentum, 1 - dampening});
      gradient = nesterov ? directed(kWho, gradient, buffer, 1, momentum) : buffer;
    }
    write(kWho, self[i], kWeightedSum, {&self[i], &gradient}, {1, -lr});
  }
}

void fused_adam_all_devices(std::span<const Tensor> self, std::span<const Tensor> grads,
                            std::span<const Tensor> exp_avgs, std::span<const Tensor> exp_avg_sqs,
                            std::span<const Tensor> max_exp_avg_sqs,
                            std::span<const Tensor> state_steps, double lr, double beta1,
                            double beta2, double weight_decay, double eps, bool amsgrad,
                            bool maximize, const std::optional<Tensor>& grad_scale,
                            const std::optional<Tensor>& found_inf) {
  if (!unscale_elsewhere(grads, grad_scale, found_inf)) return;
  const AdamStep step{"_fused_adam_", lr,       beta1, beta2, weight_decay, eps,
                      amsgrad,        maximize, false};
  step.update_all(std::array<TensorList, 5>{self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs},
                  state_steps);
}

void fused_adamw_all_devices(std::span<const Tensor> self, std::span<const Tensor> grads,
                             std::span<const Tensor> exp_avgs, std::span<const Tensor> exp_avg_sqs,
                             std::span<const Tensor> max_exp_avg_sqs,
                             std::span<const Tensor> state_steps, double lr, double beta1,
                             double beta2, double weight_decay, double eps, bool amsgrad,
                             bool maximize, const std::optional<Tensor>& grad_scale,
                             const std::optional<Tensor>& found_inf) {
  if (!unscale_elsewhere(grads, grad_scale, found_inf)) return;
  const AdamStep step{"_fused_adamw_", lr,       beta1, beta2, weight_decay, eps,
                      amsgrad,         maximize, true};
  step.update_all(std::array<TensorList, 5>{self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs},
                  state_steps);
}
// NOLINTEND(readability-function-size)

}  // namespace opwright
