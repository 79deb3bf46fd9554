// Linear equalities and inequalities over integers: whether no integers solve them, and what they
// leave to one variable.
//
// Equalities are solved in integers; inequalities by Fourier and Motzkin, rounded to integers at
// each step. What grows too large is left out, so that an answer may be missed but is never wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "opwright/symbolic/shape_env.h"

namespace opwright {

// sum of coefficients[i] * variable i, plus the constant, is <= 0 or == 0. Variables past the end
// of the coefficients have 0.
struct LinearRow {
  std::vector<int64_t> coefficients;
  int64_t constant = 0;
  bool is_equality = false;
};

class LinearSystem {
 public:
  LinearSystem(std::vector<LinearRow> rows, size_t num_variables);

  // True: no integers solve all rows. Consumes the rows.
  [[nodiscard]] bool is_infeasible();
  // The values of a variable that the rows leave, or more; empty where no integers solve them.
  // Consumes the rows.
  [[nodiscard]] SymRange bounds(size_t variable);

 private:
  enum class Outcome { Infeasible, Open };
  Outcome reduce(size_t kept);
  bool normalise(LinearRow& row, bool* is_contradiction) const;
  Outcome normalise_all();
  Outcome join_parallel(bool* found_equality);
  bool solve_equality(size_t kept);
  void substitute(const LinearRow& equality, size_t variable);
  void eliminate(size_t variable);
  [[nodiscard]] size_t choose(size_t kept) const;

  std::vector<LinearRow> rows_;
  size_t num_variables_;
};

}  // namespace opwright
