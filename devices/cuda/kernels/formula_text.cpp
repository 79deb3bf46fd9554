#include "devices/cuda/kernels/formula_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <map>

namespace opwright::cuda {
namespace {

struct Infix {
  std::string_view spelling;
  int level;                     // higher binds tighter
  std::string_view function;     // for numbers; empty: the operator itself
  std::string_view of_truths{};  // the operator for truth values
  bool is_logical = false;       // for truth values only
  bool gives_truth = false;
};
// The longer spelling first if one is a prefix of another.
constexpr std::array<Infix, 17> kInfixes{{
    {"||", 1, "", "||", true, true},
    {"&&", 2, "", "&&", true, true},
    {"|", 3, "", "||"},
    {"^", 4, "", "!="},
    {"&", 5, "", "&&"},
    {"==", 6, "", "==", false, true},
    {"!=", 6, "", "!=", false, true},
    {"<<", 8, "shift_left"},
    {">>", 8, "shift_right"},
    {"<=", 7, "", "<=", false, true},
    {">=", 7, "", ">=", false, true},
    {"<", 7, "", "<", false, true},
    {">", 7, "", ">", false, true},
    {"+", 9, "add"},
    {"-", 9, "subtract"},
    {"*", 10, "multiply"},
    {"/", 10, "divide"},
}};

struct Function {
  std::string_view name;
  size_t num_args;
  bool takes_ints = false;
};
constexpr std::array<Function, 40> kFunctions{{
    {"minimum", 2, true},
    {"maximum", 2, true},
    {"absolute", 1, true},
    {"fmod", 2, true},
    {"remainder", 2, true},
    {"divide_floor", 2, true},
    {"divide_trunc", 2, true},
    {"shift_left", 2, true},
    {"shift_right", 2, true},
    {"isnan", 1},
    {"fma", 3},
    {"copysign", 2},
    {"pow", 2},
    {"atan2", 2},
    {"floor", 1},
    {"ceil", 1},
    {"trunc", 1},
    {"round", 1},
    {"sqrt", 1},
    {"rsqrt", 1},
    {"exp", 1},
    {"exp2", 1},
    {"expm1", 1},
    {"log", 1},
    {"log2", 1},
    {"log10", 1},
    {"log1p", 1},
    {"sin", 1},
    {"cos", 1},
    {"tan", 1},
    {"asin", 1},
    {"acos", 1},
    {"atan", 1},
    {"sinh", 1},
    {"cosh", 1},
    {"tanh", 1},
    {"sigmoid", 1},
    {"erf", 1},
    {"erfc", 1},
    {"lgamma", 1},
}};

struct NotAFormula {};

// A value of the formula: an operand, a literal or a constant of the body, by name.
struct Term {
  std::string name;
  bool is_truth;
};

class FormulaWriter {
 public:
  FormulaWriter(std::string_view text, bool of_bools) : text_(text), of_bools_(of_bools) {}

  FormulaText write() {
    const Term term = read_choice();
    skip_blanks();
    if (place_ != text_.size()) throw NotAFormula{};
    result_.body += "return " + term.name + ";";
    result_.is_truth = term.is_truth;
    if (of_bools_) result_.takes_floats = result_.takes_ints = false;
    return result_;
  }

 private:
  void skip_blanks() {
    while (place_ < text_.size() && text_[place_] == ' ') ++place_;
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (text_.substr(place_, sign.size()) != sign) return false;
    place_ += sign.size();
    return true;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) throw NotAFormula{};
  }

  // The constant that holds `code`.
  Term keep(const std::string& code, bool is_truth) {
    const auto [entry, is_new] =
        constants_.try_emplace(code, "t" + std::to_string(constants_.size()));
    if (is_new) {
      result_.body +=
          std::string(is_truth ? "const bool " : "const T ") + entry->second + " = " + code + "; ";
    }
    return {entry->second, is_truth};
  }
  Term as_truth(const Term& term) {
    return term.is_truth ? term : keep(term.name + " != T(0)", true);
  }
  // Bools have no numbers.
  Term as_number(const Term& term) {
    if (of_bools_) throw NotAFormula{};
    return term.is_truth ? keep("T(" + term.name + ")", false) : term;
  }

  Term read_choice() {
    Term condition = read_infix(1);
    if (!take("?")) return condition;
    Term chosen = read_choice();
    expect(":");
    Term other = read_choice();
    if (chosen.is_truth != other.is_truth) {
      chosen = as_number(chosen);
      other = as_number(other);
    }
    return keep(as_truth(condition).name + " ? " + chosen.name + " : " + other.name,
                chosen.is_truth);
  }

  const Infix* take_infix(int level) {
    skip_blanks();
    for (const Infix& infix : kInfixes) {
      if (text_.substr(place_, infix.spelling.size()) != infix.spelling) continue;
      if (infix.level < level) return nullptr;
      place_ += infix.spelling.size();
      return &infix;
    }
    return nullptr;
  }
  Term read_infix(int level) {
    Term left = read_prefix();
    while (const Infix* infix = take_infix(level)) {
      const Term right = read_infix(infix->level + 1);
      left = join(*infix, left, right);
    }
    return left;
  }
  Term join(const Infix& infix, const Term& left, const Term& right) {
    const auto with = [](std::string_view sign, const Term& a, const Term& b) {
      return a.name + " " + std::string(sign) + " " + b.name;
    };
    if (infix.is_logical) return keep(with(infix.of_truths, as_truth(left), as_truth(right)), true);
    if (left.is_truth && right.is_truth && !infix.of_truths.empty())
      return keep(with(infix.of_truths, left, right), true);
    const Term a = as_number(left);
    const Term b = as_number(right);
    if (infix.gives_truth) return keep(with(infix.spelling, a, b), true);
    if (infix.spelling == "/") result_.takes_ints = false;
    if (infix.function.empty() || infix.level == 8) result_.takes_floats = false;
    if (infix.function.empty())
      return keep("static_cast<T>(" + with(infix.spelling, a, b) + ")", false);
    return keep(std::string(infix.function) + "(" + a.name + ", " + b.name + ")", false);
  }

  Term read_prefix() {
    if (take("-")) return keep("negate(" + as_number(read_prefix()).name + ")", false);
    if (take("!")) return keep("!" + as_truth(read_prefix()).name, true);
    if (!take("~")) return read_primary();
    const Term term = read_prefix();
    if (term.is_truth) return keep("!" + term.name, true);
    result_.takes_floats = false;
    return keep("static_cast<T>(~" + term.name + ")", false);
  }

  Term read_primary() {
    if (take("(")) {
      const Term term = read_choice();
      expect(")");
      return term;
    }
    skip_blanks();
    const char first = place_ < text_.size() ? text_[place_] : '\0';
    if (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '.') return read_number();
    if (std::isalpha(static_cast<unsigned char>(first)) != 0) return read_name();
    throw NotAFormula{};
  }

  Term read_number() {
    const size_t begin = place_;
    const auto is_part = [&](char c) {
      const bool follows_exponent = place_ > begin && text_[place_ - 1] == 'e';
      return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == 'e' ||
             (follows_exponent && (c == '-' || c == '+'));
    };
    while (place_ < text_.size() && is_part(text_[place_])) ++place_;
    const std::string number(text_.substr(begin, place_ - begin));
    if (std::ranges::count(number, '.') > 1 || std::ranges::count(number, 'e') > 1)
      throw NotAFormula{};
    if (number.find_first_of(".e") != std::string::npos) result_.takes_ints = false;
    return {"T(" + number + ")", of_bools_};
  }

  Term read_name() {
    const size_t begin = place_;
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    while (place_ < text_.size() && is_part(text_[place_])) ++place_;
    const std::string_view name = text_.substr(begin, place_ - begin);
    if (name == "inf" || name == "nan") {
      result_.takes_ints = false;
      return {name == "inf" ? "T(__builtin_huge_val())" : "T(__builtin_nan(\"\"))", of_bools_};
    }
    if (name.size() == 1 && std::string_view("xyzabc").find(name) != std::string_view::npos) {
      if (name[0] >= 'x') result_.num_operands = std::max(result_.num_operands, name[0] - 'x' + 1);
      return {std::string(name), of_bools_};
    }
    return read_function(name);
  }

  Term read_function(std::string_view name) {
    const auto* const function = std::ranges::find(kFunctions, name, &Function::name);
    if (function == kFunctions.end() || of_bools_) throw NotAFormula{};
    expect("(");
    std::string call = std::string(name) + "(";
    size_t num_args = 0;
    do {
      call += (num_args++ == 0 ? "" : ", ") + as_number(read_choice()).name;
    } while (take(","));
    expect(")");
    if (num_args != function->num_args) throw NotAFormula{};
    if (!function->takes_ints) result_.takes_ints = false;
    if (name.starts_with("shift")) result_.takes_floats = false;
    return keep(call + ")", name == "isnan");
  }

  std::string_view text_;
  bool of_bools_;
  size_t place_ = 0;
  FormulaText result_;
  std::map<std::string, std::string> constants_;
};

}  // namespace

std::optional<FormulaText> write_formula(std::string_view text, bool of_bools) {
  try {
    FormulaText result = FormulaWriter(text, of_bools).write();
    if (!of_bools && !result.takes_floats && !result.takes_ints) return std::nullopt;
    return result;
  } catch (const NotAFormula&) {
    return std::nullopt;
  }
}

}  // namespace opwright::cuda
