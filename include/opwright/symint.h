// Integers that may be symbols. Arithmetic on plain ints is inline; arithmetic on symbols calls
// their owner.
//
// Converting a SymBool to bool is a guard: the owner decides now and records the decision, with the
// file and line of the comparison. check() requires a condition instead of deciding it, so it also
// works for sizes known only at run time.
#pragma once

#include <concepts>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <utility>

#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright OPWRIGHT_VISIBILITY {
constexpr bool is_symbolic(OpwSymWord word) { return word < kOpwSmallestInt; }
inline OpwSymNode* sym_node(OpwSymWord word) {
  return reinterpret_cast<OpwSymNode*>(static_cast<uintptr_t>(word) & ~(uintptr_t{1} << 63));
}
inline OpwSymWord sym_word(OpwSymNode* node) {
  return static_cast<OpwSymWord>(reinterpret_cast<uintptr_t>(node) | uintptr_t{1} << 63);
}
inline OpwSymWord retain_word(OpwSymWord word) {
  if (is_symbolic(word)) [[unlikely]]
    sym_node(word)->table->retain(sym_node(word));
  return word;
}
inline void release_word(OpwSymWord word) {
  if (is_symbolic(word)) [[unlikely]]
    sym_node(word)->table->release(sym_node(word));
}

class SymInt {
 public:
  SymInt() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): an int is a SymInt
  SymInt(int64_t value) : word_(value) {
    if (value < kOpwSmallestInt) [[unlikely]]
      throw_error("OverflowError", "SymInt: ", value, " is below -2^62");
  }
  static SymInt take(OpwSymWord word) noexcept { return SymInt(word, Raw{}); }
  static SymInt borrow(OpwSymWord word) { return take(retain_word(word)); }
  SymInt(const SymInt& other) : word_(retain_word(other.word_)) {}
  SymInt(SymInt&& other) noexcept : word_(std::exchange(other.word_, 0)) {}
  SymInt& operator=(SymInt other) noexcept {
    std::swap(word_, other.word_);
    return *this;
  }
// GCC 12 warns that the empty state of a std::optional<SymInt> is read here.
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
  ~SymInt() { release_word(word_); }
#pragma GCC diagnostic pop

  [[nodiscard]] bool is_symbolic() const noexcept { return opwright::is_symbolic(word_); }
  [[nodiscard]] OpwSymWord word() const noexcept { return word_; }
  // Releases ownership: the caller gets the count.
  [[nodiscard]] OpwSymWord give() noexcept { return std::exchange(word_, 0); }
  // The int value; a symbol becomes fixed, and its owner records where.
  [[nodiscard]] int64_t specialise(
      std::source_location where = std::source_location::current()) const {
    if (!is_symbolic()) return word_;
    int64_t value = 0;
    require_ok(sym_node(word_)->table->specialise(word_, where.file_name(), where.line(), &value));
    return value;
  }

 private:
  struct Raw {};
  SymInt(OpwSymWord word, Raw) noexcept : word_(word) {}

  OpwSymWord word_ = 0;
};
static_assert(sizeof(SymInt) ==
              sizeof(OpwSymWord));  // so that an array of SymInt is an array of words

inline void append_text(std::string& out, const SymInt& value) {
  if (!value.is_symbolic()) return append_text(out, value.word());
  const OpwSymTable* table = sym_node(value.word())->table;
  std::string text(table->text(value.word(), nullptr, 0), '\0');
  table->text(value.word(), text.data(), text.size() + 1);
  out.append(text);
}

// The value of `op` on plain ints; wraps around on overflow.
constexpr int64_t fold_sym(OpwSymOp op, int64_t a, int64_t b) {
  const auto wrap = [](uint64_t word) { return static_cast<int64_t>(word); };
  const auto floor_div = [](int64_t x, int64_t y) {
    if (y == 0) throw_error("ZeroDivisionError", "division of a size by zero");
    return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
  };
  switch (op) {
    case kOpwSymAdd:
      return wrap(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    case kOpwSymSub:
      return wrap(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
    case kOpwSymMul:
      return wrap(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case kOpwSymFloorDiv:
      return floor_div(a, b);
    case kOpwSymMod:
      return a - b * floor_div(a, b);
    case kOpwSymMax:
      return a > b ? a : b;
    case kOpwSymMin:
      return a < b ? a : b;
    case kOpwSymEq:
      return a == b;
    case kOpwSymNe:
      return a != b;
    case kOpwSymLt:
      return a < b;
    case kOpwSymLe:
      return a <= b;
    case kOpwSymGt:
      return a > b;
    case kOpwSymGe:
      return a >= b;
    case kOpwSymAnd:
      return a != 0 && b != 0;
    case kOpwSymOr:
      return a != 0 || b != 0;
    case kOpwSymNot:
      return a == 0;
  }
  return 0;
}

inline SymInt apply_sym(OpwSymOp op, const SymInt& a, const SymInt& b) {
  if (!a.is_symbolic() && !b.is_symbolic()) [[likely]]
    return SymInt(fold_sym(op, a.word(), b.word()));
  OpwSymWord result = 0;
  require_ok(sym_node(a.is_symbolic() ? a.word() : b.word())
                 ->table->apply(op, a.word(), b.word(), &result));
  return SymInt::take(result);
}
inline SymInt operator+(const SymInt& a, const SymInt& b) { return apply_sym(kOpwSymAdd, a, b); }
inline SymInt operator-(const SymInt& a, const SymInt& b) { return apply_sym(kOpwSymSub, a, b); }
inline SymInt operator*(const SymInt& a, const SymInt& b) { return apply_sym(kOpwSymMul, a, b); }
inline SymInt operator/(const SymInt& a, const SymInt& b) {
  return apply_sym(kOpwSymFloorDiv, a, b);
}
inline SymInt operator%(const SymInt& a, const SymInt& b) { return apply_sym(kOpwSymMod, a, b); }
inline SymInt sym_max(const SymInt& a, const SymInt& b) { return apply_sym(kOpwSymMax, a, b); }
inline SymInt sym_min(const SymInt& a, const SymInt& b) { return apply_sym(kOpwSymMin, a, b); }

// A condition on sizes. It remembers where it was written.
class SymBool {
 public:
  SymBool(SymInt value, std::source_location where) : value_(std::move(value)), where_(where) {}
  // NOLINTNEXTLINE(google-explicit-constructor): the guard of an `if`
  operator bool() const { return guard(kOpwUnknownIsError); }
  [[nodiscard]] bool guard(OpwIfUnknown if_unknown) const {
    if (!value_.is_symbolic()) [[likely]]
      return value_.word() != 0;
    int result = 0;
    require_ok(
        sym_node(value_.word())
            ->table->guard(value_.word(), if_unknown, where_.file_name(), where_.line(), &result));
    return result != 0;
  }
  void check(const std::string& message) const {
    if (value_.is_symbolic()) {
      require_ok(
          sym_node(value_.word())
              ->table->check(value_.word(), message.c_str(), where_.file_name(), where_.line()));
    } else if (value_.word() == 0) {
      throw Error("ValueError", message);
    }
  }
  [[nodiscard]] bool is_symbolic() const noexcept { return value_.is_symbolic(); }
  [[nodiscard]] const SymInt& value() const noexcept { return value_; }
  [[nodiscard]] const std::source_location& where() const noexcept { return where_; }

 private:
  SymInt value_;
  std::source_location where_;
};

// An operand of a comparison: the conversion happens at the author's line and sets `where`.
struct SymOperand {
  // NOLINTBEGIN(google-explicit-constructor)
  SymOperand(const SymInt& v, std::source_location w = std::source_location::current())
      : value(v), where(w) {}
  template <std::integral Int>
  SymOperand(Int v, std::source_location w = std::source_location::current())
      : value(static_cast<int64_t>(v)), where(w) {}
  // NOLINTEND(google-explicit-constructor)
  SymInt value;
  std::source_location where;
};
inline SymBool operator==(const SymOperand& a, const SymOperand& b) {
  return {apply_sym(kOpwSymEq, a.value, b.value), b.where};
}
inline SymBool operator!=(const SymOperand& a, const SymOperand& b) {
  return {apply_sym(kOpwSymNe, a.value, b.value), b.where};
}
inline SymBool operator<(const SymOperand& a, const SymOperand& b) {
  return {apply_sym(kOpwSymLt, a.value, b.value), b.where};
}
inline SymBool operator<=(const SymOperand& a, const SymOperand& b) {
  return {apply_sym(kOpwSymLe, a.value, b.value), b.where};
}
inline SymBool operator>(const SymOperand& a, const SymOperand& b) {
  return {apply_sym(kOpwSymGt, a.value, b.value), b.where};
}
inline SymBool operator>=(const SymOperand& a, const SymOperand& b) {
  return {apply_sym(kOpwSymGe, a.value, b.value), b.where};
}
inline SymBool sym_and(const SymBool& a, const SymBool& b) {
  return {apply_sym(kOpwSymAnd, a.value(), b.value()), b.where()};
}
inline SymBool sym_or(const SymBool& a, const SymBool& b) {
  return {apply_sym(kOpwSymOr, a.value(), b.value()), b.where()};
}
inline SymBool sym_not(const SymBool& a) {
  return {apply_sym(kOpwSymNot, a.value(), 0), a.where()};
}

// Treats an unknown condition as false; for broadcasting and fast paths.
inline bool guard_or_false(const SymBool& condition) { return condition.guard(kOpwUnknownIsFalse); }
inline bool guard_or_true(const SymBool& condition) { return condition.guard(kOpwUnknownIsTrue); }
// Throws ValueError with `message` unless the condition holds, now or when the owner's program
// runs.
inline void check(const SymBool& condition, const std::string& message) {
  condition.check(message);
}
}  // namespace opwright
