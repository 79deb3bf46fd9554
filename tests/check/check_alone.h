// One check of an operator on one input, which is not made smaller.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/check/check.h"
#include "opwright/check/example.h"
#include "opwright/check/input_screen.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/value.h"

namespace opwright {

// "kind: the first line of the message", or "fine". `args` has all arguments of the operator.
inline std::string finding_of(const char* check, const std::string& op, std::vector<Value> args) {
  const CheckEntry& entry = *find_checks({check})[0];
  const CheckSettings settings;
  const CheckInput input(Example(Registry::get().require(op), std::move(args)), true, settings);
  const std::optional<Fault> fault = entry.runs_apart
                                         ? screen_inputs(std::span(&input, 1), &entry)[0].fault
                                         : entry.make()->look(input);
  if (!fault) return "fine";
  return concatenate(fault->kind, ": ", fault->message.substr(0, fault->message.find('\n')));
}

}  // namespace opwright
