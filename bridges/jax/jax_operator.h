// Operators that the handler can run, by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bridges/operators/tensor_layout.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::jax_bridge {

// Never freed: a compiled program may call it at any time.
struct JaxOperator {
  OperatorDescription description;
  const OpwRecord* kernel = nullptr;  // of its binary, over this bridge's host; null: use the core
  NamedOperator in_core;
  std::optional<bridges::TensorLayout> fixed_layout;  // set if every call has the same
  std::vector<int64_t> written_buffers;  // by argument: XLA's result that is its new value, or -1

  JaxOperator(OperatorDescription of, const OpwRecord* function);
};

// Makes an operator of the core known to the handler, with the functions of its binary if it has
// one; replaces an earlier registration. TypeError, with the type at fault, for an operator that
// XLA cannot call; AttributeError if there is none.
void register_operator(const std::string& name);

// Loads a binary and registers its operators; returns the names of those registered. Operators that
// XLA cannot call exist only in the core. Errors as load_library.
std::vector<std::string> load_operators(const std::string& path);

// AttributeError that says how to get it.
[[nodiscard]] JaxOperator& find_operator(std::string_view name);

// The name of an argument in errors and notes: "audio::soft_clip: argument 'limit'".
[[nodiscard]] std::string name_argument(const JaxOperator& op, size_t index);

}  // namespace opwright::jax_bridge
