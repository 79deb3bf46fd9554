#include "opwright/symbolic/linear_system.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "opwright/symbolic/polynomial.h"
#include "opwright/symbolic/shape_env.h"

namespace opwright {
namespace {

__extension__ typedef __int128 Wide;

constexpr size_t kNone = std::numeric_limits<size_t>::max();
constexpr size_t kMostRows = 300;
constexpr int kMostSteps = 400;
constexpr int64_t kMostCoefficient = int64_t{1} << 60;

bool is_small(Wide value) { return value <= kMostCoefficient && value >= -kMostCoefficient; }

// a * x + b * y; none where a coefficient grows too large.
std::optional<LinearRow> combine(const LinearRow& x, int64_t a, const LinearRow& y, int64_t b) {
  LinearRow result;
  result.coefficients.resize(x.coefficients.size());
  for (size_t i = 0; i < x.coefficients.size(); ++i) {
    const Wide value =
        static_cast<Wide>(a) * x.coefficients[i] + static_cast<Wide>(b) * y.coefficients[i];
    if (!is_small(value)) return std::nullopt;
    result.coefficients[i] = static_cast<int64_t>(value);
  }
  const Wide constant = static_cast<Wide>(a) * x.constant + static_cast<Wide>(b) * y.constant;
  if (!is_small(constant)) return std::nullopt;
  result.constant = static_cast<int64_t>(constant);
  return result;
}

// The one that says least.
void drop_longest(std::vector<LinearRow>& rows) {
  const auto num_zeros = [](const LinearRow& row) {
    return std::ranges::count(row.coefficients, 0);
  };
  rows.erase(std::ranges::min_element(rows, {}, num_zeros));
}

bool is_opposite(const LinearRow& a, const LinearRow& b) {
  return std::ranges::equal(a.coefficients, b.coefficients,
                            [](int64_t x, int64_t y) { return x == -y; });
}

}  // namespace

LinearSystem::LinearSystem(std::vector<LinearRow> rows, size_t num_variables)
    : rows_(std::move(rows)), num_variables_(num_variables) {
  const auto is_large = [](const LinearRow& row) {
    return !is_small(row.constant) ||
           std::ranges::any_of(row.coefficients, [](int64_t value) { return !is_small(value); });
  };
  std::erase_if(rows_, is_large);
  for (LinearRow& row : rows_) row.coefficients.resize(num_variables_);
}

// Divides by what divides all coefficients. False: the row says nothing.
bool LinearSystem::normalise(LinearRow& row, bool* is_contradiction) const {
  int64_t divisor = 0;
  for (const int64_t value : row.coefficients) divisor = greatest_divisor(divisor, value);
  if (divisor == 0) {
    *is_contradiction |= row.is_equality ? row.constant != 0 : row.constant > 0;
    return false;
  }
  if (divisor == 1) return true;
  if (row.is_equality && row.constant % divisor != 0) {
    *is_contradiction = true;
    return false;
  }
  for (int64_t& value : row.coefficients) value /= divisor;
  row.constant = -floor_quotient(-row.constant, divisor);
  return true;
}

LinearSystem::Outcome LinearSystem::normalise_all() {
  bool is_contradiction = false;
  std::erase_if(rows_, [&](LinearRow& row) { return !normalise(row, &is_contradiction); });
  return is_contradiction ? Outcome::Infeasible : Outcome::Open;
}

// Of parallel inequalities the tightest stays; two that leave one value are an equality.
LinearSystem::Outcome LinearSystem::join_parallel(bool* found_equality) {
  std::ranges::sort(rows_, [](const LinearRow& a, const LinearRow& b) {
    if (a.is_equality != b.is_equality) return a.is_equality;
    if (a.coefficients != b.coefficients) return a.coefficients < b.coefficients;
    return a.constant > b.constant;
  });
  const auto same = [](const LinearRow& a, const LinearRow& b) {
    return a.is_equality == b.is_equality && a.coefficients == b.coefficients &&
           (!a.is_equality || a.constant == b.constant);
  };
  rows_.erase(std::unique(rows_.begin(), rows_.end(), same), rows_.end());
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].is_equality) continue;
    for (size_t j = i + 1; j < rows_.size(); ++j) {
      if (!is_opposite(rows_[i], rows_[j])) continue;
      const Wide gap = static_cast<Wide>(rows_[i].constant) + rows_[j].constant;
      if (gap > 0) return Outcome::Infeasible;
      if (gap < 0) break;
      rows_[i].is_equality = true;
      rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(j));
      *found_equality = true;
      break;
    }
  }
  return Outcome::Open;
}

// Takes a variable out of all rows with what an equality says of it.
void LinearSystem::substitute(const LinearRow& equality, size_t variable) {
  const int64_t divisor = equality.coefficients[variable];
  std::vector<LinearRow> changed;
  for (LinearRow& row : rows_) {
    const int64_t factor = row.coefficients[variable];
    if (factor == 0) {
      changed.push_back(std::move(row));
      continue;
    }
    const int64_t common = greatest_divisor(factor, divisor);
    const int64_t sign = divisor < 0 ? -1 : 1;
    std::optional<LinearRow> sum =
        combine(row, sign * divisor / common, equality, -factor * sign / common);
    if (!sum) continue;
    sum->is_equality = row.is_equality;
    changed.push_back(std::move(*sum));
  }
  rows_ = std::move(changed);
}

// One step towards a system without equalities. False: there is none that can be solved.
bool LinearSystem::solve_equality(size_t kept) {
  size_t best_row = kNone;
  size_t best = kNone;
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (!rows_[i].is_equality) continue;
    for (size_t j = 0; j < num_variables_; ++j) {
      const int64_t size = std::abs(rows_[i].coefficients[j]);
      if (j == kept || size == 0 || size >= least) continue;
      least = size;
      best_row = i;
      best = j;
    }
  }
  if (best == kNone) return false;
  if (least == 1) {
    const LinearRow equality = rows_[best_row];
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(best_row));
    substitute(equality, best);
    return true;
  }
  // x = y - sum of floor(c_i / c) * x_i makes the other coefficients remainders of c.
  const LinearRow equality = rows_[best_row];
  const int64_t divisor = equality.coefficients[best];
  std::vector<int64_t> steps(num_variables_);
  bool is_progress = false;
  for (size_t j = 0; j < num_variables_; ++j) {
    if (j == best || j == kept) continue;
    steps[j] = floor_quotient(equality.coefficients[j], divisor);
    is_progress |= steps[j] != 0;
  }
  if (!is_progress) {  // only the kept variable is left with it
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(best_row));
    substitute(equality, best);
    return true;
  }
  const auto grows_too_large = [&](LinearRow& row) {
    const int64_t factor = row.coefficients[best];
    for (size_t j = 0; factor != 0 && j < num_variables_; ++j) {
      const Wide value = row.coefficients[j] - static_cast<Wide>(factor) * steps[j];
      if (!is_small(value)) return true;
      row.coefficients[j] = static_cast<int64_t>(value);
    }
    return false;
  };
  std::erase_if(rows_, grows_too_large);
  return true;
}

// The variable whose elimination adds the fewest rows.
size_t LinearSystem::choose(size_t kept) const {
  size_t best = kNone;
  size_t least = kNone;
  for (size_t j = 0; j < num_variables_; ++j) {
    if (j == kept) continue;
    size_t above = 0;
    size_t below = 0;
    for (const LinearRow& row : rows_) {
      above += row.coefficients[j] > 0 ? 1 : 0;
      below += row.coefficients[j] < 0 ? 1 : 0;
    }
    if (above + below == 0 || above * below >= least) continue;
    least = above * below;
    best = j;
  }
  return best;
}

void LinearSystem::eliminate(size_t variable) {
  std::vector<LinearRow> upper;
  std::vector<LinearRow> lower;
  std::vector<LinearRow> rest;
  for (LinearRow& row : rows_) {
    const int64_t factor = row.coefficients[variable];
    (factor > 0 ? upper : factor < 0 ? lower : rest).push_back(std::move(row));
  }
  while (!upper.empty() && !lower.empty() &&
         rest.size() + upper.size() * lower.size() > kMostRows) {
    drop_longest(upper.size() > lower.size() ? upper : lower);
  }
  for (const LinearRow& above : upper) {
    for (const LinearRow& below : lower) {
      const int64_t a = above.coefficients[variable];
      const int64_t b = -below.coefficients[variable];
      const int64_t divisor = greatest_divisor(a, b);
      if (std::optional<LinearRow> sum = combine(above, b / divisor, below, a / divisor)) {
        rest.push_back(std::move(*sum));
      }
    }
  }
  rows_ = std::move(rest);
}

// Eliminates all variables but `kept`.
LinearSystem::Outcome LinearSystem::reduce(size_t kept) {
  for (int step = 0; step < kMostSteps; ++step) {
    if (normalise_all() == Outcome::Infeasible) return Outcome::Infeasible;
    if (solve_equality(kept)) continue;
    bool found_equality = false;
    if (join_parallel(&found_equality) == Outcome::Infeasible) return Outcome::Infeasible;
    if (found_equality) continue;
    const size_t next = choose(kept);
    if (next == kNone) break;
    eliminate(next);
  }
  return Outcome::Open;
}

bool LinearSystem::is_infeasible() { return reduce(kNone) == Outcome::Infeasible; }

SymRange LinearSystem::bounds(size_t variable) {
  if (reduce(variable) == Outcome::Infeasible) return {1, 0};
  SymRange result;
  for (const LinearRow& row : rows_) {
    const int64_t factor = row.coefficients[variable];
    const auto is_other = [&](const int64_t& value) {
      return value != 0 && &value != &row.coefficients[variable];
    };
    if (factor == 0 || std::ranges::any_of(row.coefficients, is_other)) continue;
    if (factor > 0 || row.is_equality) {
      const int64_t size = std::abs(factor);
      const int64_t constant = factor > 0 ? row.constant : -row.constant;
      result.greatest = std::min(result.greatest, floor_quotient(-constant, size));
    }
    if (factor < 0 || row.is_equality) {
      const int64_t size = std::abs(factor);
      const int64_t constant = factor < 0 ? row.constant : -row.constant;
      result.least = std::max(result.least, -floor_quotient(-constant, size));
    }
  }
  return result;
}

}  // namespace opwright
