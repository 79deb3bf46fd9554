// Graph: a program as a list of operator calls. The only meeting point of tracing, export,
// compilation and conversion.
//
//   graph(%x: float32[s0, 3], %w: float32[3, 4]) -> (%mm) {
//     symbol s0 in [2, inf], hint 5, from x.size(0)
//     %mm: float32[s0, 4] = aten::mm(%x, %w)  # model.py:12
//   }
//
// Nodes stand in the order in which they run. Values are named; symbolic sizes stand as expressions
// over the symbols of one ShapeEnv: an input or the result that shows a symbol as a size, or as its
// value, binds it for all nodes after it.
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

// What a call adds to a graph.
struct CallDescription {
  const Operator* op = nullptr;
  std::vector<NodeArgument> args;  // one for each of the schema's
  std::vector<Value> results;      // as a fake run gave them: the metadata of its values
  SourceSite site;
  std::string module_path;
  bool grad_mode = true;
  std::vector<std::string> names = {};  // of its values; left out: made from the operator's name
};

class OPWRIGHT_EXPORT Graph : public Counted<Graph> {
 public:
  explicit Graph(ShapeEnvPtr shape_env = nullptr);
  ~Graph();

  // Null: no symbols.
  [[nodiscard]] const ShapeEnvPtr& shape_env() const noexcept { return shape_env_; }

  // ---- Reading ----

  [[nodiscard]] Node* first() const noexcept { return first_; }  // inputs come first
  [[nodiscard]] std::vector<GraphValue*> inputs() const;
  // The Output node; null until set_outputs.
  [[nodiscard]] Node* output() const noexcept { return output_; }
  [[nodiscard]] std::span<const NodeArgument> outputs() const noexcept;
  [[nodiscard]] GraphValue* find(std::string_view name) const noexcept;
  [[nodiscard]] size_t num_nodes() const noexcept { return num_nodes_; }
  // More than the number of every value: the length of a table with a place for each.
  [[nodiscard]] uint32_t num_value_numbers() const noexcept { return num_value_numbers_; }

  // ---- Changing. Each keeps users right; verify() judges the whole. ----

  // After the inputs there are. A name that is taken gets a number.
  GraphValue& add_input(std::string_view name, Value meta, InputRole role = InputRole::Argument,
                        Tensor bound = {}, SourceSite site = {});
  // Before the node, or, null, before the insertion point or the Output. Tensors and SymInts among
  // the results become values. ValueError for another number of results than the schema's, a value
  // of another graph, or a place before an input.
  Node& insert_call(CallDescription call, Node* before = nullptr);
  // Where insert_call puts a call that is given no place; null: at the end. It moves on when its
  // node is erased or moved.
  [[nodiscard]] Node* insertion_point() const noexcept { return insertion_point_; }
  void set_insertion_point(Node* before);
  // Sets or replaces the Output.
  void set_outputs(std::vector<NodeArgument> outputs);
  void set_arguments(Node& node, std::vector<NodeArgument> args);
  void set_meta(GraphValue& value, Value meta);
  void set_module_path(Node& node, std::string path);
  // ValueError for a name that is taken or is none.
  void rename(GraphValue& value, std::string_view name);
  // ValueError while something uses it, naming a user.
  void erase(Node& node);
  // Every use of `from` becomes one of `to`.
  void replace_uses(GraphValue& from, GraphValue& to);
  void move_before(Node& node, Node& before);
  // An input that was captured is given by the caller from now on.
  void make_argument(GraphValue& input);
  // A captured input holds data that nothing else changes.
  void make_constant(GraphValue& input);
  // All inputs in another order.
  void order_inputs(std::span<GraphValue* const> inputs);
  // Gives an input its tensor; for graphs that were read from text.
  void bind_input(GraphValue& input, Tensor tensor);

  // What the inputs must be, for runs; made when first asked for. Any thread.
  [[nodiscard]] IntrusivePtr<const InputPlan> input_plan() const;
  // Raised by every change of an input.
  [[nodiscard]] uint64_t input_changes() const noexcept { return input_changes_; }

  // What errors about inputs call them, and the graph.
  [[nodiscard]] const InputWords& input_words() const;
  void set_input_words(IntrusivePtr<const InputWords> words);

  // A copy with nodes of its own and the same symbols.
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
  Node* erased_ = nullptr;  // linked by next
  size_t num_nodes_ = 0;
  uint32_t num_value_numbers_ = 0;
  uint64_t input_changes_ = 0;
  std::unordered_map<std::string_view, GraphValue*> names_;  // the keys are those of the values
  // The last number given to a name.
  std::unordered_map<std::string, uint32_t, NameHash, std::equal_to<>> numbers_;
  mutable IntrusivePtr<const InputPlan> input_plan_;
  IntrusivePtr<const InputWords> input_words_;  // null: those of a graph
};

using GraphPtr = IntrusivePtr<Graph>;

// Refuses a graph that is not whole: a value used before it is there, wrong numbers or types of
// arguments, results that do not fit the schema, a symbol that nothing binds, a missing Output, a
// removed operator. ValueError that names the node and what is wrong with it.
OPWRIGHT_EXPORT void verify(const Graph& graph);

// The text form. Reading it back gives an equal graph, but for the tensors that inputs are bound
// to.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Graph& graph);
// ValueError with the line and the token underlined. The graph is verified.
[[nodiscard]] OPWRIGHT_EXPORT GraphPtr parse_graph(std::string_view text);
// The same nodes, names, metadata, lines and symbols with the same facts.
[[nodiscard]] OPWRIGHT_EXPORT bool is_equal(const Graph& a, const Graph& b);

}  // namespace opwright
