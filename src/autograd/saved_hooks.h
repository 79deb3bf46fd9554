// What stands for saved tensors where a program wants to keep something else in their place.
#pragma once

#include "opwright/autograd/tape.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Kept in the place of one saved tensor.
struct OPWRIGHT_EXPORT PackedTensor : Counted<PackedTensor> {
  virtual ~PackedTensor() = default;

  // The tensor again, when a formula asks; its history is put on it by who saved it.
  [[nodiscard]] virtual Tensor unpack() = 0;
  Edge history;  // of a tensor that is no result of the call itself
};
using PackedTensorPtr = IntrusivePtr<PackedTensor>;

class OPWRIGHT_EXPORT SavedTensorHooks {
 public:
  // The tensor has no history. Called with grad mode off and without these hooks.
  [[nodiscard]] virtual PackedTensorPtr pack(const Tensor& tensor) = 0;

 protected:
  ~SavedTensorHooks() = default;
};

// Of this thread; null: tensors are kept as they are.
[[nodiscard]] OPWRIGHT_EXPORT SavedTensorHooks* saved_tensor_hooks() noexcept;
// Gives the previous ones.
OPWRIGHT_EXPORT SavedTensorHooks* set_saved_tensor_hooks(SavedTensorHooks* hooks) noexcept;

}  // namespace opwright
