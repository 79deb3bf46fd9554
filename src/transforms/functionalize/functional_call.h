// A call of an operator that writes, without the write.
#pragma once

#include <vector>

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"
#include "opwright/value.h"

namespace opwright {

struct FunctionalResults {
  std::vector<Value> fresh;    // the results that are no written argument
  std::vector<Value> written;  // the new value of each written argument
};

// At the current level. The operator's Functional rule computes it, else the built-in operator that
// is its pair, else its functional sibling. New values have the dtypes of the arguments. TypeError
// for one that cannot be stored there, as the operator itself has it.
[[nodiscard]] FunctionalResults call_functional(const Operator& op, Arguments args);

}  // namespace opwright
