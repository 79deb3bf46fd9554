// What fusion asks a target of code generation.
#pragma once

#include "opwright/compile/fuse/nest.h"
#include "opwright/dtype.h"

namespace opwright {

class FusionTarget {
 public:
  virtual ~FusionTarget() = default;

  // Whether lanes of the operation can be emitted; fusion leaves others out. `dtype` is that of the
  // arguments (of a Load or a Cast: of the memory, of what is converted).
  [[nodiscard]] virtual bool can_emit(LaneOp op, DType dtype) const noexcept = 0;
};

}  // namespace opwright
