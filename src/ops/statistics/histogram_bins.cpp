#include "opwright/ops/statistics/histogram_bins.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

struct Bounds {
  double low = 0;
  double high = 1;
};

// The smallest and the largest of elements `stride` apart; NaN if there is one. There is at least
// one element.
Bounds find_bounds(const char* who, const Tensor& tensor, int64_t start, int64_t stride) {
  Bounds bounds{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  bool has_nan = false;
  for_floating_dtype(tensor.dtype(), who, [&]<typename T>() {
    using C = ComputeType<T>;
    const T* in = tensor.data<T>();
    C low = std::numeric_limits<C>::infinity();
    C high = -low;
    for (int64_t i = start; i < tensor.numel(); i += stride) {
      const C element = static_cast<C>(in[i]);
      has_nan |= element != element;
      low = element < low ? element : low;
      high = element > high ? element : high;
    }
    bounds = {static_cast<double>(low), static_cast<double>(high)};
  });
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return has_nan ? Bounds{kNan, kNan} : bounds;
}

// As a number of the dtype.
double round_to(double number, DType dtype) {
  for_floating_dtype(dtype, "histogram",
                     [&]<typename T>() { number = static_cast<double>(static_cast<T>(number)); });
  return number;
}

// The number plus `step`, or plus a larger step if the dtype cannot tell the sum from the number.
double move_by(double number, double step, DType dtype) {
  double moved = number;
  for (; moved == number; step *= 2) moved = round_to(number + step, dtype);
  return moved;
}

void check_finite(const char* who, Bounds bounds, DType dtype) {
  bounds = {round_to(bounds.low, dtype), round_to(bounds.high, dtype)};
  OPWRIGHT_CHECK(std::isfinite(bounds.low) && std::isfinite(bounds.high), who,
                 ": the range of the bins must be finite, got [", bounds.low, ", ", bounds.high,
                 "]");
}

// Computed from the nearer bound, in the dtype of the elements, as in PyTorch: an element on an
// edge gets the same bin.
Tensor spread_edges(Bounds bounds, int64_t bins, DType dtype) {
  Tensor edges = make_empty(IntList{bins + 1}, dtype);
  for_floating_dtype(dtype, "histogram", [&]<typename T>() {
    using C = ComputeType<T>;
    const C low = static_cast<C>(static_cast<T>(bounds.low));
    const C high = static_cast<C>(static_cast<T>(bounds.high));
    const C step = (high - low) / static_cast<C>(bins);
    T* out = edges.mutable_data<T>();
    for (int64_t i = 0; i <= bins; ++i) {
      if (!std::isfinite(step)) {
        const C share = static_cast<C>(i) / static_cast<C>(bins);
        out[i] = static_cast<T>(low * (C{1} - share) + high * share);
        continue;
      }
      const bool is_in_first_half = i < (bins + 1) / 2;
      const C edge = is_in_first_half ? low + step * static_cast<C>(i)
                                      : high - step * static_cast<C>(bins - i);
      out[i] = static_cast<T>(edge);
    }
  });
  return edges;
}

}  // namespace

void check_bins(const char* who, std::span<const int64_t> bins) {
  for (size_t i = 0; i < bins.size(); ++i)
    OPWRIGHT_CHECK(bins[i] > 0, who, ": the number of bins must be positive, got ", bins[i],
                   " for dimension ", i);
}

std::vector<Tensor> make_bin_edges(const char* who, const Tensor& rows,
                                   std::span<const int64_t> bins, const OptionalRange& range) {
  const auto columns = static_cast<int64_t>(bins.size());
  check_bins(who, bins);
  OPWRIGHT_CHECK(!range || range->size() == 2 * bins.size(), who, ": range must have ",
                 2 * bins.size(), " numbers, two for each dimension, got ",
                 range ? range->size() : 0);
  std::vector<Tensor> edges;
  for (int64_t i = 0; i < columns; ++i) {
    Bounds bounds;
    const auto at = static_cast<size_t>(2 * i);
    if (range)
      bounds = {(*range)[at], (*range)[at + 1]};
    else if (rows.numel() != 0)
      bounds = find_bounds(who, rows, i, columns);
    check_finite(who, bounds, rows.dtype());
    OPWRIGHT_CHECK(bounds.low <= bounds.high, who,
                   ": the lower bound of range must not exceed the upper one, got ", bounds.low,
                   " and ", bounds.high, " for dimension ", i);
    if (bounds.low == bounds.high) bounds = {bounds.low - 0.5, bounds.high + 0.5};
    edges.push_back(spread_edges(bounds, bins[static_cast<size_t>(i)], rows.dtype()));
  }
  return edges;
}

Tensor make_histc_edges(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
  constexpr const char* kWho = "histc";
  check_bins(kWho, std::span(&bins, 1));
  Bounds bounds{min.to<double>(), max.to<double>()};
  if (bounds.low == bounds.high && self.numel() != 0) bounds = find_bounds(kWho, self, 0, 1);
  check_finite(kWho, bounds, self.dtype());
  if (bounds.low == bounds.high)
    bounds = {move_by(bounds.low, -1, self.dtype()), move_by(bounds.high, 1, self.dtype())};
  OPWRIGHT_CHECK(bounds.low < bounds.high, kWho, ": max must be larger than min, got min ",
                 bounds.low, " and max ", bounds.high);
  return spread_edges(bounds, bins, self.dtype());
}

}  // namespace opwright
