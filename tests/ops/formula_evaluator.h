// Evaluates the formula of a pointwise operation for one element: a second implementation of the
// language of ops/pointwise_formula.h, for tests.
#pragma once

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "opwright/ops/engine/cpu/numbers.h"

namespace opwright::testing {

// A number of type T, or a truth value.
template <class T>
struct FormulaValue {
  T number{};
  bool is_truth = false;
};

template <class T>
class FormulaEvaluator {
 public:
  using Value = FormulaValue<T>;
  FormulaEvaluator(std::string_view text, std::vector<Value> operands, std::vector<T> numbers)
      : rest_(text), operands_(std::move(operands)), numbers_(std::move(numbers)) {}

  Value evaluate() {
    const Value value = choice();
    if (!rest_.empty()) fail("the end");
    return value;
  }

 private:
  [[noreturn]] void fail(const char* wanted) const {
    throw std::runtime_error(std::string("expected ") + wanted + " at '" + std::string(rest_) +
                             "'");
  }
  static Value truth(bool value) { return {static_cast<T>(value), true}; }
  static bool is_true(Value value) { return value.number != T(0); }

  // The entire next operator: "<=" is not "<".
  [[nodiscard]] std::string_view peek() const {
    size_t length = 0;
    while (length < rest_.size() &&
           std::string_view("+-*/!~&|^<>=?:").find(rest_[length]) != std::string_view::npos)
      ++length;
    const std::string_view run = rest_.substr(0, length);
    for (const std::string_view two : {"<=", ">=", "==", "!=", "&&", "||", "<<", ">>"}) {
      if (run.starts_with(two)) return two;
    }
    return run.substr(0, 1);
  }
  void skip(size_t count) {
    rest_.remove_prefix(count);
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    if (token == "(" || token == ")" || token == "," ? !rest_.starts_with(token) : peek() != token)
      return false;
    skip(token.size());
    return true;
  }

  Value choice() {
    const Value condition = binary(0);
    if (!take("?")) return condition;
    const Value chosen = choice();
    if (!take(":")) fail("':'");
    const Value other = choice();
    return is_true(condition) ? chosen : other;
  }

  static int level_of(std::string_view token) {
    static const std::vector<std::vector<std::string_view>> levels = {
        {"||"},       {"&&"},     {"|"},     {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="},
        {"<<", ">>"}, {"+", "-"}, {"*", "/"}};
    for (size_t level = 0; level < levels.size(); ++level) {
      for (const std::string_view each : levels[level]) {
        if (each == token) return static_cast<int>(level);
      }
    }
    return -1;
  }
  Value binary(int level) {
    Value left = unary();
    while (true) {
      const std::string token(peek());
      const int own = level_of(token);
      if (own < level || token.empty()) return left;
      skip(token.size());
      left = compute(token, left, binary(own + 1));
    }
  }

  static Value compute(std::string_view token, Value left, Value right) {
    const T x = left.number, y = right.number;
    if (token == "||") return truth(is_true(left) || is_true(right));
    if (token == "&&") return truth(is_true(left) && is_true(right));
    if (token == "==") return truth(x == y);
    if (token == "!=") return truth(!(x == y));
    if (token == "<") return truth(x < y);
    if (token == "<=") return truth(x <= y);
    if (token == ">") return truth(x > y);
    if (token == ">=") return truth(x >= y);
    const bool are_truths = left.is_truth || std::is_same_v<T, bool>;
    if (are_truths && token == "|") return truth(is_true(left) || is_true(right));
    if (are_truths && token == "&") return truth(is_true(left) && is_true(right));
    if (are_truths && token == "^") return truth(is_true(left) != is_true(right));
    if constexpr (!std::is_same_v<T, bool>) {
      if (token == "+") return {wrap_add(x, y)};
      if (token == "-") return {wrap_sub(x, y)};
      if (token == "*") return {wrap_mul(x, y)};
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (token == "/") return {x / y};
    } else if constexpr (!std::is_same_v<T, bool>) {
      if (token == "&") return {static_cast<T>(x & y)};
      if (token == "|") return {static_cast<T>(x | y)};
      if (token == "^") return {static_cast<T>(x ^ y)};
    }
    throw std::runtime_error("no meaning of " + std::string(token));
  }

  Value unary() {
    if (take("-")) {
      const T value = unary().number;
      if constexpr (std::is_floating_point_v<T>) return {-value};
      if constexpr (!std::is_same_v<T, bool>) return {wrap_sub(T(0), value)};
      fail("no minus of bools");
    }
    if (take("!")) return truth(!is_true(unary()));
    if (take("~")) {
      if constexpr (kIsInt<T>) return {static_cast<T>(~unary().number)};
      fail("an int under ~");
    }
    return primary();
  }

  Value primary() {
    if (take("(")) {
      const Value value = choice();
      if (!take(")")) fail("')'");
      return value;
    }
    if (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0]))) {
      const std::string text(rest_);
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      skip(static_cast<size_t>(end - text.c_str()));
      return {static_cast<T>(value)};
    }
    size_t length = 0;
    while (length < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[length])) || rest_[length] == '_'))
      ++length;
    const std::string name(rest_.substr(0, length));
    skip(length);
    if (!take("(")) return variable(name);
    std::vector<T> args;
    do args.push_back(choice().number);
    while (take(","));
    if (!take(")")) fail("')'");
    return function(name, args);
  }

  Value variable(const std::string& name) const {
    if (name.size() != 1) fail("a name");
    if (name[0] >= 'x' && name[0] <= 'z') return operands_.at(static_cast<size_t>(name[0] - 'x'));
    return {numbers_.at(static_cast<size_t>(name[0] - 'a'))};
  }

  static Value function(const std::string& name, const std::vector<T>& args) {
    const T x = args.at(0);
    if (args.size() == 2 && (name == "maximum" || name == "minimum")) {
      const T y = args[1];
      if (x != x) return {x};
      return {name == "maximum" ? (x > y ? x : y) : (x < y ? x : y)};
    }
    if constexpr (kIsInt<T>) {
      const T y = args.at(1);
      const T rest = static_cast<T>(x % y);
      const bool is_moved = rest != 0 && (rest < 0) != (y < 0);
      if (name == "divide_trunc") return {static_cast<T>(x / y)};
      if (name == "divide_floor") return {static_cast<T>(x / y - (is_moved ? 1 : 0))};
      if (name == "fmod") return {rest};
      if (name == "remainder") return {static_cast<T>(is_moved ? rest + y : rest)};
    } else if constexpr (std::is_floating_point_v<T>) {
      if (args.size() == 1) return function_of_one(name, x);
      const T y = args.at(1);
      if (name == "fma") return {std::fma(x, y, args.at(2))};
      if (name == "copysign") return {std::copysign(x, y)};
      if (name == "pow") return {std::pow(x, y)};
      if (name == "fmod") return {std::fmod(x, y)};
      if (name == "divide_trunc") return {std::trunc(x / y)};
      if (name == "divide_floor") {
        const T rest = std::fmod(x, y);
        const bool is_below = rest != 0 && (rest < 0) != (y < 0);
        return {y == 0 ? x / y : std::nearbyint((x - rest) / y - (is_below ? 1 : 0))};
      }
      if (name == "remainder") {
        const T rest = std::fmod(x, y);
        return {rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest};
      }
    }
    throw std::runtime_error("no function " + name);
  }
  static Value function_of_one(const std::string& name, T x) {
    if (name == "isnan") return truth(std::isnan(x));
    if (name == "absolute") return {std::abs(x)};
    if (name == "floor") return {std::floor(x)};
    if (name == "ceil") return {std::ceil(x)};
    if (name == "trunc") return {std::trunc(x)};
    if (name == "round") return {std::nearbyint(x)};
    if (name == "sqrt") return {std::sqrt(x)};
    if (name == "rsqrt") return {1 / std::sqrt(x)};
    if (name == "exp") return {std::exp(x)};
    if (name == "exp2") return {std::exp2(x)};
    if (name == "expm1") return {std::expm1(x)};
    if (name == "log") return {std::log(x)};
    if (name == "log2") return {std::log2(x)};
    if (name == "log10") return {std::log10(x)};
    if (name == "log1p") return {std::log1p(x)};
    if (name == "sin") return {std::sin(x)};
    if (name == "cos") return {std::cos(x)};
    if (name == "tanh") return {std::tanh(x)};
    if (name == "sigmoid") return {1 / (1 + std::exp(-x))};
    if (name == "erf") return {std::erf(x)};
    throw std::runtime_error("no function " + name);
  }

  std::string_view rest_;
  std::vector<Value> operands_;
  std::vector<T> numbers_;
};

}  // namespace opwright::testing
