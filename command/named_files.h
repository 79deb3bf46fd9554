// Matches the NAME=TEXT of --input and --output to names of the program.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "opwright/program_api/call_spec.h"

namespace opwright::command {

struct NamedText {
  size_t place;  // index of the input or output
  std::string text;
};

// `given` are "NAME=TEXT", or a text alone for the next one that is not named. Names may contain
// "=": the longest match wins; either quote matches the other. ValueError for an unknown name,
// listing the valid ones, and for a name given twice. `what` is "input" or "output".
[[nodiscard]] std::vector<NamedText> match_names(const std::string& what,
                                                 std::span<const std::string> given,
                                                 std::span<const ValueSpec> specs);

}  // namespace opwright::command
