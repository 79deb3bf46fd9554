// The states of generators as tensors, which a level may keep.
#pragma once

#include "opwright/tensor.h"
#include "opwright/tensor/random_state.h"

namespace opwright {

// A level that has generators' states as tensors: a trace, for which they are inputs and outputs of
// its graph. Functionalize asks the nearest one below it; where there is none, the generators.
class RandomStates {
 public:
  virtual ~RandomStates() = default;
  // The state as this level has it; the same each time until it is written.
  virtual Tensor read_state(RandomState& generator) = 0;
  virtual void write_state(RandomState& generator, const Tensor& state) = 0;
};

}  // namespace opwright
