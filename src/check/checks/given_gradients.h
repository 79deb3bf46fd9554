// Reads the gradients that a backward formula returned, for each tensor of the example.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/recorded_call.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/tensor.h"

namespace opwright {

// A fault of the formula; the message names the formula first.
template <class... Parts>
[[nodiscard]] Fault formula_fault(const Operator& op, const char* kind, const Parts&... parts) {
  return {.kind = kind,
          .message = concatenate(op.name(), ": ", rule_text(op, Slot::Autograd, "backward formula"),
                                 parts...)};
}

// Converts the formula's results, one per tensor argument, to one per tensor that requires grad
// (undefined: no gradient). Returns a fault if the engine could not pass one on.
[[nodiscard]] std::optional<Fault> take_gradients(const RecordedCall& call,
                                                  std::span<const OpwValue> results,
                                                  std::vector<Tensor>& given);

}  // namespace opwright
