// cst::dual_residual, registered without a block: a composite body whose schema comes from its C++
// type.
#include <tuple>

#include "opwright/opwright.h"

namespace {

using opwright::Tensor;

std::tuple<Tensor, Tensor> dual_residual(Tensor x, Tensor y, double alpha) {
  const Tensor first = x * alpha - y;
  const Tensor second = y * alpha - x;
  return {first, second};
}

const auto registry = opwright::RegisterOperators().op("cst::dual_residual", &dual_residual);

}  // namespace
