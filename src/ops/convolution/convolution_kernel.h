// Convolutions of dense images in memory: the results, and the gradient of the weights.
#pragma once

#include "opwright/ops/convolution/convolution_plan.h"

namespace opwright {

// output = bias + the convolution of `input`. All are contiguous; `bias` may be null. `weight` has
// sizes [groups, out_channels, in_channels, taps] or, if the plan is transposed, [groups,
// in_channels, out_channels, taps]. T is any number type but bool and halves.
template <class T>
void convolve(const ConvolutionPlan& plan, const T* input, const T* weight, const T* bias,
              T* output);

// grad_weight = the gradient of `weight`, given the gradient of the output. The plan must not be
// transposed.
template <class T>
void find_weight_gradient(const ConvolutionPlan& plan, const T* input, const T* grad_output,
                          T* grad_weight);

}  // namespace opwright
