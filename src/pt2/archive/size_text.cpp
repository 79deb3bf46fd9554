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

bool is_word_of_size(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What both notations share.
class LinearParser : protected TextScanner {
 protected:
  LinearParser(std::string_view text, std::string_view origin)
      : TextScanner(text), origin_(origin) {}

  [[noreturn]] void fail(std::string_view wanted) const {
    throw_error("ValueError", origin_, ": the size '", text_, "' is not valid: ", wanted,
                " is expected at character ", at_ + 1);
  }
  [[noreturn]] void refuse() const {
    throw_error("NotImplementedError", origin_, ": the size '", text_,
                "' of an input is not supported; sizes of inputs may be numbers, symbols, and "
                "linear in one symbol");
  }

  [[nodiscard]] int64_t limited(bool overflows, int64_t number) const {
    OPWRIGHT_CHECK_KIND("OverflowError",
                        !overflows && number >= -kMostOfSize && number <= kMostOfSize, origin_,
                        ": the size '", text_, "' of an input has numbers beyond 2^62");
    return number;
  }
  [[nodiscard]] int64_t add(int64_t a, int64_t b) const {
    int64_t result = 0;
    const bool overflows = __builtin_add_overflow(a, b, &result);
    return limited(overflows, result);
  }
  [[nodiscard]] int64_t multiply(int64_t a, int64_t b) const {
    int64_t result = 0;
    const bool overflows = __builtin_mul_overflow(a, b, &result);
    return limited(overflows, result);
  }
  [[nodiscard]] LinearSize sum(const LinearSize& a, const LinearSize& b) const {
    if (!a.symbol.empty() && !b.symbol.empty() && a.symbol != b.symbol) refuse();
    return {.symbol = a.symbol.empty() ? b.symbol : a.symbol,
            .factor = add(a.factor, b.factor),
            .offset = add(a.offset, b.offset)};
  }
  [[nodiscard]] LinearSize product(const LinearSize& a, const LinearSize& b) const {
    if (!a.symbol.empty() && !b.symbol.empty()) refuse();
    const LinearSize& linear = a.symbol.empty() ? b : a;
    const int64_t number = a.symbol.empty() ? a.offset : b.offset;
    return {.symbol = linear.symbol,
            .factor = multiply(linear.factor, number),
            .offset = multiply(linear.offset, number)};
  }

 private:
  std::string_view origin_;
};

// Of srepr.
class SizeParser : LinearParser {
 public:
  SizeParser(std::string_view text, std::string_view origin) : LinearParser(text, origin) {}

  LinearSize parse() {
    LinearSize size = read(0);
    if (!is_at_end()) fail("the end of the text");
    return size;
  }

 private:
  void expect(std::string_view token) {
    if (!skip(token)) fail(concatenate("'", token, "'"));
  }

  // NOLINTNEXTLINE(misc-no-recursion): at most kMaxDepth levels
  LinearSize read(size_t depth) {
    if (depth > kMaxDepth) fail("less nesting");
    const std::string_view name = take_while(is_word_of_size);
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

  int64_t read_integer() {
    const std::string_view digits =
        take_while([](char c) { return (c >= '0' && c <= '9') || c == '-'; });
    int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
    if (error != std::errc() || end != digits.end() || digits.empty()) fail("an int of 64 bits");
    expect(")");
    return limited(false, number);
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
};

// Of str.
class PrintedParser : LinearParser {
 public:
  PrintedParser(std::string_view text, std::string_view origin) : LinearParser(text, origin) {}

  LinearSize parse() {
    LinearSize size = read_sum(0);
    if (!is_at_end()) refuse();
    return size;
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): at most kMaxDepth levels
  LinearSize read_sum(size_t depth) {
    LinearSize size = read_term(skip("-"), depth);
    for (;;) {
      const bool is_less = skip(" - ");
      if (!is_less && !skip(" + ")) return size;
      size = sum(size, read_term(is_less, depth));
    }
  }
  // NOLINTNEXTLINE(misc-no-recursion)
  LinearSize read_term(bool is_negative, size_t depth) {
    LinearSize term = read_factor(depth);
    while (skip("*")) term = product(term, read_factor(depth));
    return is_negative ? product(term, {.symbol = {}, .factor = 0, .offset = -1}) : term;
  }
  // NOLINTNEXTLINE(misc-no-recursion)
  LinearSize read_factor(size_t depth) {
    if (depth > kMaxDepth) refuse();
    if (skip("(")) {
      LinearSize inner = read_sum(depth + 1);
      if (!skip(")")) refuse();
      return inner;
    }
    const std::string_view word = take_while(is_word_of_size);
    if (word.empty()) refuse();
    if (word[0] < '0' || word[0] > '9')
      return {.symbol = std::string(word), .factor = 1, .offset = 0};
    int64_t number = 0;
    const auto [end, error] = std::from_chars(word.begin(), word.end(), number);
    if (error == std::errc::result_out_of_range)
      return {.symbol = {}, .factor = 0, .offset = limited(true, 0)};
    if (error != std::errc() || end != word.end()) refuse();
    return {.symbol = {}, .factor = 0, .offset = limited(false, number)};
  }
};

}  // namespace

int64_t LinearSize::at(int64_t value) const {
  int64_t size = 0;
  OPWRIGHT_CHECK_KIND(
      "OverflowError",
      !__builtin_mul_overflow(factor, value, &size) && !__builtin_add_overflow(size, offset, &size),
      "the size ", factor, "*", symbol, " + ", offset, " does not fit in 64 bits at ", symbol,
      " = ", value);
  return size;
}

LinearSize read_linear_size(std::string_view text, std::string_view origin) {
  return SizeParser(text, origin).parse();
}

LinearSize read_printed_size(std::string_view text, std::string_view origin) {
  return PrintedParser(text, origin).parse();
}

}  // namespace opwright::pt2
