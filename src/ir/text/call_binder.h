// Arguments as a graph's text gives them become one for each argument of the operator.
#pragma once

#include <string_view>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/ir/text/text_cursor.h"
#include "opwright/schema/schema.h"

namespace opwright {

struct GivenArgument {
  NodeArgument argument;
  std::string_view name;  // empty: by position
  TextSpan span;
  TextSpan name_span;
};

// Defaults filled in, constants as the schema has them. `written` is the schema that the call was
// written under, whose defaults it means; null: the operator's own. ValueError at the argument, or
// at `call`.
[[nodiscard]] std::vector<NodeArgument> bind_given(const TextCursor& cursor, const Operator& op,
                                                   TextSpan call, std::vector<GivenArgument> given,
                                                   const Schema* written = nullptr);

// The error of a name that no operator has.
[[noreturn]] void fail_unknown_operator(const TextCursor& cursor, TextSpan name);

}  // namespace opwright
