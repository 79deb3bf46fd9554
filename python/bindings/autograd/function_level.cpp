#include "bindings/autograd/function_level.h"

#include <cstdint>
#include <optional>
#include <string>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/tensor/function_transform.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/transforms/differentiate/jvp.h"
#include "opwright/transforms/vmap/vmap.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

Interpreter& level_now() {
  Interpreter* level = current_interpreter();
  OPWRIGHT_CHECK(level, "no transform is active");
  return *level;
}

Vmap& vmap_now() { return dynamic_cast<Vmap&>(level_now()); }
Jvp& jvp_now() { return dynamic_cast<Jvp&>(level_now()); }

bool has_own(const Interpreter& level, const nb::tuple& args) {
  for (const nb::handle each : args) {
    if (is_tensor(each.ptr()) && is_wrapper_of(level, tensor_of(each.ptr()))) return true;
  }
  return false;
}

// Whether a transform other than vmap is active: vmap itself is no matter of a Function that gets
// no batch.
bool is_inside_derivative(const Interpreter* level) {
  for (; level; level = level->parent()) {
    if (is_function_transform(*level) && !dynamic_cast<const Vmap*>(level)) return true;
  }
  return false;
}

// Which transform's rule a call with these arguments needs: "vmap", "jvp"; "below" if it is a call
// of the level below; "refused" if its forward saves for one level only; empty: none.
std::string function_level(const nb::tuple& args, bool has_setup_context) {
  const Interpreter* level = current_interpreter();
  if (!level) return {};
  if (!has_setup_context && is_inside_derivative(level)) return "refused";
  const bool is_vmap = dynamic_cast<const Vmap*>(level) != nullptr;
  const bool is_jvp = dynamic_cast<const Jvp*>(level) != nullptr;
  if (!is_vmap && !is_jvp) return {};
  if (!has_own(*level, args)) return "below";
  if (is_jvp) return "jvp";
  return has_setup_context ? "vmap" : "refused";
}

// Calls the function at the level below.
nb::object call_below(const nb::callable& function, const nb::args& args) {
  const ParentScope scope(level_now());
  return function(*args);
}

// The batch and its dimension; another object is returned as it is, without one.
nb::object batch_of(const nb::object& given) {
  if (!is_tensor(given.ptr())) return nb::make_tuple(given, nb::none());
  const Vmap& level = vmap_now();
  OpwTensor* tensor = tensor_of(given.ptr());
  if (!level.owns(tensor)) return nb::make_tuple(given, nb::none());
  return nb::make_tuple(own(wrap(Tensor::borrow(Vmap::inner_of(tensor)))), Vmap::dim_of(tensor));
}

nb::object wrap_batch(const nb::object& given, std::optional<int64_t> dim) {
  if (!dim || !is_tensor(given.ptr())) return given;
  Tensor inner = handle_of(given.ptr());
  const int64_t positive = *dim < 0 ? *dim + inner.dim() : *dim;
  OPWRIGHT_CHECK_INDEX(positive >= 0 && positive < inner.dim(), "vmap: out_dims has ", *dim,
                       " for a tensor of ", inner.dim(), " dimensions");
  return own(wrap(vmap_now().wrap(std::move(inner), positive)));
}

nb::object dual_of(const nb::object& given) {
  if (!is_tensor(given.ptr())) return nb::make_tuple(given, nb::none());
  const Jvp& level = jvp_now();
  const Tensor tensor = handle_of(given.ptr());
  Tensor tangent = level.tangent_of(tensor);
  return nb::make_tuple(own(wrap(level.primal_of(tensor))),
                        tangent.is_defined() ? own(wrap(std::move(tangent))) : nb::none());
}

// Gives a value whose memory was written its new tangent.
void set_tangent(const nb::object& dual, const nb::object& tangent) {
  jvp_now().set_tangent(tensor_of(dual.ptr()),
                        tangent.is_none() ? Tensor() : handle_of(tangent.ptr()));
}

nb::object wrap_dual(const nb::object& primal, const nb::object& tangent) {
  return own(wrap(jvp_now().wrap(handle_of(primal.ptr()),
                                 tangent.is_none() ? Tensor() : handle_of(tangent.ptr()))));
}

}  // namespace

void bind_function_level(nb::module_& m) {
  m.def("function_level", &function_level, nb::arg("args"), nb::arg("has_setup_context"),
        "Which rule an autograd.Function needs: 'vmap', 'jvp', 'below', 'refused' or ''.");
  m.def("call_below", &call_below, nb::arg("function"), nb::arg("args"),
        "Call a function at the level below the current transform.");
  m.def("batch_of", &batch_of, nb::arg("value").none(), "The batch and its dimension or None.");
  m.def("wrap_batch", &wrap_batch, nb::arg("value").none(), nb::arg("dim").none());
  m.def(
      "batch_info",
      [] {
        const Vmap& level = vmap_now();
        return nb::make_tuple(own(sym_int_to_python(level.batch_size())),
                              std::string(to_text(level.randomness())));
      },
      "The batch size and randomness of the current vmap.");
  m.def("dual_of", &dual_of, nb::arg("value").none(), "The primal, and the tangent or None.");
  m.def("set_tangent", &set_tangent, nb::arg("dual"), nb::arg("tangent").none(),
        "Set the tangent of a value whose memory was written.");
  m.def("wrap_dual", &wrap_dual, nb::arg("primal"), nb::arg("tangent").none());
}

}  // namespace opwright::python
