// One check of an operator on the given example alone.
#pragma once

#include <initializer_list>
#include <string>

#include "opwright/error.h"
#include "opwright/opcheck.h"
#include "opwright/value.h"

namespace opwright {

inline CheckReport report_of(const char* check, const std::string& op,
                             std::initializer_list<Value> args) {
  OpcheckOptions options;
  options.checks = {check};
  options.examples = 0;
  return opcheck(op, args, options);
}

// "kind: the first line of the message", or "fine".
inline std::string finding_of(const char* check, const std::string& op,
                              std::initializer_list<Value> args) {
  const CheckReport report = report_of(check, op, args);
  if (report.ok()) return "fine";
  const CheckFinding& found = report.findings[0];
  return concatenate(found.kind, ": ", found.message.substr(0, found.message.find('\n')));
}

}  // namespace opwright
