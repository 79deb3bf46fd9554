// The NAME=TEXT of --input and --output: which name of the program each means.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "opwright/host/call_spec.h"

namespace opwright::command {

struct NamedText {
  size_t place;  // of the input or output
  std::string text;
};

// `given` are "NAME=TEXT" or a text alone, which stands for the next one that nothing names.
// Names may hold "=" themselves: the longest that fits counts; either quote stands for the other.
// ValueError for a name that there is not, with those that there are, and for one that is given
// twice. `what` is "input" or "output".
[[nodiscard]] std::vector<NamedText> match_names(const std::string& what,
                                                 std::span<const std::string> given,
                                                 std::span<const ValueSpec> specs);

}  // namespace opwright::command
