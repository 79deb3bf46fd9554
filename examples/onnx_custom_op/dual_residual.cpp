// cst::dual_residual: x * alpha - y and y * alpha - x in one operator. Its ONNX node is
// rknn_cst::cstDualResidual.
#include <tuple>

#include "opwright/opwright.h"

namespace {

using opwright::FakeTensor;
using opwright::Tensor;

std::tuple<Tensor, Tensor> dual_residual(const Tensor& x, const Tensor& y, double alpha) {
  return {x * alpha - y, y * alpha - x};
}

std::tuple<FakeTensor, FakeTensor> dual_residual_fake(const FakeTensor& x, const FakeTensor& y,
                                                      double /*alpha*/) {
  return {opwright::empty_like(x), opwright::empty_like(y)};
}

}  // namespace

OPWRIGHT_LIBRARY(cst, m) {
  m.def("dual_residual(Tensor x, Tensor y, float alpha) -> (Tensor, Tensor)");
  m.register_fake("dual_residual", &dual_residual_fake);
  m.register_converter("dual_residual", "onnx", "rknn_cst::cstDualResidual(x, y, alpha=alpha)");
}

OPWRIGHT_LIBRARY_IMPL(cst, CPU, m) { m.impl("dual_residual", &dual_residual); }
