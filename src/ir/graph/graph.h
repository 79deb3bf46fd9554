// Graph: a program as a list of operator calls. Tracing, export, compilation and conversion all
// meet here and nowhere else.
//
//   graph(%x: float32[s0, 3], %w: float32[3, 4]) -> (%mm) {
//     symbol s0 in [2, inf], hint 5, from x.size(0)
//     %mm: float32[s0, 4] = aten::mm(%x, %w)  # model.py:12
//   }
//
// Nodes are in execution order. Values are named. Symbolic sizes are expressions over the symbols
// of one ShapeEnv: an input or result that has a symbol as a size, or as its value, binds it for
// all later nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/node.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/visibility.h"

namespace opwright {

struct InputPlan;
struct InputWords;

// Describes a call to add to a graph.
struct CallDescription {
  const Operator* op = nullptr;
  std::vector<NodeArgument> args;  // one per schema argument
  std::vector<Value> results;      // the metadata of its values, as computed by a fake run
  SourceSite site;
  std::string module_path;
  bool grad_mode = true;
  std::vector<std::string> names = {};  // of its values; empty: derived from the operator's name
};

class OPWRIGHT_EXPORT Graph : public Counted<Graph> {
 public:
  explicit Graph(ShapeEnvPtr shape_env = nullptr);
  ~Graph();

  // Null: the graph has no symbols.
  [[nodiscard]] const ShapeEnvPtr& shape_env() const noexcept { return shape_env_; }

  // ---- Reading ----

  [[nodiscard]] Node* first() const noexcept { return first_; }  // inputs come first
  [[nodiscard]] std::vector<GraphValue*> inputs() const;
  // The Output node; null until set_outputs.
  [[nodiscard]] Node* output() const noexcept { return output_; }
  [[nodiscard]] std::span<const NodeArgument> outputs() const noexcept;
  [[nodiscard]] GraphValue* find(std::string_view name) const noexcept;
  [[nodiscard]] size_t num_nodes() const noexcept { return num_nodes_; }
  // Greater than the number of every value: the length of a table indexed by value number.
  [[nodiscard]] uint32_t num_value_numbers() const noexcept { return num_value_numbers_; }

  // ---- Changing. Each keeps the user lists correct; verify() checks the graph. ----

  // Appends an input after the existing ones. A number is appended to a name that is taken.
  GraphValue& add_input(std::string_view name, Value meta, InputRole role = InputRole::Argument,
                        Tensor bound = {}, SourceSite site = {});
  // Inserts the call before `before`; if null, before the insertion point or the Output. Tensors
  // and SymInts among the results become values. ValueError if the number of results differs from
  // the schema's, for a value of another graph, or for a position before an input.
  Node& insert_call(CallDescription call, Node* before = nullptr);
  // Where insert_call inserts by default; null: at the end. It advances when its node is erased or
  // moved.
  [[nodiscard]] Node* insertion_point() const noexcept { return insertion_point_; }
  void set_insertion_point(Node* before);
  // Sets or replaces the Output.
  void set_outputs(std::vector<NodeArgument> outputs);
  void set_arguments(Node& node, std::vector<NodeArgument> args);
  void set_meta(GraphValue& value, Value meta);
  void set_module_path(Node& node, std::string path);
  // ValueError if the name is taken or is not a valid name.
  void rename(GraphValue& value, std::string_view name);
  // ValueError that names a user if something uses the node.
  void erase(Node& node);
  // Replaces every use of `from` with `to`.
  void replace_uses(GraphValue& from, GraphValue& to);
  void move_before(Node& node, Node& before);
  // Makes a captured input an argument, which the caller provides from now on.
  void make_argument(GraphValue& input);
  // Marks a captured input as constant: nothing else changes its data.
  void make_constant(GraphValue& input);
  // Reorders the inputs; `inputs` lists all of them.
  void order_inputs(std::span<GraphValue* const> inputs);
  // Binds a tensor to an input of a graph that was parsed from text.
  void bind_input(GraphValue& input, Tensor tensor);

  // The checks on inputs that runs perform; built on first use. Any thread.
  [[nodiscard]] IntrusivePtr<const InputPlan> input_plan() const;
  // Incremented by every change of an input.
  [[nodiscard]] uint64_t input_changes() const noexcept { return input_changes_; }

  // How errors refer to the inputs and to the graph.
  [[nodiscard]] const InputWords& input_words() const;
  void set_input_words(IntrusivePtr<const InputWords> words);

  // Copies the nodes; the copy shares the symbols.
  [[nodiscard]] IntrusivePtr<Graph> copy() const;

 private:
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };

  void name_value(GraphValue& value, std::string_view wanted);
  GraphValue& add_value(Node& node, uint32_t index, Value meta, std::string_view name);
  void add_results(Node& node, CallDescription& call);
  void check_member(const Node& node) const;
  void check_arguments(std::span<const NodeArgument> args) const;
  void check_place(const Node* before) const;
  void link_before(Node& node, Node* before);
  void unlink(Node& node) noexcept;
  static void add_uses(Node& node);
  static void drop_uses(Node& node);

  ShapeEnvPtr shape_env_;
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  Node* output_ = nullptr;
  Node* last_input_ = nullptr;
  Node* insertion_point_ = nullptr;
  Node* erased_ = nullptr;  // linked list through `next`
  size_t num_nodes_ = 0;
  uint32_t num_value_numbers_ = 0;
  uint64_t input_changes_ = 0;
  std::unordered_map<std::string_view, GraphValue*> names_;  // keys point into the values
  // The last number appended to a name.
  std::unordered_map<std::string, uint32_t, NameHash, std::equal_to<>> numbers_;
  mutable IntrusivePtr<const InputPlan> input_plan_;
  IntrusivePtr<const InputWords> input_words_;  // null: the default words
};

using GraphPtr = IntrusivePtr<Graph>;

// Checks that the graph is valid. Invalid are: a value used before it is defined, a wrong number or
// type of arguments, results that do not match the schema, an unbound symbol, a missing Output, a
// removed operator. ValueError names the node and the problem.
OPWRIGHT_EXPORT void verify(const Graph& graph);

// The text form. Parsing it produces an equal graph, except for the tensors bound to inputs.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Graph& graph);
// Parses and verifies a graph. ValueError shows the line with the token underlined.
[[nodiscard]] OPWRIGHT_EXPORT GraphPtr parse_graph(std::string_view text);
// Whether both have the same nodes, names, metadata, lines, and symbols with the same facts.
[[nodiscard]] OPWRIGHT_EXPORT bool is_equal(const Graph& a, const Graph& b);

}  // namespace opwright
