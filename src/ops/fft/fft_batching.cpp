// vmap rules of Fourier transforms: the batch stays in front.
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {

VmapResult<Tensor> fft_c2c_vmap(const VmapInfo& info, const Tensor& self,
                                std::span<const SymInt> dim, int64_t normalization, bool forward) {
  const Tensor batch = batch_first(info, 0, self);
  std::vector<SymInt> dims;
  dims.reserve(dim.size());
  for (const SymInt& each : dim)
    dims.emplace_back(shifted_dim(batch, each.specialise(), "_fft_c2c"));
  return batched(_fft_c2c(batch, dims, normalization, forward));
}
VmapResult<Tensor> fft_r2c_vmap(const VmapInfo& info, const Tensor& self,
                                std::span<const int64_t> dim, int64_t normalization,
                                bool onesided) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(_fft_r2c(batch, shifted_dims(batch, dim, "_fft_r2c"), normalization, onesided));
}
VmapResult<Tensor> fft_c2r_vmap(const VmapInfo& info, const Tensor& self,
                                std::span<const int64_t> dim, int64_t normalization,
                                const SymInt& last_dim_size) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(
      _fft_c2r(batch, shifted_dims(batch, dim, "_fft_c2r"), normalization, last_dim_size));
}

}  // namespace opwright
