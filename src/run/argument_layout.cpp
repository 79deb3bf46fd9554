#include "opwright/run/argument_layout.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "opwright/ir/graph/node_argument.h"
#include "opwright/ir/graph/node_call.h"
#include "opwright/run/size_plan.h"
#include "opwright/run/step.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/type.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

// The elements of a constant list, as separate arguments.
std::vector<NodeArgument> elements_of(const OpwValue& list) {
  std::vector<NodeArgument> elements;
  for (uint32_t i = 0; i < list.length; ++i) {
    elements.push_back(NodeArgument::constant(Value::copy_of(list_element(list, i))));
  }
  return elements;
}

bool is_int(const NodeArgument& argument) {
  const uint32_t tag = argument.constant().tag();
  return argument.kind() == NodeArgument::Kind::Constant && (tag == kOpwInt || tag == kOpwSymInt);
}

}  // namespace

bool ArgumentLayout::add(Step& step) {
  const Node& node = *step.node;
  step.num_arguments = size_of(node.args());
  step.first_cell = size_of(cells_);
  cells_.resize(cells_.size() + step.num_arguments);
  step.value_uses.begin = size_of(value_uses_);
  step.list_uses.begin = size_of(list_uses_);
  for (uint32_t i = 0; i < step.num_arguments; ++i) {
    const Type& type = node.op().schema().arguments[i].type;
    if (!add_argument(step.first_cell + i, node.args()[i], type)) return false;
  }
  step.value_uses.end = size_of(value_uses_);
  step.list_uses.end = size_of(list_uses_);
  step.sizes = sizes_.finish_call();
  if (step.sizes != kNoIndex) {
    late_uses_.resize(step.sizes + 1);
    late_uses_[step.sizes] = std::exchange(new_late_uses_, {});
  }
  return true;
}

bool ArgumentLayout::add_argument(uint32_t cell, const NodeArgument& argument, const Type& type) {
  if (argument.kind() == NodeArgument::Kind::Value) {
    value_uses_.push_back({cell, slots_.of(argument.value())});
    return true;
  }
  if (argument.kind() == NodeArgument::Kind::List) return add_list(cell, argument.elements(), type);
  const OpwValue& constant = argument.constant().get();
  cells_[cell] = constant;
  if (!has_symbols(constant)) return true;
  if (constant.tag != kOpwSymInt) {
    constant_lists_.push_back(elements_of(constant));
    return add_list(cell, constant_lists_.back(), type);
  }
  add_number(true, cell, SymInt::borrow(constant.as_int));
  return true;
}

bool ArgumentLayout::add_list(uint32_t cell, const std::vector<NodeArgument>& elements,
                              const Type& type) {
  switch (type.required().value_tag()) {
    case kOpwIntList:
    case kOpwSymIntList:
      return add_ints(cell, elements);
    case kOpwTensorList:
      return add_tensors(cell, elements);
    case kOpwList:
      return add_cells(cell, elements, type);
    default:
      return false;
  }
}

bool ArgumentLayout::add_ints(uint32_t cell, const std::vector<NodeArgument>& elements) {
  const uint32_t first = size_of(ints_);
  for (const NodeArgument& element : elements) {
    const uint32_t place = size_of(ints_);
    ints_.push_back(0);
    if (element.kind() == NodeArgument::Kind::Value) {
      list_uses_.push_back({false, place, slots_.of(element.value())});
      continue;
    }
    if (!is_int(element)) return false;
    const OpwValue& constant = element.constant().get();
    ints_.back() = constant.as_int;
    if (has_symbols(constant)) add_number(false, place, SymInt::borrow(constant.as_int));
  }
  lists_.push_back({cell, kOpwIntList, first, size_of(elements)});
  return true;
}

bool ArgumentLayout::add_tensors(uint32_t cell, const std::vector<NodeArgument>& elements) {
  const uint32_t first = num_tensors_;
  for (const NodeArgument& element : elements) {
    if (element.kind() != NodeArgument::Kind::Value) return false;
    list_uses_.push_back({true, num_tensors_++, slots_.of(element.value())});
  }
  lists_.push_back({cell, kOpwTensorList, first, size_of(elements)});
  return true;
}

bool ArgumentLayout::add_cells(uint32_t cell, const std::vector<NodeArgument>& elements,
                               const Type& type) {
  const uint32_t first = size_of(cells_);
  cells_.resize(cells_.size() + elements.size());
  lists_.push_back({cell, kOpwList, first, size_of(elements)});
  for (uint32_t i = 0; i < elements.size(); ++i) {
    if (!add_argument(first + i, elements[i], element_type(type, i))) return false;
  }
  return true;
}

void ArgumentLayout::add_number(bool is_cell, uint32_t place, const SymInt& expression) {
  const auto [is_late, index] = sizes_.add(expression);
  (is_late ? new_late_uses_ : early_uses_).push_back({is_cell, place, index});
}

ArgumentCells ArgumentLayout::make_cells() const {
  ArgumentCells made{cells_, std::vector<OpwTensor*>(num_tensors_), ints_};
  for (const ListCell& list : lists_) {
    OpwValue& cell = made.cells[list.cell];
    cell = OpwValue{};
    cell.tag = list.tag;
    cell.length = list.length;
    if (list.tag == kOpwIntList) {
      cell.as_ints = made.ints.data() + list.first;
    } else if (list.tag == kOpwTensorList) {
      cell.as_tensors = made.tensors.data() + list.first;
    } else {
      cell.as_values = made.cells.data() + list.first;
    }
  }
  return made;
}

void ArgumentLayout::put_number(ArgumentCells& cells, const NumberUse& use, int64_t number) {
  (use.is_cell ? cells.cells[use.place].as_int : cells.ints[use.place]) = number;
}

void ArgumentLayout::put_early_numbers(ArgumentCells& cells,
                                       const std::vector<int64_t>& numbers) const {
  for (const NumberUse& use : early_uses_) put_number(cells, use, numbers[use.number]);
}

void ArgumentLayout::put_late_numbers(ArgumentCells& cells, uint32_t late,
                                      const std::vector<int64_t>& numbers) const {
  for (const NumberUse& use : late_uses_[late]) put_number(cells, use, numbers[use.number]);
}

}  // namespace opwright
