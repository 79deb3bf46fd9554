// bincount: how often each number from 0 on occurs, or the sums of weights.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/unknown_size.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kBincount = "bincount";

void check_bincount(const Tensor& self, const std::optional<Tensor>& weights,
                    const SymInt& minlength) {
  OPWRIGHT_CHECK(self.dim() == 1, kBincount, ": self must have one dimension, got ", self);
  if (!is_integral(self.dtype())) throw_dtype(self.dtype(), kBincount, "integral dtypes");
  OPWRIGHT_DEMAND(minlength >= 0, kBincount, ": minlength must not be negative, got ", minlength);
  if (!weights) return;
  OPWRIGHT_DEMAND(have_same_sizes(sym_geometry_of(*weights).sizes, sym_geometry_of(self).sizes),
                  kBincount, ": weights (", *weights, ") must have the sizes of self (", self, ")");
}

DType sum_dtype(const std::optional<Tensor>& weights) {
  if (!weights) return DType::Int64;
  return weights->dtype() == DType::Float32 ? DType::Float32 : DType::Float64;
}

// The number of bins that some elements need.
template <class T>
int64_t count_bins(const T* in, int64_t count) {
  T least = in[0];
  T greatest = in[0];
  for (int64_t i = 1; i < count; ++i) {
    least = std::min(least, in[i]);
    greatest = std::max(greatest, in[i]);
  }
  OPWRIGHT_CHECK(!(least < 0), kBincount, ": self must not hold negative numbers, got ", +least);
  OPWRIGHT_CHECK(static_cast<uint64_t>(greatest) < uint64_t{INT64_MAX}, kBincount, ": self holds ",
                 +greatest, ", which is too large for a number of bins");
  return static_cast<int64_t>(greatest) + 1;
}

// In blocks, whose elements stay in the cache between the search for the greatest and the sums.
template <class T, class Sum>
Tensor add_up(const Tensor& self, const Sum* weights, int64_t minlength, DType dtype) {
  constexpr int64_t kBlock = 2048;
  const T* in = self.data<T>();
  const int64_t count = self.numel();
  Tensor sums = zeros({std::max(minlength, count_bins(in, std::min(kBlock, count)))}, dtype);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, count);
    const int64_t bins = count_bins(in + begin, end - begin);
    if (bins > sums.numel()) {
      // All elements at once, so that increasing ones do not make it grow again and again.
      Tensor more = zeros({count_bins(in + begin, count - begin)}, dtype);
      std::copy_n(sums.data<Sum>(), sums.numel(), more.mutable_data<Sum>());
      sums = more;
    }
    Sum* out = sums.mutable_data<Sum>();
    for (int64_t i = begin; i < end; ++i) out[in[i]] += weights ? weights[i] : Sum{1};
  }
  return sums;
}

}  // namespace

Tensor bincount_cpu(const Tensor& self, const std::optional<Tensor>& weights, int64_t minlength) {
  check_bincount(self, weights, minlength);
  if (self.numel() == 0) return zeros({minlength}, DType::Int64);
  // One kernel for all dtypes but uint64, which int64 cannot hold.
  const bool is_uint64 = self.dtype() == DType::UInt64;
  const Tensor dense = as_contiguous(is_uint64 ? self : as_dtype(self, DType::Int64));
  const DType dtype = sum_dtype(weights);
  const std::optional<Tensor> terms =
      weights ? std::optional(as_contiguous(as_dtype(*weights, dtype))) : std::nullopt;
  Tensor sums;
  const auto add = [&]<typename T>(T) {
    if (!terms)
      sums = add_up<T, int64_t>(dense, nullptr, minlength, dtype);
    else if (dtype == DType::Float32)
      sums = add_up<T, float>(dense, terms->data<float>(), minlength, dtype);
    else
      sums = add_up<T, double>(dense, terms->data<double>(), minlength, dtype);
  };
  if (is_uint64)
    add(uint64_t{});
  else
    add(int64_t{});
  return sums;
}

FakeTensor bincount_fake(const FakeTensor& self, const std::optional<FakeTensor>& weights,
                         const SymInt& minlength) {
  const std::optional<Tensor> terms = weights ? std::optional(as_tensor(*weights)) : std::nullopt;
  check_bincount(as_tensor(self), terms, minlength);
  if (guard_or_false(as_tensor(self).sym_numel() == 0))
    return make_fake_like(self, SymSizes{minlength}, DType::Int64);
  const SymInt size = make_unknown_size_from(kBincount, "the largest element", minlength);
  return make_fake_like(self, SymSizes{size}, sum_dtype(terms));
}

}  // namespace opwright
