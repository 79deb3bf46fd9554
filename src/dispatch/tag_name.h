// The names of tags in functions.yaml and Python: "data_dependent_output".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opwright/tag.h"
#include "opwright/visibility.h"

namespace opwright {

// Throws ValueError with the closest name.
[[nodiscard]] OPWRIGHT_EXPORT Tag parse_tag(std::string_view name);
// The names in a set, in the order of the enum.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<std::string> tag_names(Tags tags);

}  // namespace opwright
