// opwright::Tensor: a reference-counted handle to a tensor that some host owns.
//
// Reading is an inline load. Copying a handle raises the tensor's count; for a view on a caller's
// stack, it requests an owning handle from the owner. Kernel arguments are borrowed: passing them
// on costs nothing.
#pragma once

#include <source_location>
#include <span>
#include <utility>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/symint.h"
#include "opwright/tensor_methods.h"

namespace opwright OPWRIGHT_VISIBILITY {
// Adds one count to `tensor`; for a View, returns an owning handle instead.
inline OpwTensor* retain_tensor(OpwTensor* tensor) {
  if (!tensor) return nullptr;
  if (tensor->flags & kOpwFlagView) [[unlikely]] {
    OpwTensor* owned = tensor->owner->promote(tensor);
    if (!owned) throw_given_error();
    return owned;
  }
  __atomic_fetch_add(&tensor->count, 1, __ATOMIC_RELAXED);
  return tensor;
}
inline void release_tensor(OpwTensor* tensor) noexcept {
  if (!tensor) return;
  uint32_t count = __atomic_load_n(&tensor->count, __ATOMIC_ACQUIRE);
  for (;;) {
    if ((count & ~kOpwCountHostBit) == 1)
      return tensor->owner->release(tensor);  // sole owner: no locked instruction
    if (__atomic_compare_exchange_n(&tensor->count, &count, count - 1, true, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return;
  }
}

// Counts references; Tensor and FakeTensor differ only in what they let callers read.
class TensorHandle {
 public:
  [[nodiscard]] bool is_defined() const noexcept { return handle_ != nullptr; }
  [[nodiscard]] OpwTensor* get() const noexcept { return handle_; }
  // Releases ownership: the caller gets the count.
  [[nodiscard]] OpwTensor* give() noexcept { return std::exchange(handle_, nullptr); }

 protected:
  TensorHandle() = default;
  explicit TensorHandle(OpwTensor* owned) noexcept : handle_(owned) {}
  TensorHandle(const TensorHandle& other) : handle_(retain_tensor(other.handle_)) {}
  TensorHandle(TensorHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  TensorHandle& operator=(const TensorHandle& other) {
    OpwTensor* owned = retain_tensor(other.handle_);
    release_tensor(std::exchange(handle_, owned));
    return *this;
  }
  TensorHandle& operator=(TensorHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~TensorHandle() { release_tensor(handle_); }

  OpwTensor* handle_ = nullptr;
};

class Tensor : public TensorHandle, public TensorMethods<Tensor> {
 public:
  Tensor() = default;
  // Takes over one count.
  static Tensor take(OpwTensor* owned) noexcept { return Tensor(owned); }
  // Adds one count.
  static Tensor borrow(OpwTensor* tensor) { return Tensor(retain_tensor(tensor)); }

  [[nodiscard]] int64_t dim() const { return tensor().dl.ndim; }
  // The size of one dimension, counted from the end when negative. A symbolic size becomes fixed,
  // and its owner records where; rules that must stay dynamic use sym_size.
  [[nodiscard]] int64_t size(int64_t dim,
                             std::source_location where = std::source_location::current()) const {
    const OpwTensor& self = tensor();
    const int64_t index = wrap_dim(dim);
    if (self.flags & kOpwFlagSymbolic) [[unlikely]]
      return sym_size(dim).specialise(where);
    return self.dl.shape[index];
  }
  [[nodiscard]] int64_t stride(int64_t dim,
                               std::source_location where = std::source_location::current()) const {
    const OpwTensor& self = tensor();
    const int64_t index = wrap_dim(dim);
    if (self.flags & kOpwFlagSymbolic) [[unlikely]]
      return sym_stride(dim).specialise(where);
    return self.dl.strides[index];
  }
  [[nodiscard]] std::span<const int64_t> sizes(
      std::source_location where = std::source_location::current()) const {
    const OpwTensor& self = tensor();
    if (self.flags & kOpwFlagSymbolic) [[unlikely]]
      specialise_all(where);
    return {self.dl.shape, static_cast<size_t>(self.dl.ndim)};
  }
  [[nodiscard]] std::span<const int64_t> strides(
      std::source_location where = std::source_location::current()) const {
    const OpwTensor& self = tensor();
    if (self.flags & kOpwFlagSymbolic) [[unlikely]]
      specialise_all(where);
    return {self.dl.strides, static_cast<size_t>(self.dl.ndim)};
  }
  [[nodiscard]] int64_t numel(std::source_location where = std::source_location::current()) const {
    int64_t product = 1;
    for (const int64_t size : sizes(where)) product *= size;
    return product;
  }
  [[nodiscard]] SymInt sym_size(int64_t dim) const {
    const int64_t index = wrap_dim(dim);
    if (!(tensor().flags & kOpwFlagSymbolic)) [[likely]]
      return tensor().dl.shape[index];
    return SymInt::borrow(symbolic_shape().sizes[index]);
  }
  [[nodiscard]] SymInt sym_stride(int64_t dim) const {
    const int64_t index = wrap_dim(dim);
    if (!(tensor().flags & kOpwFlagSymbolic)) [[likely]]
      return tensor().dl.strides[index];
    return SymInt::borrow(symbolic_shape().strides[index]);
  }
  [[nodiscard]] SymInt sym_numel() const {
    SymInt product = 1;
    for (int64_t i = 0; i < dim(); ++i) product = product * sym_size(i);
    return product;
  }

  [[nodiscard]] DType dtype() const { return from_dlpack(tensor().dl.dtype); }
  [[nodiscard]] Device device() const { return tensor().dl.device; }
  [[nodiscard]] bool is_fake() const { return (tensor().flags & kOpwFlagFake) != 0; }
  [[nodiscard]] bool is_symbolic() const { return (tensor().flags & kOpwFlagSymbolic) != 0; }
  [[nodiscard]] bool requires_grad() const { return (tensor().flags & kOpwFlagRequiresGrad) != 0; }
  [[nodiscard]] bool is_contiguous(
      std::source_location where = std::source_location::current()) const {
    int64_t expected = 1;
    const auto shape = sizes(where);
    for (int64_t i = dim() - 1; i >= 0; --i) {
      const int64_t size = shape[static_cast<size_t>(i)];
      if (size == 0) return true;
      if (size != 1 && tensor().dl.strides[i] != expected) return false;
      expected *= size;
    }
    return true;
  }

  // The first element. T must match the dtype; void accepts any.
  template <class T = void>
  [[nodiscard]] const T* data() const {
    return static_cast<const T*>(memory(kDTypeOf<T>));
  }
  template <class T = void>
  [[nodiscard]] T* mutable_data() const {
    if (tensor().flags & kOpwFlagReadOnly) [[unlikely]]
      throw_read_only();
    return static_cast<T*>(memory(kDTypeOf<T>));
  }

 private:
  explicit Tensor(OpwTensor* owned) noexcept : TensorHandle(owned) {}

  static constexpr DType kAnyDType{};
  template <class T>
  static constexpr DType kDTypeOf = dtype_of<T>();

  [[gnu::cold, gnu::noinline]] void make_readable() const {
    if (!handle_) throw_error("ValueError", "an undefined tensor was read");
    require_ok(handle_->owner->refresh(handle_));
  }
  [[nodiscard]] const OpwTensor& tensor() const {
    if (!handle_ || (handle_->flags & kOpwFlagStale)) [[unlikely]]
      make_readable();
    return *handle_;
  }
  [[nodiscard]] int64_t wrap_dim(int64_t dim) const {
    const int64_t ndim = tensor().dl.ndim;
    if (dim < -ndim || dim >= ndim) [[unlikely]] {
      throw_error("IndexError", "dimension ", dim, " is out of range for a tensor of ", ndim,
                  " dimensions");
    }
    return dim < 0 ? dim + ndim : dim;
  }
  [[nodiscard]] OpwSymbolicShape symbolic_shape() const {
    OpwSymbolicShape shape{};
    require_ok(handle_->owner->symbolic(handle_, &shape));
    return shape;
  }
  // Fixes every size and stride; the values are then read from the DLPack view as for a plain
  // tensor.
  void specialise_all(std::source_location where) const {
    const OpwSymbolicShape shape = symbolic_shape();
    for (int32_t i = 0; i < handle_->dl.ndim; ++i) {
      handle_->dl.shape[i] = SymInt::borrow(shape.sizes[i]).specialise(where);
      handle_->dl.strides[i] = SymInt::borrow(shape.strides[i]).specialise(where);
    }
  }
  [[nodiscard]] void* memory(DType wanted) const {
    const OpwTensor& self = tensor();
    if (self.flags & (kOpwFlagFake | kOpwFlagWrapped)) [[unlikely]]
      throw_no_memory();
    if (wanted != kAnyDType && wanted != from_dlpack(self.dl.dtype)) [[unlikely]] {
      throw_error("TypeError", "the tensor's memory was read as ", wanted, ", but its dtype is ",
                  dtype());
    }
    return self.dl.data;
  }
  [[noreturn, gnu::cold, gnu::noinline]] static void throw_read_only() {
    throw_error("ValueError", "the memory of this tensor is read-only; clone it first");
  }
  [[noreturn, gnu::cold]] void throw_no_memory() const {
    if (handle_->flags & kOpwFlagFake) {
      throw Error(
          "DataDependentError",
          "the data of a fake tensor was read; a fake kernel may look at sizes, strides, dtype "
          "and device only");
    }
    throw Error(
        "DataDependentError",
        "the data of a tensor inside a transform was read; only kernels see data, so make the "
        "code that reads it an operator of its own");
  }
};
static_assert(sizeof(Tensor) ==
              sizeof(OpwTensor*));  // so that a Tensor[] value is an array of Tensor

inline void append_shape(std::string& out, const Tensor& tensor) {
  out.push_back('[');
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    if (i != 0) out.append(", ");
    append_text(out, tensor.sym_size(i));
  }
  out.push_back(']');
}
// "float32[4, 256] on cuda:0"; the device is omitted for cpu tensors.
inline void append_text(std::string& out, const Tensor& tensor) {
  if (!tensor.is_defined()) return out.append("an undefined tensor"), void();
  append_text(out, tensor.dtype());
  append_shape(out, tensor);
  if (tensor.device().type != kOpwDeviceCpu) {
    out.append(" on ");
    append_text(out, tensor.device());
  }
}
}  // namespace opwright
