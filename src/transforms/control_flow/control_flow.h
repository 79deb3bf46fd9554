// Control flow that depends on data, as operators with sub-graphs:
//
//   opwright::cond(Tensor pred, Graph true_graph, Graph false_graph, Tensor[] operands,
//                  SymInt[] sizes) -> Tensor[]
//   opwright::while_loop(Graph cond_graph, Graph body_graph, Tensor[] carried, Tensor[] captured,
//                        SymInt[] sizes) -> Tensor[]
//
// A sub-graph takes the tensors, then the sizes: the values of the symbols that it names and that
// no size of its inputs is. What a branch closes over becomes an operand.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// A branch, or the body of a loop. Called at most once while it is traced; when nothing is traced,
// as often as its meaning says.
using Branch = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

// Whether the one element of a tensor with data is not zero.
[[nodiscard]] bool is_true(const Tensor& pred);

// Where `pred` has data, the chosen branch is just called. Otherwise both become sub-graphs, which
// must give tensors of the same dtypes and sizes. ValueError names the result that differs.
// RuntimeError for a branch that writes to its operands or to what it closed over.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Tensor> cond(const Tensor& pred,
                                                       const Branch& true_branch,
                                                       const Branch& false_branch,
                                                       std::span<const Tensor> operands);

// Calls the body while the condition, a bool tensor of one element, holds. The body gives new
// values for what is carried, of the same dtypes and sizes.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Tensor> while_loop(const Branch& condition,
                                                             const Branch& body,
                                                             std::span<const Tensor> carried);

}  // namespace opwright
