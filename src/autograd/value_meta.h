// What autograd stores about a value: enough to create zeros like it and to check its gradient.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Whether values of the dtype have gradients.
[[nodiscard]] inline bool has_gradients(DType dtype) {
  return is_floating(dtype) || is_complex(dtype);
}

// Compact: most nodes have one, for a tensor of few dimensions.
class OPWRIGHT_EXPORT ValueMeta {
 public:
  explicit ValueMeta(const Tensor& tensor);
  ValueMeta(const ValueMeta& other);
  ValueMeta(ValueMeta&& other) noexcept;
  ValueMeta& operator=(ValueMeta other) noexcept;
  ~ValueMeta();

  [[nodiscard]] std::span<const SymInt> sizes() const noexcept {
    return {is_inline() ? reinterpret_cast<const SymInt*>(few) : many, static_cast<size_t>(ndim_)};
  }
  // The dtype of the value, or the one that was set for its gradients.
  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  // Whether gradients may have the dtype.
  [[nodiscard]] bool takes(DType dtype) const noexcept {
    return takes_any_dtype_ || dtype == dtype_;
  }
  // No value: gradients may have any dtype.
  void set_gradient_dtype(std::optional<DType> dtype) noexcept {
    takes_any_dtype_ = !dtype;
    if (dtype) dtype_ = *dtype;
  }
  [[nodiscard]] Device device() const noexcept { return device_; }

  // Whether the gradient has the sizes, and a dtype that this takes.
  [[nodiscard]] bool fits(const Tensor& gradient) const;
  [[nodiscard]] Tensor zeros() const;

 private:
  static constexpr int16_t kFew = 2;
  [[nodiscard]] bool is_inline() const noexcept { return !is_on_heap_; }

  Device device_;
  DType dtype_;
  int16_t ndim_;
  bool is_on_heap_;
  bool takes_any_dtype_ = false;
  union {
    int64_t few[kFew];  // plain
    SymInt* many;
  };
};

}  // namespace opwright
