#include "opwright/pt2/container/json_writer.h"

#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/pt2/container/json.h"

namespace opwright::pt2 {

JsonValue json_string(std::string_view text) { return JsonValue(std::string(text)); }

JsonValue json_float(double number) {
  if (std::isfinite(number)) return JsonValue(number);
  if (std::isnan(number)) return json_string("NaN");
  return json_string(number > 0 ? "Infinity" : "-Infinity");
}

JsonValue json_object(std::initializer_list<JsonMember> members) {
  std::vector<JsonValue> parts;
  parts.reserve(2 * members.size());
  for (const JsonMember& member : members) {
    parts.push_back(json_string(member.name));
    parts.push_back(std::move(member.value));
  }
  return JsonValue::object(std::move(parts));
}

}  // namespace opwright::pt2
