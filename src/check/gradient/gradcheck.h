// gradcheck: derivatives by formulas against differences of values.
//
// Complex numbers count as two real ones. Inputs that do not require grad are passed on as they
// are; outputs that carry no gradient are left out.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "opwright/func.h"
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
};

// What is wrong, in one sentence; nothing: the derivatives agree. ValueError for inputs of which
// none requires grad, or that are too coarse for `eps`.
[[nodiscard]] OPWRIGHT_EXPORT std::optional<std::string> gradcheck(
    const FunctionBody& function, std::span<const Tensor> inputs,
    const GradcheckOptions& options = {});
// The same for the gradients of the function, as a function of inputs and of gradients of outputs.
// Without `gradients` they are random.
[[nodiscard]] OPWRIGHT_EXPORT std::optional<std::string> gradgradcheck(
    const FunctionBody& function, std::span<const Tensor> inputs, std::span<const Tensor> gradients,
    const GradcheckOptions& options = {});

}  // namespace opwright
