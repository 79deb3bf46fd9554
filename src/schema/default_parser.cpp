#include "opwright/schema/default_parser.h"

#include <charconv>
#include <limits>
#include <vector>

#include "opwright/schema/constant.h"
#include "opwright/schema/constant_names.h"
#include "opwright/schema/string_literal.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright {
namespace {

std::string with_article(const Type& type) {
  const std::string text = to_text(type);
  const bool is_vowel = std::string_view("aeiouAEIOU").find(text[0]) != std::string_view::npos;
  return (is_vowel ? "an " : "a ") + text;
}

class DefaultParser {
 public:
  explicit DefaultParser(Lexer& lexer) : lexer_(lexer) {}

  Value parse_argument(const Type& type);

 private:
  // A number with its sign, as parsed.
  struct Number {
    Token token;  // with the sign
    bool is_whole = false;
    bool is_imaginary = false;
    int64_t whole = 0;
    double real = 0;
  };

  Value parse(const Type& type);
  Value parse_list(const Type& type);
  Value parse_repeated(const Type& list);
  Value parse_tuple(const Type& type);
  Value parse_int(const Type& type);
  Value parse_float(const Type& type);
  Value parse_complex(const Type& type);
  Value parse_scalar(const Type& type);
  Value parse_bool(const Type& type);
  Value parse_text(const Type& type);
  Value parse_dtype(const Type& type);
  Value parse_device(const Type& type);
  Value parse_layout(const Type& type);
  Value parse_memory_format(const Type& type);
  Number parse_number(const Type& type);
  void read_number(Number& number, std::string_view digits, bool is_negative);
  Value finish_complex(Number first, const Type& type);
  bool is_bool() const {
    return lexer_.current().is_word("True") || lexer_.current().is_word("False");
  }
  bool is_string() const { return lexer_.current().kind == TokenKind::String; }
  bool is_name() const { return lexer_.current().kind == TokenKind::Identifier; }

  [[noreturn]] void fail_kind(const Token& token, const Type& type,
                              std::string_view advice = {}) const {
    if (token.kind == TokenKind::End) lexer_.fail_expected("a default value");
    lexer_.fail(token,
                concatenate("the default of ", with_article(type), " must be ", wanted(type),
                            ", got '", token.text, "'"),
                advice);
  }
  static std::string wanted(const Type& type);

  Lexer& lexer_;
};

std::string DefaultParser::wanted(const Type& type) {
  switch (type.kind()) {
    case TypeKind::Int:
    case TypeKind::SymInt:
      return "an int";
    case TypeKind::Bool:
      return "True or False";
    case TypeKind::String:
      return "a string in quotes";
    case TypeKind::ScalarType:
      return "the name of a dtype";
    case TypeKind::Device:
      return "a device such as \"cuda:0\"";
    case TypeKind::Layout:
      return "the name of a layout";
    case TypeKind::MemoryFormat:
      return "the name of a memory format";
    case TypeKind::List:
      return "a list";
    case TypeKind::Tuple:
      return "a tuple";
    case TypeKind::Float:
    case TypeKind::Complex:
    case TypeKind::Scalar:
      return "a number";
    default:
      return "absent";
  }
}

Value DefaultParser::parse_argument(const Type& type) {
  const bool is_list = lexer_.current().is_symbol('[') || lexer_.current().is_word("None");
  if (type.required().fixed_length() && !is_list) return parse_repeated(type.required());
  return parse(type);
}

Value DefaultParser::parse(const Type& type) {
  if (type.is_optional()) {
    if (!lexer_.current().is_word("None")) return parse(type.element());
    lexer_.take();
    return {};
  }
  if (lexer_.current().is_word("None")) {
    lexer_.fail(lexer_.current(), concatenate("None cannot be the default of ", with_article(type)),
                concatenate("did you mean '", type, "?'?"));
  }
  switch (type.kind()) {
    case TypeKind::Int:
    case TypeKind::SymInt:
      return parse_int(type);
    case TypeKind::Float:
      return parse_float(type);
    case TypeKind::Complex:
      return parse_complex(type);
    case TypeKind::Scalar:
      return parse_scalar(type);
    case TypeKind::Bool:
      return parse_bool(type);
    case TypeKind::String:
      return parse_text(type);
    case TypeKind::ScalarType:
      return parse_dtype(type);
    case TypeKind::Device:
      return parse_device(type);
    case TypeKind::Layout:
      return parse_layout(type);
    case TypeKind::MemoryFormat:
      return parse_memory_format(type);
    case TypeKind::List:
      return parse_list(type);
    case TypeKind::Tuple:
      return parse_tuple(type);
    default:
      lexer_.fail(lexer_.current(), concatenate(with_article(type), " can have no default"));
  }
}

Value DefaultParser::parse_list(const Type& type) {
  if (!lexer_.current().is_symbol('[')) fail_kind(lexer_.current(), type);
  lexer_.take();
  std::vector<Value> elements;
  if (!lexer_.current().is_symbol(']')) {
    do {
      elements.push_back(parse(type.element()));
    } while (lexer_.take_if(','));
  }
  lexer_.expect(']');
  return pack_list(type.value_tag(), elements);
}

// `int[2] stride=1` means [1, 1]; only for the argument's own list, so that a text is about as long
// as its value.
Value DefaultParser::parse_repeated(const Type& list) {
  const OpwTag tag = list.value_tag();
  if (tag == kOpwList || tag == kOpwTensorList) fail_kind(lexer_.current(), list);
  const Value element = parse(list.element());
  std::vector<Value> elements(*list.fixed_length(), element);
  return pack_list(tag, elements);
}

Value DefaultParser::parse_tuple(const Type& type) {
  const Token open = lexer_.current();
  const bool is_bracket = open.is_symbol('[');
  if (!is_bracket && !open.is_symbol('(')) fail_kind(open, type);
  lexer_.take();
  std::vector<Value> elements;
  for (const Type& element : type.elements()) {
    if (!elements.empty()) lexer_.expect(',');
    elements.push_back(parse(element));
  }
  lexer_.expect(is_bracket ? ']' : ')');
  return pack_list(kOpwList, elements);
}

void DefaultParser::read_number(Number& number, std::string_view digits, bool is_negative) {
  number.is_imaginary = digits.ends_with('j');
  if (number.is_imaginary) digits.remove_suffix(1);
  if (digits == "inf" || digits == "nan") {
    number.real = digits == "inf" ? std::numeric_limits<double>::infinity()
                                  : std::numeric_limits<double>::quiet_NaN();
    if (is_negative) number.real = -number.real;
    return;
  }
  const char* last = digits.data() + digits.size();
  if (std::from_chars(digits.data(), last, number.real).ec != std::errc()) {
    lexer_.fail(number.token, concatenate("'", number.token.text, "' does not fit a float"));
  }
  if (is_negative) number.real = -number.real;
  number.is_whole =
      !number.is_imaginary && digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (!number.is_whole) return;
  uint64_t magnitude = 0;
  const uint64_t most =
      static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + (is_negative ? 1 : 0);
  if (std::from_chars(digits.data(), last, magnitude).ec != std::errc() || magnitude > most) {
    number.is_whole = false;  // a float can still hold it
    return;
  }
  number.whole = static_cast<int64_t>(is_negative ? ~magnitude + 1 : magnitude);
}

DefaultParser::Number DefaultParser::parse_number(const Type& type) {
  const Token first = lexer_.current();
  const bool is_negative = lexer_.take_if('-');
  const Token digits = lexer_.current();
  const bool is_special = digits.is_word("inf") || digits.is_word("nan") ||
                          digits.is_word("infj") || digits.is_word("nanj");
  if (digits.kind != TokenKind::Number && !is_special)
    fail_kind(is_negative ? digits : first, type);
  lexer_.take();
  Number number;
  number.token = {TokenKind::Number,
                  lexer_.source().text().substr(first.begin, digits.end() - first.begin),
                  first.begin};
  read_number(number, digits.text, is_negative);
  return number;
}

Value DefaultParser::parse_int(const Type& type) {
  int64_t whole = 0;
  const Token first = lexer_.current();
  if (is_name() && !is_bool()) {
    const auto named = find_int_name(first.text);
    if (!named) fail_kind(first, type);
    lexer_.take();
    whole = *named;
  } else {
    const Number number = parse_number(type);
    const bool is_digits =
        number.token.text.find_first_not_of("-0123456789 ") == std::string_view::npos;
    if (!number.is_whole && is_digits)
      lexer_.fail(number.token, concatenate("'", number.token.text, "' does not fit an int"));
    if (!number.is_whole) fail_kind(number.token, type);
    whole = number.whole;
  }
  if (type.kind() == TypeKind::SymInt && is_symbolic(whole)) {
    lexer_.fail(first, concatenate("'", whole, "' does not fit a SymInt"));
  }
  return Value::take(make_value(type.value_tag(), whole));
}

Value DefaultParser::parse_float(const Type& type) {
  const Number number = parse_number(type);
  if (number.is_imaginary) fail_kind(number.token, type);
  return Value(number.real);
}

// A second part follows the first: 1.0+2.0j.
Value DefaultParser::finish_complex(Number first, const Type& type) {
  if (first.is_imaginary) return Value(Complex<double>(0, first.real));
  const bool is_minus = lexer_.current().is_symbol('-');
  if (!is_minus && !lexer_.current().is_symbol('+')) return Value(Complex<double>(first.real, 0));
  lexer_.take();
  if (lexer_.current().is_symbol('-')) fail_kind(lexer_.current(), type);
  const Number second = parse_number(type);
  if (!second.is_imaginary)
    lexer_.fail(second.token, "the second part of a complex number must end with 'j'");
  return Value(Complex<double>(first.real, is_minus ? -second.real : second.real));
}

Value DefaultParser::parse_complex(const Type& type) {
  return finish_complex(parse_number(type), type);
}

Value DefaultParser::parse_scalar(const Type& type) {
  if (is_bool()) return parse_bool(type);
  const Number number = parse_number(type);
  const bool has_second = lexer_.current().is_symbol('-') || lexer_.current().is_symbol('+');
  if (number.is_imaginary || has_second) return finish_complex(number, type);
  return number.is_whole ? Value(number.whole) : Value(number.real);
}

Value DefaultParser::parse_bool(const Type& type) {
  if (!is_bool()) {
    const Token token = lexer_.current();
    fail_kind(
        token, type,
        is_name() ? did_you_mean(token.text, std::vector<std::string_view>{"True", "False"}) : "");
  }
  return Value(lexer_.take().text == "True");
}

Value DefaultParser::parse_text(const Type& type) {
  if (!is_string()) fail_kind(lexer_.current(), type);
  return Value(read_string(lexer_, lexer_.take()));
}

Value DefaultParser::parse_dtype(const Type& type) {
  const Token token = lexer_.take();
  std::optional<DType> dtype;
  if (token.kind == TokenKind::Identifier) {
    dtype = find_dtype(token.text);
    if (!dtype) fail_kind(token, type, did_you_mean(token.text, dtype_names()));
  } else if (token.kind == TokenKind::Number) {
    Number number;
    number.token = token;
    read_number(number, token.text, false);
    if (number.is_whole) dtype = dtype_of_torch_number(number.whole);
  }
  if (!dtype) fail_kind(token, type);
  return Value(*dtype);
}

// "cuda:0", or the bare words that torch prints: cuda:0.
Value DefaultParser::parse_device(const Type& type) {
  const Token first = lexer_.current();
  std::string text;
  if (is_string()) {
    text = read_string(lexer_, lexer_.take());
  } else if (is_name()) {
    text = lexer_.take().text;
    if (lexer_.take_if(':'))
      text.append(":").append(lexer_.expect(TokenKind::Number, "the index of a device").text);
  } else {
    fail_kind(first, type);
  }
  try {
    return Value(opwright::parse_device(text));
  } catch (const Error& error) {
    lexer_.source().fail(first.begin, lexer_.taken_end(), error.text());
  }
}

Value DefaultParser::parse_layout(const Type& type) {
  const Token token = lexer_.take();
  const auto layout = token.text == "0" ? Layout::Strided : find_layout(token.text);
  if (!layout)
    fail_kind(token, type, did_you_mean(token.text, std::vector<std::string_view>{"strided"}));
  return Value(*layout);
}

Value DefaultParser::parse_memory_format(const Type& type) {
  const Token token = lexer_.take();
  std::vector<std::string_view> names;
  for (int64_t number = 0; const char* name = memory_format_name_or_null(number); ++number) {
    if (token.text == name || token.text == std::to_string(number))
      return Value(static_cast<MemoryFormat>(number));
    names.emplace_back(name);
  }
  fail_kind(token, type, did_you_mean(token.text, names));
}

}  // namespace

Value parse_default(Lexer& lexer, const Type& type) {
  return DefaultParser(lexer).parse_argument(type);
}

}  // namespace opwright
