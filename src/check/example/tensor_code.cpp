#include "opwright/check/example/tensor_code.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "opwright/check/values/value_profile.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/schema/constant.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/number_text.h"

namespace opwright {
namespace {

// The value of a Python float in a tensor of the dtype.
double rounded(double number, DType dtype) {
  switch (dtype) {
    case DType::Float16:
      return static_cast<float>(Half(number));
    case DType::BFloat16:
      return static_cast<float>(BFloat16(number));
    case DType::Float32:
    case DType::Complex64:
      return static_cast<float>(number);
    default:
      return number;
  }
}

// The fewest digits that produce the same element.
std::string part_code(double number, DType dtype) {
  if (!std::isfinite(number) || number == 0) return float_code(number);
  char text[40];
  for (int digits = 1; digits < 17; ++digits) {
    (void)std::snprintf(text, sizeof text, "%.*g", digits, number);
    const double read = std::strtod(text, nullptr);
    if (rounded(read, dtype) == number) return float_code(read);
  }
  return float_code(number);
}

std::string element_code(const std::byte* element, DType dtype) {
  if (!is_floating(dtype) && !is_complex(dtype)) return discrete_text(element, dtype);
  const FloatParts parts = read_float(element, dtype);
  if (!is_complex(dtype)) return part_code(parts.real, dtype);
  return concatenate("complex(", part_code(parts.real, dtype), ", ", part_code(parts.imag, dtype),
                     ")");
}

// Both are contiguous, with the same dtype and number of elements.
bool have_equal_bytes(const Tensor& a, const Tensor& b) {
  const size_t bytes = static_cast<size_t>(a.numel()) * item_size(a.dtype());
  return std::memcmp(a.data(), b.data(), bytes) == 0;
}

class ValuesWriter {
 public:
  explicit ValuesWriter(const Tensor& tensor)
      : values_(values_of(tensor)), dtype_(tensor.dtype()), device_(tensor.device()) {}

  [[nodiscard]] std::string write() const {
    const bool can_compute = item_size(dtype_) > 1 || !is_floating(dtype_);
    if (values_.numel() == 0 || !can_compute || is_all(0)) return factory("zeros");
    if (is_all(1)) return factory("ones");
    if (values_.numel() > 1 && is_one_number()) return full();
    if (is_counted()) return counted();
    int64_t next = 0;
    return concatenate("ow.tensor(", listed(0, next), options(usual_dtype()), ")");
  }

 private:
  [[nodiscard]] const std::byte* element(int64_t index) const {
    return static_cast<const std::byte*>(values_.data()) +
           static_cast<size_t>(index) * item_size(dtype_);
  }

  // ---- What the values are ----

  [[nodiscard]] bool is_all(int64_t number) const {
    const Tensor wanted = make_empty(values_.sizes(), dtype_);
    set_all(wanted, number_tensor(number, dtype_));
    return have_equal_bytes(values_, wanted);
  }
  [[nodiscard]] bool is_one_number() const {
    for (int64_t i = 1; i < values_.numel(); ++i) {
      if (std::memcmp(element(i), element(0), item_size(dtype_)) != 0) return false;
    }
    return true;
  }
  // 0, 1, 2, ...: up to the largest count that every dtype represents exactly.
  [[nodiscard]] bool is_counted() const {
    constexpr int64_t kMost = 127;
    const bool has_count = dtype_ != DType::Bool && !is_complex(dtype_);
    if (!has_count || values_.numel() < 3 || values_.numel() > kMost) return false;
    const Tensor wanted = make_empty(values_.sizes(), dtype_);
    for (int64_t i = 0; i < values_.numel(); ++i) set_element(wanted, i, number_tensor(i, dtype_));
    return have_equal_bytes(values_, wanted);
  }

  // ---- How they are written ----

  // dtype= and device= if they are not Python's defaults.
  [[nodiscard]] std::string options(DType usual) const {
    std::string text;
    if (dtype_ != usual) text += concatenate(", dtype=ow.", dtype_);
    if (device_ != kCpu) text += concatenate(", device=\"", device_, "\"");
    return text;
  }
  // The dtype that Python gives a list of such numbers.
  [[nodiscard]] DType usual_dtype() const {
    if (is_complex(dtype_)) return DType::Complex64;
    if (is_floating(dtype_)) return DType::Float32;
    return dtype_ == DType::Bool ? DType::Bool : DType::Int64;
  }
  [[nodiscard]] std::string sizes_code() const {
    std::string sizes;
    for (const int64_t size : values_.sizes()) {
      sizes += concatenate(sizes.empty() ? "" : ", ", size);
    }
    return sizes.empty() ? "()" : sizes;
  }
  [[nodiscard]] std::string factory(const char* name) const {
    return concatenate("ow.", name, "(", sizes_code(), options(DType::Float32), ")");
  }
  [[nodiscard]] std::string full() const {
    return concatenate("ow.full(", tuple_code(values_.sizes()), ", ",
                       element_code(element(0), dtype_), options(usual_dtype()), ")");
  }
  [[nodiscard]] std::string counted() const {
    const std::string line = concatenate("ow.arange(", values_.numel(), options(DType::Int64), ")");
    return values_.dim() == 1 ? line : concatenate(line, ".reshape(", sizes_code(), ")");
  }
  std::string listed(int64_t dim, int64_t& next) const {
    if (dim == values_.dim()) return element_code(element(next++), dtype_);
    std::string text = "[";
    for (int64_t i = 0; i < values_.size(dim); ++i) {
      text += (i == 0 ? "" : ", ") + listed(dim + 1, next);
    }
    return text + "]";
  }

  Tensor values_;
  DType dtype_;
  Device device_;
};

}  // namespace

std::string values_code(const Tensor& tensor) { return ValuesWriter(tensor).write(); }

std::string float_code(double number) {
  std::string text;
  append_float_text(text, number);
  return std::isfinite(number) ? text : "float(\"" + text + "\")";
}

std::string tuple_code(std::span<const int64_t> numbers) {
  std::string text = "(";
  for (const int64_t number : numbers) {
    text += concatenate(text.size() == 1 ? "" : ", ", number);
  }
  return text + (numbers.size() == 1 ? ",)" : ")");
}

}  // namespace opwright
