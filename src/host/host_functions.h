// What binaries ask of the core by the names of imports, besides operators
// (opwright/registration/host_functions.h).
#pragma once

#include <string_view>

#include "opwright/c_api.h"

namespace opwright {

// Run at once, not dispatched: the caller's transforms see the operators that it calls.
struct HostFunction {
  std::string_view name;
  const char* schema;  // with its name
  OpwRecord record;

  // TypeError if a caller with this signature, as that of an import, does not fit the schema.
  void check_caller(const char* caller_signature) const;
  // As OpwFunction, but throws.
  void run(const OpwValue* args, uint32_t num_args, OpwValue* results, uint32_t num_results) const;
};

// Null for any other name.
[[nodiscard]] const HostFunction* find_host_function(std::string_view name);

}  // namespace opwright
