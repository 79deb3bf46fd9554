// What the levels of a thread mean for an autograd.Function, of Python or of a binary: each of them
// must record it with its own backward.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "opwright/dispatch/interpreter.h"
#include "opwright/tensor.h"
#include "opwright/transforms/differentiate/grad.h"
#include "opwright/visibility.h"

namespace opwright {

// functionalize passes the calls of a forward on to the levels below, which would differentiate
// these instead of using the Function's backward. NotImplementedError if it would happen to these
// inputs at the current level; undefined ones are not tensors.
OPWRIGHT_EXPORT void check_backward_is_kept(std::string_view function,
                                            std::span<const Tensor> inputs);

// Whether the current level computes with these inputs by rules of its own (vmap, jvp), or hides a
// history of the levels below (functionalize): the Function cannot be applied there.
[[nodiscard]] bool hides_history(std::span<const Tensor> inputs);

// Whether a level below `level` records calls with this tensor, or computes their tangents.
[[nodiscard]] bool is_recorded_below(const Interpreter& level, const Tensor& tensor);

// A call at a level of grad as the level below sees it.
class OPWRIGHT_EXPORT CallBelow {
 public:
  CallBelow(Grad& level, std::vector<Tensor> inputs);

  [[nodiscard]] const std::vector<Tensor>& inputs() const noexcept { return below_; }
  // The value at the level for an output of the level below. An input that is returned is that
  // input; a view of an input is noted as one.
  [[nodiscard]] Tensor raise(const Tensor& output) const;

 private:
  Grad& level_;
  std::vector<Tensor> own_;
  std::vector<Tensor> below_;
};

}  // namespace opwright
