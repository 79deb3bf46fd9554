// Step: one call of a plan, with everything that stays the same between runs.
//
// A run keeps values in slots: first the graph's inputs, then for each step its results as the
// operator returns them, then the elements of results that are lists. Arguments are in cells, laid
// out once (argument_layout.h); a step copies the values computed in this run into them.
#pragma once

#include <cstdint>

#include "opwright/base/source_site.h"
#include "opwright/dispatch/operator.h"
#include "opwright/ir/graph/node.h"

namespace opwright {

// The part of a list that belongs to one step.
struct StepRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  [[nodiscard]] bool is_empty() const noexcept { return begin == end; }
};

// A list result, whose elements become separate values.
struct ListResult {
  const NodeResult* result = nullptr;
  uint32_t slot = 0;   // of the list
  uint32_t first = 0;  // of the first element
};

inline constexpr uint32_t kNoIndex = UINT32_MAX;
// A list's size as the uint32_t that plans use for indices.
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
  StepRange drops;              // slots that die after the call
  StepRange lists;              // results
  StepRange leftovers;          // unused results
  uint32_t sizes = kNoIndex;    // symbolic arguments that depend on other results of this run
  uint32_t results = kNoIndex;  // symbols that its results bind, and the assertions to check then
  bool is_plain = true;         // its operator neither writes nor returns visible views
  bool notes_views = false;     // its views may be visible outside the run
  bool grad_mode = true;
};

}  // namespace opwright
