// Step: one call of a plan, with all that does not change from run to run.
//
// A run keeps values in slots: first the inputs of the graph, then for each step its results as the
// operator gives them, then the elements of those that are lists. Arguments lie in cells, laid out
// once (argument_layout.h); a step copies into them what this run has computed.
#pragma once

#include <cstdint>

#include "opwright/base/source_site.h"
#include "opwright/dispatch/operator.h"
#include "opwright/ir/graph/node.h"

namespace opwright {

// Places of a list that belong to one step.
struct StepRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  [[nodiscard]] bool is_empty() const noexcept { return begin == end; }
};

// A list among the results: its elements become values of their own.
struct ListResult {
  const NodeResult* result = nullptr;
  uint32_t slot = 0;   // of the list
  uint32_t first = 0;  // of its elements
};

inline constexpr uint32_t kNoIndex = UINT32_MAX;
// As places are counted in a plan.
uint32_t size_of(const auto& list) { return static_cast<uint32_t>(list.size()); }

struct Step {
  const Operator* op = nullptr;
  const Node* node = nullptr;
  SourceSite site;
  uint32_t first_cell = 0;  // of its arguments
  uint32_t num_arguments = 0;
  uint32_t first_slot = 0;  // of its results
  uint32_t num_results = 0;
  StepRange value_uses;         // arguments that are values
  StepRange list_uses;          // values in lists
  StepRange drops;              // slots that end with the call
  StepRange lists;              // results
  StepRange leftovers;          // results that nothing uses
  uint32_t sizes = kNoIndex;    // symbolic arguments that only this run's results tell
  uint32_t results = kNoIndex;  // symbols that its results bind, assertions after it
  bool is_plain = true;         // its operator neither writes nor gives views that are seen
  bool notes_views = false;     // its views may be seen outside
  bool grad_mode = true;
};

}  // namespace opwright
