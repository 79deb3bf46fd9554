// WrapperImpl: a tensor that a transform made around another one.
//
// Sizes, dtype and device are what the transform says; storage and version are those of what it
// wraps, so that a write at any level is seen at all. Only functionalize, whose writes reach
// nothing below, gives its wrappers storages of their own.
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

// What a transform keeps with its wrapper.
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

// A wrapper around `inner` that shows the given sizes, with inner's dtype and device; it counts on
// its home. Takes the payload over, also when it throws.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_wrapper(Home* home, Tensor inner,
                                                  std::span<const SymInt> sizes,
                                                  std::span<const SymInt> strides,
                                                  const SymInt& offset,
                                                  WrapperPayload payload = {});
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_wrapper(Home* home, Tensor inner,
                                                  std::span<const int64_t> sizes,
                                                  std::span<const int64_t> strides,
                                                  WrapperPayload payload = {});
// With the sizes of inner.
[[nodiscard]] OPWRIGHT_EXPORT Tensor make_wrapper(Home* home, Tensor inner,
                                                  WrapperPayload payload = {});

// Whether the tensor is a wrapper that this transform made.
[[nodiscard]] inline bool is_wrapper_of(const Home& home, const OpwTensor* tensor) noexcept {
  return (tensor->flags & kOpwFlagWrapped) != 0 &&
         impl(const_cast<OpwTensor*>(tensor)).home == &home;
}

// The wrapper behind a tensor with the flag Wrapped; ValueError for others.
WrapperImpl& wrapper(const Tensor& tensor);
// Another tensor object that shows the same value at the same level, without autograd data.
[[nodiscard]] OPWRIGHT_EXPORT Tensor alias_of(const Tensor& tensor);
// Another value in place of the inner one; sizes stay.
void set_inner(WrapperImpl& wrapper, Tensor inner);
// The tensor whose storage this one reads and writes: itself, or what it wraps, down to the first
// that has one.
[[nodiscard]] OPWRIGHT_EXPORT const TensorImpl& storage_holder(const TensorImpl& tensor);

// The storage that a tensor reads and writes, through its wrappers.
[[nodiscard]] inline Storage& storage_of(const TensorImpl& tensor) {
  return *storage_holder(tensor).storage;
}
[[nodiscard]] inline Storage& storage_of(const Tensor& tensor) { return storage_of(impl(tensor)); }
[[nodiscard]] inline uint64_t version_of(const Tensor& tensor) {
  return storage_of(tensor).current_version();
}

// Whether it is a sample of a vmap, also as another transform inside of that shows it: it stands
// for many values, and none of them can be read.
[[nodiscard]] OPWRIGHT_EXPORT bool is_sample(const Tensor& tensor);

// Releases inner and payload; the object stays.
void drop_wrapped(WrapperImpl& wrapper) noexcept;
void destroy_wrapper(WrapperImpl* wrapper) noexcept;

}  // namespace opwright
