// Bins of a histogram: their edges along each dimension, and the bin of an element.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/scalar.h"
#include "opwright/tensor.h"

namespace opwright {

using OptionalRange = std::optional<std::span<const double>>;

// How the bin of an element is found.
enum class BinSearch {
  Uniform,         // computed
  UniformByEdges,  // computed, then corrected by comparing with the edges
  Binary,          // the edges have any distance
};

// The edges along one dimension; each bin has its lower edge, the last one both.
template <class T>
struct BinEdges {
  const T* edges;
  int64_t bins;

  // -1 for an element outside all bins, and for NaN.
  template <BinSearch kSearch>
  [[nodiscard]] int64_t bin_of(T element) const {
    const T low = edges[0];
    const T high = edges[bins];
    if (!(element >= low && element <= high)) return -1;
    if constexpr (kSearch == BinSearch::Binary) return search(element);
    if (kSearch == BinSearch::Uniform && low == high) return 0;
    const T position = (element - low) * static_cast<T>(bins) / (high - low);
    // NaN or infinite if the distance of the bounds is 0 or overflows.
    if (!(position >= T{0} && position <= static_cast<T>(bins))) return search(element);
    auto bin = static_cast<int64_t>(position);
    if constexpr (kSearch == BinSearch::UniformByEdges) {
      const int64_t first = std::max<int64_t>(bin - 1, 0);
      const int64_t end = std::min<int64_t>(bin + 2, bins + 1);
      bin = first - 1;
      for (int64_t i = first; i < end; ++i) bin += edges[i] <= element ? 1 : 0;
    }
    return std::min(bin, bins - 1);
  }

 private:
  [[nodiscard]] int64_t search(T element) const {
    const int64_t bin = std::upper_bound(edges, edges + bins + 1, element) - edges - 1;
    return std::min(bin, bins - 1);
  }
};

// Evenly spaced edges for each column of `rows`: from `range`, a low and a high bound for each,
// else from the smallest to the largest element.
[[nodiscard]] std::vector<Tensor> make_bin_edges(const char* who, const Tensor& rows,
                                                 std::span<const int64_t> bins,
                                                 const OptionalRange& range);
// Those of histc, where equal bounds ask for the smallest and the largest element.
[[nodiscard]] Tensor make_histc_edges(const Tensor& self, int64_t bins, const Scalar& min,
                                      const Scalar& max);

// Throws unless every number of bins is positive.
void check_bins(const char* who, std::span<const int64_t> bins);

}  // namespace opwright
