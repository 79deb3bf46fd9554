// Queries about memory layout: which dimension is further out, whether two dimensions are
// contiguous.
//
// A dimension that may be 1 is laid out like a longer one, which works as well: its stride is never
// used. So an answer that holds for all sizes above 1 needs no guard, and a program that accepts
// any batch accepts a batch of 1.
#pragma once

#include <cstdint>
#include <source_location>

#include "opwright/symint.h"

namespace opwright {

[[nodiscard]] inline bool is_laid_equal(
    int64_t a, int64_t b, std::source_location /*where*/ = std::source_location::current()) {
  return a == b;
}
// The answer is no if it is known only at run time.
[[nodiscard]] bool is_laid_equal(const SymInt& a, const SymInt& b,
                                 std::source_location where = std::source_location::current());

[[nodiscard]] inline bool is_laid_less(
    int64_t a, int64_t b, std::source_location /*where*/ = std::source_location::current()) {
  return a < b;
}
[[nodiscard]] bool is_laid_less(const SymInt& a, const SymInt& b,
                                std::source_location where = std::source_location::current());

}  // namespace opwright
