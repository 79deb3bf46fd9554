// The names of tags, as functions.yaml and Python write them: "data_dependent_output".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opwright/tag.h"
#include "opwright/visibility.h"

namespace opwright {

// ValueError with the closest name.
[[nodiscard]] OPWRIGHT_EXPORT Tag parse_tag(std::string_view name);
// The names of a set, in the order of the enum.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<std::string> tag_names(Tags tags);

}  // namespace opwright
