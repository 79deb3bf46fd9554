#include "bindings/tensor/function_transform.h"

#include <cstddef>

#include "opwright/error.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/transforms/differentiate/derivative_values.h"
#include "opwright/transforms/differentiate/grad.h"
#include "opwright/transforms/differentiate/jvp.h"
#include "opwright/transforms/functionalize/functionalize.h"
#include "opwright/transforms/vmap/vmap.h"

namespace opwright::python {
namespace {

int count_transforms(const Interpreter* level) {
  int count = 0;
  for (; level; level = level->parent()) count += is_function_transform(*level) ? 1 : 0;
  return count;
}

std::string indented(std::string text) {
  const std::string margin(4, ' ');
  text.insert(0, margin);
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    text.insert(at + 1, margin);
  return text;
}

}  // namespace

bool is_function_transform(const Interpreter& level) {
  if (const auto* jvp = dynamic_cast<const Jvp*>(&level)) return jvp->transforms_function();
  if (dynamic_cast<const Functionalize*>(&level)) return !level.traits().adopts_histories;
  return dynamic_cast<const Vmap*>(&level) || dynamic_cast<const Grad*>(&level);
}

std::optional<std::string> transform_text(const Tensor& tensor) {
  if (!tensor.is_defined() || !impl(tensor).is_wrapper()) return std::nullopt;
  const auto* level = dynamic_cast<const Interpreter*>(impl(tensor).level);
  // A transform that ended does not know the levels that were below it.
  if (!level || !is_in_chain(level, current_interpreter()) || !is_function_transform(*level))
    return std::nullopt;
  // What functionalize shows may be out of date.
  if (dynamic_cast<const Functionalize*>(level)) return std::nullopt;
  const Tensor inner = inner_value(tensor);
  if (!inner.is_defined()) return std::nullopt;
  const bool is_batch = dynamic_cast<const Vmap*>(level) != nullptr;
  const std::string dim = is_batch ? concatenate(", bdim=", Vmap::dim_of(tensor.get())) : "";
  return concatenate(is_batch ? "BatchedTensor" : "GradTrackingTensor",
                     "(lvl=", count_transforms(level), dim, ", value=\n",
                     indented(transform_text(inner).value_or(to_text(inner))), "\n)");
}

}  // namespace opwright::python
