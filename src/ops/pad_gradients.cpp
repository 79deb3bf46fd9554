#include "opwright/ops/pad_gradients.h"

#include "opwright/functions.h"
#include "opwright/symbolic/sizes.h"

namespace opwright {

Tensor unpad(const Tensor& grad, std::span<const SymInt> pad) {
  SymSizes opposite;
  for (const SymInt& each : pad) opposite.push_back(SymInt(0) - each);
  return constant_pad_nd(grad, opposite);
}

}  // namespace opwright
