// Reads JSON values of a known form; errors name the path of the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/pt2/container/json.h"

namespace opwright::pt2 {

// A value and its path in the document: "model.json: graph.nodes[3].target". The path is made only
// for a message, from the chain of parents, so a reader must outlive those that it returns.
class JsonReader {
 public:
  JsonReader(const JsonValue& value, std::string_view origin) : value_(&value), step_(origin) {}

  // The member of an object. ValueError if there is none.
  [[nodiscard]] JsonReader member(std::string_view name) const&;
  JsonReader member(std::string_view name) const&& = delete;
  [[nodiscard]] bool has(std::string_view name) const;  // and it is not null
  [[nodiscard]] JsonReader member_at(size_t index) const&;
  JsonReader member_at(size_t index) const&& = delete;
  [[nodiscard]] size_t member_count() const;
  [[nodiscard]] const std::string& member_name(size_t index) const;
  // Of a list.
  [[nodiscard]] size_t size() const;
  [[nodiscard]] JsonReader operator[](size_t index) const&;
  JsonReader operator[](size_t index) const&& = delete;
  // A union is an object with one member. Its name, and its value.
  [[nodiscard]] const std::string& tag() const;
  [[nodiscard]] JsonReader content() const&;
  JsonReader content() const&& = delete;

  // ValueError for a value of another kind.
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] int64_t as_int() const;
  [[nodiscard]] double as_float() const;  // also ints, "Infinity", "-Infinity" and "NaN"
  [[nodiscard]] const std::string& as_string() const;
  [[nodiscard]] const JsonValue& value() const noexcept { return *value_; }

  // read(JsonReader) for each element of a list.
  template <class Read>
  [[nodiscard]] auto list(const Read& read) const {
    std::vector<decltype(read(std::declval<const JsonReader&>()))> elements;
    elements.reserve(size());
    for (size_t i = 0; i < size(); ++i) elements.push_back(read((*this)[i]));
    return elements;
  }
  // read(JsonReader) for each member of an object, by name.
  template <class Read>
  [[nodiscard]] auto map(const Read& read) const {
    std::map<std::string, decltype(read(std::declval<const JsonReader&>())), std::less<>> members;
    for (size_t i = 0; i < member_count(); ++i) members.emplace(member_name(i), read(member_at(i)));
    return members;
  }

  [[noreturn]] void fail(std::string_view what) const;
  [[nodiscard]] std::string path() const;

 private:
  static constexpr size_t kNoIndex = SIZE_MAX;
  JsonReader(const JsonValue& value, const JsonReader* parent, std::string_view step,
             size_t index = kNoIndex)
      : value_(&value), parent_(parent), step_(step), index_(index) {}
  void require(JsonKind kind, const char* what) const;

  const JsonValue* value_;
  const JsonReader* parent_ = nullptr;
  std::string_view step_;  // a member's name
  size_t index_ = kNoIndex;
};

}  // namespace opwright::pt2
