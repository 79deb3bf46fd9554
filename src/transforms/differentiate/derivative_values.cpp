#include "opwright/transforms/differentiate/derivative_values.h"

#include "opwright/dispatch/interpreter.h"
#include "opwright/tensor/level.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/differentiate/grad.h"
#include "opwright/transforms/differentiate/jvp.h"

namespace opwright {
namespace {

bool is_derivative(const Level* level) {
  return dynamic_cast<const Grad*>(level) || dynamic_cast<const Jvp*>(level);
}

}  // namespace

Tensor lift_to_derivative(const Tensor& tensor) {
  Interpreter* level = current_interpreter();
  if (auto* grad = dynamic_cast<Grad*>(level)) return grad->wrap(tensor);
  if (auto* jvp = dynamic_cast<Jvp*>(level)) return jvp->wrap(tensor, {});
  return tensor;
}

Tensor inner_value(const Tensor& tensor) {
  return impl(tensor).is_wrapper() ? wrapper(tensor).inner : tensor;
}

Tensor data_holder(const Tensor& tensor) {
  Tensor found = tensor;
  while (impl(found).is_wrapper() && is_derivative(impl(found).level)) found = inner_value(found);
  return found;
}

}  // namespace opwright
