#include "bindings/autograd/gradcheck.h"

#include <optional>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings/operator/list_function.h"
#include "bindings/tensor/tensor_list.h"
#include "opwright/check/gradient/gradcheck.h"

namespace nb = nanobind;

namespace opwright::python {

void bind_gradcheck(nb::module_& m) {
  nb::class_<GradcheckOptions>(m, "GradcheckOptions", "How gradcheck compares.")
      .def(nb::init<>())
      .def_rw("eps", &GradcheckOptions::eps)
      .def_rw("atol", &GradcheckOptions::atol)
      .def_rw("rtol", &GradcheckOptions::rtol)
      .def_rw("nondet_tol", &GradcheckOptions::nondet_tol)
      .def_rw("fast_mode", &GradcheckOptions::fast_mode)
      .def_rw("check_undefined_grad", &GradcheckOptions::check_undefined_grad)
      .def_rw("check_backward_ad", &GradcheckOptions::check_backward_ad)
      .def_rw("check_forward_ad", &GradcheckOptions::check_forward_ad)
      .def_rw("check_batched_grad", &GradcheckOptions::check_batched_grad)
      .def_rw("check_batched_forward_grad", &GradcheckOptions::check_batched_forward_grad)
      .def_rw("allows_coarse_dtypes", &GradcheckOptions::allows_coarse_dtypes);
  m.def(
      "gradcheck",
      [](const nb::callable& function, const nb::list& inputs, const GradcheckOptions& options) {
        ListFunction body(function);
        return gradcheck(FunctionBody(body), tensors_of(inputs, "gradcheck: inputs"), options);
      },
      nb::arg("function"), nb::arg("inputs"), nb::arg("options"),
      "The error in the derivatives of the function, or None.");
  m.def(
      "gradgradcheck",
      [](const nb::callable& function, const nb::list& inputs, const nb::list& gradients,
         const GradcheckOptions& options) {
        ListFunction body(function);
        return gradgradcheck(FunctionBody(body), tensors_of(inputs, "gradgradcheck: inputs"),
                             tensors_of(gradients, "gradgradcheck: grad_outputs"), options);
      },
      nb::arg("function"), nb::arg("inputs"), nb::arg("gradients"), nb::arg("options"),
      "The error in the second derivatives of the function, or None.");
}

}  // namespace opwright::python
