#include "opwright/pt2/container/json_reader.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "opwright/error.h"
#include "opwright/pt2/container/json.h"

namespace opwright::pt2 {
namespace {

const char* kind_text(JsonKind kind) {
  switch (kind) {
    case JsonKind::Null:
      return "null";
    case JsonKind::Bool:
      return "a bool";
    case JsonKind::Int:
      return "an int";
    case JsonKind::Float:
      return "a float";
    case JsonKind::String:
      return "a string";
    case JsonKind::Array:
      return "a list";
    case JsonKind::Object:
      return "an object";
  }
  return "";
}

}  // namespace

std::string JsonReader::path() const {
  if (!parent_) return std::string(step_);
  std::string path = parent_->path();
  if (index_ != kNoIndex) return path + concatenate("[", index_, "]");
  path += parent_->parent_ ? "." : ": ";
  return path.append(step_);
}

void JsonReader::fail(std::string_view what) const {
  throw_error("ValueError", path(), ": ", what);
}

void JsonReader::require(JsonKind kind, const char* what) const {
  if (value_->kind() != kind)
    fail(concatenate(what, " is expected, got ", kind_text(value_->kind())));
}

JsonReader JsonReader::member(std::string_view name) const& {
  require(JsonKind::Object, "an object");
  const JsonValue* found = value_->find(name);
  if (!found) fail(concatenate("the member '", name, "' is missing"));
  return {*found, this, name};
}

bool JsonReader::has(std::string_view name) const {
  require(JsonKind::Object, "an object");
  const JsonValue* found = value_->find(name);
  return found && !found->is_null();
}

size_t JsonReader::member_count() const {
  require(JsonKind::Object, "an object");
  return value_->member_count();
}

const std::string& JsonReader::member_name(size_t index) const {
  return value_->member_name(index);
}

JsonReader JsonReader::member_at(size_t index) const& {
  return {value_->member(index), this, value_->member_name(index)};
}

size_t JsonReader::size() const {
  require(JsonKind::Array, "a list");
  return value_->elements().size();
}

JsonReader JsonReader::operator[](size_t index) const& {
  return {value_->elements()[index], this, {}, index};
}

const std::string& JsonReader::tag() const {
  if (member_count() != 1)
    fail(concatenate("an object with one member is expected, got ", member_count(), " members"));
  return value_->member_name(0);
}

JsonReader JsonReader::content() const& {
  (void)tag();
  return member_at(0);
}

bool JsonReader::as_bool() const {
  require(JsonKind::Bool, "a bool");
  return value_->as_bool();
}

int64_t JsonReader::as_int() const {
  require(JsonKind::Int, "an int");
  return value_->as_int();
}

double JsonReader::as_float() const {
  if (value_->kind() == JsonKind::Int) return static_cast<double>(value_->as_int());
  if (value_->kind() == JsonKind::String) {
    const std::string& text = value_->as_string();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  }
  require(JsonKind::Float, "a float");
  return value_->as_float();
}

const std::string& JsonReader::as_string() const {
  require(JsonKind::String, "a string");
  return value_->as_string();
}

}  // namespace opwright::pt2
