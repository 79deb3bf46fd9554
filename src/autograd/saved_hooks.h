// Hooks with which a program stores something else instead of saved tensors.
#pragma once

#include "opwright/autograd/tape.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Stored instead of one saved tensor.
struct OPWRIGHT_EXPORT PackedTensor : Counted<PackedTensor> {
  virtual ~PackedTensor() = default;

  // Restores the tensor when a formula reads it; the saver adds its history.
  [[nodiscard]] virtual Tensor unpack() = 0;
  Edge history;  // for a tensor that is not a result of the call itself
};
using PackedTensorPtr = IntrusivePtr<PackedTensor>;

class OPWRIGHT_EXPORT SavedTensorHooks {
 public:
  // The tensor has no history. Called with grad mode off and without these hooks.
  [[nodiscard]] virtual PackedTensorPtr pack(const Tensor& tensor) = 0;

 protected:
  ~SavedTensorHooks() = default;
};

// The hooks of this thread; null: tensors are saved unchanged.
[[nodiscard]] OPWRIGHT_EXPORT SavedTensorHooks* saved_tensor_hooks() noexcept;
// Returns the previous ones.
OPWRIGHT_EXPORT SavedTensorHooks* set_saved_tensor_hooks(SavedTensorHooks* hooks) noexcept;

}  // namespace opwright
