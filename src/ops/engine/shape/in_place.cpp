#include "opwright/ops/engine/shape/in_place.h"

#include "opwright/error.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/overlap.h"

namespace opwright {
namespace {

bool is_expandable(std::span<const int64_t> from, std::span<const int64_t> to) {
  if (from.size() > to.size()) return false;
  const size_t added = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] != to[added + i]) return false;
  }
  return true;
}

}  // namespace

void check_writable(const char* who, const Tensor& self) {
  if (self.is_contiguous()) return;
  OPWRIGHT_CHECK(!has_internal_overlap(self), who, ": several elements of self (", self,
                 " with strides ", to_text(self.strides()),
                 ") are the same memory, as after expand; clone it before it is written");
}

void check_expands(const char* who, const char* argument, const Tensor& other, const Tensor& self) {
  OPWRIGHT_CHECK_VALUE(is_expandable(other.sizes(), self.sizes()), who, ": ", argument,
                       " of sizes ", to_text(other.sizes()), " does not broadcast to the sizes ",
                       to_text(self.sizes()), " of self");
}

void check_storable(const char* who, DType result, const Tensor& self) {
  OPWRIGHT_CHECK_TYPE(can_store(result, self.dtype()), who, ": a result of ", result,
                      " cannot be stored in self of ", self.dtype());
}

}  // namespace opwright
