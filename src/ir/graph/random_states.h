// Generator states as tensors, which an interpreter level may keep.
#pragma once

#include "opwright/tensor.h"
#include "opwright/tensor/random_state.h"

namespace opwright {

// A level that keeps generator states as tensors, such as a trace, where they are inputs and
// outputs of the graph. Functionalize uses the nearest such level below it, or else the generators
// themselves.
class RandomStates {
 public:
  virtual ~RandomStates() = default;
  // Returns this level's state; the same tensor until it is written.
  virtual Tensor read_state(RandomState& generator) = 0;
  virtual void write_state(RandomState& generator, const Tensor& state) = 0;
};

}  // namespace opwright
