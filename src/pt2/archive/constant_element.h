// Constants of our graphs as elements of an archive.
#pragma once

#include <optional>

#include "opwright/c_api.h"
#include "opwright/pt2/archive/archive_graph.h"

namespace opwright::pt2 {

// nullopt for a value that archives do not have, and for a size with symbols.
[[nodiscard]] std::optional<Element> constant_element(const OpwValue& value);

// Whether it is an int, a float, a bool or None.
[[nodiscard]] bool is_number_or_none(const Element& element) noexcept;

}  // namespace opwright::pt2
