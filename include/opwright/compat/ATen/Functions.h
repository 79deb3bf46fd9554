// The operators as functions of at::Tensor.
#pragma once

#include <concepts>

#include "opwright/compat/ATen/TensorFactories.h"
#include "opwright/compat/ATen/core/Tensor.h"
#include "opwright/function_names.h"

namespace at OPWRIGHT_VISIBILITY {
#define OPWRIGHT_TAKE_FUNCTION(name) using opwright::name;
OPWRIGHT_FOR_EACH_FUNCTION(OPWRIGHT_TAKE_FUNCTION)
#undef OPWRIGHT_TAKE_FUNCTION

template <std::integral Int>
Tensor sum(const Tensor& self, Int dim, bool keepdim = false,
           std::optional<ScalarType> dtype = std::nullopt) {
  return self.sum(dim, keepdim, dtype);
}
template <class Result = Tensor>
Result flatten(const Tensor& self, int64_t start = 0, int64_t end = -1) {
  return static_cast<const Result&>(self).flatten(start, end);
}
template <class Result = Tensor>
Result narrow(const Tensor& self, int64_t dim, const SymInt& start, const SymInt& length) {
  return static_cast<const Result&>(self).narrow(dim, start, length);
}
}  // namespace at
