// A function of a binary as a host calls it.
#pragma once

#include "opwright/bridge.h"
#include "opwright/c_api.h"

namespace opwright::bridges {

// Leads to `host`, which must outlive it. What a record needs belongs to whoever collected the
// function; bridges keep both for ever, so nothing is dropped.
[[nodiscard]] inline OpwRecord make_record(const BinaryFunction& function, const OpwHost& host) {
  return {.struct_size = sizeof(OpwRecord),
          .function = function.function,
          .self = function.self,
          .drop = function.drop,
          .op = nullptr,
          .host = &host};
}

}  // namespace opwright::bridges
