// bilinear and _trilinear as composites: sums of products of two or three tensors.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Inserts dimensions of size 1 at the given places of the result.
Tensor insert_dims(const Tensor& tensor, std::span<const int64_t> places) {
  std::vector<int64_t> sorted(places.begin(), places.end());
  std::ranges::sort(sorted);
  Tensor result = tensor;
  for (const int64_t place : sorted) result = result.unsqueeze(place);
  return result;
}

}  // namespace

Tensor bilinear_composite(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                          const std::optional<Tensor>& bias) {
  constexpr const char* kWho = "bilinear";
  OPWRIGHT_CHECK(weight.dim() == 3, kWho, ": weight must be [out, features1, features2], got ",
                 weight);
  OPWRIGHT_CHECK(input1.dim() == input2.dim() && input1.dim() >= 1, kWho,
                 ": input1 and input2 must have the same number of dimensions, got ", input1,
                 " and ", input2);
  SymSizes sizes = sym_geometry_of(input1).sizes;
  for (int64_t i = 0; i + 1 < input1.dim(); ++i) {
    check(input1.sym_size(i) == input2.sym_size(i),
          concatenate(kWho, ": input1 (", input1, ") and input2 (", input2,
                      ") must have the same sizes but for the features"));
  }
  check(
      sym_and(input1.sym_size(-1) == weight.sym_size(1), input2.sym_size(-1) == weight.sym_size(2)),
      concatenate(kWho, ": the features of input1 (", input1, ") and input2 (", input2,
                  ") must be those of weight (", weight, ")"));
  OPWRIGHT_CHECK(!bias || bias->dim() == 1, kWho, ": bias must have one dimension, got ", *bias);
  const SymInt outputs = weight.sym_size(0);
  // [rows, features1] x [features1, out * features2], then the sum over features2.
  const Tensor rows = input1.reshape({-1, weight.sym_size(1)});
  const Tensor table = weight.permute({1, 0, 2}).reshape({weight.sym_size(1), -1});
  const Tensor parts = rows.matmul(table).reshape({rows.sym_size(0), outputs, weight.sym_size(2)});
  const Tensor others = input2.reshape({-1, weight.sym_size(2)}).unsqueeze(-1);
  sizes.back() = outputs;
  const Tensor result = parts.matmul(others).reshape(sizes);
  return bias ? result.add(*bias) : result;
}

Tensor trilinear_composite(const Tensor& i1, const Tensor& i2, const Tensor& i3,
                           std::span<const int64_t> expand1, std::span<const int64_t> expand2,
                           std::span<const int64_t> expand3, std::span<const int64_t> sumdim,
                           int64_t unroll_dim) {
  constexpr const char* kWho = "_trilinear";
  const auto ndim = i1.dim() + static_cast<int64_t>(expand1.size());
  OPWRIGHT_CHECK(i2.dim() + static_cast<int64_t>(expand2.size()) == ndim &&
                     i3.dim() + static_cast<int64_t>(expand3.size()) == ndim,
                 kWho, ": i1, i2 and i3 must have as many dimensions once expanded, got ", i1, ", ",
                 i2, " and ", i3);
  OPWRIGHT_CHECK(unroll_dim >= 0 && unroll_dim < ndim, kWho, ": unroll_dim must be from 0 to ",
                 ndim - 1, ", got ", unroll_dim);
  const DType dtype = i1.dtype();
  const bool is_half = dtype == DType::Float16 || dtype == DType::BFloat16;
  const Tensor first = is_half ? i1.to(DType::Float32) : i1;  // else each product is rounded
  const Tensor product =
      insert_dims(first, expand1).mul(insert_dims(i2, expand2)).mul(insert_dims(i3, expand3));
  const Tensor sum = sumdim.empty() ? product : product.sum(sumdim);
  return is_half ? sum.to(dtype) : sum;
}

}  // namespace opwright
