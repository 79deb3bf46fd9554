// Calls an operator that no host has.
#include "opwright/opwright.h"

namespace {

using opwright::Tensor;

Tensor use(const Tensor& x) {
  return opwright::imported<"aten::warp_drive", Tensor(const Tensor&)>(x);
}

}  // namespace

OPWRIGHT_LIBRARY(missing_import, m) { m.def("use(Tensor x) -> Tensor"); }
OPWRIGHT_LIBRARY_IMPL(missing_import, CPU, m) { m.impl("use", &use); }
