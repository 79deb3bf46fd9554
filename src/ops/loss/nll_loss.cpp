// nll_loss_forward and nll_loss2d_forward with their gradients: minus the log-probability of the
// target class.
//
// Both use one kernel over [batch, classes, places]; a vector of classes is a batch of one.
#include <algorithm>
#include <optional>
#include <tuple>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/loss/loss_reduction.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr int64_t kNllGrain = 16384;

template <class AnyTensor>
struct NllCall {
  const char* who;
  bool has_places;  // for images
  const AnyTensor& self;
  const AnyTensor& target;
  const std::optional<AnyTensor>& weight;
  LossReduction reduction;
};

template <class AnyTensor>
void check_call(const NllCall<AnyTensor>& call) {
  const AnyTensor& self = call.self;
  const AnyTensor& target = call.target;
  if (!is_floating(self.dtype()) || dtype_bits(self.dtype()) == 8)
    throw_dtype(self.dtype(), call.who, "floating dtypes");
  OPWRIGHT_CHECK_TYPE(target.dtype() == DType::Int64 || target.dtype() == DType::UInt8, call.who,
                      ": target must hold classes of int64 or uint8, got ", target);
  if (call.has_places) {
    OPWRIGHT_CHECK(self.dim() == 4 && target.dim() == 3, call.who,
                   ": self must be [N, C, H, W] and target [N, H, W], got ", self, " and ", target);
    for (const auto& [of_self, of_target] : {std::pair(0, 0), std::pair(2, 1), std::pair(3, 2)})
      OPWRIGHT_DEMAND(self.size(of_self) == target.size(of_target), call.who, ": self (", self,
                      ") and target (", target,
                      ") must have the same sizes but for the classes of self");
  } else {
    OPWRIGHT_CHECK(self.dim() == 1 || self.dim() == 2, call.who,
                   ": self must be [C] or [N, C], got ", self);
    OPWRIGHT_CHECK(target.dim() <= 1, call.who, ": target must be [] or [N], got ", target);
    const auto message = [&] {
      return concatenate(call.who, ": self (", self, ") and target (", target,
                         ") must have batches of the same size");
    };
    demand(self.dim() == 1 || target.dim() == 1, "RuntimeError", message);
    if (self.dim() == 2) demand(self.size(0) == target.size(0), "RuntimeError", message);
    if (self.dim() == 1 && target.dim() == 1) demand(target.size(0) == 1, "RuntimeError", message);
  }
  if (call.weight) {
    const auto message = [&] {
      return concatenate(call.who, ": weight (", *call.weight,
                         ") must hold one number for each class of self (", self, ")");
    };
    demand(call.weight->dim() == 1, "RuntimeError", message);
    demand(call.weight->size(0) == self.size(self.dim() == 1 ? 0 : 1), "RuntimeError", message);
    OPWRIGHT_CHECK_TYPE(call.weight->dtype() == self.dtype(), call.who, ": weight of ",
                        call.weight->dtype(), " must have the dtype of self, ", self.dtype());
  }
}

// Inputs prepared for the loops: dense, halves as float.
template <class C>
struct NllInputs {
  NllInputs(const NllCall<Tensor>& call, int64_t ignored)
      : who(call.who),
        target(as_contiguous(as_dtype(call.target, DType::Int64))),
        ignore_index(ignored) {
    const bool is_vector = call.self.dim() == 1;
    batch = is_vector ? 1 : call.self.size(0);
    classes = call.self.size(is_vector ? 0 : 1);
    places = call.has_places ? call.self.size(2) * call.self.size(3) : 1;
    if (call.weight) weight = as_contiguous(as_dtype(*call.weight, dtype_of<C>()));
  }

  // The class at a position, or none if it is ignored. IndexError.
  [[nodiscard]] std::optional<int64_t> class_at(int64_t position) const {
    const int64_t wanted = target.data<int64_t>()[position];
    if (wanted == ignore_index) return std::nullopt;
    OPWRIGHT_CHECK_INDEX(wanted >= 0 && wanted < classes, who, ": target ", wanted,
                         " is out of range for ", classes, " classes");
    return wanted;
  }
  [[nodiscard]] C weight_of(int64_t wanted) const {
    return weight.is_defined() ? weight.data<C>()[wanted] : C{1};
  }
  // The offset of the log-probability of a class at a position.
  [[nodiscard]] int64_t offset(int64_t position, int64_t wanted) const {
    return (position / places * classes + wanted) * places + position % places;
  }
  [[nodiscard]] int64_t positions() const { return batch * places; }

  const char* who;
  Tensor target;
  Tensor weight;
  int64_t ignore_index;
  int64_t batch, classes, places;
};

DType compute_dtype(DType dtype) {
  return dtype == DType::Float64 ? DType::Float64 : DType::Float32;
}

using NllResults = std::tuple<Tensor, Tensor>;

template <class C, class T>
NllResults compute_each(const NllCall<Tensor>& call, const NllInputs<C>& inputs) {
  const Tensor self = as_contiguous(call.self);
  Tensor losses = make_empty(call.target.sizes(), self.dtype());
  const T* in = inputs.positions() == 0 ? nullptr : self.data<T>();
  parallel_for(inputs.positions(), kNllGrain, [&](int64_t begin, int64_t end) {
    T* out = losses.mutable_data<T>();
    for (int64_t i = begin; i < end; ++i) {
      const auto wanted = inputs.class_at(i);
      const C loss =
          wanted ? -convert_number<C>(in[inputs.offset(i, *wanted)]) * inputs.weight_of(*wanted)
                 : C{};
      out[i] = convert_number<T>(loss);
    }
  });
  return {std::move(losses), make_scalar_tensor(0, self.dtype())};
}

template <class C, class T>
NllResults compute_total(const NllCall<Tensor>& call, const NllInputs<C>& inputs) {
  const Tensor self = as_contiguous(call.self);
  double sum = 0;
  double total_weight = 0;
  for (int64_t i = 0; i < inputs.positions(); ++i) {
    const auto wanted = inputs.class_at(i);
    if (!wanted) continue;
    const auto weight = static_cast<double>(inputs.weight_of(*wanted));
    sum -= convert_number<double>(self.data<T>()[inputs.offset(i, *wanted)]) * weight;
    total_weight += weight;
  }
  const double loss = call.reduction == LossReduction::Mean ? sum / total_weight : sum;
  return {make_scalar_tensor(loss, self.dtype()), make_scalar_tensor(total_weight, self.dtype())};
}

NllResults compute_nll(const NllCall<Tensor>& call, int64_t ignore_index) {
  check_call(call);
  return for_floating_dtype(call.self.dtype(), call.who, [&]<typename T>() {
    using C = ComputeType<T>;
    const NllInputs<C> inputs(call, ignore_index);
    const bool is_each = call.reduction == LossReduction::None && call.self.dim() > 1;
    return is_each ? compute_each<C, T>(call, inputs) : compute_total<C, T>(call, inputs);
  });
}

std::tuple<FakeTensor, FakeTensor> fake_nll(const NllCall<FakeTensor>& call) {
  check_call(call);
  const bool is_each = call.reduction == LossReduction::None && call.self.dim() > 1;
  const DType dtype = call.self.dtype();
  return {make_fake_like(call.self, is_each ? SymSizes(call.target.sizes()) : SymSizes(), dtype),
          make_fake_like(call.self, SymSizes(), dtype)};
}

template <class AnyTensor>
void check_gradient(const NllCall<AnyTensor>& call, const AnyTensor& grad_output) {
  check_call(call);
  OPWRIGHT_CHECK_TYPE(grad_output.dtype() == call.self.dtype(), call.who, ": grad_output of ",
                      grad_output.dtype(), " must have the dtype of self, ", call.self.dtype());
  const bool is_each = call.reduction == LossReduction::None && call.self.dim() > 1;
  const auto message = [&] {
    return concatenate(call.who, ": grad_output (", grad_output,
                       ") does not have the sizes of the loss of target (", call.target, ")");
  };
  demand(is_each ? grad_output.dim() == call.target.dim() : grad_output.dim() <= 1, "RuntimeError",
         message);
  for (int64_t i = 0; i < grad_output.dim(); ++i)
    demand(is_each ? grad_output.size(i) == call.target.size(i) : grad_output.size(i) == 1,
           "RuntimeError", message);
}

Tensor compute_nll_gradient(const NllCall<Tensor>& call, const Tensor& grad_output,
                            int64_t ignore_index, const Tensor& total_weight) {
  check_gradient(call, grad_output);
  OPWRIGHT_CHECK(total_weight.numel() == 1, call.who, ": total_weight must hold one number, got ",
                 total_weight);
  const DType wide = compute_dtype(call.self.dtype());
  Tensor result = make_empty(call.self.sizes(), call.self.dtype());
  const Tensor grad = as_contiguous(as_dtype(grad_output, wide));
  const Tensor total = as_dtype(total_weight, wide);
  for_floating_dtype(call.self.dtype(), call.who, [&]<typename T>() {
    using C = ComputeType<T>;
    const NllInputs<C> inputs(call, ignore_index);
    T* out = result.mutable_data<T>();
    std::fill_n(out, result.numel(), T{});
    const bool is_each = call.reduction == LossReduction::None && call.self.dim() > 1;
    const C divisor = call.reduction == LossReduction::Mean ? total.data<C>()[0] : C{1};
    parallel_for(inputs.positions(), kNllGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto wanted = inputs.class_at(i);
        if (!wanted) continue;
        const C share = grad.data<C>()[is_each ? i : 0] / divisor;
        out[inputs.offset(i, *wanted)] = convert_number<T>(-inputs.weight_of(*wanted) * share);
      }
    });
  });
  return result;
}

// ---- on devices, as composites of other operators ----------------------------------------------

// The target with ignored elements replaced by a valid class, [N] or [N, H, W], and the weight of
// each of its elements.
struct NllTarget {
  NllTarget(const NllCall<Tensor>& call, int64_t ignore_index) {
    const Tensor target = call.self.dim() == 1 ? call.target.reshape({1}) : call.target;
    is_ignored = target.eq(ignore_index);
    classes = target.to(DType::Int64).masked_fill(is_ignored, 0);
    const DType wide = compute_dtype(call.self.dtype());
    if (call.weight)
      weights =
          call.weight->index_select(0, classes.reshape({-1})).reshape(classes.sizes()).to(wide);
    else
      weights = call.self.new_ones(classes.sizes(), wide);
    weights.masked_fill_(is_ignored, 0);
  }
  Tensor is_ignored, classes, weights;
};
Tensor with_batch(const Tensor& self) { return self.dim() == 1 ? self.unsqueeze(0) : self; }

NllResults compute_nll_elsewhere(const NllCall<Tensor>& call, int64_t ignore_index) {
  check_call(call);
  const DType dtype = call.self.dtype();
  const NllTarget target(call, ignore_index);
  const Tensor found = with_batch(call.self).gather(1, target.classes.unsqueeze(1)).squeeze(1);
  const Tensor losses =
      found.to(compute_dtype(dtype)).mul(target.weights).neg().masked_fill(target.is_ignored, 0);
  if (call.reduction == LossReduction::None && call.self.dim() > 1)
    return {losses.to(dtype), call.self.new_zeros({})};
  const Tensor total = target.weights.sum();
  const Tensor sum = losses.sum();
  return {(call.reduction == LossReduction::Mean ? sum.div(total) : sum).to(dtype),
          total.to(dtype)};
}

Tensor compute_nll_gradient_elsewhere(const NllCall<Tensor>& call, const Tensor& grad_output,
                                      int64_t ignore_index, const Tensor& total_weight) {
  check_gradient(call, grad_output);
  OPWRIGHT_CHECK(total_weight.numel() == 1, call.who, ": total_weight must hold one number, got ",
                 total_weight);
  const DType wide = compute_dtype(call.self.dtype());
  const NllTarget target(call, ignore_index);
  Tensor share = target.weights.neg().mul(grad_output.to(wide));
  if (call.reduction == LossReduction::Mean) share.div_(total_weight.to(wide).reshape({}));
  share.masked_fill_(target.is_ignored, 0);
  Tensor result = call.self.new_zeros(call.self.sizes());
  with_batch(result).scatter_(1, target.classes.unsqueeze(1),
                              share.to(call.self.dtype()).unsqueeze(1));
  return result;
}

FakeTensor fake_nll_gradient(const NllCall<FakeTensor>& call, const FakeTensor& grad_output) {
  check_gradient(call, grad_output);
  return make_fake_like(call.self, call.self.sizes(), call.self.dtype());
}

template <class AnyTensor>
NllCall<AnyTensor> make_call(const char* who, bool has_places, const AnyTensor& self,
                             const AnyTensor& target, const std::optional<AnyTensor>& weight,
                             int64_t reduction) {
  return {who, has_places, self, target, weight, loss_reduction(who, reduction)};
}

}  // namespace

using FakeResults = std::tuple<FakeTensor, FakeTensor>;

NllResults nll_loss_forward_cpu(const Tensor& self, const Tensor& target,
                                const std::optional<Tensor>& weight, int64_t reduction,
                                int64_t ignore_index) {
  return compute_nll(make_call("nll_loss_forward", false, self, target, weight, reduction),
                     ignore_index);
}
NllResults nll_loss_forward_all_devices(const Tensor& self, const Tensor& target,
                                        const std::optional<Tensor>& weight, int64_t reduction,
                                        int64_t ignore_index) {
  return compute_nll_elsewhere(
      make_call("nll_loss_forward", false, self, target, weight, reduction), ignore_index);
}
FakeResults nll_loss_forward_fake(const FakeTensor& self, const FakeTensor& target,
                                  const std::optional<FakeTensor>& weight, int64_t reduction,
                                  const SymInt& /*ignore_index*/) {
  return fake_nll(make_call("nll_loss_forward", false, self, target, weight, reduction));
}
NllResults nll_loss2d_forward_cpu(const Tensor& self, const Tensor& target,
                                  const std::optional<Tensor>& weight, int64_t reduction,
                                  int64_t ignore_index) {
  return compute_nll(make_call("nll_loss2d_forward", true, self, target, weight, reduction),
                     ignore_index);
}
NllResults nll_loss2d_forward_all_devices(const Tensor& self, const Tensor& target,
                                          const std::optional<Tensor>& weight, int64_t reduction,
                                          int64_t ignore_index) {
  return compute_nll_elsewhere(
      make_call("nll_loss2d_forward", true, self, target, weight, reduction), ignore_index);
}
FakeResults nll_loss2d_forward_fake(const FakeTensor& self, const FakeTensor& target,
                                    const std::optional<FakeTensor>& weight, int64_t reduction,
                                    const SymInt& /*ignore_index*/) {
  return fake_nll(make_call("nll_loss2d_forward", true, self, target, weight, reduction));
}

Tensor nll_loss_backward_cpu(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                             const std::optional<Tensor>& weight, int64_t reduction,
                             int64_t ignore_index, const Tensor& total_weight) {
  return compute_nll_gradient(
      make_call("nll_loss_backward", false, self, target, weight, reduction), grad_output,
      ignore_index, total_weight);
}
Tensor nll_loss_backward_all_devices(const Tensor& grad_output, const Tensor& self,
                                     const Tensor& target, const std::optional<Tensor>& weight,
                                     int64_t reduction, int64_t ignore_index,
                                     const Tensor& total_weight) {
  return compute_nll_gradient_elsewhere(
      make_call("nll_loss_backward", false, self, target, weight, reduction), grad_output,
      ignore_index, total_weight);
}
FakeTensor nll_loss_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                  const FakeTensor& target, const std::optional<FakeTensor>& weight,
                                  int64_t reduction, const SymInt& /*ignore_index*/,
                                  const FakeTensor& /*total_weight*/) {
  return fake_nll_gradient(make_call("nll_loss_backward", false, self, target, weight, reduction),
                           grad_output);
}
Tensor nll_loss2d_backward_cpu(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                               const std::optional<Tensor>& weight, int64_t reduction,
                               int64_t ignore_index, const Tensor& total_weight) {
  return compute_nll_gradient(
      make_call("nll_loss2d_backward", true, self, target, weight, reduction), grad_output,
      ignore_index, total_weight);
}
Tensor nll_loss2d_backward_all_devices(const Tensor& grad_output, const Tensor& self,
                                       const Tensor& target, const std::optional<Tensor>& weight,
                                       int64_t reduction, int64_t ignore_index,
                                       const Tensor& total_weight) {
  return compute_nll_gradient_elsewhere(
      make_call("nll_loss2d_backward", true, self, target, weight, reduction), grad_output,
      ignore_index, total_weight);
}
FakeTensor nll_loss2d_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                    const FakeTensor& target,
                                    const std::optional<FakeTensor>& weight, int64_t reduction,
                                    const SymInt& /*ignore_index*/,
                                    const FakeTensor& /*total_weight*/) {
  return fake_nll_gradient(make_call("nll_loss2d_backward", true, self, target, weight, reduction),
                           grad_output);
}

}  // namespace opwright
