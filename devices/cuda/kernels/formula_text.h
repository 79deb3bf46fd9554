// Translates a loop's formula to statements of CUDA C++ over formula_functions.h.
//
// A formula has the syntax of docs/concepts/device_plugin.md: C++ operators with their precedence,
// ?:, numbers, functions by name, the operands x, y, z and the numbers a, b, c. Every term becomes
// one constant, so repeated terms are computed once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opwright::cuda {

struct FormulaText {
  std::string body;       // statements over x, y, z, a, b, c of a type T; the last one returns
  bool is_truth = false;  // whether it returns a truth value
  bool takes_floats = true;
  bool takes_ints = true;
  int num_operands = 0;
};

// Empty if the text is not a formula, or not one for operands of this kind. `of_bools`: all
// operands and numbers are truth values.
std::optional<FormulaText> write_formula(std::string_view text, bool of_bools);

}  // namespace opwright::cuda
