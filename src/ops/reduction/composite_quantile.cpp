// quantile and nanquantile, as composites of a sort and a selection.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/reduction/composite_checks.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

struct QuantileCall {
  const char* who;
  bool ignores_nan;
  std::optional<int64_t> dim;
  bool keepdim;
  std::string_view interpolation;
};

void check_quantile(const QuantileCall& call, const Tensor& self, const Tensor& q) {
  OPWRIGHT_CHECK(self.dtype() == DType::Float32 || self.dtype() == DType::Float64, call.who,
                 ": self must be of float32 or float64, got ", self.dtype());
  OPWRIGHT_CHECK(q.dtype() == self.dtype(), call.who, ": q must have the dtype of self, ",
                 self.dtype(), ", got ", q.dtype());
  OPWRIGHT_CHECK(q.dim() <= 1, call.who, ": q must be a number or have one dimension, got ", q);
  const std::string_view how = call.interpolation;
  OPWRIGHT_CHECK_VALUE(
      how == "linear" || how == "lower" || how == "higher" || how == "midpoint" || how == "nearest",
      call.who,
      ": interpolation must be 'linear', 'lower', 'higher', 'midpoint' or "
      "'nearest', got '",
      how, "'");
  OPWRIGHT_DEMAND(self.sym_numel() > 0, call.who, ": self must have elements, got ", self);
  for (const double each : values_to_check(q))
    OPWRIGHT_CHECK(each >= 0 && each <= 1, call.who,
                   ": each element of q must be between 0 and 1, ", "got ", each);
}

// The places between sorted elements, rounded as the interpolation says.
Tensor round_places(const Tensor& places, std::string_view interpolation) {
  if (interpolation == "lower") return places.floor();
  if (interpolation == "higher") return places.ceil();
  if (interpolation == "nearest") return places.round();
  return places;
}

// The elements at `places` of the last dimension of `sorted`; between two, a part of each.
Tensor interpolate_sorted(const Tensor& sorted, const Tensor& places, std::string_view how) {
  const Tensor below = places.floor();
  Tensor lower = sorted.gather(-1, below.to(DType::Int64));
  if (how == "lower" || how == "higher" || how == "nearest") return lower;
  const Tensor upper = sorted.gather(-1, places.ceil().to(DType::Int64));
  if (how == "midpoint") return lower.lerp(upper, Scalar(0.5));
  return lower.lerp(upper, places.sub(below));
}

Tensor find_quantiles(const QuantileCall& call, const Tensor& self, const Tensor& q) {
  check_quantile(call, self, q);
  const bool is_whole = !call.dim;
  const auto ndim = static_cast<size_t>(std::max<int64_t>(self.dim(), 1));
  const auto along = is_whole ? 0 : static_cast<int64_t>(wrap_dim(*call.dim, ndim, call.who));
  const Tensor rows = is_whole          ? self.flatten()
                      : self.dim() == 0 ? self.unsqueeze(0)
                                        : self.movedim(along, -1);
  Tensor sorted = std::get<0>(rows.sort(-1));
  const Tensor is_nan = sorted.ne(sorted);
  // NaNs are sorted last. One row has as many places as it has numbers.
  Tensor last = full({}, Scalar(rows.sym_size(-1) - 1), self.dtype(), std::nullopt, self.device());
  if (call.ignores_nan) {
    const Tensor count = is_nan.logical_not().sum({-1}, true).to(self.dtype());
    last = count.sub(1).clamp(Scalar(0));
  } else {
    sorted = sorted.masked_fill(is_nan.any(-1, true), std::numeric_limits<double>::quiet_NaN());
  }
  SymSizes sizes = sym_geometry_of(rows).sizes;
  sizes.back() = q.dim() == 0 ? SymInt(1) : q.sym_size(0);
  const Tensor places = round_places(last.mul(q).expand(sizes), call.interpolation);
  Tensor result = interpolate_sorted(sorted, places, call.interpolation);
  // The quantiles become the first dimension; the reduced one stays as one of size 1, or goes.
  result = result.movedim(-1, 0);
  if (call.keepdim) {
    SymSizes kept;
    kept.push_back(result.sym_size(0));
    for (int64_t i = 0; i < self.dim(); ++i)
      kept.push_back(is_whole || i == along ? SymInt(1) : self.sym_size(i));
    result = result.reshape(kept);
  }
  return q.dim() == 0 ? result.squeeze(0) : result;
}

Tensor as_tensor_like(const char* who, const Tensor& self, double q) {
  OPWRIGHT_CHECK(q >= 0 && q <= 1, who, ": q must be between 0 and 1, got ", q);
  return full({}, Scalar(q), self.dtype(), std::nullopt, self.device());
}

}  // namespace

Tensor quantile_composite(const Tensor& self, const Tensor& q, const std::optional<int64_t>& dim,
                          bool keepdim, std::string_view interpolation) {
  return find_quantiles({"quantile", false, dim, keepdim, interpolation}, self, q);
}
Tensor quantile_scalar_composite(const Tensor& self, double q, const std::optional<int64_t>& dim,
                                 bool keepdim, std::string_view interpolation) {
  return find_quantiles({"quantile", false, dim, keepdim, interpolation}, self,
                        as_tensor_like("quantile", self, q));
}
Tensor nanquantile_composite(const Tensor& self, const Tensor& q, const std::optional<int64_t>& dim,
                             bool keepdim, std::string_view interpolation) {
  return find_quantiles({"nanquantile", true, dim, keepdim, interpolation}, self, q);
}
Tensor nanquantile_scalar_composite(const Tensor& self, double q, const std::optional<int64_t>& dim,
                                    bool keepdim, std::string_view interpolation) {
  return find_quantiles({"nanquantile", true, dim, keepdim, interpolation}, self,
                        as_tensor_like("nanquantile", self, q));
}

}  // namespace opwright
