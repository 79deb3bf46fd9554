// Binds the arguments written in a graph's text to the arguments of the operator.
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

// Fills in defaults and converts constants to the schema's types. `written` is the schema under
// which the call was written, whose defaults apply; null: the operator's own. Raises ValueError at
// the argument, or at `call`.
[[nodiscard]] std::vector<NodeArgument> bind_given(const TextCursor& cursor, const Operator& op,
                                                   TextSpan call, std::vector<GivenArgument> given,
                                                   const Schema* written = nullptr);

// Raises the error for an unknown operator name.
[[noreturn]] void fail_unknown_operator(const TextCursor& cursor, TextSpan name);

}  // namespace opwright
