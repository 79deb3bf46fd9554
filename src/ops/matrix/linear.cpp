// linear: input times the transposed weight, plus a bias.
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {

Tensor linear_composite(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias) {
  OPWRIGHT_CHECK(input.dim() > 0, "linear: input must have at least one dimension, got none");
  OPWRIGHT_CHECK(weight.dim() == 1 || weight.dim() == 2,
                 "linear: weight must have 1 or 2 dimensions, got ", weight.dim());
  const Tensor factor = weight.dim() == 2 ? weight.t() : weight;
  if (!bias) return matmul(input, factor);
  if (weight.dim() == 1 || input.dim() == 1) return add(matmul(input, factor), *bias);
  if (input.dim() == 2) return addmm(*bias, input, factor);
  SymSizes sizes;
  for (int64_t i = 0; i < input.dim() - 1; ++i) sizes.push_back(input.sym_size(i));
  const Tensor tall = input.reshape({product(sizes), input.sym_size(-1)});
  sizes.push_back(weight.sym_size(0));
  return _unsafe_view(addmm(*bias, tall, factor), sizes);
}

}  // namespace opwright
