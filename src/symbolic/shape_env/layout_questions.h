// Questions about how memory is laid out: which dimension lies further out, whether two are one
// piece.
//
// A dimension that may be 1 is laid out as a longer one is, which suits it as well: its stride is
// never used. So an answer that holds for all sizes over 1 is given without a guard, and a program
// that takes any batch takes a batch of 1.
#pragma once

#include <cstdint>
#include <source_location>

#include "opwright/symint.h"

namespace opwright {

[[nodiscard]] inline bool is_laid_equal(
    int64_t a, int64_t b, std::source_location /*where*/ = std::source_location::current()) {
  return a == b;
}
// Where only a run can tell the answer is no.
[[nodiscard]] bool is_laid_equal(const SymInt& a, const SymInt& b,
                                 std::source_location where = std::source_location::current());

[[nodiscard]] inline bool is_laid_less(
    int64_t a, int64_t b, std::source_location /*where*/ = std::source_location::current()) {
  return a < b;
}
[[nodiscard]] bool is_laid_less(const SymInt& a, const SymInt& b,
                                std::source_location where = std::source_location::current());

}  // namespace opwright
