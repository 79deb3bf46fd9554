#include "opwright/ops/engine/product/tile_loop.h"

namespace opwright {

template <>
const TileKernels<float>& tile_kernels() {
  return kernels_of_machine<float>();
}

}  // namespace opwright
