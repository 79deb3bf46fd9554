// A graph of the engine GE in memory: what wire_form writes and an executor runs.
//
// Ops stand in the order in which they can run. An op knows the call of the program that it was
// made for, so that whoever has no kernel for it can run that call's operator instead.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/convert/ge/attribute.h"
#include "opwright/dtype.h"
#include "opwright/ge_types.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/symint.h"
#include "opwright/visibility.h"

namespace opwright::graph_engine {

// DT_UNDEFINED for a dtype that the engine does not have.
[[nodiscard]] OPWRIGHT_EXPORT DataType data_type_of(DType dtype);
// None for one that Opwright does not have.
[[nodiscard]] std::optional<DType> dtype_of(DataType type);
// "DT_FLOAT"
[[nodiscard]] OPWRIGHT_EXPORT std::string data_type_name(DataType type);

inline constexpr uint32_t kNoPlace = UINT32_MAX;

// An output of an op: "Add_1:0".
struct OutputPlace {
  uint32_t op = kNoPlace;  // its place in GeGraph::ops
  uint32_t index = 0;

  [[nodiscard]] bool is_there() const noexcept { return op != kNoPlace; }
  friend bool operator==(const OutputPlace&, const OutputPlace&) = default;
};

inline constexpr int64_t kFreeSize = -1;

// What an input or output of an op is.
struct TensorDescriptor {
  std::string name;                           // "x", "x0" of a dynamic input
  std::optional<DType> dtype = std::nullopt;  // none: not known, or an input that is left out
  std::optional<std::vector<int64_t>> dims = std::nullopt;  // kFreeSize where a size changes
  std::string layout = "ND";
};

struct GeOp {
  std::string name;  // one of its kind in the graph
  std::string type;  // "Add"; "Data" and "Const" have no inputs, "NetOutput" no outputs
  std::vector<OutputPlace> inputs = {};  // not there: an optional input that is left out
  std::vector<TensorDescriptor> input_descriptors = {};  // one for each of `inputs`
  std::vector<TensorDescriptor> output_descriptors = {};
  std::vector<Attribute> attributes = {};
  std::string line = {};     // the user's
  uint32_t call = kNoPlace;  // its place in GeGraph::calls; none: Data, Const, NetOutput, sizes
  // Of an op that computes sizes of the program: what its output holds, or empty for a step that
  // only such ops read. It is no part of a call, as later calls may read it, too; an executor
  // evaluates the sizes instead of running it.
  std::optional<std::vector<SymInt>> sizes = std::nullopt;

  [[nodiscard]] const Attribute* find_attribute(std::string_view attribute) const;
};

// A call of the program. Running its ops in order gives the same as calling its operator.
struct SourceCall {
  const Node* node = nullptr;  // of GeGraph::program
  // What each of the node's values is; not there: the rule does not give it, and nothing reads it.
  // A value may be what an earlier op gives (a view that changes nothing has no ops).
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
  // The program's; not there: None. NetOutput reads those that are there, then those of `writes`.
  std::vector<OutputPlace> outputs = {};
  std::vector<InputWrite> writes = {};
  std::vector<SourceCall> calls = {};  // in the order of the program
  // By the number of the program's values: the output that it is.
  std::vector<OutputPlace> values = {};
  GraphPtr program;  // keeps the nodes of `calls` and the symbols of sizes
};
using GeGraphPtr = std::shared_ptr<const GeGraph>;  // shared by caches, executors and Python

// "Add_1:0"; empty for one that is not there.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const GeGraph& graph, const OutputPlace& output);
// "Add(x1: float32[2, -1], x2: float32[2, -1]) -> (y: ?)": what an error shows.
[[nodiscard]] std::string to_text(const GeOp& op);
// A line for each op, with the call that it belongs to; for reading and tests.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const GeGraph& graph);
// ge.proto.ModelDef with the one graph: docs/concepts/ge_graph.md lists the fields.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_bytes(const GeGraph& graph);

}  // namespace opwright::graph_engine
