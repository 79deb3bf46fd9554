// _fused_sgd_: one step of stochastic gradient descent over a list of parameters.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/base/thread_pool.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/move/aligned_tensors.h"
#include "opwright/ops/optimizer/gradient_scale.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

constexpr const char* kFusedSgd = "_fused_sgd_";
constexpr int64_t kSgdGrain = 16384;

template <class C>
struct SgdNumbers {
  C sign;  // of the gradient
  C weight_decay;
  C momentum;
  C undamped;
  C lr;
  bool is_nesterov;
  bool is_first;
};

template <class T, bool kHasMomentum>
struct SgdLoop {
  using C = ComputeType<T>;
  OPWRIGHT_INLINE static void run(T* parameter, const T* gradient, T* momentum_buffer,
                                  int64_t count, SgdNumbers<C> by) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i) {
      const C p = static_cast<C>(parameter[i]);
      C g = by.sign * static_cast<C>(gradient[i]) + by.weight_decay * p;
      if constexpr (kHasMomentum) {
        const C kept = by.momentum * static_cast<C>(momentum_buffer[i]) + by.undamped * g;
        const C moved = by.is_first ? g : kept;
        momentum_buffer[i] = static_cast<T>(moved);
        g = by.is_nesterov ? g + by.momentum * moved : moved;
      }
      parameter[i] = static_cast<T>(p - by.lr * g);
    }
  }
};

template <class T>
void update_sgd(const AlignedTensors& tensors, bool has_momentum, const SgdNumbers<double>& given) {
  using C = ComputeType<T>;
  const SgdNumbers<C> numbers{.sign = static_cast<C>(given.sign),
                              .weight_decay = static_cast<C>(given.weight_decay),
                              .momentum = static_cast<C>(given.momentum),
                              .undamped = static_cast<C>(given.undamped),
                              .lr = static_cast<C>(given.lr),
                              .is_nesterov = given.is_nesterov,
                              .is_first = given.is_first};
  T* parameter = tensors.data<T>(0);
  const T* gradient = tensors.data<T>(1);
  T* buffer = has_momentum ? tensors.data<T>(2) : nullptr;
  parallel_for(tensors.numel(), kSgdGrain, [&](int64_t begin, int64_t end) {
    if (has_momentum) {
      run_at_level<SgdLoop<T, true>>(parameter + begin, gradient + begin, buffer + begin,
                                     end - begin, numbers);
    } else {
      run_at_level<SgdLoop<T, false>>(parameter + begin, gradient + begin, buffer, end - begin,
                                      numbers);
    }
  });
}

}  // namespace

void fused_sgd_cpu(std::span<const Tensor> self, std::span<const Tensor> grads,
                   std::span<const Tensor> momentum_buffer_list, double weight_decay,
                   double momentum, double lr, double dampening, bool nesterov, bool maximize,
                   bool is_first_step, const std::optional<Tensor>& grad_scale,
                   const std::optional<Tensor>& found_inf) {
  const bool has_momentum = momentum != 0;
  constexpr std::array kNames{"self", "grads", "momentum_buffer_list"};
  const std::array<TensorList, 3> given{self, grads, momentum_buffer_list};
  const std::span lists = std::span(given).first(has_momentum ? 3 : 2);
  check_lengths(kFusedSgd, lists, kNames);
  if (!unscale(grads, grad_scale, found_inf)) return;
  const SgdNumbers<double> numbers{.sign = maximize ? -1.0 : 1.0,
                                   .weight_decay = weight_decay,
                                   .momentum = momentum,
                                   .undamped = 1 - dampening,
                                   .lr = lr,
                                   .is_nesterov = nesterov,
                                   .is_first = is_first_step};
  for (size_t i = 0; i < self.size(); ++i) {
    const AlignedTensors tensors(kFusedSgd, lists, kNames, i);
    for_floating_dtype(tensors.dtype(), kFusedSgd,
                       [&]<typename T>() { update_sgd<T>(tensors, has_momentum, numbers); });
    tensors.write_back();
  }
}

}  // namespace opwright
