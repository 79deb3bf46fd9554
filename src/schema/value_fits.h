// Whether a value has a type without conversion: what a kernel may receive and return.
#pragma once

#include "opwright/schema/type.h"

namespace opwright {

// Plain ints count as symbolic ones and vice versa; nothing else is converted. The binder checks
// lengths. Types that cannot cross the ABI have no values.
[[nodiscard]] bool value_fits(const Type& type, const OpwValue& value);

}  // namespace opwright
