// max, min, any and all. Ints and bools are compared as int64.
#include "devices/cuda/kernels/fold_kernel.h"

namespace opwright::cuda {
namespace {

template <class C>
void launch_one(const FoldPlan& plan, bool is_largest) {
  is_largest ? launch_fold<LargestFold<C>>(plan) : launch_fold<SmallestFold<C>>(plan);
}

}  // namespace

bool launch_extremum(const FoldPlan& plan, Element compute, bool is_largest) {
  switch (compute) {
    case Element::Float32:
      launch_one<float>(plan, is_largest);
      return true;
    case Element::Float64:
      launch_one<double>(plan, is_largest);
      return true;
    case Element::UInt64:
      return false;
    default:
      launch_one<int64_t>(plan, is_largest);
      return true;
  }
}

bool launch_truth(const FoldPlan& plan, bool is_all) {
  is_all ? launch_fold<TruthFold<true>>(plan) : launch_fold<TruthFold<false>>(plan);
  return true;
}

}  // namespace opwright::cuda
