#include "opwright/ops/engine/pointwise/formula_reader.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/error.h"

namespace opwright {
namespace {

// A binary operator; if one is a prefix of another, the longer one is listed first.
struct Infix {
  std::string_view spelling;
  int level;  // higher binds tighter
  std::string_view function;
  bool is_logical = false;  // of truth values
};
constexpr auto kInfixes = std::to_array<Infix>({
    {"||", 1, "or", true},
    {"&&", 2, "and", true},
    {"|", 3, "or"},
    {"^", 4, "xor"},
    {"&", 5, "and"},
    {"==", 6, "equal"},
    {"!=", 6, "not_equal"},
    {"<<", 8, "shift_left"},
    {">>", 8, "shift_right"},
    {"<=", 7, "less_equal"},
    {">=", 7, "greater_equal"},
    {"<", 7, "less"},
    {">", 7, "greater"},
    {"+", 9, "add"},
    {"-", 9, "subtract"},
    {"*", 10, "multiply"},
    {"/", 10, "divide"},
});
constexpr int kShiftLevel = 8;  // below: comparisons and logic, which also accept truth values

class FormulaReader {
 public:
  FormulaReader(FormulaTarget& target, std::string_view text) : target_(target), text_(text) {}

  uint32_t read() {
    const uint32_t term = read_choice();
    skip_blanks();
    if (place_ != text_.size()) fail("an operator");
    return term;
  }

 private:
  [[noreturn]] void fail(const char* expected) const {
    throw_error("ValueError", "formula '", std::string(text_), "': expected ", expected,
                " at character ", place_);
  }
  void skip_blanks() {
    while (place_ < text_.size() && text_[place_] == ' ') ++place_;
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(place_).starts_with(sign)) return false;
    place_ += sign.size();
    return true;
  }
  void expect(std::string_view sign, const char* words) {
    if (!take(sign)) fail(words);
  }

  uint32_t apply(std::string_view name, std::initializer_list<uint32_t> args) {
    return *target_.apply(name, std::span(args.begin(), args.size()));
  }
  uint32_t as_truth(uint32_t term) {
    return target_.is_truth(term) ? term : target_.to_truth(term);
  }
  uint32_t as_number(uint32_t term) {
    return target_.is_truth(term) ? target_.to_number(term) : term;
  }

  uint32_t read_choice() {
    const uint32_t condition = read_infix(1);
    if (!take("?")) return condition;
    uint32_t chosen = read_choice();
    expect(":", "':'");
    uint32_t other = read_choice();
    if (target_.is_truth(chosen) != target_.is_truth(other)) {
      chosen = as_number(chosen);
      other = as_number(other);
    }
    return apply("select", {as_truth(condition), chosen, other});
  }

  const Infix* take_infix(int level) {
    skip_blanks();
    for (const Infix& infix : kInfixes) {
      if (!text_.substr(place_).starts_with(infix.spelling)) continue;
      if (infix.level < level) return nullptr;
      place_ += infix.spelling.size();
      return &infix;
    }
    return nullptr;
  }

  uint32_t read_infix(int level) {
    uint32_t left = read_prefix();
    while (const Infix* infix = take_infix(level)) {
      const uint32_t right = read_infix(infix->level + 1);
      left = join(*infix, left, right);
    }
    return left;
  }

  uint32_t join(const Infix& infix, uint32_t left, uint32_t right) {
    if (infix.is_logical) return apply(infix.function, {as_truth(left), as_truth(right)});
    const bool are_truths = target_.is_truth(left) && target_.is_truth(right);
    if (are_truths && infix.level < kShiftLevel) return apply(infix.function, {left, right});
    return apply(infix.function, {as_number(left), as_number(right)});
  }

  uint32_t read_prefix() {
    if (take("-")) return apply("negate", {as_number(read_prefix())});
    if (take("!")) return apply("not", {as_truth(read_prefix())});
    if (take("~")) return apply("not", {read_prefix()});
    return read_primary();
  }

  uint32_t read_primary() {
    if (take("(")) {
      const uint32_t term = read_choice();
      expect(")", "')'");
      return term;
    }
    skip_blanks();
    const char first = place_ < text_.size() ? text_[place_] : '\0';
    if (std::isdigit(static_cast<unsigned char>(first)) || first == '.') return read_number();
    if (std::isalpha(static_cast<unsigned char>(first))) return read_name();
    fail("an operand");
  }

  uint32_t read_number() {
    double number = 0;
    const char* begin = text_.data() + place_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc{}) fail("a number");
    place_ += static_cast<size_t>(end - begin);
    return target_.literal(number);
  }

  uint32_t read_name() {
    const size_t begin = place_;
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    while (place_ < text_.size() && is_part(text_[place_])) ++place_;
    const std::string_view name = text_.substr(begin, place_ - begin);
    if (take("(")) return read_function(name, begin);
    if (name.size() == 1) {
      const std::optional<uint32_t> term = name[0] >= 'x'
                                               ? target_.operand(static_cast<size_t>(name[0] - 'x'))
                                               : target_.number(static_cast<size_t>(name[0] - 'a'));
      if (term) return *term;
    }
    if (name == "inf") return target_.literal(std::numeric_limits<double>::infinity());
    if (name == "nan") return target_.literal(std::numeric_limits<double>::quiet_NaN());
    place_ = begin;
    fail("an operand of the call");
  }

  uint32_t read_function(std::string_view name, size_t begin) {
    std::vector<uint32_t> args;
    do {
      args.push_back(as_number(read_choice()));
    } while (take(","));
    expect(")", "')'");
    if (const auto term = target_.apply(name, args)) return *term;
    place_ = begin;
    fail("a function of lanes");
  }

  FormulaTarget& target_;
  std::string_view text_;
  size_t place_ = 0;
};

}  // namespace

uint32_t read_formula(FormulaTarget& target, std::string_view text) {
  return FormulaReader(target, text).read();
}

}  // namespace opwright
