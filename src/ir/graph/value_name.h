// Names of values: Python identifiers, since a graph can be shown as a Python program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opwright {

// Whether Python, or a program made from a graph, uses the name otherwise: keywords, builtins,
// self.
[[nodiscard]] bool is_reserved_name(std::string_view name) noexcept;
// An identifier that is not reserved.
[[nodiscard]] bool is_value_name(std::string_view name) noexcept;

// A name in its parts: "add_12" is "add" with the number 12, "add" has none (0).
struct NumberedName {
  std::string base;
  uint32_t number = 0;
};
// What stands for `wanted`: characters that no identifier has become '_'.
[[nodiscard]] NumberedName split_name(std::string_view wanted);

}  // namespace opwright
