// A binary's function in the form that a host calls.
#pragma once

#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::bridges {

// Refers to `host`, which must outlive it. The owner of the collected function also owns what a
// record needs; bridges keep both permanently, so nothing is released.
[[nodiscard]] inline OpwRecord make_record(const BinaryFunction& function, const OpwHost& host) {
  return {.struct_size = sizeof(OpwRecord),
          .function = function.function,
          .self = function.self,
          .drop = function.drop,
          .op = nullptr,
          .host = &host};
}

}  // namespace opwright::bridges
