#include "bindings/onnx/onnx_referee.h"

#include <memory>
#include <optional>
#include <span>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/value.h"
#include "bindings/operator/host_object.h"
#include "bindings/operator/operator_object.h"
#include "opwright/check/example/example.h"
#include "opwright/onnx_model/onnx_call.h"
#include "opwright/runtime/onnx.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// An object with `find_reason_to_skip(op)`, which returns a text or None, and `run_model(op, model,
// inputs)`, which returns a list of tensors, or a text that says why it cannot run.
class PythonReferee : public OnnxReferee {
 public:
  explicit PythonReferee(PyObject* self) : self_(self) {}

  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    return self_.find_reason_to_skip(op);
  }

  Answer run(const Operator& op, const onnx::Model& model,
             std::span<const Tensor> inputs) override {
    const LockScope lock;
    nb::list tensors;
    for (const Tensor& input : inputs)
      tensors.append(nb::steal(require(to_python(ValueOf<Tensor>::lend(input)))));
    const nb::object given =
        self_.call("run_model", operator_object(op.name()), nb::cast(model).ptr(), tensors.ptr());
    if (PyUnicode_Check(given.ptr())) return {.left_out = nb::cast<std::string>(given)};
    const Value outputs[] = {Value::take(give_natural(given.ptr()))};
    return {.outputs = tensors_of(outputs)};
  }

 private:
  HostObject self_;
};

}  // namespace

void bind_onnx_referee(nb::module_& m) {
  m.def(
      "set_onnx_referee",
      [](const nb::object& referee) {
        set_onnx_referee(referee.is_none() ? nullptr
                                           : std::make_shared<PythonReferee>(referee.ptr()));
      },
      nb::arg("referee").none(), "Set the object that runs opcheck's models; None removes it.");
}

}  // namespace opwright::python
