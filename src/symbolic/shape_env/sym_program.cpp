#include "opwright/symbolic/shape_env/sym_program.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/wide_int.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr std::string_view kOpSigns[] = {
    "+", "-", "*", "//", "%", "max", "min", "==", "!=", "<", "<=", ">", ">=", "and", "or", "not"};

std::optional<OpwSymOp> find_op(std::string_view sign) {
  const auto* found = std::ranges::find(kOpSigns, sign);
  if (found == std::end(kOpSigns)) return std::nullopt;
  return static_cast<OpwSymOp>(found - std::begin(kOpSigns));
}

[[noreturn, gnu::cold]] void throw_size_overflow() {
  throw_error("OverflowError", "a computed size leaves 64 bits");
}

WideInt divide_down(WideInt a, WideInt b) {
  OPWRIGHT_CHECK_KIND("ZeroDivisionError", b != 0, "division of a size by zero");
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// Operands are below 2^126; anything larger is too large for any result.
WideInt compute(OpwSymOp op, WideInt a, WideInt b) {
  WideInt result = 0;
  switch (op) {
    case kOpwSymAdd:
      return a + b;
    case kOpwSymSub:
      return a - b;
    case kOpwSymMul:
      if (__builtin_mul_overflow(a, b, &result)) throw_size_overflow();
      return result;
    case kOpwSymFloorDiv:
      return divide_down(a, b);
    case kOpwSymMod:
      return a - b * divide_down(a, b);
    case kOpwSymMax:
      return std::max(a, b);
    case kOpwSymMin:
      return std::min(a, b);
    case kOpwSymEq:
      return a == b ? 1 : 0;
    case kOpwSymNe:
      return a != b ? 1 : 0;
    case kOpwSymLt:
      return a < b ? 1 : 0;
    case kOpwSymLe:
      return a <= b ? 1 : 0;
    case kOpwSymGt:
      return a > b ? 1 : 0;
    case kOpwSymGe:
      return a >= b ? 1 : 0;
    case kOpwSymAnd:
      return a != 0 && b != 0 ? 1 : 0;
    case kOpwSymOr:
      return a != 0 || b != 0 ? 1 : 0;
    case kOpwSymNot:
      return a == 0 ? 1 : 0;
  }
  return 0;
}

}  // namespace

// ---- From expressions ----

class SymProgram::Compiler {
 public:
  explicit Compiler(SymProgram& program) : program_(program) {}

  void compile(const SymInt& value) {
    emit(value.word());
    program_.steps_.push_back({Step::Kind::End});
  }

 private:
  void apply(OpwSymOp op) { program_.steps_.push_back({Step::Kind::Apply, op}); }
  void constant(int64_t value) { program_.steps_.push_back({Step::Kind::Constant, value}); }

  void emit(OpwSymWord word) {
    if (!is_symbolic(word)) return constant(word);
    const SymInt value = SymInt::borrow(word);
    OPWRIGHT_CHECK_VALUE(shape_env_of(value),
                         "a program of symbolic ints accepts only those of a ShapeEnv, got ",
                         value);
    const Expression& expression = expression_of(word);
    switch (expression.kind) {
      case ExpressionKind::Symbol:
        return emit_symbol(*expression.name);
      case ExpressionKind::Product:
        return emit_list(expression.operands, kOpwSymMul);
      case ExpressionKind::Sum:
        return emit_sum(expression);
      case ExpressionKind::FloorDiv:
        return emit_list(expression.operands, kOpwSymFloorDiv);
      case ExpressionKind::Mod:
        return emit_list(expression.operands, kOpwSymMod);
      case ExpressionKind::Max:
        return emit_list(expression.operands, kOpwSymMax);
      case ExpressionKind::Min:
        return emit_list(expression.operands, kOpwSymMin);
      case ExpressionKind::Equal:
        return emit_comparison(expression, kOpwSymEq);
      case ExpressionKind::NotEqual:
        return emit_comparison(expression, kOpwSymNe);
      case ExpressionKind::AtMost:
        return emit_comparison(expression, kOpwSymLe);
      case ExpressionKind::And:
        return emit_list(expression.operands, kOpwSymAnd);
      case ExpressionKind::Or:
        return emit_list(expression.operands, kOpwSymOr);
    }
  }

  void emit_symbol(const std::string& name) {
    const auto found = std::ranges::find(program_.symbols_, name);
    OPWRIGHT_CHECK_VALUE(found != program_.symbols_.end(), "the symbol ", name,
                         " is not among those that are given");
    program_.steps_.push_back({Step::Kind::Symbol, found - program_.symbols_.begin()});
  }

  void emit_list(std::span<const OpwSymWord> operands, OpwSymOp op) {
    emit(operands[0]);
    for (const OpwSymWord operand : operands.subspan(1)) {
      emit(operand);
      apply(op);
    }
  }

  // s0 2 * s1 + 1 -
  void emit_sum(const Expression& sum) {
    bool is_first = true;
    for (const SumTerm& term : sum.terms) {
      const bool is_added = is_first || term.coefficient > 0;
      const int64_t factor = is_added ? term.coefficient : -term.coefficient;
      emit(word_of(*term.monomial));
      if (factor != 1) {
        constant(factor);
        apply(kOpwSymMul);
      }
      if (!std::exchange(is_first, false)) apply(is_added ? kOpwSymAdd : kOpwSymSub);
    }
    if (sum.constant == 0) return;
    constant(sum.constant < 0 ? -sum.constant : sum.constant);
    apply(sum.constant < 0 ? kOpwSymSub : kOpwSymAdd);
  }

  void emit_comparison(const Expression& comparison, OpwSymOp op) {
    emit(comparison.operands[0]);
    constant(0);
    apply(op);
  }

  SymProgram& program_;
};

SymProgram::SymProgram(std::span<const SymInt> values, std::vector<std::string> symbols)
    : symbols_(std::move(symbols)), num_values_(values.size()) {
  Compiler compiler(*this);
  for (const SymInt& value : values) compiler.compile(value);
  static_cast<void>(measure_stack());
}

// ---- Running ----

// False if a step pops from an empty stack.
bool SymProgram::measure_stack() {
  size_t now = 0;
  num_values_ = 0;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::End) {
      if (std::exchange(now, 0) != 1) return false;
      ++num_values_;
    } else if (step.kind == Step::Kind::Apply) {
      const size_t taken = step.operand == kOpwSymNot ? 1 : 2;
      if (now < taken) return false;
      now -= taken - 1;
    } else {
      stack_ = std::max(stack_, ++now);
    }
  }
  return now == 0;
}

void SymProgram::run(std::span<const int64_t> symbols, std::span<int64_t> values) const {
  OPWRIGHT_CHECK_VALUE(symbols.size() == symbols_.size(), "a program of ", symbols_.size(),
                       " symbols was given ", symbols.size(), " values");
  OPWRIGHT_CHECK_VALUE(values.size() == num_values_, "a program computes ", num_values_,
                       " values, there is room for ", values.size());
  constexpr WideInt kMost = WideInt{1} << 125;
  SmallVector<WideInt, 16> stack(stack_);
  size_t top = 0;
  size_t done = 0;
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Kind::Constant:
        stack[top++] = step.operand;
        break;
      case Step::Kind::Symbol:
        stack[top++] = symbols[static_cast<size_t>(step.operand)];
        break;
      case Step::Kind::Apply: {
        const auto op = static_cast<OpwSymOp>(step.operand);
        const WideInt right = op == kOpwSymNot ? 0 : stack[--top];
        WideInt& left = stack[top - 1];
        left = compute(op, left, right);
        if (left >= kMost || left <= -kMost) throw_size_overflow();
        break;
      }
      case Step::Kind::End:
        if (stack[0] > INT64_MAX || stack[0] < INT64_MIN) throw_size_overflow();
        values[done++] = static_cast<int64_t>(stack[0]);
        top = 0;
        break;
    }
  }
}

// ---- Text ----

std::string SymProgram::to_text() const {
  std::string text;
  for (const std::string& symbol : symbols_) text.append(symbol).push_back(' ');
  text.push_back(':');
  for (const Step& step : steps_) {
    text.push_back(' ');
    switch (step.kind) {
      case Step::Kind::Constant:
        append_text(text, step.operand);
        break;
      case Step::Kind::Symbol:
        text.append(symbols_[static_cast<size_t>(step.operand)]);
        break;
      case Step::Kind::Apply:
        text.append(kOpSigns[step.operand]);
        break;
      case Step::Kind::End:
        text.push_back(';');
        break;
    }
  }
  return text;
}

SymProgram SymProgram::parse(std::string_view text) {
  SymProgram program;
  const auto fail = [&](const std::string& problem) {
    throw_error("ValueError", "program of symbolic ints: ", problem, "\n    ", text);
  };
  const auto is_name = [](std::string_view word) {
    const auto is_part = [](char c) {
      return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    };
    return std::isdigit(static_cast<unsigned char>(word[0])) == 0 &&
           std::ranges::all_of(word, is_part) && !find_op(word);
  };
  bool is_after_colon = false;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const std::string_view word = text.substr(at, text.find(' ', at) - at);
    at += word.size();
    const auto symbol = std::ranges::find(program.symbols_, word);
    if (!is_after_colon) {
      is_after_colon = word == ":";
      if (is_after_colon) continue;
      if (!is_name(word)) fail(concatenate("'", word, "' is not a valid symbol name"));
      if (symbol != program.symbols_.end()) fail(concatenate("'", word, "' is listed twice"));
      program.symbols_.emplace_back(word);
      continue;
    }
    int64_t value = 0;
    const char* end = word.data() + word.size();
    const auto number = std::from_chars(word.data(), end, value);
    if (word == ";") {
      program.steps_.push_back({Step::Kind::End});
    } else if (number.ec == std::errc() && number.ptr == end) {
      program.steps_.push_back({Step::Kind::Constant, value});
    } else if (const std::optional<OpwSymOp> op = find_op(word)) {
      program.steps_.push_back({Step::Kind::Apply, *op});
    } else if (symbol != program.symbols_.end()) {
      program.steps_.push_back({Step::Kind::Symbol, symbol - program.symbols_.begin()});
    } else {
      fail(concatenate("'", word, "' is not an operation, number or listed symbol"));
    }
  }
  if (!is_after_colon) fail("the ':' after the names of the symbols is missing");
  if (!program.measure_stack()) fail("an operand or a ';' is missing");
  return program;
}

}  // namespace opwright
