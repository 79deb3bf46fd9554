// Everything that can go wrong inside a binary at run time.
#include <stdexcept>
#include <string>

#include "opwright/opwright.h"

namespace failing {
namespace {

using opwright::Tensor;

Tensor fail(const Tensor& x, int64_t how) {
  switch (how) {
    case 0:
      throw opwright::Error("KeyError", "no such key");
    case 1:
      throw std::out_of_range("beyond the end");
    case 2:
      throw std::bad_alloc();
    case 3:
      throw 42;
    case 4:
      opwright::parallel_for(x.numel(), 1, [](int64_t begin, int64_t /*end*/) {
        OPWRIGHT_CHECK_INDEX(begin < 0, "a worker failed at ", begin);
      });
      return x;
    case 5:
      return Tensor();
    case 7:  // as headers of ABI 1.1 report it
      throw opwright::Error("RuntimeError", "the data of a fake tensor was read; it has none");
    case 8:
      throw opwright::Error("RuntimeError", "the data of a tensor inside a transform was read");
    default:
      return x * x;
  }
}

// Keeps its argument beyond the call: the handle must stay good.
Tensor kept;
Tensor remember(const Tensor& x) {
  Tensor previous = kept.is_defined() ? kept : x;
  kept = x;
  return previous;
}
void forget(const Tensor& /*x*/) { kept = Tensor(); }

}  // namespace

OPWRIGHT_LIBRARY(failing, m) {
  m.def("fail(Tensor x, int how) -> Tensor");
  m.def("remember(Tensor x) -> Tensor");
  m.def("forget(Tensor x) -> ()");
}
OPWRIGHT_LIBRARY_IMPL(failing, CPU, m) {
  m.impl("fail", &fail);
  m.impl("remember", &remember);
  m.impl("forget", &forget);
}

}  // namespace failing
