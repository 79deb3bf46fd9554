#include "opwright/schema/type_parser.h"

#include <algorithm>
#include <charconv>

namespace opwright {
namespace {

struct ForeignWord {
  std::string_view word;
  std::string_view advice;
};
// C++ and Python words that are too different from ours for a suggestion by spelling.
constexpr ForeignWord kForeignWords[] = {
    {"double", "did you mean 'float'?"},
    {"int64_t", "did you mean 'int'?"},
    {"int64", "did you mean 'int'?"},
    {"long", "did you mean 'int'?"},
    {"string", "did you mean 'str'?"},
    {"dtype", "did you mean 'ScalarType'?"},
    {"Optional", "write 'T?' for an optional T."},
    {"List", "write 'T[]' for a list of T."},
    {"list", "write 'T[]' for a list of T."},
    {"Sequence", "write 'T[]' for a list of T."},
    {"Tuple", "write '(A, B)' for a tuple."},
    {"tuple", "write '(A, B)' for a tuple."},
    {"dict", "did you mean 'Dict'?"},
};

bool starts_lower(std::string_view word) { return word[0] >= 'a' && word[0] <= 'z'; }

// Sorted and unique, the wildcard last.
void normalise(std::vector<std::string>& sets) {
  std::ranges::sort(sets, [](const std::string& a, const std::string& b) {
    const bool a_is_wildcard = a == kAliasWildcard;
    const bool b_is_wildcard = b == kAliasWildcard;
    return a_is_wildcard != b_is_wildcard ? b_is_wildcard : a < b;
  });
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
}

bool is_any_marked(const std::vector<AliasInfo>& aliases) {
  return std::ranges::any_of(
      aliases, [](const AliasInfo& one) { return one.is_marked() || !one.elements.empty(); });
}

}  // namespace

std::string advice_for_type(std::string_view word, const OpaqueTypes* opaque_types) {
  for (const ForeignWord& entry : kForeignWords) {
    if (word == entry.word) return std::string(entry.advice);
  }
  std::vector<std::string_view> words = type_words();
  if (opaque_types)
    words.insert(words.end(), opaque_types->names().begin(), opaque_types->names().end());
  return did_you_mean(word, words);
}

ParsedType TypeParser::parse() {
  alias_names_.clear();
  write_marks_.clear();
  ParsedType parsed;
  parsed.begin = lexer_.current().begin;
  Marked marked = parse_type(0);
  parsed.type = std::move(marked.type);
  parsed.alias = std::move(marked.alias);
  parsed.end = lexer_.taken_end();
  return parsed;
}

TypeParser::Marked TypeParser::parse_type(int level) {
  if (level >= kMostTypeLevels) {
    lexer_.fail(lexer_.current(),
                concatenate("types may be nested ", kMostTypeLevels, " deep, this one is deeper"));
  }
  return parse_suffixes(parse_base(level), level);
}

TypeParser::Marked TypeParser::parse_base(int level) {
  Marked base;
  if (lexer_.current().is_symbol('(')) {
    base = parse_elements(TypeKind::Tuple, level);
  } else if (lexer_.current().kind != TokenKind::Identifier) {
    lexer_.fail_expected("a type");
  } else if (const auto kind = find_nested_kind(lexer_.current().text)) {
    const Token word = lexer_.take();
    base = parse_elements(*kind, level);
    const size_t wanted = *kind == TypeKind::Dict ? 2 : 1;
    const size_t count = base.type.elements().size();
    if (*kind == TypeKind::Union ? count == 0 : count != wanted) {
      lexer_.source().fail(
          word.begin, lexer_.taken_end(),
          concatenate("'", word.text, "' takes ",
                      *kind == TypeKind::Union ? "one or more"
                      : wanted == 2            ? "two"
                                               : "one",
                      wanted == 2 || *kind == TypeKind::Union ? " types" : " type"));
    }
  } else {
    base.type = parse_named();
  }
  parse_mark(base.alias);
  return base;
}

TypeParser::Marked TypeParser::parse_elements(TypeKind kind, int level) {
  std::vector<Type> types;
  std::vector<AliasInfo> aliases;
  lexer_.expect('(');
  if (!lexer_.current().is_symbol(')')) {
    do {
      Marked element = parse_type(level + 1);
      types.push_back(std::move(element.type));
      aliases.push_back(std::move(element.alias));
    } while (lexer_.take_if(','));
  }
  lexer_.expect(')');
  Marked marked{Type::with_elements(kind, std::move(types)), {}};
  if (is_any_marked(aliases)) marked.alias.elements = std::move(aliases);
  return marked;
}

TypeParser::Marked TypeParser::parse_suffixes(Marked base, int level) {
  for (;;) {
    const bool is_list = lexer_.current().is_symbol('[');
    if (is_list && ++level >= kMostTypeLevels) {
      lexer_.fail(lexer_.current(), concatenate("types may be nested ", kMostTypeLevels,
                                                " deep, this one is deeper"));
    }
    if (is_list) {
      const auto length = parse_length();
      Marked list{Type::list_of(std::move(base.type), length), {}};
      if (base.alias.is_marked() || !base.alias.elements.empty())
        list.alias.elements.push_back(std::move(base.alias));
      base = std::move(list);
      parse_mark(base.alias);
    } else if (lexer_.take_if('?')) {
      base.type = Type::optional_of(std::move(base.type));
      if (!base.alias.is_marked())
        parse_mark(base.alias);  // torch's printer writes `Tensor?(a!)[]`
    } else {
      return base;
    }
  }
}

// A plain kind, a class of torch, a registered type or a variable.
Type TypeParser::parse_named() {
  const Token word = lexer_.take();
  if (const auto kind = find_type_kind(word.text)) return *kind;
  std::string name(word.text);
  while (lexer_.current().is_symbol('.')) {
    lexer_.take();
    name.append(".").append(lexer_.expect(TokenKind::Identifier, "a name behind '.'").text);
  }
  const bool has_dots = name.size() != word.text.size();
  if (opaque_types_ && opaque_types_->contains(name))
    return Type::with_name(TypeKind::Opaque, name);
  if (name.starts_with("__torch__.")) return Type::with_name(TypeKind::Class, name);
  if (!has_dots && starts_lower(name)) return Type::with_name(TypeKind::Variable, name);
  fail_unknown(word, name);
}

void TypeParser::fail_unknown(const Token& word, std::string_view name) {
  const size_t end = name.size() == word.text.size() ? word.end() : lexer_.taken_end();
  lexer_.source().fail(word.begin, end, concatenate("unknown type '", name, "'"),
                       advice_for_type(name, opaque_types_));
}

std::optional<uint32_t> TypeParser::parse_length() {
  lexer_.expect('[');
  if (lexer_.take_if(']')) return std::nullopt;
  const Token number = lexer_.expect(TokenKind::Number, "the length of the list or ']'");
  uint32_t length = 0;
  const char* last = number.text.data() + number.text.size();
  const auto [end, problem] = std::from_chars(number.text.data(), last, length);
  if (problem != std::errc() || end != last || length > kMostListLength) {
    lexer_.fail(number, concatenate("the length of a list must be a whole number up to ",
                                    kMostListLength, ", got '", number.text, "'"));
  }
  lexer_.expect(']');
  return length;
}

// (a), (a!), (a|b -> *), ! or nothing.
void TypeParser::parse_mark(AliasInfo& alias) {
  if (lexer_.current().is_symbol('!')) {
    write_marks_.push_back(lexer_.take());
    alias.is_write = true;
    return;
  }
  if (!lexer_.take_if('(')) return;
  alias.before = parse_sets();
  if (lexer_.current().is_symbol('!')) {
    write_marks_.push_back(lexer_.take());
    alias.is_write = true;
  }
  alias.after = lexer_.take_if(TokenKind::Arrow) ? parse_sets() : alias.before;
  lexer_.expect(')');
}

std::vector<std::string> TypeParser::parse_sets() {
  std::vector<std::string> sets;
  do {
    if (lexer_.take_if('*')) {
      sets.emplace_back(kAliasWildcard);
    } else {
      const Token name = lexer_.expect(TokenKind::Identifier, "the name of an alias set");
      alias_names_.push_back(name);
      // As torch reads it: what follows a wildcard adds nothing.
      if (std::ranges::find(sets, kAliasWildcard) == sets.end()) sets.emplace_back(name.text);
    }
  } while (lexer_.take_if('|'));
  normalise(sets);
  return sets;
}

}  // namespace opwright
