// Operators that the handler can run, by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bridges/operators/tensor_layout.h"
#include "opwright/bridge.h"
#include "opwright/c_api.h"

namespace opwright::jax_bridge {

// Never freed: a compiled program may call it for ever.
struct JaxOperator {
  OperatorDescription description;
  const OpwRecord* kernel = nullptr;  // of its binary, over this bridge's host; null: the core runs
  NamedOperator in_core;
  std::optional<bridges::TensorLayout> fixed_layout;  // where no call has another
  std::vector<int64_t> written_buffers;  // by argument: XLA's result that is its new value, or -1

  JaxOperator(OperatorDescription of, const OpwRecord* function);
};

// Makes an operator of the core known to the handler, with the functions of its binary if it came
// from one; anew where it was known. TypeError for one that XLA cannot call (names what it takes or
// gives), AttributeError where there is none.
void register_operator(const std::string& name);

// Loads a binary and registers what it defines; the names of what could be. What XLA cannot call
// stays an operator of the core alone. Errors as load_library.
std::vector<std::string> load_operators(const std::string& path);

// AttributeError that says how to get it.
[[nodiscard]] JaxOperator& find_operator(std::string_view name);

// How an error or a note names an argument: "audio::soft_clip: argument 'limit'".
[[nodiscard]] std::string name_argument(const JaxOperator& op, size_t index);

}  // namespace opwright::jax_bridge
