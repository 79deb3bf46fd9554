// histc, histogram and the kernels of histogramdd.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/statistics/histogram_bins.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kHistogram = "histogram";
constexpr const char* kHistogramdd = "histogramdd";

// Counts or sums of weights, in the logical order of the bins.
using Sums = std::vector<double>;

template <class T>
using AllEdges = std::vector<BinEdges<T>>;

template <class T, BinSearch kSearch>
void add_elements(const T* in, int64_t count, const AllEdges<T>& edges, const T* weights,
                  Sums& sums) {
  const auto columns = static_cast<int64_t>(edges.size());
  if (columns == 1) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t bin = edges.front().template bin_of<kSearch>(in[i]);
      if (bin >= 0) sums[static_cast<size_t>(bin)] += weights ? static_cast<double>(weights[i]) : 1;
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = 0;
    for (int64_t column = 0; column < columns && place >= 0; ++column) {
      const BinEdges<T>& each = edges[static_cast<size_t>(column)];
      const int64_t bin = each.template bin_of<kSearch>(in[i * columns + column]);
      place = bin < 0 ? -1 : place * each.bins + bin;
    }
    if (place >= 0)
      sums[static_cast<size_t>(place)] += weights ? static_cast<double>(weights[i]) : 1;
  }
}

// Divides by the sum of all and by the size of each bin.
template <class T>
void make_density(Sums& sums, const AllEdges<T>& edges) {
  double total = 0;
  for (const double sum : sums) total += sum;
  for (size_t i = 0; i < sums.size(); ++i) {
    double size = 1;
    auto rest = static_cast<int64_t>(i);
    for (size_t d = edges.size(); d-- > 0;) {
      const int64_t bin = rest % edges[d].bins;
      rest /= edges[d].bins;
      size *=
          static_cast<double>(edges[d].edges[bin + 1]) - static_cast<double>(edges[d].edges[bin]);
    }
    sums[i] = sums[i] / total / size;
  }
}

struct HistogramCall {
  Tensor elements;  // contiguous, a row of coordinates each
  std::span<const Tensor> edges;
  std::optional<Tensor> weight;
  bool is_density = false;
};

template <class T, BinSearch kSearch>
Sums sum_bins(const HistogramCall& call, int64_t count) {
  AllEdges<T> edges;
  size_t bins = 1;
  for (const Tensor& each : call.edges) {
    edges.push_back({each.data<T>(), each.numel() - 1});
    bins *= static_cast<size_t>(each.numel() - 1);
  }
  Sums sums(bins);
  const T* weights = call.weight ? call.weight->data<T>() : nullptr;
  if (bins != 0) add_elements<T, kSearch>(call.elements.data<T>(), count, edges, weights, sums);
  if (call.is_density) make_density(sums, edges);
  return sums;
}

template <BinSearch kSearch>
Tensor compute_histogram(const char* who, const HistogramCall& call) {
  Sizes sizes;
  for (const Tensor& each : call.edges) sizes.push_back(each.numel() - 1);
  Tensor result = make_empty(sizes, call.elements.dtype());
  const auto columns = static_cast<int64_t>(call.edges.size());
  const int64_t count = columns == 0 ? 0 : call.elements.numel() / columns;
  for_floating_dtype(call.elements.dtype(), who, [&]<typename T>() {
    if constexpr (!kIsHalf<T>) {
      const Sums sums = sum_bins<T, kSearch>(call, count);
      T* out = result.mutable_data<T>();
      for (const double sum : sums) *out++ = static_cast<T>(sum);
    }
  });
  return result;
}

// ---- Checks, for real tensors and fake ones ----

void check_element_dtype(const char* who, DType dtype) {
  if (dtype != DType::Float32 && dtype != DType::Float64)
    throw_dtype(dtype, who, "float32 and float64");
}

void check_weight(const char* who, const Tensor& self, const std::optional<Tensor>& weight,
                  bool has_columns) {
  check_element_dtype(who, self.dtype());
  if (!weight) return;
  OPWRIGHT_CHECK_TYPE(weight->dtype() == self.dtype(), who, ": weight of ", weight->dtype(),
                      " must have the dtype of self, ", self.dtype());
  SymSizes sizes = sym_geometry_of(self).sizes;
  if (has_columns) sizes.pop_back();
  OPWRIGHT_DEMAND(have_same_sizes(sym_geometry_of(*weight).sizes, sizes), who, ": weight (",
                  *weight, ") must have the sizes ", to_text(sizes));
}

void check_edges(const char* who, const Tensor& self, const Tensor& edges) {
  OPWRIGHT_CHECK(edges.dim() == 1, who, ": the edges of bins must have one dimension, got ", edges);
  OPWRIGHT_CHECK_TYPE(edges.dtype() == self.dtype(), who, ": the edges of bins, of ", edges.dtype(),
                      ", must have the dtype of self, ", self.dtype());
  OPWRIGHT_DEMAND(edges.sym_numel() >= 2, who, ": there must be at least two edges of bins, got ",
                  edges);
}

void check_columns(const Tensor& self, size_t bins) {
  OPWRIGHT_CHECK(self.dim() >= 2, kHistogramdd, ": self must have at least two dimensions, got ",
                 self);
  OPWRIGHT_DEMAND(self.sym_size(-1) == static_cast<int64_t>(bins), kHistogramdd,
                  ": bins must have an entry for each column of self (", self, "), got ", bins);
}

std::optional<Tensor> tensor_of(const std::optional<FakeTensor>& fake) {
  return fake ? std::optional(as_tensor(*fake)) : std::nullopt;
}
std::optional<Tensor> dense(const std::optional<Tensor>& tensor) {
  return tensor ? std::optional(as_contiguous(*tensor)) : std::nullopt;
}

FakeTensor fake_of_bins(const FakeTensor& self, std::span<const int64_t> bins) {
  SymSizes sizes;
  for (const int64_t each : bins) sizes.push_back(each);
  return make_fake_like(self, sizes, self.dtype());
}

void check_fake_bins(const FakeTensor& self, std::span<const int64_t> bins,
                     const std::optional<FakeTensor>& weight) {
  check_columns(as_tensor(self), bins.size());
  check_weight(kHistogramdd, as_tensor(self), tensor_of(weight), true);
  check_bins(kHistogramdd, bins);
}

}  // namespace

Tensor histc_cpu(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
  if (!is_floating(self.dtype())) throw_dtype(self.dtype(), "histc", "floating dtypes");
  const Tensor dense_self = as_contiguous(self);
  // Halves are counted as float32, between edges that are halves.
  const DType compute =
      item_size(self.dtype()) < item_size(DType::Float32) ? DType::Float32 : self.dtype();
  const Tensor edges = as_dtype(make_histc_edges(dense_self, bins, min, max), compute);
  const HistogramCall call{as_dtype(dense_self, compute), std::span(&edges, 1), std::nullopt,
                           false};
  return as_dtype(compute_histogram<BinSearch::Uniform>("histc", call), self.dtype());
}
FakeTensor histc_fake(const FakeTensor& self, int64_t bins, const Scalar& /*min*/,
                      const Scalar& /*max*/) {
  if (!is_floating(self.dtype())) throw_dtype(self.dtype(), "histc", "floating dtypes");
  check_bins("histc", std::span(&bins, 1));
  return make_fake_like(self, SymSizes{bins}, self.dtype());
}

std::tuple<Tensor, Tensor> histogram_bins_tensor_cpu(const Tensor& self, const Tensor& bins,
                                                     const std::optional<Tensor>& weight,
                                                     bool density) {
  check_weight(kHistogram, self, weight, false);
  check_edges(kHistogram, self, bins);
  const Tensor edges = as_contiguous(bins).clone();
  const HistogramCall call{as_contiguous(self), std::span(&edges, 1), dense(weight), density};
  return {compute_histogram<BinSearch::Binary>(kHistogram, call), edges};
}
std::tuple<FakeTensor, FakeTensor> histogram_bins_tensor_fake(
    const FakeTensor& self, const FakeTensor& bins, const std::optional<FakeTensor>& weight,
    bool /*density*/) {
  check_weight(kHistogram, as_tensor(self), tensor_of(weight), false);
  check_edges(kHistogram, as_tensor(self), as_tensor(bins));
  const SymInt edges = as_tensor(bins).sym_numel();
  return {make_fake_like(self, SymSizes{edges - 1}, self.dtype()),
          make_fake_like(self, SymSizes{edges}, self.dtype())};
}

std::tuple<Tensor, Tensor> histogram_bin_ct_cpu(const Tensor& self, int64_t bins,
                                                OptionalRange range,
                                                const std::optional<Tensor>& weight, bool density) {
  check_weight(kHistogram, self, weight, false);
  const Tensor elements = as_contiguous(self);
  const std::vector<Tensor> edges =
      make_bin_edges(kHistogram, elements, std::span(&bins, 1), range);
  const HistogramCall call{elements, edges, dense(weight), density};
  return {compute_histogram<BinSearch::UniformByEdges>(kHistogram, call), edges.front()};
}
std::tuple<FakeTensor, FakeTensor> histogram_bin_ct_fake(const FakeTensor& self, int64_t bins,
                                                         OptionalRange /*range*/,
                                                         const std::optional<FakeTensor>& weight,
                                                         bool /*density*/) {
  check_weight(kHistogram, as_tensor(self), tensor_of(weight), false);
  check_bins(kHistogram, std::span(&bins, 1));
  return {make_fake_like(self, SymSizes{bins}, self.dtype()),
          make_fake_like(self, SymSizes{bins + 1}, self.dtype())};
}

std::vector<Tensor> histogramdd_bin_edges_cpu(const Tensor& self, std::span<const int64_t> bins,
                                              OptionalRange range,
                                              const std::optional<Tensor>& weight,
                                              bool /*density*/) {
  check_columns(self, bins.size());
  check_weight(kHistogramdd, self, weight, true);
  return make_bin_edges(kHistogramdd, as_contiguous(self), bins, range);
}
std::vector<FakeTensor> histogramdd_bin_edges_fake(const FakeTensor& self,
                                                   std::span<const int64_t> bins,
                                                   OptionalRange /*range*/,
                                                   const std::optional<FakeTensor>& weight,
                                                   bool /*density*/) {
  check_fake_bins(self, bins, weight);
  std::vector<FakeTensor> edges;
  for (const int64_t each : bins)
    edges.push_back(make_fake_like(self, SymSizes{each + 1}, self.dtype()));
  return edges;
}

Tensor histogramdd_from_bin_cts_cpu(const Tensor& self, std::span<const int64_t> bins,
                                    OptionalRange range, const std::optional<Tensor>& weight,
                                    bool density) {
  const std::vector<Tensor> edges = histogramdd_bin_edges_cpu(self, bins, range, weight, density);
  const HistogramCall call{as_contiguous(self), edges, dense(weight), density};
  return compute_histogram<BinSearch::UniformByEdges>(kHistogramdd, call);
}
FakeTensor histogramdd_from_bin_cts_fake(const FakeTensor& self, std::span<const int64_t> bins,
                                         OptionalRange /*range*/,
                                         const std::optional<FakeTensor>& weight,
                                         bool /*density*/) {
  check_fake_bins(self, bins, weight);
  return fake_of_bins(self, bins);
}

Tensor histogramdd_from_bin_tensors_cpu(const Tensor& self, std::span<const Tensor> bins,
                                        const std::optional<Tensor>& weight, bool density) {
  check_columns(self, bins.size());
  check_weight(kHistogramdd, self, weight, true);
  std::vector<Tensor> edges;
  for (const Tensor& each : bins) {
    check_edges(kHistogramdd, self, each);
    edges.push_back(as_contiguous(each));
  }
  const HistogramCall call{as_contiguous(self), edges, dense(weight), density};
  return compute_histogram<BinSearch::Binary>(kHistogramdd, call);
}
FakeTensor histogramdd_from_bin_tensors_fake(const FakeTensor& self,
                                             std::span<const FakeTensor> bins,
                                             const std::optional<FakeTensor>& weight,
                                             bool /*density*/) {
  check_columns(as_tensor(self), bins.size());
  check_weight(kHistogramdd, as_tensor(self), tensor_of(weight), true);
  SymSizes sizes;
  for (const FakeTensor& each : bins) {
    check_edges(kHistogramdd, as_tensor(self), as_tensor(each));
    sizes.push_back(as_tensor(each).sym_numel() - 1);
  }
  return make_fake_like(self, sizes, self.dtype());
}

}  // namespace opwright
