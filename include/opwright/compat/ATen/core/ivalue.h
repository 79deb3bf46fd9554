// c10::IValue: a value of any type that operators take, e.g. in AutogradContext::saved_data.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opwright/compat/ATen/core/Tensor.h"
#include "opwright/compat/c10/core/Scalar.h"
#include "opwright/value.h"

namespace c10 OPWRIGHT_VISIBILITY {
class IValue {
 public:
  IValue() = default;
  // NOLINTBEGIN(google-explicit-constructor): as in PyTorch, values convert
  IValue(std::nullopt_t /*none*/) {}
  IValue(const at::Tensor& tensor) {
    if (tensor.defined()) value_ = opwright::Value(tensor);
  }
  IValue(bool flag) : value_(flag) {}
  template <std::integral Int>
    requires(!std::same_as<Int, bool>)
  IValue(Int number) : value_(static_cast<int64_t>(number)) {}
  template <std::floating_point Float>
  IValue(Float number) : value_(static_cast<double>(number)) {}
  IValue(const char* text) : value_(std::string(text)) {}
  IValue(const std::string& text) : value_(text) {}
  IValue(const Scalar& number) : value_(static_cast<const opwright::Scalar&>(number)) {}
  IValue(const opwright::SymInt& number) : value_(number) {}
  template <class T>
  IValue(const std::vector<T>& list)
      : value_(opwright::Value::take(opwright::ValueOf<std::vector<T>>::give(list))) {}
  template <class T>
  IValue(ArrayRef<T> list) : IValue(std::vector<T>(list.begin(), list.end())) {}
  template <class T>
  IValue(const std::optional<T>& maybe) : IValue(maybe ? IValue(*maybe) : IValue()) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool isNone() const { return value_.is_none(); }
  [[nodiscard]] bool isTensor() const { return has(kOpwTensor); }
  [[nodiscard]] bool isInt() const { return has(kOpwInt); }
  [[nodiscard]] bool isDouble() const { return has(kOpwFloat); }
  [[nodiscard]] bool isBool() const { return has(kOpwBool); }
  [[nodiscard]] bool isString() const { return has(kOpwString); }
  [[nodiscard]] bool isSymInt() const { return has(kOpwSymInt); }
  [[nodiscard]] bool isIntList() const { return has(kOpwIntList); }
  [[nodiscard]] bool isDoubleList() const { return has(kOpwFloatList); }
  [[nodiscard]] bool isBoolList() const { return has(kOpwBoolList); }
  [[nodiscard]] bool isTensorList() const { return has(kOpwTensorList); }
  [[nodiscard]] bool isList() const {
    return isIntList() || isDoubleList() || isBoolList() || isTensorList() || has(kOpwList);
  }

  // Each throws TypeError with both types if the value has another.
  template <class T>
  [[nodiscard]] T to() const {
    if constexpr (std::is_same_v<T, bool> || !std::is_arithmetic_v<T>) {
      return static_cast<T>(opwright::ValueOf<T>::read(value_.get()));
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(opwright::ValueOf<int64_t>::read(value_.get()));
    } else {
      return static_cast<T>(opwright::ValueOf<double>::read(value_.get()));
    }
  }
  [[nodiscard]] at::Tensor toTensor() const {
    if (isNone()) return {};
    opwright::require_tag(value_.get(), kOpwTensor, "Tensor");
    return at::Tensor::borrow(value_.get().as_tensor);
  }
  [[nodiscard]] int64_t toInt() const { return to<int64_t>(); }
  [[nodiscard]] double toDouble() const { return to<double>(); }
  [[nodiscard]] bool toBool() const { return to<bool>(); }
  [[nodiscard]] opwright::SymInt toSymInt() const { return to<opwright::SymInt>(); }
  [[nodiscard]] Scalar toScalar() const { return to<opwright::Scalar>(); }
  [[nodiscard]] std::string toStringRef() const { return to<std::string>(); }
  [[nodiscard]] std::vector<int64_t> toIntVector() const { return to<std::vector<int64_t>>(); }
  [[nodiscard]] std::vector<int64_t> toIntList() const { return toIntVector(); }
  [[nodiscard]] std::vector<double> toDoubleVector() const { return to<std::vector<double>>(); }
  [[nodiscard]] std::vector<double> toDoubleList() const { return toDoubleVector(); }
  [[nodiscard]] std::vector<at::Tensor> toTensorVector() const {
    return to<std::vector<at::Tensor>>();
  }
  [[nodiscard]] std::vector<at::Tensor> toTensorList() const { return toTensorVector(); }
  template <class T>
  [[nodiscard]] std::optional<T> toOptional() const {
    return isNone() ? std::nullopt : std::optional<T>(to<T>());
  }

 private:
  [[nodiscard]] bool has(uint32_t tag) const { return value_.tag() == tag; }

  opwright::Value value_;
};
template <>
inline at::Tensor IValue::to<at::Tensor>() const {
  return toTensor();
}
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
namespace torch OPWRIGHT_VISIBILITY {
using c10::IValue;
}  // namespace torch
