// The state of the default generator as an operator's result and argument, so that a graph can hold
// them in their order.
#include "opwright/library.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/random_state.h"

namespace opwright {
namespace {

Tensor random_state_cpu() { return default_generator(kCpu).state(); }

Tensor random_state_fake() {
  const Tensor state = default_generator(kCpu).state();
  return make_fake(state.sizes(), state.dtype(), kCpu);
}

void set_random_state_cpu(const Tensor& state) { default_generator(kCpu).set_state(state); }

void set_random_state_fake(const Tensor& /*state*/) {}

}  // namespace

OPWRIGHT_LIBRARY_FRAGMENT(opwright, m) {
  m.def("random_state() -> Tensor", {Tag::Ordered, Tag::Nondifferentiable});
  m.def("set_random_state(Tensor state) -> ()", {Tag::Ordered, Tag::Nondifferentiable});
}

OPWRIGHT_LIBRARY_IMPL(opwright, CPU, m) {
  m.impl("random_state", &random_state_cpu);
  m.impl("set_random_state", &set_random_state_cpu);
}

OPWRIGHT_LIBRARY_IMPL(opwright, Fake, m) {
  m.impl("random_state", &random_state_fake);
  m.impl("set_random_state", &set_random_state_fake);
}

}  // namespace opwright
