#include "opwright/ops/sorting/number_operand.h"

#include <optional>

#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"

namespace opwright {

Tensor number_operand(const Scalar& number, const Tensor& tensor) {
  return full({}, number, result_dtype(tensor, number), std::nullopt, tensor.device());
}

}  // namespace opwright
