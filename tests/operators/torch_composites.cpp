// samples_composites::...: bodies over tensor operations, a view, and errors of every kind, for
// torch's referees.
#include <cstdint>
#include <new>
#include <stdexcept>

#include "opwright/opwright.h"

namespace samples_composites {
namespace {

using opwright::AutogradContext;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::Tag;
using opwright::Tensor;
using opwright::VmapInfo;
using opwright::VmapResult;

// x * sigmoid(gate): transforms see through it.
Tensor gate(const Tensor& x, const Tensor& by) { return x * by.sigmoid(); }

// x less its mean, one body for every device, with a formula.
Tensor center(const Tensor& x) { return x - x.mean(); }
FakeTensor center_fake(const FakeTensor& x) { return x - x.mean(); }
Gradients center_backward(const AutogradContext& /*context*/, const Tensor& gradient) {
  return {gradient - gradient.mean()};
}

// x @ y + weight * z: a kernel over operations, one of them with a Scalar.
Tensor mix(const Tensor& x, const Tensor& y, const Tensor& z, double weight) {
  return x.mm(y).add(z, weight);
}
FakeTensor mix_fake(const FakeTensor& x, const FakeTensor& y, const FakeTensor& z, double weight) {
  return x.mm(y).add(z, weight);
}
void mix_save(AutogradContext& context, const Tensor& x, const Tensor& y, const Tensor& /*z*/,
              double /*weight*/, const Tensor& /*result*/) {
  context.save({x, y});
}
Gradients mix_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient.mm(context.saved(1).t()), context.saved(0).t().mm(gradient),
          gradient * context.attribute("weight")};
}

// Every row but the first, as a view.
Tensor rest(const Tensor& x) { return x.slice(0, 1); }
Tensor rest_scatter(const Tensor& base, const Tensor& value) {
  return base.slice_scatter(value, 0, 1);
}
VmapResult<Tensor> rest_vmap(const VmapInfo& info, const Tensor& x) {
  return {x.movedim(*info.in_dims[0], 0).slice(1, 1), {0}};
}

// Fails as `how` says; gives x for 0.
Tensor fail(const Tensor& x, int64_t how) {
  OPWRIGHT_CHECK_VALUE(how != 1, "fail: how must not be 1 for ", x);
  OPWRIGHT_CHECK_INDEX(how != 2, "fail: 2 is out of range");
  OPWRIGHT_CHECK_TYPE(how != 3, "fail: 3 is of the wrong type");
  OPWRIGHT_CHECK(how != 4, "fail: 4 went wrong");
  OPWRIGHT_CHECK_KIND("NotImplementedError", how != 5, "fail: 5 is not implemented");
  OPWRIGHT_CHECK_KIND("KeyError", how != 6, "fail: 6 is no key");
  OPWRIGHT_CHECK_KIND("ZeroDivisionError", how != 7, "fail: 7 divides by zero");
  if (how == 8) throw std::bad_alloc();
  if (how == 9) throw std::logic_error("fail: 9 is a std::exception");
  if (how == 10) throw 10;
  if (how == 11) return x.mm(x.t().unsqueeze(0));
  return x.clone();
}
FakeTensor fail_fake(const FakeTensor& x, int64_t how) {
  OPWRIGHT_CHECK_VALUE(how != 20, "fail: the fake kernel refuses 20");
  return opwright::empty_like(x);
}

// Has a kernel and nothing else.
Tensor plain(const Tensor& x) { return x + 1; }

}  // namespace

OPWRIGHT_LIBRARY(samples_composites, m) {
  m.def("gate(Tensor x, Tensor by) -> Tensor", &gate);
  m.def("center(Tensor x) -> Tensor");
  m.register_fake("center", &center_fake);
  m.register_autograd("center", &center_backward);
  m.def("mix(Tensor x, Tensor y, Tensor z, float weight=1.0) -> Tensor");
  m.register_fake("mix", &mix_fake);
  m.register_autograd("mix", &mix_save, &mix_backward);
  m.def("rest(Tensor(a) x) -> Tensor(a)", {Tag::View});
  m.register_scatter("rest", &rest_scatter);
  m.register_vmap("rest", &rest_vmap);
  m.def("fail(Tensor x, int how) -> Tensor");
  m.register_fake("fail", &fail_fake);
  m.def("plain(Tensor x) -> Tensor");
}

OPWRIGHT_LIBRARY_IMPL(samples_composites, CompositeExplicitAutograd, m) {
  m.impl("center", &center);
  m.impl("rest", &rest);
}
OPWRIGHT_LIBRARY_IMPL(samples_composites, CPU, m) {
  m.impl("mix", &mix);
  m.impl("fail", &fail);
  m.impl("plain", &plain);
}

}  // namespace samples_composites
