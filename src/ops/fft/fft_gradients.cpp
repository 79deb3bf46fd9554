#include "opwright/ops/fft/fft_gradients.h"

#include <vector>

#include "opwright/functions.h"
#include "opwright/ops/fft/fft_arguments.h"
#include "opwright/tensor/view.h"

namespace opwright {
Tensor fft_r2c_gradient(const Tensor& grad, std::span<const int64_t> dim, int64_t normalization,
                        bool onesided, std::span<const SymInt> sizes) {
  Tensor full = grad;
  if (onesided) {  // the other half of the spectrum was not used
    const int64_t last = dim.back();
    const SymInt& length = sizes[wrap_dim(last, sizes.size(), "_fft_r2c")];
    full = padded_at_end(grad, last, length - grad.sym_size(last));
  }
  const std::vector<SymInt> dims(dim.begin(), dim.end());
  return real(_fft_c2c(full, dims, normalization, false));
}

Tensor fft_c2r_gradient(const Tensor& grad, std::span<const int64_t> dim, int64_t normalization) {
  const int64_t last = dim.back();
  const Tensor half = _fft_r2c(grad, dim, normalization, true);
  // The numbers that stand for their mirror images too count twice.
  const SymInt twice = grad.sym_size(last) - half.sym_size(last);
  const Tensor ones_between = full({twice}, Scalar(1), real(half).dtype(), {}, half.device());
  const SymInt after = half.sym_size(last) - twice - SymInt(1);
  Tensor factors = constant_pad_nd(ones_between, std::vector<SymInt>{SymInt(1), after}).add(1);
  const auto place =
      static_cast<int64_t>(wrap_dim(last, static_cast<size_t>(grad.dim()), "_fft_c2r"));
  for (int64_t i = place + 1; i < grad.dim(); ++i) factors = factors.unsqueeze(-1);
  return half.mul(factors);
}

}  // namespace opwright
