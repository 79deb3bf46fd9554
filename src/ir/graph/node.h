// Nodes of a graph and the values they produce.
//
// Only their Graph creates, moves and destroys them; it keeps the users of each value up to date.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/dispatch/operator.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/tensor.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

class Graph;
class Node;

class OPWRIGHT_EXPORT GraphValue {
 public:
  // Without the '%': "add_1". Unique in the graph.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Node& node() const noexcept { return *node_; }
  // Its index among the values of its node.
  [[nodiscard]] uint32_t index() const noexcept { return index_; }
  // Never reused within the graph; below Graph::num_value_numbers().
  [[nodiscard]] uint32_t number() const noexcept { return number_; }
  // The metadata: a fake tensor, or an int (a SymInt, symbolic or plain). Other kinds of results
  // are constants of the trace that no node can refer to; None occurs only in lists.
  [[nodiscard]] const Value& meta() const noexcept { return meta_; }
  // The fake tensor; undefined if the value is not a tensor.
  [[nodiscard]] Tensor tensor() const;
  // Contains a node once for every use of the value.
  [[nodiscard]] std::span<Node* const> users() const noexcept { return users_; }

 private:
  friend class Graph;
  std::string name_;
  Node* node_ = nullptr;
  uint32_t index_ = 0;
  uint32_t number_ = 0;
  Value meta_;
  std::vector<Node*> users_;
};

enum class NodeKind : uint8_t {
  Input,   // an input of the graph; one value
  Call,    // a call of an operator
  Output,  // the last node; its arguments are the graph's outputs
};

// Where an input's value comes from when the graph runs.
enum class InputRole : uint8_t {
  Argument,     // passed by the caller
  Captured,     // a tensor that the traced function closed over; read on every run
  Constant,     // a tensor that the trace made from data (opwright.tensor([1, 2]) in the function)
  RandomState,  // the state of a generator, read at the start of a run and set at its end
};

// The values that an operator's result i became.
struct NodeResult {
  uint32_t first = 0;  // its first value
  uint32_t count = 0;  // a list's length; else 1, or 0 for None and constants, which are not kept
  bool is_list = false;
  friend bool operator==(const NodeResult&, const NodeResult&) = default;
};

class Node {
 public:
  [[nodiscard]] NodeKind kind() const noexcept { return kind_; }
  [[nodiscard]] Graph& graph() const noexcept { return *graph_; }
  // For a Call.
  [[nodiscard]] const Operator& op() const noexcept { return *op_; }
  [[nodiscard]] std::span<const NodeArgument> args() const noexcept { return args_; }
  [[nodiscard]] std::span<GraphValue> values() noexcept { return values_; }
  [[nodiscard]] std::span<const GraphValue> values() const noexcept { return values_; }
  [[nodiscard]] std::span<const NodeResult> results() const noexcept { return results_; }
  // For an Input.
  [[nodiscard]] InputRole role() const noexcept { return role_; }
  // For a Captured or Constant Input; undefined in a graph that was parsed from text.
  [[nodiscard]] const Tensor& bound() const noexcept { return bound_; }

  // The user's line.
  [[nodiscard]] SourceSite site() const noexcept { return site_; }
  // The module that made the call, "encoder.layers.0"; empty: none.
  [[nodiscard]] const std::string& module_path() const noexcept { return module_path_; }
  // Whether grad mode was on; if it was off, a run does not record the call.
  [[nodiscard]] bool grad_mode() const noexcept { return grad_mode_; }
  // An erased node has no arguments and is not linked; the object lives as long as its graph.
  [[nodiscard]] bool is_erased() const noexcept { return is_erased_; }

  [[nodiscard]] Node* next() const noexcept { return next_; }
  [[nodiscard]] Node* previous() const noexcept { return previous_; }

 private:
  friend class Graph;
  Node() = default;

  Graph* graph_ = nullptr;
  Node* next_ = nullptr;
  Node* previous_ = nullptr;
  NodeKind kind_ = NodeKind::Call;
  InputRole role_ = InputRole::Argument;
  bool grad_mode_ = true;
  bool is_erased_ = false;
  const Operator* op_ = nullptr;
  std::vector<NodeArgument> args_;
  std::vector<GraphValue> values_;  // never resized
  std::vector<NodeResult> results_;
  Tensor bound_;
  SourceSite site_;
  std::string module_path_;
};

}  // namespace opwright
