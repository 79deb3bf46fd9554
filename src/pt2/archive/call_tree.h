// The pytrees of a call, from torch's JSON to the text that a program stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/error.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/pt2/archive/archive_graph.h"

namespace opwright::pt2 {

// Of torch.utils._pytree.treespec_dumps.
inline constexpr int64_t kTreeVersion = 1;
// The name of a positional argument that the archive does not name.
[[nodiscard]] inline std::string unnamed_argument(size_t index) {
  return concatenate("args_", index);
}

// The structure of the program's call, and the path of each user input ("x", "batch[\"mask\"]").
struct CallTrees {
  CallStructure structure;
  std::vector<std::string> input_paths;
};

// `is_none_input` and `is_none_output` say which leaves are the constant None, which a pytree of
// ours has no leaf for. A class that is not one of Python's containers becomes a dict by the names
// of its fields, so that the library which defines it is not needed; without names, a tuple.
// ValueError for a text of another form or with another number of leaves.
[[nodiscard]] CallTrees read_call_trees(const ArchiveProgram& program,
                                        std::span<const char> is_none_input,
                                        std::span<const char> is_none_output,
                                        const std::string& origin);

}  // namespace opwright::pt2
