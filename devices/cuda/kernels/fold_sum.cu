// sum, mean and norm.
#include "devices/cuda/kernels/fold_kernel.h"

namespace opwright::cuda {

bool launch_sum(const FoldPlan& plan, Element compute) {
  if (compute == Element::Float32) return launch_fold<SumFold<float>>(plan), true;
  if (compute == Element::Float64) return launch_fold<SumFold<double>>(plan), true;
  if (compute == Element::Int64) return launch_fold<SumFold<int64_t>>(plan), true;
  return false;
}

bool launch_mean(const FoldPlan& plan, Element compute) {
  if (compute == Element::Float32) return launch_fold<MeanFold<float>>(plan), true;
  if (compute == Element::Float64) return launch_fold<MeanFold<double>>(plan), true;
  return false;
}

bool launch_norm(const FoldPlan& plan, Element compute, double order) {
  if (order != 1 && order != 2) return false;
  const bool is_square = order == 2;
  if (compute == Element::Float32) {
    is_square ? launch_fold<NormFold<float, 2>>(plan) : launch_fold<NormFold<float, 1>>(plan);
    return true;
  }
  if (compute == Element::Float64) {
    is_square ? launch_fold<NormFold<double, 2>>(plan) : launch_fold<NormFold<double, 1>>(plan);
    return true;
  }
  return false;
}

}  // namespace opwright::cuda
