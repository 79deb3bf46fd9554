#include "opwright/ops/broadcast_gradients.h"

#include <cstdint>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {

Tensor sum_to_sizes(const Tensor& gradient, std::span<const SymInt> sizes) {
  const int64_t added = gradient.dim() - static_cast<int64_t>(sizes.size());
  Sizes leading;
  Sizes repeated;
  for (int64_t i = 0; i < gradient.dim(); ++i) {
    if (i < added) {
      leading.push_back(i);
    } else if (guard_or_false(sizes[static_cast<size_t>(i - added)] == 1) &&
               !guard_or_false(gradient.sym_size(i) == 1)) {
      repeated.push_back(i - added);
    }
  }
  const Tensor summed = leading.empty() ? gradient : gradient.sum(leading);
  return repeated.empty() ? summed : summed.sum(repeated, true);
}

Tensor sum_to_sizes(const Tensor& gradient, const Tensor& like) {
  return sum_to_sizes(gradient, sym_geometry_of(like).sizes);
}

Tensor expand_with(const Tensor& tensor, const Tensor& other) {
  const SymSizes sizes = broadcast_sizes(sym_geometry_of(tensor).sizes,
                                         sym_geometry_of(other).sizes, "broadcasting");
  return has_sizes(tensor, sizes) ? tensor : tensor.expand(sizes);
}

Tensor refuse_gradient(const Tensor& /*gradient*/, const char* who, const char* name) {
  throw_error("NotImplementedError", who, ": the gradient of '", name,
              "' is not implemented; detach it first");
}

}  // namespace opwright
