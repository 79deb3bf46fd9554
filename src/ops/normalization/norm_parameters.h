// Shared by layer, group and batch norms: the dtypes of parameters and statistics, and parameters
// prepared for kernels.
#pragma once

#include <optional>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/tensor.h"

namespace opwright {

// The dtype of means and deviations: the input's, or float32 if the input is a half and the
// parameters are float32. TypeError for parameters of another dtype.
class StatisticsDType {
 public:
  StatisticsDType(const char* who, DType input) : who_(who), input_(input), dtype_(input) {
    if (!is_floating(input) || dtype_bits(input) == 8) throw_dtype(input, who, "floating dtypes");
  }
  template <class AnyTensor>
  void add(const char* name, const AnyTensor& parameter) {
    const bool is_half = input_ == DType::Float16 || input_ == DType::BFloat16;
    const bool is_wider = is_half && parameter.dtype() == DType::Float32;
    const DType wanted = is_wider ? DType::Float32 : input_;
    OPWRIGHT_CHECK_TYPE(parameter.dtype() == wanted && (count_ == 0 || wanted == dtype_), who_,
                        ": ", name, " of ", parameter.dtype(), " does not go with input of ",
                        input_, count_ == 0 ? "" : " and the parameters before it",
                        "; all must have one dtype, or be float32 with a half");
    dtype_ = wanted;
    ++count_;
  }
  template <class AnyTensor>
  void add(const char* name, const std::optional<AnyTensor>& parameter) {
    if (parameter && parameter->is_defined()) add(name, *parameter);
  }
  [[nodiscard]] DType get() const { return dtype_; }

 private:
  const char* who_;
  DType input_;
  DType dtype_;
  int count_ = 0;
};

// The dtype in which kernels compute values of a dtype.
inline DType wide_dtype(DType dtype) {
  return dtype == DType::Float64 ? DType::Float64 : DType::Float32;
}

// A parameter, dense and converted to C; null if there is none.
template <class C>
class Parameter {
 public:
  explicit Parameter(const std::optional<Tensor>& given) {
    if (given && given->is_defined()) dense_ = as_contiguous(as_dtype(*given, dtype_of<C>()));
  }
  [[nodiscard]] const C* data() const { return dense_.is_defined() ? dense_.data<C>() : nullptr; }

 private:
  Tensor dense_;
};

}  // namespace opwright
