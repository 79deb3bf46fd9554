// Operators that the handler can run, by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/bridge.h"
#include "opwright/c_api.h"

namespace opwright::jax_bridge {

// Never freed: a compiled program may call it for ever.
struct JaxOperator {
  OperatorDescription description;
  const OpwRecord* kernel = nullptr;  // of its binary, over this bridge's host; null: the core runs
  NamedOperator in_core;

  explicit JaxOperator(OperatorDescription of, const OpwRecord* function)
      : description(std::move(of)), kernel(function), in_core(description.name) {}
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
