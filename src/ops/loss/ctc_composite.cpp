// ctc_loss: _ctc_loss with a reduction, for a batch or one input.
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/loss/loss_reduction.h"

namespace opwright {
namespace {

constexpr const char* kCtcLoss = "ctc_loss";

bool has_batch(const Tensor& log_probs) {
  OPWRIGHT_CHECK(log_probs.dim() == 2 || log_probs.dim() == 3, kCtcLoss,
                 ": log_probs must be [frames, batch, labels] or [frames, labels], got ",
                 log_probs);
  return log_probs.dim() == 3;
}

// The losses of all inputs, given how many labels each has.
Tensor reduce_ctc(const Tensor& losses, const Tensor& label_counts, bool is_batch,
                  LossReduction reduction, bool zero_infinity) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor kept = zero_infinity ? where(losses.eq(infinity), Scalar(0), losses) : losses;
  if (reduction == LossReduction::Mean) return kept.div(label_counts.clamp(Scalar(1))).mean();
  if (reduction == LossReduction::Sum) return kept.sum();
  return is_batch ? kept : kept.squeeze(0);
}

}  // namespace

Tensor ctc_loss_composite(const Tensor& log_probs, const Tensor& targets,
                          std::span<const int64_t> input_lengths,
                          std::span<const int64_t> target_lengths, int64_t blank, int64_t reduction,
                          bool zero_infinity) {
  const LossReduction wanted = loss_reduction(kCtcLoss, reduction);
  const bool is_batch = has_batch(log_probs);
  const auto [losses, alpha] = _ctc_loss(is_batch ? log_probs : log_probs.unsqueeze(1), targets,
                                         input_lengths, target_lengths, blank, zero_infinity);
  std::vector<Tensor> counts;
  for (const int64_t length : target_lengths)
    counts.push_back(losses.new_full({1}, Scalar(length)));
  const Tensor label_counts = counts.empty() ? losses : cat(counts, 0);
  return reduce_ctc(losses, label_counts, is_batch, wanted, zero_infinity);
}

Tensor ctc_loss_tensor_composite(const Tensor& log_probs, const Tensor& targets,
                                 const Tensor& input_lengths, const Tensor& target_lengths,
                                 int64_t blank, int64_t reduction, bool zero_infinity) {
  const LossReduction wanted = loss_reduction(kCtcLoss, reduction);
  const bool is_batch = has_batch(log_probs);
  const auto as_list = [&](const char* name, const Tensor& lengths) {
    OPWRIGHT_CHECK_TYPE(is_integral(lengths.dtype()), kCtcLoss, ": ", name, " must hold ints, got ",
                        lengths.dtype());
    return is_batch ? lengths : lengths.reshape({-1});
  };
  const Tensor lengths = as_list("target_lengths", target_lengths);
  const auto [losses, alpha] =
      _ctc_loss(is_batch ? log_probs : log_probs.unsqueeze(1), targets,
                as_list("input_lengths", input_lengths), lengths, blank, zero_infinity);
  return reduce_ctc(losses, lengths.to(losses.dtype()), is_batch, wanted, zero_infinity);
}

}  // namespace opwright
