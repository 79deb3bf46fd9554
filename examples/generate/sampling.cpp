// generate::sample: draws the next token of each sequence from the model's scores.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "opwright/opwright.h"

namespace generate {
namespace {

using opwright::DType;
using opwright::FakeTensor;
using opwright::Tensor;

struct Settings {
  double temperature;
  int64_t top_k;
  double top_p;
};

// The token at `place`, in [0, 1), of the distribution of one sequence. `order` is scratch memory.
int64_t draw(const float* scores, std::vector<int64_t>& order, double place, const Settings& s) {
  const auto is_better = [scores](int64_t a, int64_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  };
  std::iota(order.begin(), order.end(), 0);
  const auto best = std::min_element(order.begin(), order.end(), is_better);
  if (s.temperature == 0) return *best;
  const double highest = scores[*best];
  const size_t kept =
      s.top_k > 0 ? std::min(order.size(), static_cast<size_t>(s.top_k)) : order.size();
  std::partial_sort(order.begin(), order.begin() + static_cast<int64_t>(kept), order.end(),
                    is_better);
  const auto weight = [&](size_t rank) {
    return std::exp((static_cast<double>(scores[order[rank]]) - highest) / s.temperature);
  };
  double total = 0;
  for (size_t rank = 0; rank < kept; ++rank) total += weight(rank);
  // The fewest tokens that together have the probability top_p.
  double mass = 0;
  size_t count = 0;
  while (count < kept && (count == 0 || mass < s.top_p * total)) mass += weight(count++);
  double left = place * mass;
  for (size_t rank = 0; rank + 1 < count; ++rank) {
    left -= weight(rank);
    if (left < 0) return order[rank];
  }
  return order[count - 1];
}

Tensor sample_cpu(const Tensor& logits, const Tensor& uniform, double temperature, int64_t top_k,
                  double top_p) {
  OPWRIGHT_CHECK_VALUE(logits.dim() == 2 && logits.size(1) > 0 && uniform.dim() == 1 &&
                           uniform.size(0) == logits.size(0),
                       "sample: expected logits of [batch, tokens] and a number for each sequence, "
                       "got ",
                       logits, " and ", uniform);
  OPWRIGHT_CHECK_TYPE(logits.dtype() == DType::Float32 && uniform.dtype() == DType::Float32,
                      "sample: expected float32, got ", logits.dtype(), " and ", uniform.dtype());
  OPWRIGHT_CHECK_VALUE(temperature >= 0, "sample: temperature must be 0 or more, got ",
                       temperature);
  OPWRIGHT_CHECK_VALUE(top_k >= 0, "sample: top_k must be 0 (all tokens) or more, got ", top_k);
  OPWRIGHT_CHECK_VALUE(top_p > 0 && top_p <= 1, "sample: top_p must be in (0, 1], got ", top_p);
  const Tensor scores = logits.contiguous();
  const Tensor places = uniform.contiguous();
  Tensor tokens = opwright::empty({logits.size(0)}, DType::Int64);
  const int64_t width = logits.size(1);
  const auto* in = scores.data<float>();
  const auto* place = places.data<float>();
  // A NaN has no place in an order, and sorting without an order is undefined.
  OPWRIGHT_CHECK_VALUE(std::none_of(in, in + scores.numel(), [](float x) { return std::isnan(x); }),
                       "sample: the logits have a NaN; check the model's weights and inputs");
  auto* out = tokens.mutable_data<int64_t>();
  opwright::parallel_for(logits.size(0), [&](int64_t begin, int64_t end) {
    std::vector<int64_t> order(static_cast<size_t>(width));
    for (int64_t row = begin; row < end; ++row)
      out[row] = draw(in + row * width, order, place[row], {temperature, top_k, top_p});
  });
  return tokens;
}

FakeTensor sample_fake(const FakeTensor& logits, const FakeTensor& /*uniform*/,
                       double /*temperature*/, int64_t /*top_k*/, double /*top_p*/) {
  return logits.new_empty({logits.size(0)}, DType::Int64);
}

}  // namespace

OPWRIGHT_LIBRARY(generate, m) {
  m.def(
      "sample(Tensor logits, Tensor uniform, float temperature=1.0, int top_k=0, float top_p=1.0) "
      "-> Tensor");
  m.register_fake("sample", &sample_fake);
}

OPWRIGHT_LIBRARY_IMPL(generate, CPU, m) { m.impl("sample", &sample_cpu); }

}  // namespace generate
