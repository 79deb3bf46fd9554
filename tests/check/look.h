// Runs one check on one example, as opcheck does.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "check/example_of.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/example.h"
#include "opwright/value.h"

namespace opwright::testing {

// "kind: message", "skipped: reason"; empty if nothing was found.
inline std::string look(const char* check, const char* op, std::initializer_list<Value> args) {
  const CheckEntry& entry = *find_checks({check}).front();
  const std::unique_ptr<Check> made = entry.make();
  const Example example = example_of(op, args);
  if (const auto reason = made->find_reason_to_skip(example.op())) return "skipped: " + *reason;
  const CheckSettings settings;
  const std::optional<Fault> fault = made->look(CheckInput(example, true, settings));
  return fault ? fault->kind + ": " + fault->message : "";
}

// Expects that the message contains the text.
#define EXPECT_FAULT(found, text)                                \
  do {                                                           \
    const std::string message = (found);                         \
    EXPECT_NE(message.find(text), std::string::npos) << message; \
  } while (false)

}  // namespace opwright::testing
