// What a backward formula gave, for each tensor of the example.
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

// A fault of the formula, which the message names first.
template <class... Parts>
[[nodiscard]] Fault formula_fault(const Operator& op, const char* kind, const Parts&... parts) {
  return {.kind = kind,
          .message = concatenate(op.name(), ": ", rule_text(op, Slot::Autograd, "backward formula"),
                                 parts...)};
}

// Reads the results of the formula, one for each tensor argument, into one for each tensor that
// requires grad; undefined: none. A fault if one is not what the engine passes on.
[[nodiscard]] std::optional<Fault> take_gradients(const RecordedCall& call,
                                                  std::span<const OpwValue> results,
                                                  std::vector<Tensor>& given);

}  // namespace opwright
