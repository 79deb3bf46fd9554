// The arguments of a call in a traced graph, by their index in the schema, for conversion rules of
// any foreign graph. Errors name the operator, the argument and the user's line.
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

// Defined by the core's graphs.
class Node;
class NodeArgument;

class OPWRIGHT_EXPORT CallArguments {
 public:
  // `engine` is the name of the foreign graph in errors: "ONNX".
  CallArguments(const Node& node, const char* engine) : node_(node), engine_(engine) {}

  [[nodiscard]] const Node& node() const noexcept { return node_; }
  [[nodiscard]] const std::string& op() const;  // "aten::add.Tensor"
  [[nodiscard]] size_t num_arguments() const;
  [[nodiscard]] bool has(size_t index) const;  // whether it is not None

  // A tensor argument with dtype and sym_sizes, but no data.
  [[nodiscard]] Tensor tensor(size_t index) const;
  [[nodiscard]] std::vector<Tensor> tensors(size_t index) const;
  [[nodiscard]] Tensor result(size_t index = 0) const;
  [[nodiscard]] size_t num_results() const;  // values of the node: each element of a list counts
  // Whether anything reads the result.
  [[nodiscard]] bool is_used(size_t result) const;

  // Throws TypeError for another kind, NotImplementedError for a dynamic size where a number is
  // needed.
  [[nodiscard]] int64_t integer(size_t index) const;
  [[nodiscard]] std::vector<int64_t> integers(size_t index) const;
  [[nodiscard]] SymInt sym_int(size_t index) const;
  [[nodiscard]] std::vector<SymInt> sym_ints(size_t index) const;
  [[nodiscard]] double number(size_t index) const;  // int, float or bool
  [[nodiscard]] std::vector<double> numbers(size_t index) const;
  [[nodiscard]] bool boolean(size_t index) const;
  [[nodiscard]] std::string text(size_t index) const;
  [[nodiscard]] std::optional<DType> dtype(size_t index) const;  // empty for None
  // The value as the graph holds it; None if the graph computes it.
  [[nodiscard]] const OpwValue& constant(size_t index) const;

  // Throws IndexError for an index that the call does not have.
  [[nodiscard]] const NodeArgument& argument(size_t index) const;
  [[noreturn]] void fail_kind(size_t index, const char* wanted) const;
  // Throws NotImplementedError: "aten::foo (model.py:12): <reason>".
  [[noreturn]] void refuse(std::string_view reason) const;

 private:
  [[nodiscard]] int64_t plain(size_t index, const SymInt& size) const;

  const Node& node_;
  const char* engine_;
};

}  // namespace opwright
