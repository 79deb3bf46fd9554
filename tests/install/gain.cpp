// tools::gain: a second operator binary for the tests of the installation.
#include "opwright/opwright.h"

namespace {

opwright::Tensor gain(const opwright::Tensor& x, double factor) { return x * factor; }

}  // namespace

OPWRIGHT_LIBRARY(tools, m) { m.def("gain", &gain); }
