// opcheck of a call whose arguments are already bound.
#pragma once

#include "opwright/check/example/example.h"
#include "opwright/runtime/opcheck.h"
#include "opwright/visibility.h"

namespace opwright {

[[nodiscard]] OPWRIGHT_EXPORT CheckReport run_opcheck(const Example& given,
                                                      const OpcheckOptions& options);

}  // namespace opwright
