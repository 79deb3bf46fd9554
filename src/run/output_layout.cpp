#include "opwright/run/output_layout.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/ir/graph/node_call.h"
#include "opwright/run/size_plan.h"
#include "opwright/run/value_slots.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/type.h"
#include "opwright/symint.h"

namespace opwright {

class OutputLayout::Builder {
 public:
  Builder(const Graph& graph, const ValueSlots& slots, SizePlan& sizes)
      : slots_(slots), sizes_(sizes), uses_left_(slots.size()) {
    for (const NodeArgument& output : graph.outputs()) {
      output.visit_values([&](const GraphValue& value) { ++uses_left_[slots.of(value)]; });
    }
  }

  Part part_of(const NodeArgument& argument) {
    Part part;
    switch (argument.kind()) {
      case NodeArgument::Kind::Constant:
        return part_of(argument.constant().get());
      case NodeArgument::Kind::Value: {
        // An input belongs to the caller; the last use of another value moves it out.
        part.index = slots_.of(argument.value());
        const bool is_last = --uses_left_[part.index] == 0;
        const bool is_moved = is_last && part.index >= slots_.num_inputs();
        part.kind = is_moved ? Part::Kind::Moved : Part::Kind::Copied;
        return part;
      }
      case NodeArgument::Kind::List:
        break;
    }
    part.kind = Part::Kind::List;
    for (const NodeArgument& element : argument.elements()) {
      part.elements.push_back(part_of(element));
    }
    return part;
  }

 private:
  Part part_of(const OpwValue& constant) {
    Part part;
    if (!has_symbols(constant)) {
      part.constant = Value::copy_of(constant);
    } else if (constant.tag == kOpwSymInt) {
      const auto [is_late, index] = sizes_.add(SymInt::borrow(constant.as_int));
      part.kind = is_late ? Part::Kind::LateNumber : Part::Kind::Number;
      part.index = index;
    } else {
      part.kind = Part::Kind::List;
      for (uint32_t i = 0; i < constant.length; ++i) {
        part.elements.push_back(part_of(list_element(constant, i)));
      }
    }
    return part;
  }

  const ValueSlots& slots_;
  SizePlan& sizes_;
  std::vector<uint32_t> uses_left_;  // per slot, by outputs
};

OutputLayout::OutputLayout(const Graph& graph, const ValueSlots& slots, SizePlan& sizes) {
  Builder builder(graph, slots, sizes);
  for (const NodeArgument& output : graph.outputs()) outputs_.push_back(builder.part_of(output));
  late_ = sizes.finish_call();
}

OpwValue OutputLayout::take(const Part& part, const Source& source) {
  switch (part.kind) {
    case Part::Kind::Copied:
      return copy_value(source.slots[part.index]);
    case Part::Kind::Moved:
      return std::exchange(source.slots[part.index], OpwValue{});
    case Part::Kind::Number:
      return ValueOf<SymInt>::give(source.numbers[part.index]);
    case Part::Kind::LateNumber:
      return ValueOf<SymInt>::give(source.late_numbers[part.index]);
    case Part::Kind::Constant:
      return copy_value(part.constant.get());
    case Part::Kind::List:
      break;
  }
  std::vector<Value> elements;
  for (const Part& element : part.elements) {
    elements.push_back(Value::take(take(element, source)));
  }
  return list_of(std::move(elements), TypeKind::Any).give();
}

}  // namespace opwright
