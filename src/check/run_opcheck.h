// opcheck of a call whose arguments are bound already.
#pragma once

#include "opwright/check/example.h"
#include "opwright/opcheck.h"

namespace opwright {

[[nodiscard]] CheckReport run_opcheck(const Example& given, const OpcheckOptions& options);

}  // namespace opwright
