// Arguments and graphs of an archive as JSON: read and written by functions side by side, from the
// same tables.
#pragma once

#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/container/json.h"
#include "opwright/pt2/container/json_reader.h"

namespace opwright::pt2 {

// {"name": ...}, of a tensor.
[[nodiscard]] Element read_name(const JsonReader& json);
[[nodiscard]] JsonValue write_name(const ValueName& name);

// A bool, a number or a text, as JSON has it.
[[nodiscard]] Element read_plain(const JsonReader& json);

// The union Argument. What is not known becomes an UnknownArgument.
[[nodiscard]] WrittenArgument read_argument(const JsonReader& json);
// NotImplementedError for elements that archives have no form for, with the argument's name.
[[nodiscard]] JsonValue write_argument(const WrittenArgument& argument);

[[nodiscard]] ArchiveGraph read_graph(const JsonReader& json);
[[nodiscard]] JsonValue write_graph(const ArchiveGraph& graph);

}  // namespace opwright::pt2
