// Values that foreign hosts write as text: dtypes, devices, layouts, memory formats.
#pragma once

#include <optional>
#include <string_view>

#include "opwright/bridge.h"
#include "opwright/c_api.h"

namespace opwright::bridges {

// A str is the text itself, borrowed; "float32" a dtype, "cpu" a device, "strided" a layout,
// "channels_last" a memory format. None for a name or a kind that is not one of these.
[[nodiscard]] std::optional<OpwValue> value_of_text(ValueKind kind, std::string_view text);

}  // namespace opwright::bridges
