#include "opwright/ops/engine/product/tile_loop.h"

namespace opwright {

template <>
const TileKernels<float>& tile_kernels() {
  return kernels_of_machine<TileKernels<float>>(
      []<class Level> { return kernels_of_level<float, Level>(); });
}

template <>
const LineKernels<float>& line_kernels() {
  return kernels_of_machine<LineKernels<float>>(
      []<class Level> { return line_kernels_of_level<float, Level>(); });
}

}  // namespace opwright
