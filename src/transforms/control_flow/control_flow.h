// Data-dependent control flow, as operators with sub-graphs:
//
//   opwright::cond(Tensor pred, Graph true_graph, Graph false_graph, Tensor[] operands,
//                  SymInt[] sizes) -> Tensor[]
//   opwright::while_loop(Graph cond_graph, Graph body_graph, Tensor[] carried, Tensor[] captured,
//                        SymInt[] sizes) -> Tensor[]
//
// A sub-graph receives the tensors, then the sizes: the values of symbols that it uses and that are
// not sizes of its inputs. Tensors that a branch closes over become operands.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// A branch, or the body of a loop. Called at most once while tracing; otherwise as often as needed.
using Branch = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

// Whether the single element of a tensor with data is nonzero.
[[nodiscard]] bool is_true(const Tensor& pred);

// If `pred` has data, calls the chosen branch. Otherwise both become sub-graphs, which must return
// tensors of the same dtypes and sizes; ValueError names the result that differs. RuntimeError for
// a branch that writes to its operands or to a captured tensor.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Tensor> cond(const Tensor& pred,
                                                       const Branch& true_branch,
                                                       const Branch& false_branch,
                                                       std::span<const Tensor> operands);

// Calls the body while the condition, a bool tensor of one element, holds. The body returns new
// values for the carried tensors, of the same dtypes and sizes.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Tensor> while_loop(const Branch& condition,
                                                             const Branch& body,
                                                             std::span<const Tensor> carried);

}  // namespace opwright
