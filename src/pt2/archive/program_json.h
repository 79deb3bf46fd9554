// A program of an archive, and the tables of its weights and constants, as JSON.
#pragma once

#include <string>
#include <vector>

#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/container/json.h"

namespace opwright::pt2 {

// ValueError that names the member for a text of another form; NotImplementedError for script
// objects and tokens, and for another major version, naming both.
[[nodiscard]] ArchiveProgram read_archive_program(const JsonValue& json, const std::string& origin);
// The inverse. NotImplementedError for what PyTorch's format has no form for, by name.
[[nodiscard]] JsonValue write_archive_program(const ArchiveProgram& program);

// The config of weights or constants. NotImplementedError for a pickled one, by name.
[[nodiscard]] std::vector<WrittenPayload> read_payloads(const JsonValue& json,
                                                        const std::string& origin);
[[nodiscard]] JsonValue write_payloads(const std::vector<WrittenPayload>& payloads);

}  // namespace opwright::pt2
