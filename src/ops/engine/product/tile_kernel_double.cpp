#include "opwright/ops/engine/product/tile_loop.h"

namespace opwright {

template <>
const TileKernels<double>& tile_kernels() {
  return kernels_of_machine<double>();
}

}  // namespace opwright
