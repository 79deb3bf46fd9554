// The custom operator in the middle of function (h) of compile.py: x / (1 + |x| / limit).
#include <cmath>

#include "opwright/opwright.h"

namespace {

using opwright::FakeTensor;
using opwright::Tensor;

Tensor squash(const Tensor& x, double limit) {
  OPWRIGHT_CHECK_VALUE(limit > 0, "squash: limit must be positive, got ", limit);
  const Tensor input = x.contiguous();
  Tensor result = opwright::empty_like(input);
  const float* in = input.data<float>();
  float* out = result.mutable_data<float>();
  const float scale = static_cast<float>(1 / limit);
  opwright::parallel_for(input.numel(), [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = in[i] / (1.0F + scale * std::abs(in[i]));
  });
  return result;
}

FakeTensor squash_fake(const FakeTensor& x, double /*limit*/) { return opwright::empty_like(x); }

}  // namespace

OPWRIGHT_LIBRARY(compiling, m) {
  m.def("squash(Tensor x, float limit) -> Tensor");
  m.register_fake("squash", &squash_fake);
}

OPWRIGHT_LIBRARY_IMPL(compiling, CPU, m) { m.impl("squash", &squash); }
