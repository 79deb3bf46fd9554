#include "opwright/ir/graph/value_name.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>

#include "opwright/schema/lexer.h"

namespace opwright {
namespace {

const std::unordered_set<std::string_view>& reserved_names() {
  static const std::unordered_set<std::string_view> names = {
      // keywords
      "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class",
      "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if",
      "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
      "while", "with", "yield",
      // builtins
      "abs", "aiter", "all", "anext", "any", "ascii", "bin", "bool", "breakpoint", "bytearray",
      "bytes", "callable", "chr", "classmethod", "compile", "complex", "copyright", "credits",
      "delattr", "dict", "dir", "divmod", "enumerate", "eval", "exec", "exit", "filter", "float",
      "format", "frozenset", "getattr", "globals", "hasattr", "hash", "help", "hex", "id", "input",
      "int", "isinstance", "issubclass", "iter", "len", "license", "list", "locals", "map", "max",
      "memoryview", "min", "next", "object", "oct", "open", "ord", "pow", "print", "property",
      "quit", "range", "repr", "reversed", "round", "set", "setattr", "slice", "sorted",
      "staticmethod", "str", "sum", "super", "tuple", "type", "vars", "zip",
      // used by the programs printed from graphs
      "device", "forward", "inf", "nan", "opwright", "self", "torch"};
  return names;
}

bool is_identifier_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The number after the last '_' of "add_12"; 0: none, or not in canonical form.
uint32_t number_at_end(std::string_view name, size_t underscore) {
  const std::string_view digits = name.substr(underscore + 1);
  uint32_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_whole = problem == std::errc() && end == digits.data() + digits.size();
  return is_whole && !digits.starts_with('0') ? number : 0;
}

}  // namespace

bool is_reserved_name(std::string_view name) noexcept { return reserved_names().contains(name); }

bool is_value_name(std::string_view name) noexcept {
  return is_identifier(name) && !is_reserved_name(name);
}

NumberedName split_name(std::string_view wanted) {
  NumberedName name{std::string(wanted), 0};
  std::ranges::replace_if(name.base, [](char c) { return !is_identifier_part(c); }, '_');
  if (name.base.empty()) name.base = "_unnamed";
  if (name.base[0] >= '0' && name.base[0] <= '9') name.base.insert(0, 1, '_');
  const size_t underscore = name.base.rfind('_');
  if (underscore == std::string::npos || underscore == 0) return name;
  name.number = number_at_end(name.base, underscore);
  if (name.number != 0) name.base.resize(underscore);
  return name;
}

}  // namespace opwright
