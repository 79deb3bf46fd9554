// meshgrid: the coordinates of every point of a grid, as views.
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {

std::vector<Tensor> meshgrid_composite(std::span<const Tensor> tensors) {
  OPWRIGHT_CHECK_VALUE(!tensors.empty(), "meshgrid: tensors must not be empty");
  SymSizes sizes;
  for (const Tensor& each : tensors) {
    OPWRIGHT_CHECK_VALUE(each.dim() <= 1,
                         "meshgrid: every tensor must have at most 1 dimension, got sizes ",
                         to_text(sym_geometry_of(each).sizes));
    OPWRIGHT_CHECK_TYPE(each.dtype() == tensors[0].dtype(),
                        "meshgrid: every tensor must have the same dtype, got ", tensors[0].dtype(),
                        " and ", each.dtype());
    sizes.push_back(each.dim() == 0 ? SymInt(1) : each.sym_size(0));
  }
  std::vector<Tensor> grids;
  for (size_t i = 0; i < tensors.size(); ++i) {
    SymSizes shape;
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      shape.push_back(dim == i ? sizes[dim] : SymInt(1));
    grids.push_back(tensors[i].view(shape).expand(sizes));
  }
  return grids;
}

std::vector<Tensor> meshgrid_indexing_composite(std::span<const Tensor> tensors,
                                                std::string_view indexing) {
  OPWRIGHT_CHECK_VALUE(indexing == "ij" || indexing == "xy",
                       "meshgrid: indexing must be 'ij' or 'xy', got '", indexing, "'");
  if (indexing == "ij" || tensors.size() < 2) return meshgrid_composite(tensors);
  std::vector<Tensor> swapped(tensors.begin(), tensors.end());
  std::swap(swapped[0], swapped[1]);
  std::vector<Tensor> grids = meshgrid_composite(swapped);
  std::swap(grids[0], grids[1]);
  return grids;
}

}  // namespace opwright
