// Runs one check of an operator on one input, in a child process if the check requires one.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "check/example_of.h"
#include "check/look.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/example.h"
#include "opwright/check/opcheck/input_screen.h"
#include "opwright/error.h"
#include "opwright/value.h"

namespace opwright {

// "kind: the first line of the message", "refused", or "fine".
inline std::string finding_of(const char* check, Example example) {
  const CheckEntry& entry = *find_checks({check})[0];
  const CheckSettings settings;
  const CheckInput input(std::move(example), true, settings);
  std::optional<Fault> fault;
  if (entry.runs_apart) {
    const ScreenedInput screened = screen_inputs(std::span(&input, 1), &entry)[0];
    if (screened.is_refused) return "refused";
    fault = screened.fault;
  } else {
    if (input.plain().is_refused()) return "refused";
    fault = entry.make()->look(input);
  }
  if (!fault) return "fine";
  return concatenate(fault->kind, ": ", fault->message.substr(0, fault->message.find('\n')));
}
inline std::string finding_of(const char* check, const std::string& op,
                              std::initializer_list<Value> args) {
  return finding_of(check, example_of(op.c_str(), args));
}

}  // namespace opwright
