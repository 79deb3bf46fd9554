// Leaves that require grad, and shorthands for backward, for the tests of autograd.
#pragma once

#include <initializer_list>
#include <vector>

#include "ops/op_tensors.h"
#include "opwright/autograd/backward.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"

namespace opwright::testing {

using Values = std::vector<float>;

inline Tensor as_leaf(Tensor tensor) {
  set_requires_grad(tensor, true);
  return tensor;
}
inline Tensor leaf(const std::vector<float>& values) {
  return as_leaf(tensor_of<float>({static_cast<int64_t>(values.size())}, values));
}

inline void run_backward_of(const Tensor& output, BackwardOptions options = {}) {
  backward({&output, 1}, {}, {}, options);
}
inline Tensor gradient_with_respect_to(const Tensor& input, const Tensor& output,
                                       BackwardOptions options = {}) {
  return grad({&output, 1}, {&input, 1}, {}, options)[0];
}
inline Values gradient_values(const Tensor& tensor) { return floats(gradient_of(tensor)); }

// Turns grad mode off until the end of the scope.
class [[nodiscard]] NoGrad {
 public:
  NoGrad() : scope_(kAttentionGradOff, true) {}

 private:
  AttentionScope scope_;
};

}  // namespace opwright::testing
