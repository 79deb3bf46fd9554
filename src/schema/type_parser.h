// Parses one type of a schema with its alias annotations.
#pragma once

#include <optional>
#include <vector>

#include "opwright/schema/alias_info.h"
#include "opwright/schema/lexer.h"
#include "opwright/schema/opaque_types.h"
#include "opwright/schema/type.h"

namespace opwright {

// Deeper types are rejected, so that parsing, printing and comparing them cannot exhaust the stack.
inline constexpr int kMostTypeLevels = 32;
// N of `int[N]`: a default of one element is repeated N times.
inline constexpr uint32_t kMostListLength = 1024;

struct ParsedType {
  Type type;
  AliasInfo alias;
  size_t begin = 0;  // in the text, for errors about the entire type
  size_t end = 0;
};

class TypeParser {
 public:
  // `opaque_types` may be null.
  TypeParser(Lexer& lexer, const OpaqueTypes* opaque_types)
      : lexer_(lexer), opaque_types_(opaque_types) {}

  ParsedType parse();

  // The names of alias sets and the write annotations of the last type, in text order.
  [[nodiscard]] const std::vector<Token>& alias_names() const noexcept { return alias_names_; }
  [[nodiscard]] const std::vector<Token>& write_marks() const noexcept { return write_marks_; }

 private:
  struct Marked {
    Type type;
    AliasInfo alias;
  };

  Marked parse_type(int level);
  Marked parse_base(int level);
  Marked parse_elements(TypeKind kind, int level);
  Marked parse_suffixes(Marked base, int level);
  Type parse_named();
  [[noreturn]] void fail_unknown(const Token& word, std::string_view name);
  std::optional<uint32_t> parse_length();
  void parse_mark(AliasInfo& alias);
  std::vector<std::string> parse_sets();

  Lexer& lexer_;
  const OpaqueTypes* opaque_types_;
  std::vector<Token> alias_names_;
  std::vector<Token> write_marks_;
};

// Advice for a word that is not a type: the closest one, or how this language writes it.
[[nodiscard]] std::string advice_for_type(std::string_view word, const OpaqueTypes* opaque_types);

}  // namespace opwright
