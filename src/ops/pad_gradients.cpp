#include "opwright/ops/pad_gradients.h"

#include "opwright/functions.h"
#include "opwright/symbolic/sizes.h"

namespace opwright {
namespace {

SymSizes negate(std::span<const SymInt> values) {
  SymSizes opposite;
  for (const SymInt& each : values) opposite.push_back(SymInt(0) - each);
  return opposite;
}

}  // namespace

Tensor unpad(const Tensor& grad, std::span<const SymInt> pad) {
  return constant_pad_nd(grad, negate(pad));
}

Tensor unroll(const Tensor& grad, std::span<const SymInt> shifts, std::span<const int64_t> dims) {
  return grad.roll(negate(shifts), dims);
}

}  // namespace opwright
