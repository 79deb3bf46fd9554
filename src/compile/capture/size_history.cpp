#include "opwright/compile/capture/size_history.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace opwright {

TensorGuards::DynamicDims SizeHistory::note(const std::string& name, const Tensor& tensor) {
  if (dynamic_ == false) return 0;
  const std::span<const int64_t> sizes = tensor.sizes();
  Seen& seen = seen_[{name, tensor.dim()}];
  const bool is_first = seen.sizes.empty();
  if (is_first) seen.sizes.assign(sizes.begin(), sizes.end());
  TensorGuards::DynamicDims dims = 0;
  for (size_t dim = 0; dim < sizes.size() && dim < 64; ++dim) {
    const auto bit = TensorGuards::DynamicDims{1} << dim;
    if (sizes[dim] != seen.sizes[dim]) seen.changed |= bit;
    const bool is_symbol = dynamic_ == true || (seen.changed & bit) != 0;
    if (is_symbol && sizes[dim] > 1) dims |= bit;
  }
  return dims;
}

}  // namespace opwright
