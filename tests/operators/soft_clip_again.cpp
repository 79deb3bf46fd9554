// Defines an operator that another binary has: loading both is refused.
#include "opwright/opwright.h"

OPWRIGHT_LIBRARY_FRAGMENT(audio, m) { m.def("soft_clip(Tensor x, float limit=1.0) -> Tensor"); }
