// max_unpool2d and max_unpool3d as composites: each element goes to its index in a plane of zeros.
#include <cstdint>
#include <span>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/sampling/planes.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

Tensor unpool(const char* who, const Tensor& self, const Tensor& indices,
              std::span<const SymInt> output_size, size_t ndim) {
  OPWRIGHT_CHECK(output_size.size() == ndim, who, ": output_size must hold ", ndim, " sizes, got ",
                 to_text(output_size));
  SymSizes sizes = sym_geometry_of(self).sizes;
  check_planes(who, "self", sizes, ndim);
  OPWRIGHT_CHECK_TYPE(indices.dtype() == DType::Int64, who, ": indices must be of int64, got ",
                      indices.dtype());
  const SymSizes given = sym_geometry_of(indices).sizes;
  const std::string problem = concatenate(who, ": indices must have the sizes ", to_text(sizes),
                                          " of self, got ", to_text(given));
  OPWRIGHT_CHECK(given.size() == sizes.size(), problem);
  for (size_t i = 0; i < sizes.size(); ++i) check(given[i] == sizes[i], problem);
  const auto planes = static_cast<int64_t>(ndim);
  sizes.resize(sizes.size() - ndim);
  SymSizes rows = sizes;
  SymInt plane = 1;
  for (const SymInt& size : output_size) {
    plane = plane * size;
    sizes.push_back(size);
  }
  rows.push_back(plane);
  const Tensor result = self.new_zeros(rows)
                            .scatter(-1, indices.flatten(-planes), self.flatten(-planes))
                            .reshape(sizes);
  // Volumes are contiguous, as in PyTorch.
  return ndim == 2 ? result.contiguous(suggest_memory_format(self)) : result;
}

}  // namespace

Tensor max_unpool2d_composite(const Tensor& self, const Tensor& indices,
                              std::span<const SymInt> output_size) {
  return unpool("max_unpool2d", self, indices, output_size, 2);
}

Tensor max_unpool3d_composite(const Tensor& self, const Tensor& indices,
                              std::span<const SymInt> output_size, std::span<const int64_t> stride,
                              std::span<const int64_t> padding) {
  constexpr const char* kWho = "max_unpool3d";
  OPWRIGHT_CHECK(stride.size() == 1 || stride.size() == 3, kWho, ": stride must hold 3 numbers, ",
                 "got ", to_text(stride));
  for (const int64_t each : stride)
    OPWRIGHT_CHECK(each > 0, kWho, ": stride must be positive, got ", to_text(stride));
  OPWRIGHT_CHECK(padding.size() == 1 || padding.size() == 3, kWho,
                 ": padding must hold 3 numbers, got ", to_text(padding));
  return unpool(kWho, self, indices, output_size, 3);
}

}  // namespace opwright
