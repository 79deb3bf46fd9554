// Linear equalities and inequalities over integers: whether they have no integer solution, and
// which values they leave for one variable.
//
// Equalities are solved in integers; inequalities by Fourier-Motzkin elimination, rounded to
// integers at each step. Rows that grow too large are dropped, so an answer may be missed but is
// never wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/symbolic/expression/symbol.h"

namespace opwright {

struct LinearTerm {
  uint32_t variable;
  int64_t coefficient;  // not 0
  friend bool operator==(const LinearTerm&, const LinearTerm&) = default;
};

// The sum of the terms, sorted by variable, and the constant is <= 0 or == 0.
struct LinearRow {
  SmallVector<LinearTerm, 4> terms;
  int64_t constant = 0;
  bool is_equality = false;

  [[nodiscard]] int64_t coefficient(uint32_t variable) const noexcept;
};

class LinearSystem {
 public:
  LinearSystem(std::vector<LinearRow> rows, size_t num_variables);

  // True: no integers satisfy all rows. Consumes the rows.
  [[nodiscard]] bool is_infeasible();
  // A superset of the values that the rows allow for a variable; empty if they have no solution.
  // Consumes the rows.
  [[nodiscard]] SymRange bounds(uint32_t variable);

 private:
  enum class Outcome { Infeasible, Open };
  // Eliminates all variables but `kept`.
  Outcome reduce(uint32_t kept);
  // Normalises the rows added since the last call.
  Outcome normalise_fresh();
  Outcome join_parallel();
  bool solve_equality(uint32_t kept);
  void substitute(const LinearRow& equality, uint32_t variable);
  void reduce_coefficients(const LinearRow& equality, uint32_t variable, uint32_t kept);
  void eliminate(uint32_t variable);
  [[nodiscard]] uint32_t choose(uint32_t kept) const;

  std::vector<LinearRow> rows_;
  std::vector<LinearRow> fresh_;
  size_t num_variables_;
};

}  // namespace opwright
