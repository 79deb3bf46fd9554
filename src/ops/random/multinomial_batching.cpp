// The vmap rule of multinomial with different numbers per sample: all rows in one call.
#include <optional>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {

VmapResult<Tensor> multinomial_vmap(const VmapInfo& info, const Tensor& self,
                                    const SymInt& num_samples, bool replacement,
                                    const std::optional<Generator>& generator) {
  const Tensor weights = as_batch(info, 0, self);
  if (weights.dim() == 2) return batched(multinomial(weights, num_samples, replacement, generator));
  const Tensor rows = fold_batch(weights, 0);
  const Tensor drawn = multinomial(rows, num_samples, replacement, generator);
  return batched(unfold_batch(drawn, 0, info.batch_size));
}

}  // namespace opwright
