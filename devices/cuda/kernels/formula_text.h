// The formula of a loop as statements of CUDA C++ over formula_functions.h.
//
// A formula is read as docs/concepts/device_plugin.md tells: operators of C++ with its precedence,
// ?:, numbers, functions by name, the operands x, y, z and the numbers a, b, c. Every term becomes
// one constant, so that what stands in the text twice is computed once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opwright::cuda {

struct FormulaText {
  std::string body;       // statements over x, y, z, a, b, c of a type T; the last one returns
  bool is_truth = false;  // of what is returned
  bool takes_floats = true;
  bool takes_ints = true;
  int num_operands = 0;
};

// None: the text is no formula, or none for operands of this kind. `of_bools`: all operands and
// numbers are truth values.
std::optional<FormulaText> write_formula(std::string_view text, bool of_bools);

}  // namespace opwright::cuda
