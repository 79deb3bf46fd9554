// Operators whose kernels call a vendor's library by opwright/aclnn.h.
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/opwright.h"
#include "opwright/vendor/aclnn.h"

namespace {

using opwright::Tensor;

Tensor add_custom(const Tensor& x, const Tensor& y) {
  Tensor result = opwright::empty_like(x);
  OPWRIGHT_ACLNN(aclnnAddCustom, x, y, result);
  return result;
}

Tensor mixed(const Tensor& like, const std::optional<Tensor>& optional,
             std::span<const int64_t> axes, double scale, int64_t count, bool flag) {
  Tensor result = opwright::empty_like(like);
  OPWRIGHT_ACLNN(aclnnMixed, optional, axes, scale, count, flag, result);
  return result;
}

Tensor absent(const Tensor& x) {
  OPWRIGHT_ACLNN(aclnnAbsent, x);
  return x;
}

}  // namespace

OPWRIGHT_LIBRARY(trial_aclnn, m) {
  m.def("add_custom(Tensor x, Tensor y) -> Tensor");
  m.def(
      "mixed(Tensor like, Tensor? optional, int[] axes, float scale, int count, bool flag) -> "
      "Tensor");
  m.def("absent(Tensor x) -> Tensor");
}

OPWRIGHT_LIBRARY_IMPL(trial_aclnn, CPU, m) {
  m.impl("add_custom", &add_custom);
  m.impl("mixed", &mixed);
  m.impl("absent", &absent);
}
