// A block that fails half way: what it had asked for before must not stay.
#include <stdexcept>

#include "opwright/opwright.h"

OPWRIGHT_LIBRARY(throwing_block, m) {
  m.def("first(Tensor x) -> Tensor");
  throw std::runtime_error("the block gave up");
}
