// One check on one example, as opcheck runs it.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/check/check.h"
#include "opwright/check/example.h"
#include "opwright/dispatch/registry.h"
#include "opwright/schema/bind.h"
#include "opwright/value.h"

namespace opwright::testing {

inline Example example_of(const char* op, std::initializer_list<Value> args) {
  const Operator& found = Registry::get().require(op);
  std::vector<OpwValue> given;
  for (const Value& value : args) given.push_back(value.get());
  const BoundArguments bound(found.schema(), given, {});
  return Example(found, bound.values());
}

// "kind: message", "skipped: reason"; empty: nothing was found.
inline std::string look(const char* check, const char* op, std::initializer_list<Value> args) {
  const CheckEntry& entry = *find_checks({check}).front();
  const std::unique_ptr<Check> made = entry.make();
  const Example example = example_of(op, args);
  if (const auto reason = made->find_reason_to_skip(example.op())) return "skipped: " + *reason;
  const CheckSettings settings;
  const std::optional<Fault> fault = made->look(CheckInput(example, true, settings));
  return fault ? fault->kind + ": " + fault->message : "";
}

// The message holds the text.
#define EXPECT_FAULT(found, text)                                \
  do {                                                           \
    const std::string message = (found);                         \
    EXPECT_NE(message.find(text), std::string::npos) << message; \
  } while (false)

}  // namespace opwright::testing
