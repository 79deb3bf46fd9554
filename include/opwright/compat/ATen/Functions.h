// The operators as functions of at::Tensor.
#pragma once

#include <concepts>

#include "opwright/compat/ATen/TensorFactories.h"
#include "opwright/compat/ATen/core/Tensor.h"

namespace at OPWRIGHT_VISIBILITY {
// Generated from src/ops/functions.yaml; a new operator gets its line here.
using opwright::abs;
using opwright::add;
using opwright::alias;
using opwright::as_strided;
using opwright::bmm;
using opwright::clone;
using opwright::cos;
using opwright::detach;
using opwright::div;
using opwright::dot;
using opwright::eq;
using opwright::exp;
using opwright::fill_;
using opwright::matmul;
using opwright::mm;
using opwright::mul;
using opwright::mv;
using opwright::neg;
using opwright::permute;
using opwright::reciprocal;
using opwright::reshape;
using opwright::rsub;
using opwright::select;
using opwright::sin;
using opwright::slice;
using opwright::squeeze;
using opwright::sub;
using opwright::sum;
using opwright::t;
using opwright::transpose;
using opwright::unsqueeze;
using opwright::zero_;

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
