// Values that foreign hosts pass as text: dtypes, devices, layouts, memory formats.
#pragma once

#include <optional>
#include <string_view>

#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::bridges {

// A str is the text itself, borrowed; "float32" a dtype, "cpu" a device, "strided" a layout,
// "channels_last" a memory format. Empty for any other name or kind.
[[nodiscard]] std::optional<OpwValue> value_of_text(ValueKind kind, std::string_view text);

}  // namespace opwright::bridges
