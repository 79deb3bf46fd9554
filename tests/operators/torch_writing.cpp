// samples_writing::...: operators that write their arguments, for torch's referees.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/opwright.h"

namespace samples_writing {
namespace {

using opwright::AutogradContext;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::Tag;
using opwright::Tensor;
using opwright::VmapInfo;
using opwright::VmapResult;

// x becomes x / 2.
Tensor& halve(Tensor& x) { return x.mul_(0.5); }
Gradients halve_backward(const AutogradContext& /*context*/, const Tensor& gradient) {
  return {gradient * 0.5};
}
VmapResult<Tensor&> halve_vmap(const VmapInfo& info, Tensor& x) {
  return {halve(x), {info.in_dims[0]}};
}

// x and y change places, element by element.
void exchange(Tensor& x, Tensor& y) {
  OPWRIGHT_CHECK_VALUE(x.numel() == y.numel() && x.is_contiguous() && y.is_contiguous(),
                       "exchange: x and y must be contiguous and of one size, got ", x, " and ", y);
  opwright::for_dtype(x.dtype(), "exchange", [&]<typename T>() {
    std::swap_ranges(x.mutable_data<T>(), x.mutable_data<T>() + x.numel(), y.mutable_data<T>());
  });
}

// out becomes x + y.
Tensor& add_to(const Tensor& x, const Tensor& y, Tensor& out) { return out.copy_(x + y); }

// x becomes x * x; the formula needs the old x.
void square(Tensor& x) { x.mul_(x.clone()); }
void square_save(AutogradContext& context, const Tensor& old_x) { context.save({old_x}); }
Gradients square_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * context.saved(0) * 2.0};
}

// mean becomes mean * (1 - momentum) + x * momentum; gives x less the old mean.
Tensor track(Tensor& mean, const Tensor& x, double momentum) {
  Tensor given = x - mean;
  mean.add_(given, momentum);
  return given;
}
FakeTensor track_fake(FakeTensor& mean, const FakeTensor& x, double /*momentum*/) {
  return x - mean;
}

// Elements of each tensor become at most `limit`.
void cap_all(std::span<const Tensor> xs, double limit) {
  for (const Tensor& x : xs) {
    Tensor written = x;
    written.clamp_(std::nullopt, opwright::Scalar(limit));
  }
}

}  // namespace

OPWRIGHT_LIBRARY(samples_writing, m) {
  m.def("halve_(Tensor(a!) x) -> Tensor(a!)", {Tag::Inplace});
  m.register_autograd("halve_", &halve_backward);
  m.register_vmap("halve_", &halve_vmap);
  m.def("exchange(Tensor(a!) x, Tensor(b!) y) -> ()");
  m.def("add_to(Tensor x, Tensor y, *, Tensor(a!) out) -> Tensor(a!)", {Tag::Out});
  m.def("square_(Tensor(a!) x) -> ()");
  m.register_autograd("square_", &square_save, &square_backward);
  m.keep_old("square_", {0});
  m.def("track(Tensor(a!) mean, Tensor x, float momentum=0.1) -> Tensor");
  m.register_fake("track", &track_fake);
  m.def("cap_all(Tensor(a!)[] xs, float limit) -> ()");
}

OPWRIGHT_LIBRARY_IMPL(samples_writing, CPU, m) {
  m.impl("halve_", &halve);
  m.impl("exchange", &exchange);
  m.impl("add_to", &add_to);
  m.impl("square_", &square);
  m.impl("track", &track);
  m.impl("cap_all", &cap_all);
}

}  // namespace samples_writing
