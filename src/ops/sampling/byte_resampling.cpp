#include "opwright/ops/sampling/byte_resampling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "opwright/ops/sampling/planes.h"

namespace opwright {
namespace {

// Weights as ints, scaled by 2^precision.
struct IntTaps {
  explicit IntTaps(Taps taps) : indices(merge(std::move(taps))) {
    double largest = 0;
    for (const double weight : indices.weight) largest = std::max(largest, weight);
    constexpr int kMostPrecise = 22;
    const auto fits = [&](int bits) {
      return std::floor(0.5 + largest * static_cast<double>(1 << bits)) < 1 << 15;
    };
    while (precision < kMostPrecise && fits(precision + 1)) ++precision;
    for (const double weight : indices.weight) {
      const double scaled = weight * static_cast<double>(1 << precision);
      weights.push_back(static_cast<int32_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5));
    }
  }

  // One result element from bytes that are `stride` apart.
  [[nodiscard]] uint8_t take(const uint8_t* from, int64_t stride, int64_t result) const {
    const auto at = static_cast<size_t>(result);
    int64_t sum = precision > 0 ? int64_t{1} << (precision - 1) : 0;
    for (auto k = static_cast<size_t>(indices.first[at]);
         k < static_cast<size_t>(indices.first[at + 1]); ++k)
      sum += static_cast<int64_t>(from[indices.index[k] * stride]) * weights[k];
    return static_cast<uint8_t>(std::clamp<int64_t>(sum >> precision, 0, 255));
  }

  Taps indices;
  std::vector<int32_t> weights;
  int precision = 0;

 private:
  // Merges the weights of an element that the border repeats.
  static Taps merge(Taps taps) {
    Taps merged(taps.in);
    for (size_t i = 0; i + 1 < taps.first.size(); ++i) {
      for (auto k = static_cast<size_t>(taps.first[i]); k < static_cast<size_t>(taps.first[i + 1]);
           ++k) {
        const bool repeats = static_cast<int64_t>(merged.index.size()) > merged.first.back() &&
                             merged.index.back() == taps.index[k];
        if (repeats) {
          merged.weight.back() += taps.weight[k];
        } else {
          merged.index.push_back(taps.index[k]);
          merged.weight.push_back(taps.weight[k]);
        }
      }
      merged.finish_result();
    }
    return merged;
  }
};

}  // namespace

void resample_bytes(const Tensor& self, const Taps& rows, const Taps& columns,
                    const Tensor& output) {
  const IntTaps down(rows);
  const IntTaps along(columns);
  const Tensor dense = as_contiguous(self);
  const auto* in = dense.data<uint8_t>();
  auto* out = output.mutable_data<uint8_t>();
  const int64_t height = rows.out();
  const int64_t width = columns.out();
  const int64_t plane = rows.in * columns.in;
  for_each_plane(output.numel() / (height * width), plane + height * width,
                 [&](int64_t begin, int64_t end) {
                   std::vector<uint8_t> middle(static_cast<size_t>(rows.in * width));
                   for (int64_t i = begin; i < end; ++i) {
                     for (int64_t y = 0; y < rows.in; ++y) {
                       const uint8_t* row = in + i * plane + y * columns.in;
                       uint8_t* target = middle.data() + y * width;
                       if (columns.in == width)
                         std::copy_n(row, width, target);
                       else
                         for (int64_t x = 0; x < width; ++x) target[x] = along.take(row, 1, x);
                     }
                     uint8_t* result = out + i * height * width;
                     if (rows.in == height)
                       std::copy(middle.begin(), middle.end(), result);
                     else
                       for (int64_t y = 0; y < height; ++y)
                         for (int64_t x = 0; x < width; ++x)
                           result[y * width + x] = down.take(middle.data() + x, width, y);
                   }
                 });
}

}  // namespace opwright
