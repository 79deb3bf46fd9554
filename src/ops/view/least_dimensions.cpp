// Views with at least a number of dimensions, of common sizes, and of one dimension: atleast_1d,
// broadcast_tensors, ravel; and the conjugate transpose.
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

std::vector<Tensor> map_tensors(std::span<const Tensor> tensors, Tensor (*map)(const Tensor&)) {
  std::vector<Tensor> results;
  for (const Tensor& each : tensors) results.push_back(map(each));
  return results;
}

}  // namespace

Tensor atleast_1d_composite(const Tensor& self) {
  return self.dim() == 0 ? self.reshape({1}) : self;
}
Tensor atleast_2d_composite(const Tensor& self) {
  if (self.dim() == 0) return self.reshape({1, 1});
  return self.dim() == 1 ? self.unsqueeze(0) : self;
}
Tensor atleast_3d_composite(const Tensor& self) {
  if (self.dim() == 0) return self.reshape({1, 1, 1});
  if (self.dim() == 1) return self.unsqueeze(0).unsqueeze(-1);
  return self.dim() == 2 ? self.unsqueeze(-1) : self;
}
std::vector<Tensor> atleast_1d_sequence_composite(std::span<const Tensor> tensors) {
  return map_tensors(tensors, &atleast_1d_composite);
}
std::vector<Tensor> atleast_2d_sequence_composite(std::span<const Tensor> tensors) {
  return map_tensors(tensors, &atleast_2d_composite);
}
std::vector<Tensor> atleast_3d_sequence_composite(std::span<const Tensor> tensors) {
  return map_tensors(tensors, &atleast_3d_composite);
}

std::vector<Tensor> broadcast_tensors_composite(std::span<const Tensor> tensors) {
  SymSizes sizes;
  for (const Tensor& each : tensors)
    sizes = broadcast_sizes(sizes, sym_geometry_of(each).sizes, "broadcast_tensors");
  std::vector<Tensor> results;
  for (const Tensor& each : tensors) results.push_back(each.expand(sizes));
  return results;
}

Tensor ravel_composite(const Tensor& self) { return self.contiguous().view({-1}); }

Tensor adjoint_composite(const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() != 1, "adjoint: it is only supported on matrices, got ", self);
  const Tensor swapped = self.dim() == 0 ? self : self.transpose(-2, -1);
  return is_complex(self.dtype()) ? swapped.conj() : swapped;
}

}  // namespace opwright
