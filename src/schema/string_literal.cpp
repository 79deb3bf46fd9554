#include "opwright/schema/string_literal.h"

#include <charconv>
#include <optional>

namespace opwright {
namespace {

std::optional<uint32_t> read_digits(std::string_view digits, int base) {
  uint32_t number = 0;
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

void append_utf8(std::string& out, uint32_t character) {  // in the 16-bit plane
  if (character < 0x80) {
    out.push_back(static_cast<char>(character));
  } else if (character < 0x800) {
    out.push_back(static_cast<char>(0xc0 | character >> 6));
    out.push_back(static_cast<char>(0x80 | (character & 0x3f)));
  } else {
    out.push_back(static_cast<char>(0xe0 | character >> 12));
    out.push_back(static_cast<char>(0x80 | (character >> 6 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (character & 0x3f)));
  }
}

// Decodes the escape after a backslash at the start of `text`; returns its length, 0 for an invalid
// one.
size_t read_escape(std::string& out, std::string_view text) {
  constexpr std::string_view kLetters = "\"'\\ntrabfv";
  constexpr std::string_view kMeanings = "\"'\\\n\t\r\a\b\f\v";
  if (const size_t at = kLetters.find(text[0]); at != std::string_view::npos) {
    out.push_back(kMeanings[at]);
    return 1;
  }
  if (text[0] == 'x' || text[0] == 'u') {
    const size_t length = text[0] == 'x' ? 2 : 4;
    const auto number = read_digits(text.substr(1, length), 16);
    const bool is_surrogate = number && *number >= 0xd800 && *number < 0xe000;
    if (text.size() <= length || !number || is_surrogate) return 0;
    if (text[0] == 'x') {
      out.push_back(static_cast<char>(*number));
    } else {
      append_utf8(out, *number);
    }
    return 1 + length;
  }
  const auto number = read_digits(text.substr(0, 3), 8);
  if (text.size() < 3 || !number || *number > 0xff) return 0;
  out.push_back(static_cast<char>(*number));
  return 3;
}

}  // namespace

size_t read_escapes(std::string_view body, std::string& out) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\') {
      out.push_back(body[i]);
      continue;
    }
    const size_t length = i + 1 < body.size() ? read_escape(out, body.substr(i + 1)) : 0;
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string read_string(const Lexer& lexer, const Token& token) {
  const bool is_triple =
      token.text.size() >= 6 && token.text[1] == token.text[0] && token.text[2] == token.text[0];
  const size_t quotes = is_triple ? 3 : 1;
  const std::string_view body = token.text.substr(quotes, token.text.size() - 2 * quotes);
  std::string out;
  const size_t wrong = read_escapes(body, out);
  if (wrong != std::string_view::npos) {
    const size_t begin = token.begin + quotes + wrong;
    lexer.source().fail(begin, begin + 2,
                        concatenate("unknown escape '\\", body[wrong + 1], "' in a string"),
                        "an escape is one of \\n \\t \\r \\\" \\' \\\\ \\ooo \\xhh \\uhhhh");
  }
  return out;
}

}  // namespace opwright
