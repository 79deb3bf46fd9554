// Whether calls and programs written for one version of a schema are valid for another.
#pragma once

#include <optional>
#include <string>

#include "opwright/schema/schema.h"

namespace opwright {

// nullopt if every call of `old_schema` means the same under `new_schema`; else the first reason
// why not, e.g. "argument 'limit' was removed". Allowed: new arguments with defaults after the old
// ones or by keyword, a default where there was none, a type that became optional.
[[nodiscard]] std::optional<std::string> why_incompatible(const Schema& old_schema,
                                                          const Schema& new_schema);

[[nodiscard]] inline bool is_backward_compatible(const Schema& old_schema,
                                                 const Schema& new_schema) {
  return !why_incompatible(old_schema, new_schema);
}

}  // namespace opwright
