#include "opwright/symbolic/expression/linear_system.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "opwright/base/hash.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/expression/wide_int.h"

namespace opwright {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
constexpr size_t kMostRows = 250;
constexpr int kMostLinearSteps = 400;
constexpr int64_t kMostCoefficient = int64_t{1} << 60;

bool is_small(WideInt value) { return value <= kMostCoefficient && value >= -kMostCoefficient; }
bool is_small(const LinearRow& row) {
  return is_small(row.constant) && std::ranges::all_of(row.terms, [](const LinearTerm& term) {
           return is_small(term.coefficient);
         });
}

// a * x + b * y; nullopt if a coefficient grows too large.
std::optional<LinearRow> combine(const LinearRow& x, int64_t a, const LinearRow& y, int64_t b) {
  LinearRow result;
  const WideInt constant =
      static_cast<WideInt>(a) * x.constant + static_cast<WideInt>(b) * y.constant;
  if (!is_small(constant)) return std::nullopt;
  result.constant = static_cast<int64_t>(constant);
  const LinearTerm* i = x.terms.begin();
  const LinearTerm* j = y.terms.begin();
  while (i != x.terms.end() || j != y.terms.end()) {
    const uint32_t next_x = i == x.terms.end() ? kNone : i->variable;
    const uint32_t next_y = j == y.terms.end() ? kNone : j->variable;
    const uint32_t variable = std::min(next_x, next_y);
    WideInt value = 0;
    if (next_x == variable) value += static_cast<WideInt>(a) * (i++)->coefficient;
    if (next_y == variable) value += static_cast<WideInt>(b) * (j++)->coefficient;
    if (!is_small(value)) return std::nullopt;
    if (value != 0) result.terms.push_back({variable, static_cast<int64_t>(value)});
  }
  return result;
}

// Divides by the common divisor of all coefficients. False: the row is trivial.
bool normalise_row(LinearRow& row, bool* is_contradiction) {
  int64_t divisor = 0;
  for (const LinearTerm& term : row.terms) {
    divisor = greatest_divisor(divisor, term.coefficient);
    if (divisor == 1) return true;
  }
  if (divisor == 0) {
    *is_contradiction |= row.is_equality ? row.constant != 0 : row.constant > 0;
    return false;
  }
  if (row.is_equality && row.constant % divisor != 0) {
    *is_contradiction = true;
    return false;
  }
  for (LinearTerm& term : row.terms) term.coefficient /= divisor;
  row.constant = -floor_quotient(-row.constant, divisor);
  return true;
}

int64_t sign_of(const LinearRow& row) { return row.terms[0].coefficient < 0 ? -1 : 1; }

// Equal for a row and its opposite.
uint64_t hash_row(const LinearRow& row) {
  uint64_t hash = 0;
  for (const LinearTerm& term : row.terms) {
    hash = hash_combine(hash_combine(hash, term.variable),
                        static_cast<uint64_t>(term.coefficient * sign_of(row)));
  }
  return hash;
}
bool is_parallel(const LinearRow& a, const LinearRow& b) {
  const int64_t sign = sign_of(a) * sign_of(b);
  return std::ranges::equal(a.terms, b.terms, [&](const LinearTerm& x, const LinearTerm& y) {
    return x.variable == y.variable && x.coefficient == sign * y.coefficient;
  });
}

// Drops the least informative rows.
void keep_shortest(std::vector<LinearRow>& rows, size_t count) {
  std::ranges::stable_sort(rows, {}, [](const LinearRow& row) { return row.terms.size(); });
  if (rows.size() > count) rows.resize(count);
}

}  // namespace

int64_t LinearRow::coefficient(uint32_t variable) const noexcept {
  for (const LinearTerm& term : terms) {
    if (term.variable == variable) return term.coefficient;
  }
  return 0;
}

LinearSystem::LinearSystem(std::vector<LinearRow> rows, size_t num_variables)
    : fresh_(std::move(rows)), num_variables_(num_variables) {
  std::erase_if(fresh_, [](const LinearRow& row) { return !is_small(row); });
}

LinearSystem::Outcome LinearSystem::normalise_fresh() {
  bool is_contradiction = false;
  for (LinearRow& row : fresh_) {
    if (normalise_row(row, &is_contradiction)) rows_.push_back(std::move(row));
  }
  fresh_.clear();
  return is_contradiction ? Outcome::Infeasible : Outcome::Open;
}

// Keeps the tightest of parallel inequalities; two that leave one value become an equality.
LinearSystem::Outcome LinearSystem::join_parallel() {
  std::vector<std::pair<uint64_t, uint32_t>> order;
  order.reserve(rows_.size());
  for (uint32_t i = 0; i < rows_.size(); ++i) order.emplace_back(hash_row(rows_[i]), i);
  std::ranges::sort(order);
  std::vector<bool> is_dropped(rows_.size());
  for (size_t i = 0; i < order.size(); ++i) {
    LinearRow& row = rows_[order[i].second];
    for (size_t j = i + 1; j < order.size() && order[j].first == order[i].first; ++j) {
      LinearRow& other = rows_[order[j].second];
      if (is_dropped[order[i].second] || is_dropped[order[j].second]) continue;
      if (row.is_equality || other.is_equality || !is_parallel(row, other)) continue;
      if (sign_of(row) == sign_of(other)) {
        row.constant = std::max(row.constant, other.constant);
        is_dropped[order[j].second] = true;
        continue;
      }
      const WideInt gap = static_cast<WideInt>(row.constant) + other.constant;
      if (gap > 0) return Outcome::Infeasible;
      if (gap < 0) continue;
      row.is_equality = true;
      is_dropped[order[j].second] = true;
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (is_dropped[i]) continue;
    if (kept != i) rows_[kept] = std::move(rows_[i]);
    ++kept;
  }
  rows_.resize(kept);
  return Outcome::Open;
}

// Eliminates a variable from all rows with an equality.
void LinearSystem::substitute(const LinearRow& equality, uint32_t variable) {
  const int64_t divisor = equality.coefficient(variable);
  const int64_t sign = divisor < 0 ? -1 : 1;
  std::erase_if(rows_, [&](LinearRow& row) {
    const int64_t factor = row.coefficient(variable);
    if (factor == 0) return false;
    const int64_t common = greatest_divisor(factor, divisor);
    std::optional<LinearRow> sum =
        combine(row, sign * divisor / common, equality, -factor * sign / common);
    if (sum) {
      sum->is_equality = row.is_equality;
      fresh_.push_back(std::move(*sum));
    }
    return true;
  });
}

// With x = y - sum of floor(c_i / c) * x_i, the other coefficients of the equality become
// remainders modulo c.
void LinearSystem::reduce_coefficients(const LinearRow& equality, uint32_t variable,
                                       uint32_t kept) {
  const int64_t divisor = equality.coefficient(variable);
  LinearRow steps;
  for (const LinearTerm& term : equality.terms) {
    if (term.variable == variable || term.variable == kept) continue;
    const int64_t step = floor_quotient(term.coefficient, divisor);
    if (step != 0) steps.terms.push_back({term.variable, step});
  }
  if (steps.terms.empty()) {  // only the kept variable remains with it
    const auto is_itself = [&](const LinearRow& row) {
      return row.is_equality && row.terms == equality.terms && row.constant == equality.constant;
    };
    std::erase_if(rows_, is_itself);
    return substitute(equality, variable);
  }
  std::erase_if(rows_, [&](LinearRow& row) {
    const int64_t factor = row.coefficient(variable);
    if (factor == 0) return false;
    std::optional<LinearRow> sum = combine(row, 1, steps, -factor);
    if (sum) {
      sum->is_equality = row.is_equality;
      fresh_.push_back(std::move(*sum));
    }
    return true;
  });
}

// One step towards a system without equalities. False: no equality can be solved.
bool LinearSystem::solve_equality(uint32_t kept) {
  size_t best_row = 0;
  uint32_t best = kNone;
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < rows_.size() && least > 1; ++i) {
    if (!rows_[i].is_equality) continue;
    for (const LinearTerm& term : rows_[i].terms) {
      const int64_t size = std::abs(term.coefficient);
      if (term.variable == kept || size >= least) continue;
      least = size;
      best_row = i;
      best = term.variable;
    }
  }
  if (best == kNone) return false;
  const LinearRow equality = rows_[best_row];
  if (least > 1) {
    reduce_coefficients(equality, best, kept);
    return true;
  }
  rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(best_row));
  substitute(equality, best);
  return true;
}

// The variable whose elimination adds the fewest rows.
uint32_t LinearSystem::choose(uint32_t kept) const {
  std::vector<std::pair<uint32_t, uint32_t>> counts(num_variables_);
  for (const LinearRow& row : rows_) {
    for (const LinearTerm& term : row.terms) {
      ++(term.coefficient > 0 ? counts[term.variable].first : counts[term.variable].second);
    }
  }
  uint32_t best = kNone;
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < num_variables_; ++i) {
    const auto [above, below] = counts[i];
    const uint64_t added = uint64_t{above} * below;
    if (i == kept || above + below == 0 || added >= least) continue;
    least = added;
    best = i;
  }
  return best;
}

void LinearSystem::eliminate(uint32_t variable) {
  std::vector<LinearRow> upper;
  std::vector<LinearRow> lower;
  std::erase_if(rows_, [&](LinearRow& row) {
    const int64_t factor = row.coefficient(variable);
    if (factor == 0) return false;
    (factor > 0 ? upper : lower).push_back(std::move(row));
    return true;
  });
  if (upper.empty() || lower.empty()) return;
  const size_t room = kMostRows > rows_.size() ? kMostRows - rows_.size() : 1;
  if (upper.size() * lower.size() > room) {
    keep_shortest(upper, std::max(room / lower.size(), size_t{8}));
    keep_shortest(lower, std::max(room / upper.size(), size_t{1}));
  }
  for (const LinearRow& above : upper) {
    for (const LinearRow& below : lower) {
      const int64_t a = above.coefficient(variable);
      const int64_t b = -below.coefficient(variable);
      const int64_t divisor = greatest_divisor(a, b);
      if (std::optional<LinearRow> sum = combine(above, b / divisor, below, a / divisor)) {
        fresh_.push_back(std::move(*sum));
      }
    }
  }
}

LinearSystem::Outcome LinearSystem::reduce(uint32_t kept) {
  for (int step = 0; step < kMostLinearSteps; ++step) {
    const bool has_fresh = !fresh_.empty();
    if (normalise_fresh() == Outcome::Infeasible) return Outcome::Infeasible;
    if (solve_equality(kept)) continue;
    if (has_fresh) {
      if (join_parallel() == Outcome::Infeasible) return Outcome::Infeasible;
      if (solve_equality(kept)) continue;
    }
    const uint32_t next = choose(kept);
    if (next == kNone) break;
    eliminate(next);
  }
  return Outcome::Open;
}

bool LinearSystem::is_infeasible() { return reduce(kNone) == Outcome::Infeasible; }

SymRange LinearSystem::bounds(uint32_t variable) {
  if (reduce(variable) == Outcome::Infeasible) return {1, 0};
  SymRange result;
  for (const LinearRow& row : rows_) {
    if (row.terms.size() != 1 || row.terms[0].variable != variable) continue;
    const int64_t factor = row.terms[0].coefficient;
    const int64_t size = std::abs(factor);
    const int64_t above = factor > 0 ? row.constant : -row.constant;  // size * x + above <= 0
    if (factor > 0 || row.is_equality) {
      result.greatest = std::min(result.greatest, floor_quotient(-above, size));
    }
    if (factor < 0 || row.is_equality) {
      result.least = std::max(result.least, -floor_quotient(above, size));
    }
  }
  return result;
}

}  // namespace opwright
