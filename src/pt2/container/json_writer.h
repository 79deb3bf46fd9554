// Makes JSON values from what C++ has.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/pt2/container/json.h"

namespace opwright::pt2 {

[[nodiscard]] JsonValue json_string(std::string_view text);
// JSON has no number for infinities and NaN: they become the words that JsonReader::as_float reads.
[[nodiscard]] JsonValue json_float(double number);

struct JsonMember {
  std::string_view name;
  mutable JsonValue value;  // an initializer list is const, but its values are moved out
};
[[nodiscard]] JsonValue json_object(std::initializer_list<JsonMember> members);

// write(element) for each element.
template <class Range, class Write>
[[nodiscard]] JsonValue json_list(const Range& range, const Write& write) {
  std::vector<JsonValue> elements;
  elements.reserve(range.size());
  for (const auto& element : range) elements.push_back(write(element));
  return JsonValue::array(std::move(elements));
}

// An object with write(value) for each entry of a map.
template <class Map, class Write>
[[nodiscard]] JsonValue json_map(const Map& map, const Write& write) {
  std::vector<JsonValue> parts;
  parts.reserve(2 * map.size());
  for (const auto& [name, value] : map) {
    parts.push_back(json_string(name));
    parts.push_back(write(value));
  }
  return JsonValue::object(std::move(parts));
}

}  // namespace opwright::pt2
