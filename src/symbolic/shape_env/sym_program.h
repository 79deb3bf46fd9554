// A list of symbolic ints as a short postfix program: their stored form, computed from the values
// of their symbols.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/symint.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT SymProgram {
 public:
  // Computes `values`, all of one environment, from symbols in the order of `symbols` (their
  // names). Throws ValueError for a symbol that is not listed.
  SymProgram(std::span<const SymInt> values, std::vector<std::string> symbols);
  // Parses to_text(). Throws ValueError for anything else.
  [[nodiscard]] static SymProgram parse(std::string_view text);

  // Computes the values from those of the symbols. Throws ZeroDivisionError, and OverflowError if a
  // result exceeds 64 bits.
  void run(std::span<const int64_t> symbols, std::span<int64_t> values) const;
  // The same for values that may be symbols of any owner: for a graph that runs on fake tensors.
  void run(std::span<const SymInt> symbols, std::span<SymInt> values) const;

  [[nodiscard]] const std::vector<std::string>& symbols() const noexcept { return symbols_; }
  [[nodiscard]] size_t num_values() const noexcept { return num_values_; }
  // "s0 s1 : s0 2 * ; s0 s1 + ;"
  [[nodiscard]] std::string to_text() const;

  friend bool operator==(const SymProgram&, const SymProgram&) = default;

 private:
  class Compiler;
  SymProgram() = default;
  bool measure_stack();

  // An operation, a symbol by index, or a constant.
  struct Step {
    enum class Kind : uint8_t { Constant, Symbol, Apply, End } kind;
    int64_t operand = 0;  // the constant, the index, or the OpwSymOp
    friend bool operator==(const Step&, const Step&) = default;
  };
  std::vector<std::string> symbols_;
  std::vector<Step> steps_;
  size_t num_values_ = 0;
  size_t stack_ = 0;  // the maximum stack depth
};

}  // namespace opwright
