#include "opwright/ops/reduction/composite_checks.h"

#include "opwright/base/thread_state.h"
#include "opwright/dtype.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {

std::vector<double> values_to_check(const Tensor& tensor) {
  if (tensor.is_fake() || !is_on_cpu(tensor) || impl(tensor).is_wrapper() ||
      thread_state().current || tensor.numel() == 0)
    return {};
  const Tensor dense = as_contiguous(as_dtype(tensor, DType::Float64));
  return {dense.data<double>(), dense.data<double>() + dense.numel()};
}

}  // namespace opwright
