// Autograd's effects on a tensor as operators, so that graphs can contain them.
#include <optional>
#include <vector>

#include "opwright/autograd/accumulate.h"
#include "opwright/autograd/history.h"
#include "opwright/dispatch/property.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/library.h"

namespace opwright {
namespace {

// Adds to the .grad of a leaf, like backward.
void accumulate_gradient(const Tensor& leaf, const Tensor& gradient) {
  accumulate(leaf, gradient.detach().clone());
}
void assign_gradient(const Tensor& leaf, const std::optional<Tensor>& gradient) {
  set_gradient(leaf, gradient ? gradient->detach() : Tensor());
}

// A new value with the old history: a write that autograd does not see.
Tensor graft_all_devices(const Tensor& /*history*/, const Tensor& value) { return value.clone(); }
FakeTensor graft_fake(const FakeTensor& /*history*/, const FakeTensor& value) {
  return value.clone();
}
Gradients graft_backward(const AutogradContext& /*context*/, const Tensor& gradient) {
  return {gradient, Tensor()};
}

Tensor with_batch_first(const VmapInfo& info, size_t argument, const Tensor& tensor) {
  const std::optional<int64_t> dim = info.in_dims[argument];
  if (dim) return tensor.movedim(*dim, 0);
  std::vector<SymInt> sizes{info.batch_size};
  for (int64_t i = 0; i < tensor.dim(); ++i) sizes.push_back(tensor.sym_size(i));
  return tensor.expand(sizes);
}
VmapResult<Tensor> graft_vmap(const VmapInfo& info, const Tensor& history, const Tensor& value) {
  return {graft(with_batch_first(info, 0, history), with_batch_first(info, 1, value)), {0}};
}

}  // namespace

Tensor graft(const Tensor& history, const Tensor& value) {
  static OperatorHandle<Tensor(const Tensor&, const Tensor&)> handle("opwright::graft");
  return handle(history, value);
}

OPWRIGHT_LIBRARY_FRAGMENT(opwright, m) {
  constexpr Tags kOrdered = with_properties({Tag::Ordered}, {Property::Internal});
  m.def("accumulate_gradient(Tensor leaf, Tensor gradient) -> ()", kOrdered);
  m.def("assign_gradient(Tensor leaf, Tensor? gradient) -> ()", kOrdered);
  m.impl("accumulate_gradient", &accumulate_gradient);
  m.impl("assign_gradient", &assign_gradient);
  m.def("graft(Tensor history, Tensor value) -> Tensor", with_properties({}, {Property::Internal}));
  m.register_fake("graft", &graft_fake);
  m.register_autograd("graft", &graft_backward);
  m.register_vmap("graft", &graft_vmap);
}
OPWRIGHT_LIBRARY_IMPL(opwright, AllDevices, m) { m.impl("graft", &graft_all_devices); }

}  // namespace opwright
