// ArgumentLayout: the arguments of all calls of a plan, laid out once.
//
// Each frame has a copy: cells (the arguments of one call are adjacent), and arrays of tensors and
// ints for lists. Constants stay in it; values that a run computes are copied in.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/run/size_plan.h"
#include "opwright/run/step.h"
#include "opwright/run/value_slots.h"
#include "opwright/schema/type.h"
#include "opwright/value.h"

namespace opwright {

// A frame's copy of an ArgumentLayout; it does not move.
struct ArgumentCells {
  std::vector<OpwValue> cells;
  std::vector<OpwTensor*> tensors;
  std::vector<int64_t> ints;
};

class ArgumentLayout {
 public:
  // A cell that receives the value of a slot.
  struct ValueUse {
    uint32_t cell = 0;
    uint32_t slot = 0;
  };
  // An array element that receives the value of a slot.
  struct ListUse {
    bool is_tensor = false;  // else an int
    uint32_t place = 0;
    uint32_t slot = 0;
  };
  // A cell or an int that receives a number of the SizePlan.
  struct NumberUse {
    bool is_cell = false;
    uint32_t place = 0;
    uint32_t number = 0;
  };

  ArgumentLayout(const ValueSlots& slots, SizePlan& sizes) : slots_(slots), sizes_(sizes) {}

  // Adds the arguments of the step's node. False if one has an unsupported form.
  [[nodiscard]] bool add(Step& step);

  [[nodiscard]] ArgumentCells make_cells() const;
  void put_early_numbers(ArgumentCells& cells, const std::vector<int64_t>& numbers) const;
  // Writes the late numbers with index `late` (Step::sizes).
  void put_late_numbers(ArgumentCells& cells, uint32_t late,
                        const std::vector<int64_t>& numbers) const;

  [[nodiscard]] const std::vector<ValueUse>& value_uses() const noexcept { return value_uses_; }
  [[nodiscard]] const std::vector<ListUse>& list_uses() const noexcept { return list_uses_; }

 private:
  // A cell that points to an array.
  struct ListCell {
    uint32_t cell = 0;
    OpwTag tag = kOpwNone;
    uint32_t first = 0;
    uint32_t length = 0;
  };

  bool add_argument(uint32_t cell, const NodeArgument& argument, const Type& type);
  bool add_list(uint32_t cell, const std::vector<NodeArgument>& elements, const Type& type);
  bool add_ints(uint32_t cell, const std::vector<NodeArgument>& elements);
  bool add_tensors(uint32_t cell, const std::vector<NodeArgument>& elements);
  bool add_cells(uint32_t cell, const std::vector<NodeArgument>& elements, const Type& type);
  void add_number(bool is_cell, uint32_t place, const SymInt& expression);
  static void put_number(ArgumentCells& cells, const NumberUse& use, int64_t number);

  const ValueSlots& slots_;
  SizePlan& sizes_;
  std::vector<OpwValue> cells_;  // constants point into the graph
  std::vector<int64_t> ints_;
  uint32_t num_tensors_ = 0;
  std::vector<ListCell> lists_;
  std::deque<std::vector<NodeArgument>> constant_lists_;  // elements; cells point into them
  std::vector<ValueUse> value_uses_;
  std::vector<ListUse> list_uses_;
  std::vector<NumberUse> early_uses_;
  std::vector<NumberUse> new_late_uses_;           // of the call being added
  std::vector<std::vector<NumberUse>> late_uses_;  // indexed by late numbers
};

}  // namespace opwright
