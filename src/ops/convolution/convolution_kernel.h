// Convolutions of dense images in memory: the results, and the gradient of the weights.
#pragma once

#include "opwright/ops/convolution/convolution_plan.h"

namespace opwright {

// output = bias + the convolution of `input`. All are contiguous; `bias` may be null. `weight`
// holds [groups, out_channels, in_channels, taps], or, where the plan is transposed, [groups,
// in_channels, out_channels, taps]. T is any number but bool and a half.
template <class T>
void convolve(const ConvolutionPlan& plan, const T* input, const T* weight, const T* bias,
              T* output);

// grad_weight = the gradient of `weight` for the plan, which is not transposed, and a gradient of
// its output.
template <class T>
void find_weight_gradient(const ConvolutionPlan& plan, const T* input, const T* grad_output,
                          T* grad_weight);

}  // namespace opwright
