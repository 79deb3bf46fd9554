#include "opwright/ops/matrix/tile_loop.h"

namespace opwright {

template <>
const TileKernels<float>& tile_kernels() {
  return kernels_of_machine<float>();
}

}  // namespace opwright
