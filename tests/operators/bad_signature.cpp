// A kernel whose C++ type is not the schema's, beside a definition that is right: neither may stay.
#include "opwright/opwright.h"

namespace {

using opwright::Tensor;

Tensor scale(const Tensor& x, int64_t /*factor*/) { return x; }

}  // namespace

OPWRIGHT_LIBRARY(bad_signature, m) { m.def("scale(Tensor x, float factor) -> Tensor"); }
OPWRIGHT_LIBRARY_IMPL(bad_signature, CPU, m) { m.impl("scale", &scale); }
