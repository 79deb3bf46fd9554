// How errors about a run's inputs speak: of a graph, or of what the graph is a part of.
#pragma once

#include <string>
#include <unordered_map>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/node.h"

namespace opwright {

struct InputWords : Counted<InputWords> {
  std::string who = "graph";                             // "graph: it was traced for ..."
  std::string made = "traced";                           // how it came to be
  std::unordered_map<uint32_t, std::string> names = {};  // "the argument 'x'", by number of a value

  // "input 'x'" where it has no name of its own; "%y" of a value that is no input.
  [[nodiscard]] std::string name(const GraphValue& value) const {
    const auto found = names.find(value.number());
    if (found != names.end()) return found->second;
    const bool is_input = value.node().kind() == NodeKind::Input;
    return is_input ? "input '" + value.name() + "'" : "%" + value.name();
  }
};
using InputWordsPtr = IntrusivePtr<const InputWords>;

}  // namespace opwright
