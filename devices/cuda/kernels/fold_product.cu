// prod and var.
#include "devices/cuda/kernels/fold_kernel.h"

namespace opwright::cuda {

bool launch_product(const FoldPlan& plan, Element compute) {
  if (compute == Element::Float32) return launch_fold<ProductFold<float>>(plan), true;
  if (compute == Element::Float64) return launch_fold<ProductFold<double>>(plan), true;
  if (compute == Element::Int64) return launch_fold<ProductFold<int64_t>>(plan), true;
  return false;
}

bool launch_variance(const FoldPlan& plan, Element compute) {
  if (compute == Element::Float32) return launch_fold<VarianceFold<float>>(plan), true;
  if (compute == Element::Float64) return launch_fold<VarianceFold<double>>(plan), true;
  return false;
}

}  // namespace opwright::cuda
