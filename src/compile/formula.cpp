#include "opwright/compile/formula.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/compile/nest.h"
#include "opwright/error.h"

namespace opwright {
namespace {

// A binary operator: the longer spelling first where one begins another.
struct Infix {
  std::string_view spelling;
  int level;  // binds the tighter, the higher
  LaneOp op;
  bool is_logical = false;  // of truth values
};
constexpr auto kInfixes = std::to_array<Infix>({
    {"||", 1, LaneOp::Or, true},
    {"&&", 2, LaneOp::And, true},
    {"|", 3, LaneOp::Or},
    {"^", 4, LaneOp::Xor},
    {"&", 5, LaneOp::And},
    {"==", 6, LaneOp::Equal},
    {"!=", 6, LaneOp::NotEqual},
    {"<<", 8, LaneOp::ShiftLeft},
    {">>", 8, LaneOp::ShiftRight},
    {"<=", 7, LaneOp::LessEqual},
    {">=", 7, LaneOp::GreaterEqual},
    {"<", 7, LaneOp::Less},
    {">", 7, LaneOp::Greater},
    {"+", 9, LaneOp::Add},
    {"-", 9, LaneOp::Subtract},
    {"*", 10, LaneOp::Multiply},
    {"/", 10, LaneOp::Divide},
});

bool gives_truth(LaneOp op) { return op >= LaneOp::Equal && op <= LaneOp::GreaterEqual; }
bool is_bitwise(LaneOp op) { return op == LaneOp::And || op == LaneOp::Or || op == LaneOp::Xor; }

class FormulaReader {
 public:
  FormulaReader(LaneBuilder& lanes, std::string_view text, std::span<const uint32_t> operands,
                std::span<const Scalar> numbers, DType compute)
      : lanes_(lanes), text_(text), operands_(operands), numbers_(numbers), compute_(compute) {}

  uint32_t read() {
    const uint32_t lane = read_choice();
    skip_blanks();
    if (place_ != text_.size()) fail("an operator");
    return lane;
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

  uint32_t as_truth(uint32_t lane) {
    if (lanes_.dtype(lane) == DType::Bool) return lane;
    return lanes_.apply(LaneOp::NotEqual, {lane, lanes_.constant(0.0, lanes_.dtype(lane))});
  }
  uint32_t as_number(uint32_t lane) {
    return lanes_.dtype(lane) == DType::Bool ? lanes_.convert(lane, compute_) : lane;
  }

  uint32_t read_choice() {
    const uint32_t condition = read_infix(1);
    if (!take("?")) return condition;
    uint32_t chosen = read_choice();
    expect(":", "':'");
    uint32_t other = read_choice();
    if (lanes_.dtype(chosen) != lanes_.dtype(other)) {
      chosen = as_number(chosen);
      other = as_number(other);
    }
    return lanes_.apply(LaneOp::Select, {as_truth(condition), chosen, other});
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
    if (infix.is_logical) return lanes_.apply(infix.op, {as_truth(left), as_truth(right)});
    const bool are_truths = lanes_.dtype(left) == DType::Bool && lanes_.dtype(right) == DType::Bool;
    if (are_truths && (is_bitwise(infix.op) || gives_truth(infix.op)))
      return lanes_.apply(infix.op, {left, right});
    return lanes_.apply(infix.op, {as_number(left), as_number(right)});
  }

  uint32_t read_prefix() {
    if (take("-")) return lanes_.apply(LaneOp::Negate, {as_number(read_prefix())});
    if (take("!")) return lanes_.apply(LaneOp::Not, {as_truth(read_prefix())});
    if (take("~")) return lanes_.apply(LaneOp::Not, {read_prefix()});
    return read_primary();
  }

  uint32_t read_primary() {
    if (take("(")) {
      const uint32_t lane = read_choice();
      expect(")", "')'");
      return lane;
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
    return lanes_.constant(number, compute_);
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
      const auto operand = static_cast<size_t>(name[0] - 'x');
      if (name[0] >= 'x' && operand < operands_.size()) return operands_[operand];
      const auto number = static_cast<size_t>(name[0] - 'a');
      if (name[0] >= 'a' && number < numbers_.size())
        return lanes_.constant(numbers_[number], compute_);
    }
    if (name == "inf") return lanes_.constant(std::numeric_limits<double>::infinity(), compute_);
    if (name == "nan") return lanes_.constant(std::numeric_limits<double>::quiet_NaN(), compute_);
    place_ = begin;
    fail("an operand of the call");
  }

  uint32_t read_function(std::string_view name, size_t begin) {
    std::vector<uint32_t> args;
    do {
      args.push_back(as_number(read_choice()));
    } while (take(","));
    expect(")", "')'");
    for (auto op = LaneOp::Add; !is_fold(op); op = static_cast<LaneOp>(static_cast<int>(op) + 1)) {
      if (name != lane_op_name(op)) continue;
      if (args.size() == 1) return lanes_.apply(op, {args[0]});
      if (args.size() == 2) return lanes_.apply(op, {args[0], args[1]});
      if (args.size() == 3) return lanes_.apply(op, {args[0], args[1], args[2]});
    }
    place_ = begin;
    fail("a function of lanes");
  }

  LaneBuilder& lanes_;
  std::string_view text_;
  std::span<const uint32_t> operands_;
  std::span<const Scalar> numbers_;
  DType compute_;
  size_t place_ = 0;
};

}  // namespace

uint32_t add_formula(LaneBuilder& lanes, std::string_view text, std::span<const uint32_t> operands,
                     std::span<const Scalar> numbers, DType compute) {
  return FormulaReader(lanes, text, operands, numbers, compute).read();
}

}  // namespace opwright
