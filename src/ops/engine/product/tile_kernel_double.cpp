#include "opwright/ops/engine/product/tile_loop.h"

namespace opwright {

template <>
const TileKernels<double>& tile_kernels() {
  return kernels_of_machine<TileKernels<double>>(
      []<class Level> { return kernels_of_level<double, Level>(); });
}

template <>
const LineKernels<double>& line_kernels() {
  return kernels_of_machine<LineKernels<double>>(
      []<class Level> { return line_kernels_of_level<double, Level>(); });
}

}  // namespace opwright
