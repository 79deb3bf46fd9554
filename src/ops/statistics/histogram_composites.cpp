// histogramdd: the histogram and the edges of its bins, in several dimensions.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/statistics/histogram_bins.h"

namespace opwright {

using HistogramAndEdges = std::tuple<Tensor, std::vector<Tensor>>;

HistogramAndEdges histogramdd_composite(const Tensor& self, std::span<const int64_t> bins,
                                        OptionalRange range, const std::optional<Tensor>& weight,
                                        bool density) {
  return {_histogramdd_from_bin_cts(self, bins, range, weight, density),
          _histogramdd_bin_edges(self, bins, range, weight, density)};
}

HistogramAndEdges histogramdd_int_bins_composite(const Tensor& self, int64_t bins,
                                                 OptionalRange range,
                                                 const std::optional<Tensor>& weight,
                                                 bool density) {
  OPWRIGHT_CHECK(self.dim() >= 2, "histogramdd: self must have at least two dimensions, got ",
                 self);
  const std::vector<int64_t> all(static_cast<size_t>(self.size(-1)), bins);
  return histogramdd_composite(self, all, range, weight, density);
}

HistogramAndEdges histogramdd_bin_tensors_composite(const Tensor& self,
                                                    std::span<const Tensor> bins,
                                                    OptionalRange /*range*/,
                                                    const std::optional<Tensor>& weight,
                                                    bool density) {
  return {_histogramdd_from_bin_tensors(self, bins, weight, density),
          std::vector<Tensor>(bins.begin(), bins.end())};
}

}  // namespace opwright
