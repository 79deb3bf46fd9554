#include "bridges/operators/tensor_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "opwright/error.h"
#include "opwright/runtime/bridge.h"

namespace opwright::bridges {
namespace {

int64_t take_number(const OperatorDescription& op, std::span<const int64_t>& given) {
  OPWRIGHT_CHECK_TYPE(!given.empty() && given[0] >= 0, op.name,
                      ": the numbers that tell which optional tensors and how many of a list are "
                      "there do not fit its arguments");
  const int64_t number = given[0];
  given = given.subspan(1);
  return number;
}

}  // namespace

TensorLayout::TensorLayout(const OperatorDescription& op, std::span<const int64_t> given)
    : places_(op.arguments.size()), is_none_(op.arguments.size()) {
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    if (op.arguments[i].type.kind != ValueKind::Tensor) continue;
    read_argument(op, i, given);
    argument_of_.insert(argument_of_.end(),
                        static_cast<size_t>(std::ranges::count(places_[i], true)), i);
  }
  OPWRIGHT_CHECK_TYPE(given.empty(), op.name,
                      ": of the numbers that tell which tensors are there, ", given.size(),
                      " are too many");
}

void TensorLayout::read_argument(const OperatorDescription& op, size_t argument,
                                 std::span<const int64_t>& given) {
  const ValueType& type = op.arguments[argument].type;
  if (type.is_optional && take_number(op, given) == 0) {
    is_none_[argument] = true;
    return;
  }
  const int64_t length = type.is_list ? take_number(op, given) : 1;
  for (int64_t i = 0; i < length; ++i)
    places_[argument].push_back(!type.has_optional_elements || take_number(op, given) != 0);
}

bool has_fixed_layout(const OperatorDescription& op) {
  return std::ranges::all_of(op.arguments, [](const ArgumentDescription& each) {
    return each.type.kind != ValueKind::Tensor || (!each.type.is_list && !each.type.is_optional);
  });
}

}  // namespace opwright::bridges
