// The operator of dispatch_bench as an operator binary.
#include "opwright/opwright.h"

namespace {

[[gnu::noinline]] void touch(const opwright::Tensor& x, const opwright::Tensor& y, double scale) {
  asm volatile("" ::"r"(&x), "r"(&y), "x"(scale) : "memory");
}

}  // namespace

OPWRIGHT_LIBRARY(loaded, m) { m.def("touch(Tensor x, Tensor y, float scale) -> ()"); }
OPWRIGHT_LIBRARY_IMPL(loaded, CPU, m) { m.impl("touch", &touch); }
