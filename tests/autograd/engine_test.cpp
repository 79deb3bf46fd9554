#include <gtest/gtest.h>

#include <vector>

#include "opwright/autograd/backward.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/registry.h"
#include "opwright/library.h"
#include "opwright/functions.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

Gradients cube_backward(const AutogradContext& context, const Tensor& gradient) {
  const Tensor x = context.saved(0);
  return {gradient * x * x * 3.0};
}
void cube_save(AutogradContext& context, const Tensor& x, const Tensor& /*result*/) {
  context.save({x});
}
Tensor cube(const Tensor& x) { return x * x * x; }

OPWRIGHT_LIBRARY(tape_test, m) {
  m.def("cube(Tensor x) -> Tensor");
  m.def("no_formula(Tensor x) -> Tensor");
  m.register_autograd("cube", &cube_save, &cube_backward);
}
OPWRIGHT_LIBRARY_IMPL(tape_test, CPU, m) {
  m.impl("cube", &cube);
  m.impl("no_formula", &cube);
}

Tensor run(const char* name, const Tensor& x) {
  return OperatorHandle<Tensor(const Tensor&)>(name)(x);
}

}  // namespace
}  // namespace opwright
