// Operators that write and that give views, for functionalize.
#include <tuple>

#include "opwright/opwright.h"

namespace mutation {
namespace {

using opwright::Tensor;

void accumulate(Tensor& total, const Tensor& value, double weight) { total.add_(value, weight); }

// The sum before.
std::tuple<Tensor, Tensor> halve(Tensor& x) {
  const Tensor sum = x.sum();
  x.mul_(0.5);
  return {x, sum};
}

Tensor& increment(Tensor& x) { return x.add_(1); }
Tensor increment_functional(const Tensor& x) { return x.add(1); }

Tensor first_row(const Tensor& x) { return x.select(0, 0); }
Tensor first_row_scatter(const Tensor& base, const Tensor& value) {
  return opwright::select_scatter(base, value, 0, 0);
}

Tensor last_row(const Tensor& x) { return x.select(0, -1); }

}  // namespace

OPWRIGHT_LIBRARY(mutation, m) {
  m.def("accumulate(Tensor(a!) total, Tensor value, float weight=1.0) -> ()");
  m.def("halve_(Tensor(a!) x) -> (Tensor(a!), Tensor)");
  m.def("increment_(Tensor(a!) x) -> Tensor(a!)");
  m.def("first_row(Tensor(a) x) -> Tensor(a)");
  m.def("last_row(Tensor(a) x) -> Tensor(a)");
  m.register_scatter("first_row", &first_row_scatter);
}

OPWRIGHT_LIBRARY_IMPL(mutation, CompositeExplicitAutograd, m) {
  m.impl("accumulate", &accumulate);
  m.impl("halve_", &halve);
  m.impl("increment_", &increment);
  m.impl("first_row", &first_row);
  m.impl("last_row", &last_row);
}

OPWRIGHT_LIBRARY_IMPL(mutation, Functional, m) { m.impl("increment_", &increment_functional); }

}  // namespace mutation
