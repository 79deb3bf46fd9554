// Operators with backward formulas, functional and writing, for random programs that train.
#include <tuple>

#include "opwright/opwright.h"

namespace formulas {
namespace {

using opwright::AutogradContext;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::Tensor;

// x * sin(x)
Tensor ripple(const Tensor& x) { return x * x.sin(); }
FakeTensor ripple_fake(const FakeTensor& x) { return x * x.sin(); }
void ripple_save(AutogradContext& context, const Tensor& x, const Tensor& /*result*/) {
  context.save({x});
}
Gradients ripple_backward(const AutogradContext& context, const Tensor& gradient) {
  const Tensor x = context.saved(0);
  return {gradient * (x.sin() + x * x.cos())};
}

// x becomes x * y + y.
void blend(Tensor& x, const Tensor& y) { x.copy_(x * y + y); }
void blend_save(AutogradContext& context, const Tensor& old_x, const Tensor& y) {
  context.save({old_x, context.needs_gradient(0) ? y : Tensor()});
}
Gradients blend_backward(const AutogradContext& context, const Tensor& gradient) {
  const Tensor y = context.saved(1);
  return {y.is_defined() ? gradient * y : Tensor(), gradient * (context.saved(0) + 1.0)};
}

// x becomes x + sin(y); gives the old x times y.
Tensor drain(Tensor& x, const Tensor& y) {
  const Tensor given = x * y;
  x.add_(y.sin());
  return given;
}
FakeTensor drain_fake(FakeTensor& x, const FakeTensor& /*y*/) { return opwright::empty_like(x); }
void drain_save(AutogradContext& context, const Tensor& old_x, const Tensor& y,
                const Tensor& /*result*/) {
  context.save({old_x, y});
}
Gradients drain_backward(const AutogradContext& context, const Tensor& of_given,
                         const Tensor& of_x) {
  const Tensor old_x = context.saved(0);
  const Tensor y = context.saved(1);
  return {of_x + of_given * y, of_x * y.cos() + of_given * old_x};
}

}  // namespace

OPWRIGHT_LIBRARY(formulas, m) {
  m.def("ripple(Tensor x) -> Tensor");
  m.def("blend_(Tensor(a!) x, Tensor y) -> ()");
  m.def("drain_(Tensor(a!) x, Tensor y) -> Tensor");
  m.register_fake("ripple", &ripple_fake);
  m.register_fake("drain_", &drain_fake);
  m.register_autograd("ripple", &ripple_save, &ripple_backward);
  m.register_autograd("blend_", &blend_save, &blend_backward);
  m.register_autograd("drain_", &drain_save, &drain_backward);
  m.keep_old("blend_", {0});
  m.keep_old("drain_", {0});
}

OPWRIGHT_LIBRARY_IMPL(formulas, CPU, m) {
  m.impl("ripple", &ripple);
  m.impl("blend_", &blend);
  m.impl("drain_", &drain);
}

}  // namespace formulas
