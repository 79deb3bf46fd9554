// For programs that link the core: converts programs to ONNX models, and operators to ONNX nodes.
//
//   opwright::onnx::save_model(program, "model.onnx", {.opset = 18});
//
//   opwright::onnx::register_symbolic(
//       "cst::dual_residual", 12, [](GraphBuilder& g, const Call& call) {
//         return g.op("rknn_cst::cstDualResidual", {call.input(0), call.input(1)},
//                     {{"alpha", call.number(2)}}, 2);
//       });
//
// Operator binaries do not include this; they name their node with Library::register_converter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/runtime/call_arguments.h"
#include "opwright/runtime/program.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright OPWRIGHT_VISIBILITY {
namespace onnx {
inline constexpr int64_t kOldestOpset = 12;
inline constexpr int64_t kNewestOpset = 28;
inline constexpr int64_t kDefaultOpset = 20;

// A value of the model being built: an input, a constant, or an output of a node.
class OnnxValue {
 public:
  OnnxValue() = default;  // none: an omitted optional input
  explicit OnnxValue(uint32_t index) : index_(index) {}

  [[nodiscard]] bool is_there() const noexcept { return index_ != kNone; }
  [[nodiscard]] uint32_t index() const noexcept { return index_; }
  friend bool operator==(OnnxValue, OnnxValue) = default;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t index_ = kNone;
};
using OnnxValues = std::vector<OnnxValue>;

struct GraphBody;  // a graph inside a node, GraphBuilder::body

class OPWRIGHT_EXPORT Attribute {
 public:
  enum class Kind : uint8_t {  // AttributeProto's numbers
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
  };
  Attribute(std::string name, int64_t value);
  Attribute(std::string name, int value) : Attribute(std::move(name), int64_t{value}) {}
  Attribute(std::string name, bool value) : Attribute(std::move(name), int64_t{value}) {}
  Attribute(std::string name, double value);  // stored as float32
  Attribute(std::string name, std::string value);
  Attribute(std::string name, const char* value) : Attribute(std::move(name), std::string(value)) {}
  Attribute(std::string name, opwright::Tensor value);
  Attribute(std::string name, std::vector<int64_t> value);
  Attribute(std::string name, std::vector<double> value);
  Attribute(std::string name, std::vector<std::string> value);
  Attribute(std::string name, std::vector<opwright::Tensor> value);
  Attribute(std::string name, std::shared_ptr<const GraphBody> value);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] const Value& value() const noexcept { return value_; }  // for all but Graph
  [[nodiscard]] const std::shared_ptr<const GraphBody>& body() const noexcept { return body_; }

 private:
  std::string name_;
  Kind kind_;
  Value value_;
  std::shared_ptr<const GraphBody> body_;
};

// The graph that rules add nodes to. Text before "::" in a node type is its domain; without it,
// ONNX's own.
class OPWRIGHT_EXPORT GraphBuilder {
 public:
  struct State;
  explicit GraphBuilder(State& state) : state_(state) {}
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  [[nodiscard]] int64_t opset() const;

  // Adds a node with one output. Missing inputs at the end are dropped.
  OnnxValue op(std::string_view type, std::span<const OnnxValue> inputs,
               std::vector<Attribute> attributes = {});
  OnnxValue op(std::string_view type, std::initializer_list<OnnxValue> inputs,
               std::vector<Attribute> attributes = {}) {
    return op(type, std::span(inputs.begin(), inputs.size()), std::move(attributes));
  }
  // Adds a node with any number of outputs.
  OnnxValues op(std::string_view type, std::span<const OnnxValue> inputs,
                std::vector<Attribute> attributes, size_t num_outputs);
  OnnxValues op(std::string_view type, std::initializer_list<OnnxValue> inputs,
                std::vector<Attribute> attributes, size_t num_outputs) {
    return op(type, std::span(inputs.begin(), inputs.size()), std::move(attributes), num_outputs);
  }

  // ---- Constants: equal small ones share one initialiser ----

  OnnxValue constant(const Tensor& data);
  OnnxValue ints(std::span<const int64_t> values);  // int64[n]
  OnnxValue ints(std::initializer_list<int64_t> values) {
    return ints(std::span(values.begin(), values.size()));
  }
  // A number of the given dtype, without dimensions.
  OnnxValue scalar(double value, DType dtype);
  OnnxValue scalar(int64_t value, DType dtype);
  OnnxValue scalar(int value, DType dtype) { return scalar(int64_t{value}, dtype); }
  // A Scalar argument (int, float or bool).
  OnnxValue scalar(const OpwValue& number, DType dtype);

  // ---- Sizes: constants if known, else computed from the shapes that contain them ----

  OnnxValue size(const SymInt& size);              // int64, without dimensions
  OnnxValue sizes(std::span<const SymInt> sizes);  // int64[n]

  // Returns `value` itself if it is known to have that dtype.
  OnnxValue cast(OnnxValue value, DType dtype);

  // ---- What is known of a value: everything for the program's values and constants, else what a
  // rule declared ----

  [[nodiscard]] std::optional<DType> dtype(OnnxValue value) const;
  [[nodiscard]] std::optional<std::vector<SymInt>> shape(OnnxValue value) const;
  // The data of a constant.
  [[nodiscard]] Tensor data(OnnxValue value) const;
  void set_type(OnnxValue value, DType dtype, std::vector<SymInt> sizes);
  // Its name in the model.
  [[nodiscard]] const std::string& name(OnnxValue value) const;

  [[nodiscard]] State& state() noexcept { return state_; }

 private:
  State& state_;
};

// One call of an operator: its arguments as constants (CallArguments), and as values of the model.
class OPWRIGHT_EXPORT Call : public CallArguments {
 public:
  struct State;
  explicit Call(State& state);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Tensors, and ints that the graph computes.
  [[nodiscard]] OnnxValue input(size_t index) const;    // none for None
  [[nodiscard]] OnnxValues inputs(size_t index) const;  // for a list; none for a None element
  [[nodiscard]] OnnxValue input(size_t index, DType dtype) const;  // cast

  [[nodiscard]] State& state() const noexcept { return state_; }

 private:
  State& state_;
};

// Returns a value for each result (each element of a list); none for a result that it cannot
// compute, which is an error if something reads it.
using Rule = OnnxValues (*)(GraphBuilder& g, const Call& call);

// Registers how calls of an operator become nodes, from that opset up to the next registered one.
OPWRIGHT_EXPORT void register_symbolic(const std::string& op, int64_t opset, Rule rule);
// Throws ValueError if nothing was registered.
OPWRIGHT_EXPORT void unregister_symbolic(const std::string& op, int64_t opset);

struct ModelOptions {
  int64_t opset = kDefaultOpset;
  std::vector<std::string> input_names = {};  // default: those of the program
  std::vector<std::string> output_names = {};
  // Operators that become functions of the model, built from their decomposition.
  std::vector<std::string> functions = {};
  // Versions of the domains of custom operators; default: 1.
  std::vector<std::pair<std::string, int64_t>> domain_versions = {};
  std::vector<std::pair<std::string, std::string>> metadata = {};
  // Whether tensors go to a file next to the model. Not set: only for a model above 2 GB; false:
  // never.
  std::optional<bool> external_data = std::nullopt;
  std::string doc = {};
};

// A model: its bytes, and the file of its large tensors.
class OPWRIGHT_EXPORT Model {
 public:
  struct State;
  explicit Model(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  // Writes the model and, with external data, "<path>.data". Throws OSError.
  void save(const std::string& path) const;
  // Throws ValueError for a model above 2 GB, which must be saved with external data.
  [[nodiscard]] std::string bytes() const;
  // One line per node; for reading and tests.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

// Throws NotImplementedError for an operator without a rule, naming it, the user's line and the
// opset that would have it. Throws ValueError for an unsupported opset and for names that do not
// fit.
[[nodiscard]] OPWRIGHT_EXPORT Model to_model(const Program& program,
                                             const ModelOptions& options = {});
inline void save_model(const Program& program, const std::string& path,
                       const ModelOptions& options = {}) {
  to_model(program, options).save(path);
}

// ---- Operators as their own nodes ----

// How a call of an operator maps to one node: "domain::Name(x, y, alpha=alpha)".
struct NodeForm {
  std::string domain;
  std::string name;
  std::vector<uint32_t> inputs;  // arguments, in the order of the node's inputs
  struct NamedArgument {
    std::string attribute;
    uint32_t argument;
  };
  std::vector<NamedArgument> attributes;
};

// The forms in which exported models may represent an operator, newest first: those of its
// symbolics and of its binary, then the one from its schema (domain: its namespace).
[[nodiscard]] OPWRIGHT_EXPORT std::vector<NodeForm> node_forms(const std::string& op);
// Throws ValueError for a text that is not a form or names an argument that the operator does not
// have.
[[nodiscard]] OPWRIGHT_EXPORT NodeForm parse_node_form(std::string_view text,
                                                       const std::string& op);
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const NodeForm& form, const std::string& op);
}  // namespace onnx
}  // namespace opwright
