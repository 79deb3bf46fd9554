#include "opwright/ops/engine/pointwise/pointwise_apply.h"

#include "opwright/ops/engine/pointwise/pointwise_engine.h"
#include "opwright/ops/engine/pointwise/pointwise_fake.h"
#include "opwright/ops/engine/shape/fake_shape.h"

namespace opwright {
namespace {

const Tensor& operand_tensor(const Tensor& tensor) { return tensor; }
const Tensor& operand_tensor(const FakeTensor& tensor) { return as_tensor(tensor); }

template <class AnyTensor>
PointwiseCall make_call(const char* who, const PointwiseOp& op,
                        std::initializer_list<const AnyTensor*> operands,
                        std::initializer_list<Scalar> numbers) {
  PointwiseCall call{.who = who, .op = &op, .operands = {}, .numbers = {}, .others = {}};
  for (const AnyTensor* operand : operands)
    call.operands.push_back({.tensor = &operand_tensor(*operand)});
  for (const Scalar& number : numbers) call.numbers.push_back(number);
  return call;
}

}  // namespace

Tensor apply_pointwise(const char* who, const PointwiseOp& op,
                       std::initializer_list<const Tensor*> operands,
                       std::initializer_list<Scalar> numbers) {
  return compute_pointwise(make_call(who, op, operands, numbers));
}

FakeTensor apply_pointwise(const char* who, const PointwiseOp& op,
                           std::initializer_list<const FakeTensor*> operands,
                           std::initializer_list<Scalar> numbers) {
  return FakeTensor::take(fake_pointwise(make_call(who, op, operands, numbers)).give());
}

}  // namespace opwright
