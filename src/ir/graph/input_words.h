// How errors about a run's inputs refer to them, and to the graph or the object that contains it.
#pragma once

#include <string>
#include <unordered_map>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/node.h"

namespace opwright {

struct InputWords : Counted<InputWords> {
  std::string who = "graph";                             // "graph: it was traced for ..."
  std::string made = "traced";                           // how it was created
  std::unordered_map<uint32_t, std::string> names = {};  // "the argument 'x'", by value number

  // "input 'x'" if it has no entry in `names`; "%y" for a value that is not an input.
  [[nodiscard]] std::string name(const GraphValue& value) const {
    const auto found = names.find(value.number());
    if (found != names.end()) return found->second;
    const bool is_input = value.node().kind() == NodeKind::Input;
    return is_input ? "input '" + value.name() + "'" : "%" + value.name();
  }
};
using InputWordsPtr = IntrusivePtr<const InputWords>;

}  // namespace opwright
