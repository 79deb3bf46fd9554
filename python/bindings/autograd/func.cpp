#include "bindings/autograd/func.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "bindings/operator/list_function.h"
#include "bindings/tensor/tensor_list.h"
#include "opwright/error.h"
#include "opwright/runtime/func.h"
#include "opwright/tensor.h"
#include "opwright/transforms/differentiate/derivative_values.h"
#include "opwright/transforms/vmap/vmap.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Tensors and None, which becomes an undefined tensor.
std::vector<Tensor> tensors_or_none(nb::handle sequence, const std::string& what) {
  std::vector<Tensor> tensors;
  for (const nb::handle each : sequence) {
    const nb::object one = nb::make_tuple(nb::borrow(each));
    tensors.push_back(each.is_none() ? Tensor() : tensors_of(one, what)[0]);
  }
  return tensors;
}

std::vector<Tensor> function_inputs(const nb::list& inputs) {
  return tensors_of(inputs, "the inputs");
}

nb::list rows_of(const JacobianResult& jacobian) {
  nb::list rows;
  for (const std::vector<Tensor>& row : jacobian.rows) rows.append(to_list(row));
  return rows;
}

nb::object vjp_of(const nb::callable& function, const nb::list& inputs) {
  ListFunction body(function);
  const VjpResult found = vjp_function(function_inputs(inputs), FunctionBody(body));
  return nb::make_tuple(to_list(found.outputs), nb::cast(found.pull), to_list(found.aux));
}

nb::object jvp_of(const nb::callable& function, const nb::list& inputs, const nb::list& tangents,
                  bool strict) {
  ListFunction body(function);
  const JvpResult found =
      jvp_function(function_inputs(inputs), tensors_or_none(tangents, "the tangents"),
                   FunctionBody(body), strict);
  return nb::make_tuple(to_list(found.outputs), to_list(found.tangents), to_list(found.aux));
}

nb::object grad_of(const nb::callable& function, const nb::list& inputs) {
  ListFunction body(function);
  const GradResult found = grad_function(function_inputs(inputs), FunctionBody(body));
  const Tensor value[] = {found.value};
  return nb::make_tuple(to_list(found.gradients), to_list(value)[0], to_list(found.aux));
}

nb::object jacrev_of(const nb::callable& function, const nb::list& inputs, int64_t chunk_size) {
  ListFunction body(function);
  const JacobianResult found =
      jacrev_function(function_inputs(inputs), FunctionBody(body), chunk_size);
  return nb::make_tuple(rows_of(found), to_list(found.aux));
}

nb::object jacfwd_of(const nb::callable& function, const nb::list& inputs, int64_t chunk_size,
                     const std::string& randomness) {
  ListFunction body(function);
  const JacobianResult found = jacfwd_function(function_inputs(inputs), FunctionBody(body),
                                               chunk_size, parse_randomness(randomness));
  return nb::make_tuple(rows_of(found), to_list(found.aux));
}

}  // namespace

void bind_func(nb::module_& m) {
  nb::class_<Pullback>(m, "Pullback", "The pull-back of vjp: maps cotangents to gradients.")
      .def("__call__", [](const Pullback& self, const nb::list& cotangents) {
        return to_list(self(tensors_or_none(cotangents, "the cotangents")));
      });
  m.def("vjp", &vjp_of, nb::arg("function"), nb::arg("inputs"),
        "Outputs, pull-back and aux of a function from a list of tensors to two lists.");
  m.def("jvp", &jvp_of, nb::arg("function"), nb::arg("inputs"), nb::arg("tangents"),
        nb::arg("strict"), "Outputs, their tangents and aux.");
  m.def("grad", &grad_of, nb::arg("function"), nb::arg("inputs"), "Gradients, value and aux.");
  m.def("jacrev", &jacrev_of, nb::arg("function"), nb::arg("inputs"), nb::arg("chunk_size"),
        "For each output the derivatives by input, and aux.");
  m.def("jacfwd", &jacfwd_of, nb::arg("function"), nb::arg("inputs"), nb::arg("chunk_size"),
        nb::arg("randomness"), "For each output the derivatives by input, and aux.");
  m.def(
      "lift_to_derivative",
      [](const nb::list& tensors) {
        std::vector<Tensor> lifted;
        for (const Tensor& each : tensors_of(tensors, "the arguments"))
          lifted.push_back(lift_to_derivative(each));
        return to_list(lifted);
      },
      nb::arg("tensors"),
      "Tensors that are not differentiated, as values of the function that runs.");
  m.def(
      "inner_value",
      [](const nb::handle& tensor) {
        const Tensor inner = inner_value(tensors_of(nb::make_tuple(tensor), "the tensor")[0]);
        const Tensor list[] = {inner};
        return nb::object(to_list(list)[0]);
      },
      nb::arg("tensor"), "The tensor inside a transform's value; others as they are.");
  m.def(
      "checked_argnums",
      [](const std::vector<int64_t>& argnums, size_t count) {
        return checked_argnums(argnums, count);
      },
      nb::arg("argnums"), nb::arg("count"));
}

}  // namespace opwright::python
