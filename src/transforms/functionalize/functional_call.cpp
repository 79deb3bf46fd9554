#include "opwright/transforms/functionalize/functional_call.h"

#include <cstddef>
#include <cstdint>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/rule.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/transforms/functionalize/functional_pair.h"
#include "opwright/transforms/functionalize/functional_sibling.h"

namespace opwright {
namespace {

// The built-in operator computes in the promoted dtype of its arguments; a written argument keeps
// its own.
Tensor in_dtype_of(const Operator& op, const Argument& argument, const Tensor& target,
                   Tensor result) {
  if (result.dtype() == target.dtype()) return result;
  OPWRIGHT_CHECK_TYPE(can_store(result.dtype(), target.dtype()), op.name(), ": a result of ",
                      result.dtype(), " cannot be stored in ", argument.name, " of ",
                      target.dtype());
  return _to_copy(result, target.dtype());
}

FunctionalResults call_pair(const Operator& op, const Operator& pair, Arguments args) {
  SmallVector<OpwValue, 16> given;
  const bool has_out = pair.num_arguments() != op.num_arguments();
  for (uint32_t i = 0; i < op.num_arguments(); ++i) {
    if (!has_out || !op.writes_argument(i)) given.push_back(args[i]);
  }
  SmallVector<OpwValue, 4> results(pair.num_results());
  call(pair, given, results);
  FunctionalResults functional;
  for (const OpwValue& result : results) functional.written.push_back(Value::take(result));
  size_t next = 0;
  for (uint32_t i = 0; i < op.num_arguments(); ++i) {
    if (!op.writes_argument(i)) continue;
    Value& value = functional.written[next++];
    const BorrowedTensor target(args[i].as_tensor);
    value = Value(
        in_dtype_of(op, op.schema().arguments[i], target, Tensor::borrow(value.get().as_tensor)));
  }
  return functional;
}

FunctionalResults part_results(const Operator& op, Results results) {
  FunctionalResults functional;
  const uint32_t fresh = count_fresh_results(op);
  for (uint32_t i = 0; i < results.size(); ++i)
    (i < fresh ? functional.fresh : functional.written).push_back(Value::take(results[i]));
  return functional;
}

}  // namespace

FunctionalResults call_functional(const Operator& op, Arguments args) {
  SmallVector<OpwValue, 8> results(count_results(op, Slot::Functional));
  if (op.record(Slot::Functional)) {
    run_rule(op, Slot::Functional, args, results);
    return part_results(op, results);
  }
  if (const Operator* pair = find_functional_pair(op)) return call_pair(op, *pair, args);
  call(functional_sibling(op), args, results);
  return part_results(op, results);
}

}  // namespace opwright
