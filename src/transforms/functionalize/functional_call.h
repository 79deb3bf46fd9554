// Calls an operator that writes, without performing the write.
#pragma once

#include <vector>

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"
#include "opwright/value.h"

namespace opwright {

struct FunctionalResults {
  std::vector<Value> fresh;    // the results that are not written arguments
  std::vector<Value> written;  // the new value of each written argument
};

// Runs at the current level: the operator's Functional rule, else its built-in functional
// counterpart, else its functional sibling. New values have the dtypes of the arguments. Raises the
// operator's own TypeError for a value that cannot be stored.
[[nodiscard]] FunctionalResults call_functional(const Operator& op, Arguments args);

}  // namespace opwright
