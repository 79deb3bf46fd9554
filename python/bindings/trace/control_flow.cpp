#include "bindings/trace/control_flow.h"

#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/tensor/tensor_list.h"
#include "opwright/transforms/control_flow/control_flow.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// A Python function of tensors that returns a list of them.
Branch branch_of(const nb::callable& function, const char* who, const char* name) {
  return [function, who, name](std::span<const Tensor> operands) {
    const nb::object args = nb::tuple(to_list(operands));
    const nb::object result = own(PyObject_CallObject(function.ptr(), args.ptr()));
    return tensors_of(result, concatenate(who, ": the results of ", name));
  };
}

}  // namespace

void bind_control_flow(nb::module_& m) {
  m.def(
      "cond",
      [](const nb::object& pred, const nb::callable& true_fn, const nb::callable& false_fn,
         const nb::object& operands) {
        OPWRIGHT_CHECK_TYPE(is_tensor(pred.ptr()), "cond: pred must be a bool or a tensor, got ",
                            class_name(pred.ptr()));
        return nb::tuple(to_list(cond(handle_of(pred.ptr()), branch_of(true_fn, "cond", "true_fn"),
                                      branch_of(false_fn, "cond", "false_fn"),
                                      tensors_of(operands, "cond: the operands"))));
      },
      nb::arg("pred"), nb::arg("true_fn"), nb::arg("false_fn"), nb::arg("operands"));
  m.def(
      "while_loop",
      [](const nb::callable& cond_fn, const nb::callable& body_fn, const nb::object& carried) {
        return nb::tuple(to_list(while_loop(branch_of(cond_fn, "while_loop", "cond_fn"),
                                            branch_of(body_fn, "while_loop", "body_fn"),
                                            tensors_of(carried, "while_loop: what is carried"))));
      },
      nb::arg("cond_fn"), nb::arg("body_fn"), nb::arg("carried"));
}

}  // namespace opwright::python
