// JSON text as a tree of values, with limits on its depth; for files from strangers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace opwright::pt2 {

enum class JsonKind : uint8_t { Null, Bool, Int, Float, String, Array, Object };

// One value. An object keeps the order of its members.
class JsonValue {
 public:
  JsonValue() = default;
  explicit JsonValue(bool value) : content_(value) {}
  explicit JsonValue(int64_t value) : content_(value) {}
  explicit JsonValue(double value) : content_(value) {}
  explicit JsonValue(std::string value) : content_(std::move(value)) {}
  [[nodiscard]] static JsonValue array(std::vector<JsonValue> elements);
  // `parts` are names and values by turns.
  [[nodiscard]] static JsonValue object(std::vector<JsonValue> parts);

  [[nodiscard]] JsonKind kind() const noexcept { return static_cast<JsonKind>(content_.index()); }
  [[nodiscard]] bool is_null() const noexcept { return kind() == JsonKind::Null; }

  // For a value of that kind.
  [[nodiscard]] bool as_bool() const { return std::get<bool>(content_); }
  [[nodiscard]] int64_t as_int() const { return std::get<int64_t>(content_); }
  [[nodiscard]] double as_float() const { return std::get<double>(content_); }
  [[nodiscard]] const std::string& as_string() const { return std::get<std::string>(content_); }
  [[nodiscard]] const std::vector<JsonValue>& elements() const {
    return std::get<Array>(content_).elements;
  }
  [[nodiscard]] size_t member_count() const { return std::get<Object>(content_).parts.size() / 2; }
  [[nodiscard]] const std::string& member_name(size_t index) const {
    return std::get<Object>(content_).parts[2 * index].as_string();
  }
  [[nodiscard]] const JsonValue& member(size_t index) const {
    return std::get<Object>(content_).parts[2 * index + 1];
  }
  // The member of an object; null if there is none.
  [[nodiscard]] const JsonValue* find(std::string_view name) const;

 private:
  struct Array {
    std::vector<JsonValue> elements;
  };
  struct Object {
    std::vector<JsonValue> parts;
  };
  // In the order of JsonKind.
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> content_;
};

inline constexpr size_t kMaxJsonDepth = 256;

// ValueError with the line and column for text that is not JSON (RFC 8259), is nested deeper than
// kMaxJsonDepth, or repeats a name in an object. Integers of more than 64 bits become floats.
// `origin` is used in messages.
[[nodiscard]] JsonValue parse_json(std::string_view text, const std::string& origin);

// The text of a value, on one line; parse_json() returns an equal one. ValueError for a string that
// is not UTF-8. JSON has no infinities and NaNs: they are an error of the caller.
[[nodiscard]] std::string to_text(const JsonValue& value);

}  // namespace opwright::pt2
