// Fake kernels that branch on sizes, assert on them, and freeze them.
#include <vector>

#include "opwright/opwright.h"

namespace shapes {
namespace {

using opwright::FakeTensor;
using opwright::SymInt;
using opwright::Tensor;

// A plain `if` on a size: a guard of the owner of the symbol.
FakeTensor halves_fake(const FakeTensor& x) {
  const SymInt size = x.size(0);
  if (size % 2 == 0) return opwright::empty<FakeTensor>({size / 2, 2}, x.dtype(), {}, x.device());
  return opwright::empty<FakeTensor>({size, 1}, x.dtype(), {}, x.device());
}

// An assertion on sizes, which also holds for those known at run time only.
FakeTensor same_size_fake(const FakeTensor& x, const FakeTensor& y) {
  opwright::check(x.size(0) == y.size(0), "same_size: x and y must have one size");
  return opwright::empty_like(x);
}

// As in code written for meta tensors: size() fixes the size, and its owner records this line.
Tensor frozen_fake(const Tensor& x) {
  const int64_t size = x.size(0);
  return opwright::empty({size}, x.dtype(), {}, x.device());
}

// As many rows as the data says.
FakeTensor rows_fake(const FakeTensor& x) {
  return x.new_empty({opwright::new_dynamic_size(1, 64), x.size(0)});
}

FakeTensor negative_size_fake(const FakeTensor& x) { return x.new_empty({x.size(0) - 100}); }

FakeTensor reads_data_fake(const Tensor& x) {
  return FakeTensor::borrow(x.data<float>()[0] > 0 ? x.get() : nullptr);
}

}  // namespace

OPWRIGHT_LIBRARY(shapes, m) {
  m.def("halves(Tensor x) -> Tensor");
  m.register_fake("halves", &halves_fake);
  m.def("same_size(Tensor x, Tensor y) -> Tensor");
  m.register_fake("same_size", &same_size_fake);
  m.def("rows(Tensor x) -> Tensor");
  m.register_fake("rows", &rows_fake);
  m.def("negative_size(Tensor x) -> Tensor");
  m.register_fake("negative_size", &negative_size_fake);
  m.def("frozen(Tensor x) -> Tensor");
  m.def("reads_data(Tensor x) -> Tensor");
  m.register_fake("reads_data", &reads_data_fake);
}

OPWRIGHT_LIBRARY_IMPL(shapes, Meta, m) { m.impl("frozen", &frozen_fake); }

}  // namespace shapes
