// Forward mode over a function.
#include <cstddef>
#include <span>
#include <vector>

#include "opwright/autograd/value_meta.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/runtime/func.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/differentiate/jvp.h"

namespace opwright {

JvpResult push_through(Jvp& level, std::span<const Tensor> inputs, std::span<const Tensor> tangents,
                       const FunctionBody& body, bool strict) {
  OPWRIGHT_CHECK_VALUE(inputs.size() == tangents.size(), "jvp: ", inputs.size(), " primals, but ",
                       tangents.size(), " tangents");
  std::vector<Tensor> own;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueMeta meta(inputs[i]);
    OPWRIGHT_CHECK_TYPE(has_gradients(meta.dtype()), "jvp: primal ", i, " (", inputs[i],
                        ") cannot be differentiated, only tensors of floating and complex dtypes "
                        "can");
    OPWRIGHT_CHECK_VALUE(!tangents[i].is_defined() || (has_sizes(tangents[i], meta.sizes()) &&
                                                       tangents[i].dtype() == meta.dtype()),
                         "jvp: the tangent of primal ", i, " must be like it (", inputs[i],
                         "), got ", tangents[i].is_defined() ? tangents[i] : inputs[i]);
    own.push_back(level.wrap(inputs[i], tangents[i]));
  }
  FunctionOutputs given;
  {
    const InterpreterScope scope(&level);
    given = body(own);
  }
  JvpResult result;
  for (const Tensor& output : given.outputs) {
    result.outputs.push_back(level.primal_of(output));
    Tensor tangent = level.tangent_of(output);
    OPWRIGHT_CHECK_VALUE(!strict || tangent.is_defined(), "jvp: output ", result.outputs.size() - 1,
                         " (", output,
                         ") is independent of the inputs, which is not allowed with strict=True");
    result.tangents.push_back(tangent.is_defined() ? tangent : zeros_like(result.outputs.back()));
  }
  for (const Tensor& each : given.aux) result.aux.push_back(level.primal_of(each));
  return result;
}

JvpResult jvp_function(std::span<const Tensor> inputs, std::span<const Tensor> tangents,
                       const FunctionBody& body, bool strict) {
  const auto level = JvpPtr::take(new Jvp(current_interpreter()));
  return push_through(*level, inputs, tangents, body, strict);
}

}  // namespace opwright
