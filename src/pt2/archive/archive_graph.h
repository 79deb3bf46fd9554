// A PyTorch exported program as its archive states it: names, numbers and types, checked for form
// but not yet for meaning. torch/_export/serde/schema.py, version 8, defines the JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/memory_format.h"

namespace opwright::pt2 {

// A number, or the text of an expression of symbols and the number it had at the export.
struct WrittenSize {
  int64_t number = 0;      // or the hint
  std::string expression;  // "Mul(Integer(2), Symbol('s0', ...))"; empty: a number
  bool has_hint = true;
};

struct WrittenTensor {
  DType dtype = DType::Float32;
  std::vector<WrittenSize> sizes;
  std::vector<WrittenSize> strides;
  WrittenSize offset;
  Device device;
  bool requires_grad = false;
};

struct ArchiveGraph;

// The name of a value of the graph.
enum class NamedKind : uint8_t { Tensor, Int, Float, Bool };
struct ValueName {
  std::string name;
  NamedKind kind = NamedKind::Tensor;
};
struct OperatorName {
  std::string name;
};
struct ComplexNumber {
  double real = 0;
  double imag = 0;
};
// What the reader does not know: its tag, for messages.
struct UnknownArgument {
  std::string tag;
};
using Element = std::variant<std::monostate, ValueName, int64_t, double, bool, std::string, DType,
                             MemoryFormat, Layout, Device, ComplexNumber, OperatorName,
                             std::shared_ptr<const ArchiveGraph>,  // shared by copies of its node
                             UnknownArgument>;

// One element, or a list of them.
struct WrittenArgument {
  std::string name;  // of the operator's argument; empty for an output
  bool is_list = false;
  std::vector<Element> elements;
  bool is_keyword = false;  // how the call gives it
};
[[nodiscard]] inline WrittenArgument single_argument(Element element, std::string name = {}) {
  return {.name = std::move(name), .is_list = false, .elements = {std::move(element)}};
}

// Targets of calls that take graphs.
inline constexpr std::string_view kHigherOrder = "torch.ops.higher_order.";

struct ArchiveNode {
  std::string target;  // "torch.ops.aten.add.Tensor", "_operator.mul"
  std::string name;
  std::vector<WrittenArgument> inputs;
  std::vector<WrittenArgument> outputs;
  std::string stack_trace;  // the innermost line comes last
  std::string asked = {};   // the same for the line that required an assertion; only ours have it
};

struct ArchiveGraph {
  std::vector<WrittenArgument> inputs;
  std::vector<WrittenArgument> outputs;
  std::vector<ArchiveNode> nodes;
  std::map<std::string, WrittenTensor, std::less<>> tensors;
  std::map<std::string, WrittenSize, std::less<>> ints;
  std::map<std::string, WrittenSize, std::less<>> bools = {};  // conditions; only written
  std::string name = {};                                       // of a sub-graph
  bool returns_tuple = true;  // else its only output itself; only written
};

enum class ArchiveInputKind : uint8_t { User, Parameter, Buffer, TensorConstant, Constant };
struct ArchiveInput {
  ArchiveInputKind kind = ArchiveInputKind::User;
  Element value;       // the name in the graph; for Constant the constant
  std::string target;  // the path of a parameter, buffer or constant; the name of a Constant
  bool is_persistent = true;
};

enum class ArchiveOutputKind : uint8_t { User, BufferMutation, ParameterMutation, InputMutation };
struct ArchiveOutput {
  ArchiveOutputKind kind = ArchiveOutputKind::User;
  WrittenArgument value;
  std::string target;
};

struct WrittenRange {
  std::optional<int64_t> least;
  std::optional<int64_t> greatest;
};

struct ArchiveProgram {
  ArchiveGraph graph;
  std::vector<ArchiveInput> inputs;
  std::vector<ArchiveOutput> outputs;
  std::map<std::string, WrittenRange, std::less<>> ranges;  // by the text of the expression
  std::string arguments;  // the pytrees of the call, as torch's JSON
  std::string results;
  std::vector<std::string> argument_names;  // of the function's parameters
  std::map<std::string, std::vector<std::string>, std::less<>> namedtuple_fields;  // by class
  bool has_writes = false;  // some call writes an argument; torch verifies other programs for none
};

// A weight or constant of the archive.
struct WrittenPayload {
  std::string name;
  std::string path;  // of the entry with its bytes
  WrittenTensor tensor;
  bool is_parameter = false;
};
}  // namespace opwright::pt2
