// Names of values. They are Python identifiers, since a graph can be printed as a Python program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opwright {

// Whether the name has another meaning in Python or in a program printed from a graph: keywords,
// builtins, self.
[[nodiscard]] bool is_reserved_name(std::string_view name) noexcept;
// Whether the name is an identifier and not reserved.
[[nodiscard]] bool is_value_name(std::string_view name) noexcept;

// A name split into its parts: "add_12" is "add" with the number 12, "add" has none (0).
struct NumberedName {
  std::string base;
  uint32_t number = 0;
};
// Makes an identifier of `wanted`: other characters become '_'.
[[nodiscard]] NumberedName split_name(std::string_view wanted);

}  // namespace opwright
