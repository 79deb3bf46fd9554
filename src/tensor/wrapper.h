// WrapperImpl: a tensor that a transform made around another one.
//
// The transform defines sizes, dtype and device; storage and version are those of the wrapped
// tensor, so a write at any level is visible at all levels. Only functionalize, whose writes do not
// reach lower levels, gives its wrappers their own storages.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/level.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/visibility.h"

namespace opwright {

struct WrapperImpl;

// Data that a transform stores with its wrapper.
struct WrapperPayload {
  void* data = nullptr;
  void* (*copy)(void* data) = nullptr;              // for another wrapper; null: the same pointer
  void (*drop)(void* data) = nullptr;               // null: nothing to drop
  void (*refresh)(WrapperImpl& wrapper) = nullptr;  // brings a Stale wrapper up to date; may throw
};

struct WrapperImpl : TensorImpl {
  Tensor inner;  // undefined after the wrapper became plain (replace_contents)
  WrapperPayload payload;
};

// A wrapper around `inner` that shows the given sizes, with inner's dtype and device; it holds a
// count on `level`. Takes ownership of the payload, also when it throws.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_wrapper(Level* level, Tensor inner,
                                                  std::span<const SymInt> sizes,
                                                  std::span<const SymInt> strides,
                                                  const SymInt& offset,
                                                  WrapperPayload payload = {});
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_wrapper(Level* level, Tensor inner,
                                                  std::span<const int64_t> sizes,
                                                  std::span<const int64_t> strides,
                                                  WrapperPayload payload = {});
// With the sizes of inner.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_wrapper(Level* level, Tensor inner,
                                                  WrapperPayload payload = {});

// Whether the tensor is a wrapper made by this transform.
[[nodiscard]] inline bool is_wrapper_of(const Level& level, const OpwTensor* tensor) noexcept {
  return (tensor->flags & kOpwFlagWrapped) != 0 &&
         impl(const_cast<OpwTensor*>(tensor)).level == &level;
}

// The wrapper behind a tensor with the flag Wrapped; throws ValueError for others.
WrapperImpl& wrapper(const Tensor& tensor);
// Another tensor object that shows the same value at the same level, without autograd data.
[[nodiscard]] OPWRIGHT_EXPORT Tensor alias_of(const Tensor& tensor);
// Replaces the inner value; sizes stay.
void set_inner(WrapperImpl& wrapper, Tensor inner);
// The tensor whose storage this one reads and writes: itself, or the first wrapped tensor that has
// a storage.
[[nodiscard]] OPWRIGHT_EXPORT const TensorImpl& storage_holder(const TensorImpl& tensor);

// The storage that a tensor reads and writes, through its wrappers.
[[nodiscard]] inline Storage& storage_of(const TensorImpl& tensor) {
  return *storage_holder(tensor).storage;
}
[[nodiscard]] inline Storage& storage_of(const Tensor& tensor) { return storage_of(impl(tensor)); }
[[nodiscard]] inline uint64_t version_of(const Tensor& tensor) {
  return storage_of(tensor).current_version();
}

// Whether the tensor is a vmap sample, possibly wrapped by an inner transform: it represents many
// values, and none of them can be read.
[[nodiscard]] OPWRIGHT_EXPORT bool is_sample(const Tensor& tensor);

// Releases inner and payload; the object stays.
void drop_wrapped(WrapperImpl& wrapper) noexcept;
void destroy_wrapper(WrapperImpl* wrapper) noexcept;

}  // namespace opwright
