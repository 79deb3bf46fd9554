// at::Tensor: the handle of opwright::Tensor with PyTorch's methods.
//
// A third class next to Tensor and FakeTensor: operators come from the same generated methods and
// functions and return an at::Tensor. It reads through opwright::Tensor, which it converts to and
// from.
#pragma once

#include <concepts>
#include <initializer_list>
#include <iosfwd>
#include <source_location>
#include <string>

#include "opwright/compat/ATen/core/TensorAccessor.h"
#include "opwright/compat/ATen/core/TensorMethods.h"

namespace at OPWRIGHT_VISIBILITY {
using namespace c10;

// What old sources use type() for: x.type().is_cuda(), AT_DISPATCH_FLOATING_TYPES(x.type(), ...).
struct TypeProperties {
  ScalarType dtype;
  Device device;

  operator ScalarType() const { return dtype; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] ScalarType scalarType() const { return dtype; }
  [[nodiscard]] bool is_cuda() const { return device.is_cuda(); }
};

class Tensor : public opwright::TensorHandle, public MethodsOfPyTorch<Tensor> {
  using Where = std::source_location;

 public:
  Tensor() = default;
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  ~Tensor() = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;
  // x[0] = y and x[0] = 1 write into x.
  template <std::convertible_to<Tensor> Other>
  Tensor& operator=(const Other& other) && {
    return copy_(other);
  }
  template <std::convertible_to<opwright::Scalar> Number>
  Tensor& operator=(const Number& value) && {
    return fill_(value);
  }
  static Tensor take(OpwTensor* owned) noexcept { return Tensor(owned); }
  static Tensor borrow(OpwTensor* tensor) { return Tensor(opwright::retain_tensor(tensor)); }
  // NOLINTBEGIN(google-explicit-constructor): the same handle
  Tensor(const opwright::Tensor& other) : Tensor(opwright::retain_tensor(other.get())) {}
  operator const opwright::Tensor&() const { return read(); }
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool defined() const noexcept { return is_defined(); }
  [[nodiscard]] bool is_same(const Tensor& other) const noexcept { return get() == other.get(); }
  void reset() { *this = Tensor(); }

  // ---- Sizes. On symbolic tensors size, sizes, stride, strides and numel fix the sizes that they
  // read, as in opwright::Tensor.
  [[nodiscard]] int64_t dim() const { return read().dim(); }
  [[nodiscard]] int64_t ndimension() const { return dim(); }
  [[nodiscard]] int64_t size(int64_t dim, Where where = Where::current()) const {
    return read().size(dim, where);
  }
  [[nodiscard]] IntArrayRef sizes(Where where = Where::current()) const {
    return read().sizes(where);
  }
  [[nodiscard]] int64_t stride(int64_t dim, Where where = Where::current()) const {
    return read().stride(dim, where);
  }
  [[nodiscard]] IntArrayRef strides(Where where = Where::current()) const {
    return read().strides(where);
  }
  [[nodiscard]] int64_t numel(Where where = Where::current()) const { return read().numel(where); }
  [[nodiscard]] SymInt sym_size(int64_t dim) const { return read().sym_size(dim); }
  [[nodiscard]] SymInt sym_stride(int64_t dim) const { return read().sym_stride(dim); }
  [[nodiscard]] SymInt sym_numel() const { return read().sym_numel(); }
  [[nodiscard]] SymIntArrayRef sym_sizes() const {
    return sym_words(&OpwDlTensor::shape, &OpwSymbolicShape::sizes);
  }
  [[nodiscard]] SymIntArrayRef sym_strides() const {
    return sym_words(&OpwDlTensor::strides, &OpwSymbolicShape::strides);
  }
  [[nodiscard]] bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous,
                                   Where where = Where::current()) const {
    if (format == MemoryFormat::ChannelsLast)
      return dim() == 4 && is_dense_in_order({1, 3, 2, 0}, where);
    if (format == MemoryFormat::ChannelsLast3d)
      return dim() == 5 && is_dense_in_order({1, 4, 3, 2, 0}, where);
    return read().is_contiguous(where);
  }
  [[nodiscard]] MemoryFormat suggest_memory_format() const {
    if (is_contiguous()) return MemoryFormat::Contiguous;
    if (is_contiguous(MemoryFormat::ChannelsLast)) return MemoryFormat::ChannelsLast;
    return is_contiguous(MemoryFormat::ChannelsLast3d) ? MemoryFormat::ChannelsLast3d
                                                       : MemoryFormat::Contiguous;
  }

  // ---- Properties
  [[nodiscard]] ScalarType scalar_type() const { return read().dtype(); }
  [[nodiscard]] ScalarType dtype() const { return scalar_type(); }
  [[nodiscard]] Device device() const { return read().device(); }
  [[nodiscard]] TypeProperties type() const { return {scalar_type(), device()}; }
  [[nodiscard]] int64_t get_device() const { return device().index(); }
  [[nodiscard]] Layout layout() const { return kStrided; }
  [[nodiscard]] TensorOptions options() const {
    return TensorOptions(scalar_type()).device(device()).layout(layout());
  }
  [[nodiscard]] int64_t element_size() const {
    return static_cast<int64_t>(scalar_type().itemsize());
  }
  [[nodiscard]] size_t itemsize() const { return scalar_type().itemsize(); }
  [[nodiscard]] size_t nbytes() const { return static_cast<size_t>(numel()) * itemsize(); }
  [[nodiscard]] bool is_cpu() const { return device().is_cpu(); }
  [[nodiscard]] bool is_cuda() const { return device().is_cuda(); }
  [[nodiscard]] bool is_meta() const { return device().is_meta(); }
  [[nodiscard]] bool is_sparse() const { return false; }
  [[nodiscard]] bool is_floating_point() const { return isFloatingType(scalar_type()); }
  [[nodiscard]] bool is_complex() const { return isComplexType(scalar_type()); }
  [[nodiscard]] bool requires_grad() const { return read().requires_grad(); }

  // ---- Data. data_ptr reads and writes, as in PyTorch; only mutable_data_ptr checks the read-only
  // flag.
  [[nodiscard]] void* data_ptr() const { return const_cast<void*>(read().data()); }
  template <class T>
  [[nodiscard]] T* data_ptr() const {
    return const_cast<T*>(read().data<std::remove_const_t<T>>());
  }
  template <class T>
  [[nodiscard]] T* data() const {
    return data_ptr<T>();
  }
  [[nodiscard]] const void* const_data_ptr() const { return read().data(); }
  template <class T>
  [[nodiscard]] const T* const_data_ptr() const {
    return read().data<std::remove_const_t<T>>();
  }
  [[nodiscard]] void* mutable_data_ptr() const { return read().mutable_data(); }
  template <class T>
  [[nodiscard]] T* mutable_data_ptr() const {
    return read().mutable_data<T>();
  }
  template <class T, size_t N>
  [[nodiscard]] TensorAccessor<T, N> accessor() const& {
    require_dim(N);
    return {data_ptr<T>(), sizes().data(), strides().data()};
  }
  template <class T, size_t N>
  TensorAccessor<T, N> accessor() && = delete;  // it would point into a destroyed tensor
  template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
  [[nodiscard]] PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const {
    require_dim(N);
    return {data_ptr<T>(), sizes().data(), strides().data()};
  }
  template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
  [[nodiscard]] PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const {
    TORCH_CHECK(numel() <= INT32_MAX, "packed_accessor32: ", numel(),
                " elements need 64-bit indices");
    require_dim(N);
    return {data_ptr<T>(), sizes().data(), strides().data()};
  }

 private:
  explicit Tensor(OpwTensor* owned) noexcept : TensorHandle(owned) {}

  // The same pointer, as in FakeTensor.
  [[nodiscard]] const opwright::Tensor& read() const {
    return reinterpret_cast<const opwright::Tensor&>(*this);
  }
  void require_dim(size_t wanted) const {
    TORCH_CHECK(static_cast<size_t>(dim()) == wanted, "an accessor of ", wanted,
                " dimensions was requested for a tensor of ", dim());
  }
  // Whether the memory is dense with the dimensions in this order, the fastest first.
  [[nodiscard]] bool is_dense_in_order(std::initializer_list<int64_t> order, Where where) const {
    int64_t expected = 1;
    for (const int64_t each : order) {
      if (size(each, where) == 0) return true;
      if (size(each, where) != 1 && stride(each, where) != expected) return false;
      expected *= size(each, where);
    }
    return true;
  }
  // A plain int is its own word.
  [[nodiscard]] SymIntArrayRef sym_words(int64_t* OpwDlTensor::* plain,
                                         const OpwSymWord* OpwSymbolicShape::* symbolic) const {
    OpwSymbolicShape shape{};
    const bool is_symbolic = read().is_symbolic();
    if (is_symbolic) opwright::require_ok(get()->owner->symbolic(get(), &shape));
    const OpwSymWord* words = is_symbolic ? shape.*symbolic : get()->dl.*plain;
    return {reinterpret_cast<const SymInt*>(words), static_cast<size_t>(dim())};
  }
};
static_assert(sizeof(Tensor) == sizeof(opwright::Tensor));

inline void append_text(std::string& out, const Tensor& tensor) {
  append_text(out, static_cast<const opwright::Tensor&>(tensor));
}
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                             const Tensor& tensor) {
  return out << opwright::concatenate(tensor);
}

using TensorList = c10::ArrayRef<Tensor>;
}  // namespace at

template <>
struct opwright::ValueOf<at::Tensor> : opwright::ValueOfTensor<at::Tensor> {};
template <>
struct opwright::ValueOf<std::span<const at::Tensor>>
    : opwright::ValueOfSpan<at::Tensor, OpwTensor*, kOpwTensorList> {};
