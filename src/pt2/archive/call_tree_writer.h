// The pytrees of a program's call as torch's JSON.
#pragma once

#include <string>
#include <vector>

#include "opwright/program/export/exported_program.h"

namespace opwright::pt2 {

// torch has a leaf for None, ours have none: `is_none` says so for each leaf, in order.
struct WrittenTree {
  std::string json;  // as torch.utils._pytree.treespec_dumps writes it
  std::vector<char> is_none;
};
struct WrittenCall {
  WrittenTree arguments;
  WrittenTree results;
  std::vector<std::string> argument_names;
};

// `input_targets` and `num_results` describe a program without a structure, from C++: its inputs
// are positional, and it returns one tensor or a tuple. NotImplementedError for a class other than
// Python's containers, by name: PyTorch needs its definition. ValueError for an invalid text.
[[nodiscard]] WrittenCall write_call_trees(const CallStructure& structure,
                                           const std::vector<std::string>& input_targets,
                                           size_t num_results);

}  // namespace opwright::pt2
