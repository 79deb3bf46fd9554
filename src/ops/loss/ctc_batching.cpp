// vmap rules of _ctc_loss: the inputs of all samples are one batch. The lengths are the same for
// all samples, since they are lists of ints.
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/loss/ctc_lengths.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

using CtcLengths = std::span<const int64_t>;
using CtcPair = std::tuple<Tensor, Tensor>;

std::vector<int64_t> repeat_lengths(const VmapInfo& info, CtcLengths lengths) {
  std::vector<int64_t> all;
  const int64_t count = info.batch_size.specialise();
  for (int64_t i = 0; i < count; ++i) all.insert(all.end(), lengths.begin(), lengths.end());
  return all;
}

// Rows of labels fold like a batch, and so do the targets in one sequence if it has no rest.
Tensor fold_targets(const char* who, const VmapInfo& info, size_t index, const Tensor& targets,
                    CtcLengths target_lengths) {
  const Tensor all = as_batch(info, index, targets);
  if (all.dim() == 3) return fold_batch(all, 0);
  return fold_batch(all.narrow(1, 0, count_labels(who, target_lengths, all.sym_size(1))), 0);
}

}  // namespace

VmapResult<CtcPair> ctc_loss_forward_vmap(const VmapInfo& info, const Tensor& log_probs,
                                          const Tensor& targets, CtcLengths input_lengths,
                                          CtcLengths target_lengths, int64_t blank,
                                          bool zero_infinity) {
  const auto results = _ctc_loss(fold_batch(as_batch(info, 0, log_probs), 1),
                                 fold_targets("_ctc_loss", info, 1, targets, target_lengths),
                                 repeat_lengths(info, input_lengths),
                                 repeat_lengths(info, target_lengths), blank, zero_infinity);
  return batched(unfold_batch(results, 0, info.batch_size));
}

VmapResult<Tensor> ctc_loss_backward_vmap(const VmapInfo& info, const Tensor& grad,
                                          const Tensor& log_probs, const Tensor& targets,
                                          CtcLengths input_lengths, CtcLengths target_lengths,
                                          const Tensor& neg_log_likelihood, const Tensor& log_alpha,
                                          int64_t blank, bool zero_infinity) {
  const Tensor gradient = _ctc_loss_backward(
      fold_batch(as_batch(info, 0, grad), 0), fold_batch(as_batch(info, 1, log_probs), 1),
      fold_targets("_ctc_loss_backward", info, 2, targets, target_lengths),
      repeat_lengths(info, input_lengths), repeat_lengths(info, target_lengths),
      fold_batch(as_batch(info, 5, neg_log_likelihood), 0),
      fold_batch(as_batch(info, 6, log_alpha), 0), blank, zero_infinity);
  return batched(unfold_batch(gradient, 1, info.batch_size));
}

}  // namespace opwright
