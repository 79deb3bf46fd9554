// _fused_adam_ and _fused_adamw_: one Adam step over a list of parameters; they differ in weight
// decay.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/move/aligned_tensors.h"
#include "opwright/ops/optimizer/gradient_scale.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

constexpr int64_t kAdamGrain = 8192;

struct AdamSettings {
  double lr;
  double beta1;
  double beta2;
  double weight_decay;
  double eps;
  bool is_amsgrad;
  bool is_maximized;
  bool is_decoupled;  // weights decay directly, not through their gradient
};

template <class C>
struct AdamNumbers {
  AdamNumbers(const AdamSettings& by, double step)
      : sign(by.is_maximized ? C{-1} : C{1}),
        gradient_decay(static_cast<C>(by.is_decoupled ? 0 : by.weight_decay)),
        parameter_decay(static_cast<C>(by.is_decoupled ? 1 - by.lr * by.weight_decay : 1)),
        beta1(static_cast<C>(by.beta1)),
        rest1(static_cast<C>(1 - by.beta1)),
        beta2(static_cast<C>(by.beta2)),
        rest2(static_cast<C>(1 - by.beta2)),
        rate(static_cast<C>(by.lr / (1 - std::pow(by.beta1, step)))),
        correction(static_cast<C>(1 / std::sqrt(1 - std::pow(by.beta2, step)))),
        eps(static_cast<C>(by.eps)) {}

  C sign;
  C gradient_decay;
  C parameter_decay;
  C beta1;
  C rest1;
  C beta2;
  C rest2;
  C rate;        // corrects the bias of the mean, which starts at zero
  C correction;  // for the root of the mean of squares
  C eps;
};

template <class T, bool kIsAmsgrad>
struct AdamLoop {
  using C = ComputeType<T>;
  OPWRIGHT_INLINE static void run(T* parameter, const T* gradient, T* mean, T* mean_square,
                                  T* most_square, int64_t count, AdamNumbers<C> by) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i) {
      const C old = static_cast<C>(parameter[i]);
      const C g = by.sign * static_cast<C>(gradient[i]) + by.gradient_decay * old;
      const C m = by.beta1 * static_cast<C>(mean[i]) + by.rest1 * g;
      const C v = by.beta2 * static_cast<C>(mean_square[i]) + by.rest2 * g * g;
      mean[i] = static_cast<T>(m);
      mean_square[i] = static_cast<T>(v);
      C square = v;
      if constexpr (kIsAmsgrad) {
        const C most = static_cast<C>(most_square[i]);
        square = most > v ? most : v;
        most_square[i] = static_cast<T>(square);
      }
      const C denominator = std::sqrt(square) * by.correction + by.eps;
      parameter[i] = static_cast<T>(by.parameter_decay * old - by.rate * m / denominator);
    }
  }
};

template <class T>
void update_adam(const AlignedTensors& tensors, const AdamSettings& settings, double step) {
  const AdamNumbers<ComputeType<T>> numbers(settings, step);
  T* parameter = tensors.data<T>(0);
  const T* gradient = tensors.data<T>(1);
  T* mean = tensors.data<T>(2);
  T* mean_square = tensors.data<T>(3);
  T* most_square = settings.is_amsgrad ? tensors.data<T>(4) : nullptr;
  parallel_for(tensors.numel(), kAdamGrain, [&](int64_t begin, int64_t end) {
    if (settings.is_amsgrad) {
      run_at_level<AdamLoop<T, true>>(parameter + begin, gradient + begin, mean + begin,
                                      mean_square + begin, most_square + begin, end - begin,
                                      numbers);
    } else {
      run_at_level<AdamLoop<T, false>>(parameter + begin, gradient + begin, mean + begin,
                                       mean_square + begin, most_square, end - begin, numbers);
    }
  });
}

void update_all(const char* who, std::span<const TensorList> given,
                std::span<const Tensor> state_steps, const AdamSettings& settings) {
  constexpr std::array kNames{"self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"};
  const std::span lists = given.first(settings.is_amsgrad ? 5 : 4);
  check_lengths(who, lists, kNames);
  OPWRIGHT_CHECK_VALUE(state_steps.size() == lists[0].size(), who, ": state_steps must have ",
                       lists[0].size(), " tensors, one for each parameter, got ",
                       state_steps.size());
  for (size_t i = 0; i < lists[0].size(); ++i) {
    const double step = read_number(state_steps[i]);
    OPWRIGHT_CHECK_VALUE(step >= 1, who, ": state_steps[", i,
                         "] must be incremented before the step and at least 1, got ", step);
    const AlignedTensors tensors(who, lists, kNames, i);
    for_floating_dtype(tensors.dtype(), who,
                       [&]<typename T>() { update_adam<T>(tensors, settings, step); });
    tensors.write_back();
  }
}

}  // namespace

// NOLINTBEGIN(readability-function-size): the parameters are those of the schema
void fused_adam_cpu(std::span<const Tensor> self, std::span<const Tensor> grads,
                    std::span<const Tensor> exp_avgs, std::span<const Tensor> exp_avg_sqs,
                    std::span<const Tensor> max_exp_avg_sqs, std::span<const Tensor> state_steps,
                    double lr, double beta1, double beta2, double weight_decay, double eps,
                    bool amsgrad, bool maximize, const std::optional<Tensor>& grad_scale,
                    const std::optional<Tensor>& found_inf) {
  if (!unscale(grads, grad_scale, found_inf)) return;
  update_all("_fused_adam_",
             std::array<TensorList, 5>{self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs},
             state_steps,
             {.lr = lr,
              .beta1 = beta1,
              .beta2 = beta2,
              .weight_decay = weight_decay,
              .eps = eps,
              .is_amsgrad = amsgrad,
              .is_maximized = maximize,
              .is_decoupled = false});
}

void fused_adamw_cpu(std::span<const Tensor> self, std::span<const Tensor> grads,
                     std::span<const Tensor> exp_avgs, std::span<const Tensor> exp_avg_sqs,
                     std::span<const Tensor> max_exp_avg_sqs, std::span<const Tensor> state_steps,
                     double lr, double beta1, double beta2, double weight_decay, double eps,
                     bool amsgrad, bool maximize, const std::optional<Tensor>& grad_scale,
                     const std::optional<Tensor>& found_inf) {
  if (!unscale(grads, grad_scale, found_inf)) return;
  update_all("_fused_adamw_",
             std::array<TensorList, 5>{self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs},
             state_steps,
             {.lr = lr,
              .beta1 = beta1,
              .beta2 = beta2,
              .weight_decay = weight_decay,
              .eps = eps,
              .is_amsgrad = amsgrad,
              .is_maximized = maximize,
              .is_decoupled = true});
}
// NOLINTEND(readability-function-size)

}  // namespace opwright
