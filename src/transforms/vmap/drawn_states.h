// The generators that a chunk of a mapped function drew from, with their states before it.
#pragma once

#include <vector>

#include "opwright/dispatch/interpreter.h"
#include "opwright/tensor.h"
#include "opwright/tensor/random_state.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT DrawnStates {
 public:
  // The level in which the mapped function is called; null: eager.
  explicit DrawnStates(Interpreter* outside) : outside_(outside) {}

  // Keeps the state of the generator, unless it is known. Called before numbers are drawn.
  void note(RandomState& generator);
  // Sets all generators back to what they were before the first draw.
  void restore() const;

 private:
  struct Drawn {
    RandomState* generator;
    Tensor state;
  };

  Interpreter* outside_;
  std::vector<Drawn> drawn_;
};

}  // namespace opwright
