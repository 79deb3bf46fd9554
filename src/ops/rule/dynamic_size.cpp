// opwright::new_dynamic_size: an operator, so that fake kernels in any binary reach the
// environment.
#include "opwright/dynamic_size.h"

#include <cstdint>
#include <optional>

#include "opwright/dispatch/property.h"
#include "opwright/error.h"
#include "opwright/library.h"
#include "opwright/symbolic/shape_env/current_shape_env.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

SymInt make_dynamic_size(int64_t min, const std::optional<int64_t>& max) {
  ShapeEnv* environment = current_shape_env();
  OPWRIGHT_CHECK(environment,
                 "new_dynamic_size: no symbols can be made here, so there is no size that is known "
                 "only at run time\n  Call it in a fake kernel that runs under FakeTensorMode or "
                 "make_fx; meta tensors alone have plain sizes.");
  OPWRIGHT_CHECK_VALUE(min >= 0, "new_dynamic_size: a size is not negative, got min=", min);
  OPWRIGHT_CHECK_VALUE(!max || *max >= min,
                       "new_dynamic_size: max must be at least min, got min=", min,
                       " and max=", max.value_or(0));
  return environment->make_unbacked({.least = min, .greatest = max.value_or(INT64_MAX)});
}

}  // namespace

OPWRIGHT_LIBRARY(opwright, m) {
  m.def("new_dynamic_size(int min=0, int? max=None) -> SymInt", &make_dynamic_size,
        with_properties({}, {Property::Internal}));
}

}  // namespace opwright
