// Operators that return and set the default generator's state, so that a graph can contain these in
// order.
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/property.h"
#include "opwright/library.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/random_state.h"

namespace opwright {
namespace {

Tensor random_state_all_devices() {
  Tensor state = default_generator(kCpu).state();
  return thread_state().makes_fakes() ? make_fake(state.sizes(), state.dtype(), kCpu) : state;
}

void set_random_state_all_devices(const Tensor& state) {
  if (!state.is_fake()) default_generator(kCpu).set_state(state);
}

}  // namespace

OPWRIGHT_LIBRARY_FRAGMENT(opwright, m) {
  constexpr Tags kTags =
      with_properties({Tag::Ordered, Tag::Nondifferentiable}, {Property::Internal});
  m.def("random_state() -> Tensor", kTags);
  m.def("set_random_state(Tensor state) -> ()", kTags);
}

OPWRIGHT_LIBRARY_IMPL(opwright, CompositeExplicitAutograd, m) {
  m.impl("random_state", &random_state_all_devices);
  m.impl("set_random_state", &set_random_state_all_devices);
}

}  // namespace opwright
