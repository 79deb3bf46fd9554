// Tries inputs in a child process first, so that crashes do no harm here.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "opwright/check/example/check.h"

namespace opwright {

struct ScreenedInput {
  bool is_refused = false;
  bool has_crashed = false;  // `fault` says how
  bool is_missing = false;   // not tried: too many others ended the process
  std::optional<Fault> fault;
};

// Calls the operator on each input and, if it accepts the input, runs the check `apart` on it,
// unless null. If no child can be used (tensors on another device than the CPU), the inputs are
// tried in this process, without that check.
[[nodiscard]] std::vector<ScreenedInput> screen_inputs(std::span<const CheckInput> inputs,
                                                       const CheckEntry* apart);

}  // namespace opwright
