// A graph of the engine GE in memory: written by to_bytes, run by an executor.
//
// Ops are in execution order. Each op refers to the program's call that it was made for, so that an
// executor without a kernel for it can run that call's operator instead.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/convert/ge/attribute.h"
#include "opwright/dtype.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/symint.h"
#include "opwright/vendor/ge_types.h"
#include "opwright/visibility.h"

namespace opwright::graph_engine {

// DT_UNDEFINED for a dtype that the engine does not have.
[[nodiscard]] OPWRIGHT_EXPORT DataType data_type_of(DType dtype);
// nullopt for one that Opwright does not have.
[[nodiscard]] std::optional<DType> dtype_of(DataType type);
// "DT_FLOAT"
[[nodiscard]] OPWRIGHT_EXPORT std::string data_type_name(DataType type);

inline constexpr uint32_t kNoPlace = UINT32_MAX;

// An output of an op: "Add_1:0".
struct OutputPlace {
  uint32_t op = kNoPlace;  // its index in GeGraph::ops
  uint32_t index = 0;

  [[nodiscard]] bool is_there() const noexcept { return op != kNoPlace; }
  friend bool operator==(const OutputPlace&, const OutputPlace&) = default;
};

inline constexpr int64_t kFreeSize = -1;

// Describes an input or output of an op.
struct TensorDescriptor {
  std::string name;                                         // "x", "x0" of a dynamic input
  std::optional<DType> dtype = std::nullopt;                // none: unknown, or an omitted input
  std::optional<std::vector<int64_t>> dims = std::nullopt;  // kFreeSize for a dynamic size
  std::string layout = "ND";
};

struct GeOp {
  std::string name;  // unique in the graph
  std::string type;  // "Add"; "Data" and "Const" have no inputs, "NetOutput" no outputs
  std::vector<OutputPlace> inputs = {};                  // none: an omitted optional input
  std::vector<TensorDescriptor> input_descriptors = {};  // one per entry of `inputs`
  std::vector<TensorDescriptor> output_descriptors = {};
  std::vector<Attribute> attributes = {};
  std::string line = {};     // the user's line
  uint32_t call = kNoPlace;  // index in GeGraph::calls; none: Data, Const, NetOutput, sizes
  // For an op that computes sizes of the program: what its output holds, or empty for a step that
  // only such ops read. It is not part of a call, since later calls may also read it; an executor
  // evaluates the sizes instead of running it.
  std::optional<std::vector<SymInt>> sizes = std::nullopt;

  [[nodiscard]] const Attribute* find_attribute(std::string_view attribute) const;
};

// A call of the program. Running its ops in order is equivalent to calling its operator.
struct SourceCall {
  const Node* node = nullptr;  // of GeGraph::program
  // The output for each of the node's values; none if the rule does not produce it and nothing
  // reads it. It may come from an earlier op (a view that changes nothing has no ops).
  std::vector<OutputPlace> results = {};
  std::vector<uint32_t> ops = {};  // in order
};

// A write to an input at the end of the program.
struct InputWrite {
  uint32_t input = kNoPlace;  // its Data op
  OutputPlace value = {};
};

struct GeGraph {
  std::string name;
  std::vector<GeOp> ops = {};
  std::vector<uint32_t> inputs = {};  // Data ops, in the order of the program's inputs
  // Of the program; none: None. NetOutput reads those that exist, then those of `writes`.
  std::vector<OutputPlace> outputs = {};
  std::vector<InputWrite> writes = {};
  std::vector<SourceCall> calls = {};  // in the order of the program
  // By number of the program's value: its output.
  std::vector<OutputPlace> values = {};
  GraphPtr program;  // keeps the nodes of `calls` and the symbols of sizes alive
};
using GeGraphPtr = std::shared_ptr<const GeGraph>;  // shared by caches, executors and Python

// "Add_1:0"; empty if there is none.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const GeGraph& graph, const OutputPlace& output);
// "Add(x1: float32[2, -1], x2: float32[2, -1]) -> (y: ?)", for errors.
[[nodiscard]] std::string to_text(const GeOp& op);
// One line per op, with the call that it belongs to; for reading and tests.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const GeGraph& graph);
// ge.proto.ModelDef with a single graph: docs/concepts/ge_graph.md lists the fields.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_bytes(const GeGraph& graph);

}  // namespace opwright::graph_engine
