// Whether a value is one of a type, as it stands: what a kernel may be given and may give.
#pragma once

#include "opwright/schema/type.h"

namespace opwright {

// Plain ints count as symbolic ones and the other way round; nothing else is converted. Lengths are
// the binder's affair. Types that cannot cross the ABI have no values.
[[nodiscard]] bool value_fits(const Type& type, const OpwValue& value);

}  // namespace opwright
