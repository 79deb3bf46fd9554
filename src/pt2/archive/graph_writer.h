// A graph of ours as one of PyTorch's archives: its calls, the graphs in them, and what they
// require of sizes.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/operator.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/size_nodes.h"
#include "opwright/pt2/archive/size_text.h"
#include "opwright/schema/schema.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright::pt2 {

// What the graphs of one program share while they are written.
struct WriterState {
  explicit WriterState(const ShapeEnv* environment);  // null: there are no symbols

  // A condition on sizes that calls must satisfy; some graph has an assertion for it.
  struct Requirement {
    SymInt condition;
    std::string message;
    SourceSite user;
    SourceSite asked;
    bool is_written = false;
  };

  const ShapeEnv* env;
  SizeText text;
  std::vector<Requirement> guards;  // in the order in which they were required
  std::vector<Requirement> asserts;
  bool has_writes = false;  // some call writes an argument
};

class GraphWriter {
 public:
  // All outlive it. `outer` is the writer of the graph that has this one as an argument. The graph
  // runs in that grad mode.
  GraphWriter(const Graph& graph, WriterState& state, const GraphWriter* outer = nullptr,
              bool grad_mode = true);

  [[nodiscard]] ArchiveGraph& result() noexcept { return result_; }
  [[nodiscard]] ValueNames& names() noexcept { return names_; }
  [[nodiscard]] SizeNodes& sizes() noexcept { return sizes_; }

  // Uses of the result of a call become uses of that value; the call is not written.
  void replace(const Node& call, const GraphValue& value);
  // States what a value is that exists before the calls, and gives names to its sizes.
  void bind_input(const GraphValue& value);
  // Assertions for the conditions whose sizes are known by now. Those that wait for another one,
  // which was required before, are left; with `all` they are not.
  void write_requirements(bool all = false) { write_requirements(result_, all); }
  void write_calls();

  [[nodiscard]] Element element_of(const GraphValue& value) const;
  [[nodiscard]] WrittenTensor describe(const Tensor& tensor) const;
  // Appends a call with one tensor as its result, named after `base`.
  Element add_call(std::string_view target, std::vector<WrittenArgument> inputs,
                   std::string_view base, WrittenTensor meta) {
    return add_call(target, std::move(inputs), base, std::move(meta), result_);
  }

 private:
  using SubGraph = std::shared_ptr<const ArchiveGraph>;

  void write_requirements(ArchiveGraph& graph, bool all);
  void write_assertion(const WriterState::Requirement& required, ArchiveGraph& graph);
  [[nodiscard]] bool is_known_outside(const SymInt& condition) const;
  Element add_call(std::string_view target, std::vector<WrittenArgument> inputs,
                   std::string_view base, WrittenTensor meta, ArchiveGraph& graph);

  void declare(const GraphValue& value, ArchiveGraph& graph) const;
  void write_node(const Node& node, ArchiveGraph& graph);
  ArchiveNode make_call(const Node& node, ArchiveGraph& graph);
  [[nodiscard]] WrittenArgument output_of(const Node& node, const NodeResult& result) const;
  WrittenArgument unused_output(const Node& node, const GraphValue* written, ArchiveGraph& graph);
  std::vector<WrittenArgument> write_arguments(const Node& node, const Operator& op,
                                               ArchiveGraph& graph);
  WrittenArgument clone_of(const Node& node, const Argument& declared, WrittenArgument argument,
                           size_t result, ArchiveGraph& graph);
  WrittenArgument write_argument(const Node& node, const Argument& declared,
                                 const NodeArgument& argument, ArchiveGraph& graph);
  Element write_element(const Node& node, const Argument& declared, const NodeArgument& argument,
                        ArchiveGraph& graph);
  Element write_constant(const Node& node, const Argument& declared, const OpwValue& value,
                         ArchiveGraph& graph);

  // Without gradients, and control flow.
  const Node* write_region(const Node& first);
  [[nodiscard]] bool is_used_outside(const GraphValue& value,
                                     const std::set<const Node*>& members) const;
  std::vector<WrittenArgument> take_outer_values(ArchiveGraph& inner) const;
  void copy_metadata(const std::string& name, ArchiveGraph& inner) const;
  ArchiveNode make_control_flow(const Node& node, ArchiveGraph& graph);
  WrittenArgument write_control_argument(const Node& node, size_t index, ArchiveGraph& graph);
  SubGraph write_sub_graph(const Graph& graph, const std::string& name, bool grad_mode,
                           bool is_condition);
  Element fresh_element(const GraphValue& value);
  Element condition_element(const GraphValue& value);
  Element add_contiguous_clone(const GraphValue& value, ArchiveGraph& graph);

  const Graph& graph_;
  WriterState& state_;
  const GraphWriter* outer_;
  bool grad_mode_;
  ValueNames names_;
  SizeNodes sizes_;
  ArchiveGraph result_;
  std::unordered_map<std::string, const GraphValue*> replaced_;
  std::set<const Node*> skipped_;
};

}  // namespace opwright::pt2
