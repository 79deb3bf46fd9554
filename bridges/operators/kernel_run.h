// Runs the kernel of an operator of a binary, or the operator in the core if a binary has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bridges/operators/results.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/value.h"

namespace opwright::bridges {

// `op` has `kernel`, a record or null, and `in_core`, a NamedOperator.
template <class BridgeOperator>
void run_kernel(BridgeOperator& op, std::span<const OpwValue> args, OwnedResults& results) {
  const auto num_args = static_cast<uint32_t>(args.size());
  const auto num_results = static_cast<uint32_t>(results.size());
  if (op.kernel) [[likely]] {
    require_ok(op.kernel->function(op.kernel, args.data(), num_args, results.data(), num_results));
    return;
  }
  // Python functions may keep their arguments: these are copies, except for the written ones.
  OwnedResults copies(args.size());
  for (size_t i = 0; i < args.size(); ++i) copies.data()[i] = copy_value(args[i]);
  op.in_core.call(copies.data(), num_args, results.data(), num_results);
}

}  // namespace opwright::bridges
