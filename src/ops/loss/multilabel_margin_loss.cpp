// multilabel_margin_loss_forward and its gradient: the sum of max(0, 1 - (score of a target - score
// of another class)) over all such pairs, divided by the number of classes.
//
// A row of targets holds classes; the first negative number ends it.
#include <algorithm>
#include <cstdint>
#include <tuple>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/loss/loss_gradients.h"
#include "opwright/ops/loss/loss_reduction.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr const char* kMultilabel = "multilabel_margin_loss";
constexpr const char* kMultilabelBackward = "multilabel_margin_loss_backward";

using Margins = std::tuple<Tensor, Tensor>;

template <class AnyTensor>
void check_multilabel(const char* who, const AnyTensor& self, const AnyTensor& target) {
  if (!is_floating(self.dtype()) || dtype_bits(self.dtype()) == 8)
    throw_dtype(self.dtype(), who, "floating dtypes");
  OPWRIGHT_CHECK_TYPE(target.dtype() == DType::Int64, who,
                      ": target must hold classes of int64, got ", target);
  OPWRIGHT_CHECK(self.dim() <= 2, who, ": self must be [classes] or [batch, classes], got ", self);
  demand(target.dim() == self.dim() || (self.dim() == 0 && target.dim() == 1), "RuntimeError", [&] {
    return concatenate(who, ": target (", target, ") must have the dimensions of self (", self,
                       ")");
  });
  for (int64_t i = 0; i < self.dim(); ++i) {
    OPWRIGHT_DEMAND(self.size(i) == target.size(i), who, ": target (", target,
                    ") must have the sizes of self (", self, ")");
  }
  if (self.dim() > 0) {
    OPWRIGHT_DEMAND(self.size(-1) > 0, who, ": self must have at least one class, got ", self);
  } else if (target.dim() == 1) {
    OPWRIGHT_DEMAND(target.size(0) == 1, who, ": target must have one element if self is a ",
                    "number, got ", target);
  }
}

// Rows of scores with their targets, dense and computed as C.
template <class C>
struct MultilabelRows {
  MultilabelRows(const char* name, const Tensor& self, const Tensor& target)
      : who(name),
        scores(as_contiguous(as_dtype(self, dtype_of<C>()))),
        targets(as_contiguous(target)),
        classes(self.dim() == 0 ? 1 : self.size(-1)),
        rows(self.numel() / classes) {}

  [[nodiscard]] const C* scores_of(int64_t row) const { return scores.data<C>() + row * classes; }
  // The number of targets of a row; IndexError for one that is out of range.
  [[nodiscard]] int64_t count_targets(int64_t row) const {
    const int64_t* each = targets.data<int64_t>() + row * classes;
    int64_t count = 0;
    for (; count < classes && each[count] >= 0; ++count) {
      OPWRIGHT_CHECK_INDEX(each[count] < classes, who, ": target ", each[count],
                           " is out of range for ", classes, " classes");
    }
    return count;
  }
  [[nodiscard]] int64_t target_of(int64_t row, int64_t place) const {
    return targets.data<int64_t>()[row * classes + place];
  }
  // The parallel loop over rows.
  template <class Body>
  void for_each(const Body& body) const {
    const int64_t grain = std::max<int64_t>(1, 16384 / (classes * 4));
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) body(row);
    });
  }

  const char* who;
  Tensor scores, targets;
  int64_t classes, rows;
};

// The sum over the pairs of a row; marks its targets in `is_target`, which is zero.
template <class C>
C sum_margins(const MultilabelRows<C>& rows, int64_t row, C* is_target) {
  const C* scores = rows.scores_of(row);
  const int64_t count = rows.count_targets(row);
  for (int64_t k = 0; k < count; ++k) is_target[rows.target_of(row, k)] = C{1};
  C sum{};
  for (int64_t k = 0; k < count; ++k) {
    const C bound = C{1} - scores[rows.target_of(row, k)];
    for (int64_t i = 0; i < rows.classes; ++i) {
      const C margin = std::max(bound + scores[i], C{0});
      sum += is_target[i] == C{0} ? margin : C{0};
    }
  }
  return sum / static_cast<C>(rows.classes);
}

// Adds the gradient of a row to `out`, which is zero.
template <class C>
void differentiate_margins(const MultilabelRows<C>& rows, int64_t row, const C* is_target, C share,
                           C* out) {
  const C* scores = rows.scores_of(row);
  const int64_t count = rows.count_targets(row);
  for (int64_t k = 0; k < count; ++k) {
    const int64_t target = rows.target_of(row, k);
    const C bound = C{1} - scores[target];
    C total{};
    for (int64_t i = 0; i < rows.classes; ++i) {
      const bool counts = is_target[i] == C{0} && bound + scores[i] > C{0};
      const C part = counts ? share : C{0};
      out[i] += part;
      total += part;
    }
    out[target] -= total;
  }
}

// Whether the result has a loss for each row.
template <class AnyTensor>
bool gives_each_row(const AnyTensor& self, LossReduction reduction) {
  return reduction == LossReduction::None && self.dim() == 2;
}

DType margin_dtype(DType dtype) {
  return dtype == DType::Float64 ? DType::Float64 : DType::Float32;
}

template <class AnyTensor>
void check_multilabel_gradient(const AnyTensor& grad_output, const AnyTensor& self,
                               const AnyTensor& target, const AnyTensor& is_target,
                               LossReduction reduction) {
  check_multilabel(kMultilabelBackward, self, target);
  OPWRIGHT_CHECK_TYPE(grad_output.dtype() == self.dtype() && is_target.dtype() == self.dtype(),
                      kMultilabelBackward, ": grad_output (", grad_output, ") and is_target (",
                      is_target, ") must have the dtype of self, ", self.dtype());
  OPWRIGHT_CHECK(is_target.dim() == target.dim(), kMultilabelBackward,
                 ": is_target must be that of the forward call, got ", is_target);
  for (int64_t i = 0; i < target.dim(); ++i) {
    OPWRIGHT_DEMAND(is_target.size(i) == target.size(i), kMultilabelBackward,
                    ": is_target must be that of the forward call, got ", is_target);
  }
  const bool is_each = gives_each_row(self, reduction);
  OPWRIGHT_CHECK(grad_output.dim() == (is_each ? 1 : 0), kMultilabelBackward,
                 ": grad_output must have the sizes of the loss, got ", grad_output);
  if (is_each) {
    OPWRIGHT_DEMAND(grad_output.size(0) == self.size(0), kMultilabelBackward,
                    ": grad_output must have the sizes of the loss, got ", grad_output);
  }
}

}  // namespace

Margins multilabel_margin_loss_forward_cpu(const Tensor& self, const Tensor& target,
                                           int64_t reduction) {
  const LossReduction wanted = loss_reduction(kMultilabel, reduction);
  check_multilabel(kMultilabel, self, target);
  const DType wide = margin_dtype(self.dtype());
  const Tensor is_target = make_empty(target.sizes(), wide);
  const int64_t rows = self.dim() == 2 ? self.size(0) : 1;
  const Tensor losses = make_empty(Sizes{rows}, wide);
  const auto compute = [&]<typename C>() {
    const MultilabelRows<C> call(kMultilabel, self, target);
    C* marks = is_target.mutable_data<C>();
    C* out = losses.mutable_data<C>();
    std::fill_n(marks, is_target.numel(), C{});
    call.for_each(
        [&](int64_t row) { out[row] = sum_margins(call, row, marks + row * call.classes); });
    if (gives_each_row(self, wanted)) return as_dtype(losses, self.dtype());
    double sum = 0;
    for (int64_t i = 0; i < rows; ++i) sum += static_cast<double>(out[i]);
    return make_scalar_tensor(wanted == LossReduction::Mean ? sum / static_cast<double>(rows) : sum,
                              self.dtype());
  };
  Tensor output = wide == DType::Float64 ? compute.template operator()<double>()
                                         : compute.template operator()<float>();
  return {std::move(output), as_dtype(is_target, self.dtype())};
}

std::tuple<FakeTensor, FakeTensor> multilabel_margin_loss_forward_fake(const FakeTensor& self,
                                                                       const FakeTensor& target,
                                                                       int64_t reduction) {
  const LossReduction wanted = loss_reduction(kMultilabel, reduction);
  check_multilabel(kMultilabel, self, target);
  const SymSizes sizes = gives_each_row(self, wanted) ? SymSizes{self.size(0)} : SymSizes();
  return {make_fake_like(self, sizes, self.dtype()),
          make_fake_like(self, target.sizes(), self.dtype())};
}

Tensor multilabel_margin_loss_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                           const Tensor& target, int64_t reduction,
                                           const Tensor& is_target) {
  const LossReduction wanted = loss_reduction(kMultilabelBackward, reduction);
  check_multilabel_gradient(grad_output, self, target, is_target, wanted);
  const DType wide = margin_dtype(self.dtype());
  const Tensor result = make_empty(self.sizes(), wide);
  const auto compute = [&]<typename C>() {
    const MultilabelRows<C> call(kMultilabelBackward, self, target);
    const Tensor marks = as_contiguous(as_dtype(is_target, wide));
    const Tensor grads = as_contiguous(as_dtype(grad_output, wide));
    C* out = result.mutable_data<C>();
    std::fill_n(out, result.numel(), C{});
    const bool is_each = gives_each_row(self, wanted);
    const int64_t averaged = wanted == LossReduction::Mean ? call.rows : 1;
    const C divisor = static_cast<C>(call.classes * averaged);
    call.for_each([&](int64_t row) {
      const C share = grads.data<C>()[is_each ? row : 0] / divisor;
      differentiate_margins(call, row, marks.data<C>() + row * call.classes, share,
                            out + row * call.classes);
    });
  };
  if (wide == DType::Float64)
    compute.template operator()<double>();
  else
    compute.template operator()<float>();
  return as_dtype(result, self.dtype());
}

FakeTensor multilabel_margin_loss_backward_fake(const FakeTensor& grad_output,
                                                const FakeTensor& self, const FakeTensor& target,
                                                int64_t reduction, const FakeTensor& is_target) {
  const LossReduction wanted = loss_reduction(kMultilabelBackward, reduction);
  check_multilabel_gradient(grad_output, self, target, is_target, wanted);
  return make_fake_like(self, self.sizes(), self.dtype());
}

Tensor multilabel_margin_loss_composite(const Tensor& self, const Tensor& target,
                                        int64_t reduction) {
  return std::get<0>(multilabel_margin_loss_forward(self, target, reduction));
}

// The backward operator is grad_output times a slope per element.
Tensor multilabel_margin_directional(const Tensor& grad, std::span<const SymInt> sizes,
                                     const Tensor& self, const Tensor& target, int64_t reduction,
                                     const Tensor& is_target) {
  const Tensor slope =
      multilabel_margin_loss_backward(grad.new_ones(sizes), self, target, reduction, is_target);
  const Tensor parts = grad.mul(slope);
  return sizes.empty() ? parts.sum() : parts.sum({1});
}

// ---- vmap: all rows of all samples form one batch ----
VmapResult<Margins> multilabel_margin_loss_forward_vmap(const VmapInfo& info, const Tensor& self,
                                                        const Tensor& target, int64_t reduction) {
  const LossReduction wanted = loss_reduction(kMultilabel, reduction);
  const Tensor scores = as_batch(info, 0, self);
  const Tensor targets = as_batch(info, 1, target);
  if (scores.dim() == 3) {
    const auto [losses, marks] =
        unfold_batch(multilabel_margin_loss_forward(fold_batch(scores, 0), fold_batch(targets, 0),
                                                    kNoLossReduction),
                     0, info.batch_size);
    if (wanted == LossReduction::None) return batched(Margins(losses, marks));
    return batched(
        Margins(wanted == LossReduction::Mean ? losses.mean({1}) : losses.sum({1}), marks));
  }
  auto [losses, marks] =
      multilabel_margin_loss_forward(as_rows(scores), as_rows(targets), kNoLossReduction);
  return batched(Margins(losses, marks.reshape(sym_geometry_of(targets).sizes)));
}

VmapResult<Tensor> multilabel_margin_loss_backward_vmap(const VmapInfo& info,
                                                        const Tensor& grad_output,
                                                        const Tensor& self, const Tensor& target,
                                                        int64_t reduction,
                                                        const Tensor& is_target) {
  const LossReduction wanted = loss_reduction(kMultilabelBackward, reduction);
  const Tensor scores = as_batch(info, 1, self);
  const SymSizes sizes = sym_geometry_of(scores).sizes;
  const bool has_rows = scores.dim() == 3;
  const auto fold = [&](const Tensor& batch) {
    return has_rows ? fold_batch(batch, 0) : as_rows(batch);
  };
  Tensor shares = as_batch(info, 0, grad_output);
  if (has_rows && wanted != LossReduction::None) {
    if (wanted == LossReduction::Mean) shares = shares.div(Scalar(sizes[1]));
    shares = shares.unsqueeze(1).expand({sizes[0], sizes[1]});
  }
  const Tensor gradient = multilabel_margin_loss_backward(
      shares.reshape({-1}), fold(scores), fold(as_batch(info, 2, target)), kNoLossReduction,
      fold(as_batch(info, 4, is_target)));
  return batched(gradient.reshape(sizes));
}

}  // namespace opwright
