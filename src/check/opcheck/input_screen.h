// Inputs tried in a child process first: a call that ends it does no harm here.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "opwright/check/example/check.h"

namespace opwright {

struct ScreenedInput {
  bool is_refused = false;
  bool has_crashed = false;  // `fault` tells how
  bool is_missing = false;   // too many others ended the process: it was not tried
  std::optional<Fault> fault;
};

// Calls the operator on each input and, where it takes it, looks at it with `apart`, if there is
// such a check. Where no child can be made (tensors on another device than the CPU), the inputs are
// tried in this process, without that check.
[[nodiscard]] std::vector<ScreenedInput> screen_inputs(std::span<const CheckInput> inputs,
                                                       const CheckEntry* apart);

}  // namespace opwright
