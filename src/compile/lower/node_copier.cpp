#include "opwright/compile/lower/node_copier.h"

#include <string>
#include <utility>

#include "opwright/error.h"
#include "opwright/ir/graph/argument_copy.h"
#include "opwright/tensor/view.h"

namespace opwright {

NodeArgument NodeCopier::copy(const NodeArgument& argument) const {
  return copy_argument(argument,
                       [&](const GraphValue& value) -> GraphValue& { return get(value); });
}

std::vector<NodeArgument> NodeCopier::copy(std::span<const NodeArgument> arguments) const {
  return copy_arguments(arguments,
                        [&](const GraphValue& value) -> GraphValue& { return get(value); });
}

GraphValue& NodeCopier::get(const GraphValue& value) const {
  OPWRIGHT_ASSERT(find(value));
  return *find(value);
}

GraphValue& NodeCopier::copy_input(const GraphValue& input) {
  const Node& node = input.node();
  Value meta = input.meta();
  if (const Tensor tensor = input.tensor(); drops_autograd_ && tensor.is_defined()) {
    meta = Value(make_view(tensor, sym_geometry_of(tensor)));
  }
  GraphValue& made =
      to_.add_input(input.name(), std::move(meta), node.role(), node.bound(), node.site());
  set(input, made);
  return made;
}

Node& NodeCopier::copy_call(const Node& node) {
  std::vector<std::string> names;
  for (const GraphValue& value : node.values()) names.push_back(value.name());
  Node& made = to_.insert_call({.op = &node.op(),
                                .args = copy(node.args()),
                                .results = results_of(node),
                                .site = node.site(),
                                .module_path = node.module_path(),
                                .grad_mode = drops_autograd_ || node.grad_mode(),
                                .names = std::move(names)});
  for (const GraphValue& value : node.values()) set(value, made.values()[value.index()]);
  return made;
}

}  // namespace opwright
