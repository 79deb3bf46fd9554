// StackView: a tensor handle on a caller's stack, with which a foreign host passes its tensors.
//
// Passing it on costs nothing; copying a handle of it returns an owning handle to the tensor that
// it shows.
#pragma once

#include "opwright/c_api.h"
#include "opwright/tensor.h"

namespace opwright {

class StackView {
 public:
  // Valid while `shown` is, and while its contents are not replaced.
  explicit StackView(const Tensor& shown);
  StackView(const StackView&) = delete;
  StackView& operator=(const StackView&) = delete;

  // The handle to pass as an argument of a call.
  [[nodiscard]] OpwTensor* get() noexcept { return &view_.head; }

  // The tensor that a View of this kind shows. Throws AssertionError for a tensor that is not the
  // core's.
  static OpwTensor* shown_by(OpwTensor* view);

 private:
  struct View {
    OpwTensor head;
    OpwTensor* shown;
  };
  static const OpwTensorTable kTable;

  static OpwTensor* promote(OpwTensor* view);
  static void release(OpwTensor* view);
  static int refresh(OpwTensor* view);
  static int symbolic(const OpwTensor* view, OpwSymbolicShape* shape);

  View view_;
};

}  // namespace opwright
