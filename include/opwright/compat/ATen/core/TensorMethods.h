// The methods of at::Tensor that call operators in a form that the generated methods do not have.
//
// A template, like the generated ones: methods that a source does not call are not instantiated,
// and a binary imports only the operators that its code calls.
#pragma once

#include <concepts>
#include <optional>
#include <vector>

#include "opwright/compat/c10/core/Scalar.h"
#include "opwright/compat/c10/core/SymIntArrayRef.h"
#include "opwright/compat/c10/core/TensorOptions.h"
#include "opwright/compat/c10/util/Exception.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"

namespace at OPWRIGHT_VISIBILITY {
using namespace c10;

// Sizes as PyTorch's functions accept them: one number is a list too, as in x.view(-1).
class SizeList : public opwright::SymIntList {
 public:
  using SymIntList::SymIntList;
  // NOLINTBEGIN(google-explicit-constructor): converts from lists
  SizeList(const int64_t& size) : SymIntList(std::span<const int64_t>(&size, 1)) {}
  SizeList(const SymInt& size) : SymIntList(std::span<const SymInt>(&size, 1)) {}
  // NOLINTEND(google-explicit-constructor)
};

template <class Self>
class MethodsOfPyTorch : public opwright::TensorMethods<Self> {
  using Methods = opwright::TensorMethods<Self>;

 public:
  // ---- Shapes
  Self view(SizeList size) const { return Methods::view(size); }
  Self view_as(const Self& other) const { return view(other.sym_sizes()); }
  Self view_symint(SymIntArrayRef size) const { return view(size); }
  Self reshape(SizeList size) const { return Methods::reshape(size); }
  Self reshape_as(const Self& other) const { return reshape(other.sym_sizes()); }
  Self reshape_symint(SymIntArrayRef size) const { return reshape(size); }
  Self expand(SizeList size, bool implicit = false) const {
    return Methods::expand(size, implicit);
  }
  Self expand_as(const Self& other) const { return expand(other.sym_sizes()); }
  Self expand_symint(SymIntArrayRef size, bool implicit = false) const {
    return expand(size, implicit);
  }
  Self operator[](int64_t index) const { return Methods::select(0, index); }
  Self select_symint(int64_t dim, const SymInt& index) const { return Methods::select(dim, index); }
  Self slice_symint(int64_t dim = 0, const std::optional<SymInt>& start = std::nullopt,
                    const std::optional<SymInt>& end = std::nullopt, const SymInt& step = 1) const {
    return Methods::slice(dim, start, end, step);
  }
  Self narrow(int64_t dim, const SymInt& start, const SymInt& length) const {
    return Methods::slice(dim, start, start + length);
  }
  Self narrow_symint(int64_t dim, const SymInt& start, const SymInt& length) const {
    return narrow(dim, start, length);
  }
  // Merges the dimensions from `start` to `end`, both included, into one.
  Self flatten(int64_t start = 0, int64_t end = -1) const {
    const int64_t ndim = self().dim();
    if (ndim == 0) return reshape(1);
    const int64_t first = start < 0 ? start + ndim : start;
    const int64_t last = end < 0 ? end + ndim : end;
    TORCH_CHECK_INDEX(first >= 0 && first <= last && last < ndim, "flatten: dimensions ", start,
                      " to ", end, " of a tensor of ", ndim, " dimensions");
    std::vector<SymInt> shape;
    SymInt product = 1;
    for (int64_t i = 0; i < ndim; ++i) {
      if (i < first || i > last) {
        shape.push_back(self().sym_size(i));
        continue;
      }
      product = product * self().sym_size(i);
      if (i == last) shape.push_back(product);
    }
    return reshape(shape);
  }

  using Methods::sum;
  template <std::integral Int>  // a braced list stays a list
  Self sum(Int dim, bool keepdim = false, std::optional<ScalarType> dtype = std::nullopt) const {
    return Methods::sum({static_cast<int64_t>(dim)}, keepdim, dtype);
  }

  // ---- Conversions
  Self to(ScalarType dtype, bool non_blocking = false, bool copy = false,
          std::optional<MemoryFormat> memory_format = std::nullopt) const {
    return Methods::to(dtype, non_blocking, copy, memory_format);
  }
  Self to(const TensorOptions& options, bool /*non_blocking*/ = false, bool copy = false) const {
    const ScalarType dtype = dtype_of(options);
    const Device device = device_of(options);
    if (!copy && dtype == self().scalar_type() && device == self().device()) return self();
    return opwright::_to_copy(self(), dtype, std::nullopt, device);
  }
  Self to(Device device, bool non_blocking = false, bool copy = false) const {
    return to(TensorOptions(device), non_blocking, copy);
  }
  Self to(DeviceType device, bool non_blocking = false, bool copy = false) const {
    return to(TensorOptions(device), non_blocking, copy);
  }
  Self to(Device device, ScalarType dtype, bool non_blocking = false, bool copy = false) const {
    return to(TensorOptions(dtype).device(device), non_blocking, copy);
  }
  Self to(const Self& other, bool non_blocking = false, bool copy = false) const {
    return to(other.options(), non_blocking, copy);
  }
  Self cpu() const { return to(kCPU); }
  Self cuda() const { return to(kCUDA); }
  Self type_as(const Self& other) const { return to(other); }
  Self toType(ScalarType dtype) const { return to(dtype); }

  // The value of a one-element tensor.
  Scalar item() const {
    TORCH_CHECK(self().numel() == 1, "item: a tensor of ", self().numel(),
                " elements is not one number");
    if (!self().is_cpu()) return cpu().item();
    return opwright::for_dtype(self().scalar_type(), "item", [&]<typename T>() -> Scalar {
      return *self().template const_data_ptr<T>();
    });
  }
  template <class T>
  T item() const {
    return item().template to<T>();
  }

  // ---- New tensors with the dtype and device of this one
  Self new_empty(SizeList size, const TensorOptions& options = {}) const {
    return opwright::empty<Self>(size, dtype_of(options), std::nullopt, device_of(options));
  }
  Self new_full(SizeList size, const Scalar& value, const TensorOptions& options = {}) const {
    return opwright::full<Self>(size, value, dtype_of(options), std::nullopt, device_of(options));
  }
  Self new_zeros(SizeList size, const TensorOptions& options = {}) const {
    return opwright::zeros<Self>(size, dtype_of(options), std::nullopt, device_of(options));
  }
  Self new_ones(SizeList size, const TensorOptions& options = {}) const {
    return opwright::ones<Self>(size, dtype_of(options), std::nullopt, device_of(options));
  }

  // ---- In place, also on a const handle, as in PyTorch
  Self& add_(const Self& other, const Scalar& alpha = 1) const {
    return mutable_self().Methods::add_(other, alpha);
  }
  Self& add_(const Scalar& other, const Scalar& alpha = 1) const {
    return mutable_self().Methods::add_(other, alpha);
  }
  Self& sub_(const Self& other, const Scalar& alpha = 1) const {
    return mutable_self().Methods::sub_(other, alpha);
  }
  Self& sub_(const Scalar& other, const Scalar& alpha = 1) const {
    return mutable_self().Methods::sub_(other, alpha);
  }
  Self& mul_(const Self& other) const { return mutable_self().Methods::mul_(other); }
  Self& mul_(const Scalar& other) const { return mutable_self().Methods::mul_(other); }
  Self& div_(const Self& other) const { return mutable_self().Methods::div_(other); }
  Self& div_(const Scalar& other) const { return mutable_self().Methods::div_(other); }
  Self& copy_(const Self& source, bool non_blocking = false) const {
    return mutable_self().Methods::copy_(source, non_blocking);
  }
  Self& fill_(const Scalar& value) const { return mutable_self().Methods::fill_(value); }
  Self& zero_() const { return mutable_self().Methods::zero_(); }
  Self& operator+=(const Self& other) { return add_(other); }
  Self& operator+=(const Scalar& other) { return add_(other); }
  Self& operator-=(const Self& other) { return sub_(other); }
  Self& operator-=(const Scalar& other) { return add_(other, -1); }
  Self& operator*=(const Self& other) { return mul_(other); }
  Self& operator*=(const Scalar& other) { return mul_(other); }
  Self& operator/=(const Self& other) { return div_(other); }
  Self& operator/=(const Scalar& other) { return div_(other); }

 private:
  [[nodiscard]] const Self& self() const { return static_cast<const Self&>(*this); }
  [[nodiscard]] ScalarType dtype_of(const TensorOptions& options) const {
    return options.dtype_opt().value_or(self().scalar_type());
  }
  [[nodiscard]] Device device_of(const TensorOptions& options) const {
    return options.device_opt().value_or(self().device());
  }
  [[nodiscard]] Self& mutable_self() const { return const_cast<Self&>(self()); }
};
}  // namespace at
