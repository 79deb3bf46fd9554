#include "opwright/pt2/archive/size_text.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "opwright/base/text_scanner.h"
#include "opwright/error.h"

namespace opwright::pt2 {
namespace {

constexpr size_t kMaxDepth = 64;

class SizeParser : TextScanner {
 public:
  SizeParser(std::string_view text, std::string_view origin) : TextScanner(text), origin_(origin) {}

  LinearSize parse() {
    LinearSize size = read(0);
    if (!is_at_end()) fail("the end of the text");
    return size;
  }

 private:
  [[noreturn]] void fail(std::string_view wanted) const {
    throw_error("ValueError", origin_, ": the size '", text_, "' is not valid: ", wanted,
                " is expected at character ", at_ + 1);
  }
  [[noreturn]] void refuse() const {
    throw_error("NotImplementedError", origin_, ": the size '", text_,
                "' of an input is not supported; sizes of inputs may be numbers, symbols, and "
                "linear in one symbol");
  }
  void expect(std::string_view token) {
    if (!skip(token)) fail(concatenate("'", token, "'"));
  }
  static int64_t add(int64_t a, int64_t b) {
    int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum))
      throw_error("OverflowError", "a size of an input is too large");
    return sum;
  }
  static int64_t multiply(int64_t a, int64_t b) {
    int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product))
      throw_error("OverflowError", "a size of an input is too large");
    return product;
  }

  // NOLINTNEXTLINE(misc-no-recursion): at most kMaxDepth levels
  LinearSize read(size_t depth) {
    if (depth > kMaxDepth) fail("less nesting");
    const std::string_view name = take_while([](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (name.empty()) fail("a name");
    expect("(");
    if (name == "Integer") return {.symbol = {}, .factor = 0, .offset = read_integer()};
    if (name == "Symbol") return {.symbol = read_symbol(), .factor = 1, .offset = 0};
    if (name != "Add" && name != "Mul") refuse();
    LinearSize size = read(depth + 1);
    while (skip(", ")) {
      const LinearSize next = read(depth + 1);
      size = name == "Add" ? sum(size, next) : product(size, next);
    }
    expect(")");
    return size;
  }
  LinearSize sum(const LinearSize& a, const LinearSize& b) const {
    if (!a.symbol.empty() && !b.symbol.empty() && a.symbol != b.symbol) refuse();
    return {.symbol = a.symbol.empty() ? b.symbol : a.symbol,
            .factor = add(a.factor, b.factor),
            .offset = add(a.offset, b.offset)};
  }
  LinearSize product(const LinearSize& a, const LinearSize& b) const {
    if (!a.symbol.empty() && !b.symbol.empty()) refuse();
    const LinearSize& linear = a.symbol.empty() ? b : a;
    const int64_t number = a.symbol.empty() ? a.offset : b.offset;
    return {.symbol = linear.symbol,
            .factor = multiply(linear.factor, number),
            .offset = multiply(linear.offset, number)};
  }

  int64_t read_integer() {
    const std::string_view digits =
        take_while([](char c) { return (c >= '0' && c <= '9') || c == '-'; });
    int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
    if (error != std::errc() || end != digits.end() || digits.empty()) fail("an int of 64 bits");
    expect(")");
    return number;
  }
  // 's77', positive=True, integer=True)
  std::string read_symbol() {
    expect("'");
    std::string name(take_while([](char c) { return c != '\'' && c != '\\'; }));
    expect("'");
    while (skip(", ")) {
      take_while([](char c) { return c != ',' && c != ')'; });
    }
    expect(")");
    return name;
  }

  std::string_view origin_;
};

}  // namespace

LinearSize read_linear_size(std::string_view text, std::string_view origin) {
  return SizeParser(text, origin).parse();
}

}  // namespace opwright::pt2
