#include "opwright/pt2/container/json.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "opwright/base/text_scanner.h"
#include "opwright/error.h"
#include "opwright/program/file/utf8.h"

namespace opwright::pt2 {
namespace {

constexpr uint32_t kReplaced = 0xd800;  // the first surrogate

void append_utf8(std::string& out, uint32_t code) {
  const auto put = [&out](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

class JsonParser : TextScanner {
 public:
  JsonParser(std::string_view text, const std::string& origin)
      : TextScanner(text), origin_(origin) {}

  JsonValue parse() {
    JsonValue value = read_value(0);
    skip_blanks();
    if (!is_at_end()) fail("the end of the text is expected");
    return value;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = 1 + std::ranges::count(before, '\n');
    const size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
    throw_error("ValueError", origin_, ": not valid JSON at line ", line, ", column ",
                at_ - begin + 1, ": ", what);
  }
  void skip_blanks() {
    while (!is_at_end() && (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t'))
      ++at_;
  }
  void expect(char wanted) {
    if (peek() != wanted || is_at_end()) fail(concatenate("'", wanted, "' is expected"));
    ++at_;
  }

  JsonValue read_value(size_t depth) {
    if (depth > kMaxJsonDepth) fail(concatenate("it is nested deeper than ", kMaxJsonDepth));
    skip_blanks();
    switch (peek()) {
      case '{':
        return read_object(depth);
      case '[':
        return read_array(depth);
      case '"':
        return JsonValue(read_string());
      case 't':
        return read_word("true", JsonValue(true));
      case 'f':
        return read_word("false", JsonValue(false));
      case 'n':
        return read_word("null", JsonValue());
      default:
        return read_number();
    }
  }
  JsonValue read_word(std::string_view word, JsonValue value) {
    if (!skip(word)) fail("a value is expected");
    return value;
  }

  JsonValue read_array(size_t depth) {
    expect('[');
    std::vector<JsonValue> elements;
    skip_blanks();
    if (skip("]")) return JsonValue::array(std::move(elements));
    do {
      elements.push_back(read_value(depth + 1));
      skip_blanks();
    } while (skip(","));
    expect(']');
    return JsonValue::array(std::move(elements));
  }
  JsonValue read_object(size_t depth) {
    expect('{');
    std::vector<JsonValue> parts;
    skip_blanks();
    if (skip("}")) return JsonValue::object(std::move(parts));
    do {
      skip_blanks();
      parts.emplace_back(read_string());
      skip_blanks();
      expect(':');
      parts.push_back(read_value(depth + 1));
      skip_blanks();
    } while (skip(","));
    expect('}');
    check_names(parts);
    return JsonValue::object(std::move(parts));
  }
  void check_names(const std::vector<JsonValue>& parts) const {
    std::vector<std::string_view> names;
    names.reserve(parts.size() / 2);
    for (size_t i = 0; i < parts.size(); i += 2) names.push_back(parts[i].as_string());
    std::ranges::sort(names);
    const auto repeated = std::ranges::adjacent_find(names);
    if (repeated != names.end()) fail(concatenate("the object has two members '", *repeated, "'"));
  }

  std::string read_string() {
    expect('"');
    std::string value;
    while (true) {
      const std::string_view plain = take_while(
          [](char c) { return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20; });
      value.append(plain);
      if (is_at_end() || static_cast<unsigned char>(peek()) < 0x20)
        fail("a string does not end on its line");
      if (next() == '"') break;
      read_escape(value);
    }
    if (!is_utf8(value)) fail("a string is not UTF-8");
    return value;
  }
  void read_escape(std::string& out) {
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char escape = next();
    if (const size_t found = kEscapes.find(escape); found != std::string_view::npos && escape) {
      out.push_back(kMeanings[found]);
    } else if (escape == 'u') {
      append_utf8(out, read_code());
    } else {
      fail("an unknown escape in a string");
    }
  }
  // A code point, of two surrogates if the first escape is one.
  uint32_t read_code() {
    const uint32_t first = read_four_digits();
    if (first < kReplaced || first >= 0xe000) return first;
    if (first >= 0xdc00 || !skip("\\u")) fail("a surrogate without its partner");
    const uint32_t second = read_four_digits();
    if (second < 0xdc00 || second >= 0xe000) fail("a surrogate without its partner");
    return 0x10000 + ((first - kReplaced) << 10) + (second - 0xdc00);
  }
  uint32_t read_four_digits() {
    const std::string_view digits = text_.substr(at_, 4);
    uint32_t code = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), code, 16);
    if (digits.size() != 4 || error != std::errc() || end != digits.end())
      fail("\\u needs four hexadecimal digits");
    at_ += 4;
    return code;
  }

  JsonValue read_number() {
    const std::string_view number = take_while([](char c) {
      return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
    });
    if (!is_number(number)) {
      at_ -= number.size();
      fail("a value is expected");
    }
    if (number.find_first_of(".eE") == std::string_view::npos) {
      int64_t value = 0;
      if (std::from_chars(number.begin(), number.end(), value).ec == std::errc())
        return JsonValue(value);
    }
    double value = 0;
    if (std::from_chars(number.begin(), number.end(), value).ec != std::errc())
      fail("a number is out of range");
    return JsonValue(value);
  }
  // -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
  static bool is_number(std::string_view text) {
    TextScanner scanner(text);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    scanner.skip("-");
    const std::string_view whole = scanner.take_while(is_digit);
    if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return false;
    if (scanner.skip(".") && scanner.take_while(is_digit).empty()) return false;
    if (scanner.skip("e") || scanner.skip("E")) {
      if (!scanner.skip("+")) scanner.skip("-");
      if (scanner.take_while(is_digit).empty()) return false;
    }
    return scanner.is_at_end();
  }

  const std::string& origin_;
};

}  // namespace

JsonValue JsonValue::array(std::vector<JsonValue> elements) {
  JsonValue value;
  value.content_ = Array{std::move(elements)};
  return value;
}

JsonValue JsonValue::object(std::vector<JsonValue> parts) {
  JsonValue value;
  value.content_ = Object{std::move(parts)};
  return value;
}

const JsonValue* JsonValue::find(std::string_view name) const {
  for (size_t i = 0; i < member_count(); ++i) {
    if (member_name(i) == name) return &member(i);
  }
  return nullptr;
}

JsonValue parse_json(std::string_view text, const std::string& origin) {
  return JsonParser(text, origin).parse();
}

}  // namespace opwright::pt2
