// The arguments of a call in a traced graph, by their place in the schema, as rules of every
// foreign graph read them. Errors name the operator, the argument and the user's line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright OPWRIGHT_VISIBILITY {

// Of the core's graphs.
class Node;
class NodeArgument;

class OPWRIGHT_EXPORT CallArguments {
 public:
  // `engine` is what errors call the foreign graph: "ONNX".
  CallArguments(const Node& node, const char* engine) : node_(node), engine_(engine) {}

  [[nodiscard]] const Node& node() const noexcept { return node_; }
  [[nodiscard]] const std::string& op() const;  // "aten::add.Tensor"
  [[nodiscard]] size_t num_arguments() const;
  [[nodiscard]] bool has(size_t index) const;  // it is not None

  // What it will be: dtype and sym_sizes; there is no data.
  [[nodiscard]] Tensor tensor(size_t index) const;
  [[nodiscard]] std::vector<Tensor> tensors(size_t index) const;
  [[nodiscard]] Tensor result(size_t index = 0) const;
  [[nodiscard]] size_t num_results() const;  // values of the node: the elements of a list each
  // Whether something reads the result.
  [[nodiscard]] bool is_used(size_t result) const;

  // TypeError for another kind, NotImplementedError for a size that changes where a number is
  // needed.
  [[nodiscard]] int64_t integer(size_t index) const;
  [[nodiscard]] std::vector<int64_t> integers(size_t index) const;
  [[nodiscard]] SymInt sym_int(size_t index) const;
  [[nodiscard]] std::vector<SymInt> sym_ints(size_t index) const;
  [[nodiscard]] double number(size_t index) const;  // int, float or bool
  [[nodiscard]] std::vector<double> numbers(size_t index) const;
  [[nodiscard]] bool boolean(size_t index) const;
  [[nodiscard]] std::string text(size_t index) const;
  [[nodiscard]] std::optional<DType> dtype(size_t index) const;  // none for None
  // As it stands in the graph; None for a value of the graph.
  [[nodiscard]] const OpwValue& constant(size_t index) const;

  // IndexError for a place that the call does not have.
  [[nodiscard]] const NodeArgument& argument(size_t index) const;
  [[noreturn]] void fail_kind(size_t index, const char* wanted) const;
  // NotImplementedError: "aten::foo (model.py:12): <reason>".
  [[noreturn]] void refuse(std::string_view reason) const;

 private:
  [[nodiscard]] int64_t plain(size_t index, const SymInt& size) const;

  const Node& node_;
  const char* engine_;
};

}  // namespace opwright
