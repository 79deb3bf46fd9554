// New tensors, with PyTorch's TensorOptions. Templates, so that a binary imports only what it
// calls.
#pragma once

#include <initializer_list>
#include <type_traits>
#include <vector>

#include "opwright/compat/ATen/core/Tensor.h"

namespace at OPWRIGHT_VISIBILITY {
template <class Result = Tensor>
Result empty(SizeList size, const TensorOptions& options = {},
             std::optional<MemoryFormat> memory_format = std::nullopt) {
  return opwright::empty<Result>(size, options.dtype_opt(), options.layout_opt(),
                                 options.device_opt(), options.pinned_memory_opt(),
                                 memory_format ? memory_format : options.memory_format_opt());
}
template <class Result = Tensor>
Result empty_strided(SizeList size, SizeList stride, const TensorOptions& options = {}) {
  return opwright::empty_strided<Result>(size, stride, options.dtype_opt(), options.layout_opt(),
                                         options.device_opt(), options.pinned_memory_opt());
}
template <class Result = Tensor>
Result full(SizeList size, const Scalar& value, const TensorOptions& options = {}) {
  return opwright::full<Result>(size, value, options.dtype_opt(), options.layout_opt(),
                                options.device_opt(), options.pinned_memory_opt());
}
template <class Result = Tensor>
Result zeros(SizeList size, const TensorOptions& options = {}) {
  return opwright::zeros<Result>(size, options.dtype_opt(), options.layout_opt(),
                                 options.device_opt(), options.pinned_memory_opt());
}
template <class Result = Tensor>
Result ones(SizeList size, const TensorOptions& options = {}) {
  return opwright::ones<Result>(size, options.dtype_opt(), options.layout_opt(),
                                options.device_opt(), options.pinned_memory_opt());
}
template <class Result = Tensor>
Result scalar_tensor(const Scalar& value, const TensorOptions& options = {}) {
  return opwright::scalar_tensor<Result>(value, options.dtype_opt(), options.layout_opt(),
                                         options.device_opt(), options.pinned_memory_opt());
}
template <class Result = Tensor>
Result empty_like(const Tensor& self, const TensorOptions& options = {},
                  std::optional<MemoryFormat> memory_format = std::nullopt) {
  return opwright::empty_like<Result>(self, options.dtype_opt(), options.layout_opt(),
                                      options.device_opt(), options.pinned_memory_opt(),
                                      memory_format ? memory_format : options.memory_format_opt());
}
template <class Result = Tensor>
Result full_like(const Tensor& self, const Scalar& value, const TensorOptions& options = {},
                 std::optional<MemoryFormat> memory_format = std::nullopt) {
  return opwright::full_like<Result>(self, value, options.dtype_opt(), options.layout_opt(),
                                     options.device_opt(), options.pinned_memory_opt(),
                                     memory_format ? memory_format : options.memory_format_opt());
}
template <class Result = Tensor>
Result zeros_like(const Tensor& self, const TensorOptions& options = {},
                  std::optional<MemoryFormat> memory_format = std::nullopt) {
  return opwright::zeros_like<Result>(self, options.dtype_opt(), options.layout_opt(),
                                      options.device_opt(), options.pinned_memory_opt(),
                                      memory_format ? memory_format : options.memory_format_opt());
}
template <class Result = Tensor>
Result ones_like(const Tensor& self, const TensorOptions& options = {},
                 std::optional<MemoryFormat> memory_format = std::nullopt) {
  return opwright::ones_like<Result>(self, options.dtype_opt(), options.layout_opt(),
                                     options.device_opt(), options.pinned_memory_opt(),
                                     memory_format ? memory_format : options.memory_format_opt());
}
// PyTorch's names for the variants over SymInts.
template <class Result = Tensor>
Result empty_symint(SymIntArrayRef size, const TensorOptions& options = {},
                    std::optional<MemoryFormat> memory_format = std::nullopt) {
  return at::empty<Result>(size, options, memory_format);
}
template <class Result = Tensor>
Result full_symint(SymIntArrayRef size, const Scalar& value, const TensorOptions& options = {}) {
  return at::full<Result>(size, value, options);
}
template <class Result = Tensor>
Result zeros_symint(SymIntArrayRef size, const TensorOptions& options = {}) {
  return at::zeros<Result>(size, options);
}
template <class Result = Tensor>
Result ones_symint(SymIntArrayRef size, const TensorOptions& options = {}) {
  return at::ones<Result>(size, options);
}

// A cpu tensor of the given numbers, by default of their type.
template <class T>
Tensor tensor(ArrayRef<T> values, const TensorOptions& options = {}) {
  Tensor result = empty(static_cast<int64_t>(values.size()), CppTypeToScalarType<T>::value);
  T* data = result.mutable_data_ptr<T>();
  for (size_t i = 0; i < values.size(); ++i) data[i] = values[i];
  return result.to(options);
}
template <class T>
Tensor tensor(std::initializer_list<T> values, const TensorOptions& options = {}) {
  return tensor(ArrayRef<T>(values), options);
}
template <class T>
Tensor tensor(const std::vector<T>& values, const TensorOptions& options = {}) {
  return tensor(ArrayRef<T>(values), options);
}
template <class T>
  requires std::is_arithmetic_v<T>
Tensor tensor(T value, const TensorOptions& options = {}) {
  return at::scalar_tensor(
      value, options.has_dtype() ? options : options.dtype(CppTypeToScalarType<T>::value));
}

// A tensor cannot be made from the author's own memory.
[[gnu::error(
    "from_blob: a tensor's memory belongs to the host in Opwright; make it with at::empty and copy "
    "into it")]]
Tensor from_blob(void* data, SizeList size, const TensorOptions& options = {});
}  // namespace at
