// gradcheck: compares derivatives from formulas with finite differences.
//
// A complex number counts as two real ones. Inputs that do not require grad are passed through;
// outputs that carry no gradient are ignored.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "opwright/runtime/func.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

struct GradcheckOptions {
  double eps = 1e-6;
  double atol = 1e-5;
  double rtol = 1e-3;
  double nondet_tol = 0;   // how much two runs of one backward may differ
  bool fast_mode = false;  // one random direction instead of all elements
  bool check_undefined_grad = true;
  bool check_backward_ad = true;
  bool check_forward_ad = false;
  bool check_batched_grad = false;
  bool check_batched_forward_grad = false;
  bool allows_coarse_dtypes = false;  // inputs whose dtype is too coarse for `eps`
};

// Describes the first error in one sentence; nullopt if the derivatives agree. ValueError if no
// input requires grad, or if a dtype is too coarse for `eps`. AssertionError if sizes or dtypes of
// outputs depend on the values of inputs.
[[nodiscard]] OPWRIGHT_EXPORT std::optional<std::string> gradcheck(
    const FunctionBody& function, std::span<const Tensor> inputs,
    const GradcheckOptions& options = {});
// The same for the function's gradients, as a function of the inputs and of the gradients of the
// outputs. `gradients` are random if empty.
[[nodiscard]] OPWRIGHT_EXPORT std::optional<std::string> gradgradcheck(
    const FunctionBody& function, std::span<const Tensor> inputs, std::span<const Tensor> gradients,
    const GradcheckOptions& options = {});

}  // namespace opwright
