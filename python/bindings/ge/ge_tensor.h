// Values of a GE graph for converters in Python, and what they return.
#pragma once

#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/convert/ge/graph_builder.h"
#include "opwright/convert/ge/graph_conversion.h"
#include "opwright/convert/ge/model.h"
#include "opwright/ir/graph/node_argument.h"

namespace opwright::python {

// One call being converted. Python objects for it may outlive the conversion.
class ConvertedCall : public Counted<ConvertedCall> {
 public:
  ConvertedCall(graph_engine::GraphBuilder& graph, const graph_engine::Call& call)
      : graph_(&graph), call_(&call) {}

  // RuntimeError once it has ended.
  [[nodiscard]] graph_engine::GraphBuilder& graph() const;
  [[nodiscard]] const graph_engine::Call& call() const;
  void end() noexcept { graph_ = nullptr; }
  [[nodiscard]] bool has_ended() const noexcept { return !graph_; }

 private:
  graph_engine::GraphBuilder* graph_;
  const graph_engine::Call* call_;
};
using ConvertedCallPtr = IntrusivePtr<ConvertedCall>;

// Makes a call the one to which this thread's `custom_op` adds ops, and ends it.
class [[nodiscard]] ConvertedCallScope {
 public:
  ConvertedCallScope(graph_engine::GraphBuilder& graph, const graph_engine::Call& call);
  ~ConvertedCallScope();
  ConvertedCallScope(const ConvertedCallScope&) = delete;
  ConvertedCallScope& operator=(const ConvertedCallScope&) = delete;
  [[nodiscard]] const ConvertedCallPtr& get() const noexcept { return call_; }

 private:
  ConvertedCallPtr call_;
  ConvertedCallPtr previous_;
};
// RuntimeError that names `who` if nothing is being converted.
[[nodiscard]] ConvertedCallPtr current_converted_call(const char* who);

// ge.Tensor: an output of an op.
struct GeTensor {
  ConvertedCallPtr of;
  graph_engine::OutputPlace place;
};
[[nodiscard]] nanobind::object ge_tensor_object(const ConvertedCallPtr& of,
                                                graph_engine::OutputPlace place);
// Null for any other object.
[[nodiscard]] const GeTensor* find_ge_tensor(PyObject* object);

// An argument of the call: tensors and dynamic sizes as GeTensors, everything else unchanged.
[[nodiscard]] nanobind::object converter_argument(const ConvertedCallPtr& of,
                                                  const NodeArgument& argument);

void bind_ge_tensor(nanobind::module_& m);

}  // namespace opwright::python
