// Runs the graph of an archive by calling its operators, under any transform. Under an export
// session this makes a program: writes, aliases and guards on sizes follow as from a function.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "opwright/base/hash.h"
#include "opwright/dispatch/operator.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/value.h"

namespace opwright::pt2 {

// By the names of the graph's values.
using GraphValues = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

// Adds the values of all nodes of `graph` to `values`, which has those of its inputs.
// NotImplementedError for an operator that does not exist, naming it and the library to load, and
// for a higher-order operator that is not supported; ValueError for a name without a value. An
// error names the node and its line in the model.
void replay(const ArchiveGraph& graph, GraphValues& values);

// The operator of a target such as "torch.ops.aten.add.Tensor". NotImplementedError that names it
// if there is none.
[[nodiscard]] const Operator& find_operator(std::string_view target);

// The value of an element: a constant, or the graph's value of that name.
[[nodiscard]] Value value_of(const Element& element, const GraphValues& values);

}  // namespace opwright::pt2
