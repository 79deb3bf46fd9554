// Schema: the name, arguments and returns of an operator.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/schema/alias_info.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/type.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

struct OPWRIGHT_EXPORT OperatorName {
  std::string name_space;  // "audio"; empty if the text had none
  std::string base;        // "soft_clip"
  std::string overload;    // empty: the default overload

  // "audio::soft_clip": the name of all overloads together.
  [[nodiscard]] std::string packet() const;
  // "audio::soft_clip.out"
  [[nodiscard]] std::string text() const;
  friend bool operator==(const OperatorName&, const OperatorName&) = default;
};

struct Argument {
  std::string name;
  Type type;
  AliasInfo alias;
  std::optional<Value> default_value;  // none: required
  bool is_keyword_only = false;

  [[nodiscard]] bool is_written() const noexcept { return alias.writes(); }
  // N of `int[N]` and `int[N]?`.
  [[nodiscard]] std::optional<uint32_t> fixed_length() const noexcept {
    return type.required().fixed_length();
  }
  friend bool operator==(const Argument&, const Argument&) = default;
};

struct Return {
  std::string name;  // usually empty
  Type type;
  AliasInfo alias;

  [[nodiscard]] bool is_written() const noexcept { return alias.writes(); }
  friend bool operator==(const Return&, const Return&) = default;
};

struct OPWRIGHT_EXPORT Schema {
  OperatorName name;
  std::vector<Argument> arguments;
  std::vector<Return> returns;
  bool is_vararg = false;  // `...` after the arguments
  bool is_varret = false;  // `...` after the returns

  // "audio::soft_clip.out"
  [[nodiscard]] std::string full_name() const { return name.text(); }
  // The argument of that name. Throws ValueError, with the closest name, if there is none.
  [[nodiscard]] const Argument& argument(std::string_view argument_name) const;
  [[nodiscard]] std::optional<size_t> index_of(std::string_view argument_name) const noexcept;
  // How many arguments can be passed by position; the others follow `*`.
  [[nodiscard]] size_t num_positional() const noexcept;
  // Whether an argument is written.
  [[nodiscard]] bool is_mutable() const noexcept;
  friend bool operator==(const Schema&, const Schema&) = default;
};

// The canonical text; parse_schema reads it back as an equal schema.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Schema& schema);
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Argument& argument);
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Return& result);

}  // namespace opwright
