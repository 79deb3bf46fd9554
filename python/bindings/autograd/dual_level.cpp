#include "bindings/autograd/dual_level.h"

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "opwright/autograd/value_meta.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/differentiate/jvp.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

class DualLevel {
 public:
  DualLevel() : level_(JvpPtr::take(new Jvp(current_interpreter(), Jvp::Opener::User))) {}
  DualLevel(const DualLevel&) = delete;
  DualLevel& operator=(const DualLevel&) = delete;

  void enter() { outside_ = thread_state().set_current(level_.get()); }
  void leave() { thread_state().set_current(Interpreter::without_ended(outside_)); }

  [[nodiscard]] nb::object make(const nb::object& primal, const nb::object& tangent) const {
    const Tensor value = read(primal, "tensor");
    const Tensor direction = read(tangent, "tangent");
    const ValueMeta meta(value);
    OPWRIGHT_CHECK_VALUE(
        has_gradients(meta.dtype()),
        "make_dual: Expected primal to be floating point or complex, but got: ", meta.dtype());
    OPWRIGHT_CHECK_VALUE(has_gradients(direction.dtype()),
                         "make_dual: Expected tangent to be floating point or complex, but got: ",
                         direction.dtype());
    OPWRIGHT_CHECK(!level_->tangent_of(direction).is_defined(),
                   "make_dual: the tangent has a forward gradient at the same level; pass its "
                   "primal or its tangent (unpack_dual)");
    OPWRIGHT_CHECK(has_sizes(direction, meta.sizes()),
                   "make_dual: Trying to set a forward gradient that has a different size than "
                   "that of the tensor: ",
                   to_text(ValueMeta(direction).sizes()), " for ", to_text(meta.sizes()));
    OPWRIGHT_CHECK(direction.dtype() == meta.dtype(),
                   "make_dual: the tangent must have the dtype of the tensor, ", meta.dtype(),
                   ", got ", direction.dtype());
    return own(wrap(level_->wrap(level_->primal_of(value), level_->primal_of(direction))));
  }

  // The primal, and the tangent or None.
  [[nodiscard]] nb::object unpack(const nb::object& given) const {
    const Tensor dual = read(given, "tensor");
    Tensor tangent = level_->tangent_of(dual);
    Tensor primal = level_->primal_of(dual);
    if (primal.get() != dual.get()) primal = view_below(primal);
    return nb::make_tuple(own(wrap(std::move(primal))),
                          tangent.is_defined() ? own(wrap(std::move(tangent))) : nb::none());
  }

 private:
  // Another object over the value, with its history.
  [[nodiscard]] Tensor view_below(const Tensor& primal) const {
    const ParentScope below(*level_);
    return opwright::alias(primal);
  }
  static Tensor read(const nb::object& given, const char* what) {
    OPWRIGHT_CHECK_TYPE(is_tensor(given.ptr()), "forward_ad: ", what, " must be a tensor, got ",
                        class_name(given.ptr()));
    return handle_of(given.ptr());
  }

  JvpPtr level_;
  Interpreter* outside_ = nullptr;
};

// The value of a dual tensor whose level has ended; any other tensor is returned as it is.
nb::object value_of_ended_dual(const nb::object& given) {
  if (!is_tensor(given.ptr())) return given;
  Tensor tensor = handle_of(given.ptr());
  while (impl(tensor).is_wrapper()) {
    const auto* level = dynamic_cast<const Jvp*>(impl(tensor).level);
    if (!level || is_in_chain(level, current_interpreter())) break;
    tensor = level->primal_of(tensor);
  }
  return tensor.get() == tensor_of(given.ptr()) ? given : own(wrap(std::move(tensor)));
}

}  // namespace

void bind_dual_level(nb::module_& m) {
  nb::class_<DualLevel>(m, "DualLevel", "A level of forward mode.")
      .def(nb::init<>())
      .def("enter", &DualLevel::enter)
      .def("leave", &DualLevel::leave)
      .def("make", &DualLevel::make, nb::arg("primal"), nb::arg("tangent"))
      .def("unpack", &DualLevel::unpack, nb::arg("dual"), "The primal, and the tangent or None.");
  m.def("value_of_ended_dual", &value_of_ended_dual, nb::arg("tensor"),
        "The value of a dual tensor whose level has ended; any other tensor as it is.");
}

}  // namespace opwright::python
