// Values as symbolics see them: of the model being made, or constants of the call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/onnx/onnx_type.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/runtime/onnx.h"
#include "opwright/tensor.h"

namespace opwright::python {

// One call being converted. Python objects for it may outlive the conversion.
class SymbolicCall : public Counted<SymbolicCall> {
 public:
  SymbolicCall(onnx::GraphBuilder& graph, const onnx::Call& call) : graph_(&graph), call_(&call) {}

  // RuntimeError once it has ended.
  [[nodiscard]] onnx::GraphBuilder& graph() const;
  [[nodiscard]] const onnx::Call& call() const;
  void end() noexcept { graph_ = nullptr; }
  [[nodiscard]] bool has_ended() const noexcept { return !graph_; }

 private:
  onnx::GraphBuilder* graph_;
  const onnx::Call* call_;
};
using SymbolicCallPtr = IntrusivePtr<SymbolicCall>;

struct SymbolicValue {
  enum class Kind : uint8_t {
    Model,     // an input, a constant or an output of a node of the model
    Constant,  // of the call: a number, a string, a tensor, a list of such
    List,      // of values, some of them of the model
    None,
  };
  SymbolicCallPtr of;
  Kind kind = Kind::None;
  onnx::OnnxValue value = {};                // of the model
  nanobind::object constant = {};            // of a Constant
  std::vector<SymbolicValue> elements = {};  // of a List
};

// An argument of the call.
[[nodiscard]] SymbolicValue symbolic_argument(const SymbolicCallPtr& of,
                                              const NodeArgument& argument);
[[nodiscard]] nanobind::object symbolic_object(SymbolicValue value);
// The values of a node's outputs: a single one, or a tuple.
[[nodiscard]] nanobind::object symbolic_objects(const SymbolicCallPtr& of,
                                                const onnx::OnnxValues& values);

// An input of a node from Python: a value, a tensor, a number, a list of numbers, None. TypeError
// starts with `who`.
[[nodiscard]] onnx::OnnxValue read_input(const SymbolicCallPtr& of, PyObject* object,
                                         const std::string& who);
// The tensor of a constant, undefined for other values.
[[nodiscard]] Tensor constant_tensor(const SymbolicValue& value);
[[nodiscard]] SymbolicType type_of(const SymbolicValue& value);

void bind_onnx_value(nanobind::module_& m);

}  // namespace opwright::python
