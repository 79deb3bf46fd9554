#include "bindings/trace/functionalize.h"

#include <nanobind/nanobind.h>

#include "bindings/tensor/tensor_list.h"
#include "opwright/base/thread_state.h"
#include "opwright/transforms/functionalize/functionalize.h"
#include "opwright/transforms/functionalize/view_copy.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Enters and exits like a `with`, on one thread.
class FunctionalRun {
 public:
  explicit FunctionalRun(bool removes_views)
      : level_(removes_views ? make_intrusive<Functionalize>(
                                   make_intrusive<ViewCopies>(current_interpreter()))
                             : make_intrusive<Functionalize>(current_interpreter())) {}
  FunctionalRun(const FunctionalRun&) = delete;
  FunctionalRun& operator=(const FunctionalRun&) = delete;
  ~FunctionalRun() { level_->end(); }

  nb::list lift(const nb::list& inputs) {
    return to_list(level_->enter(tensors_of(inputs, "functionalize: the inputs")));
  }
  void enter() { outside_ = thread_state().set_current(level_.get()); }
  void exit(bool has_failed) {
    thread_state().set_current(outside_);
    if (has_failed) level_->end();
  }
  nb::list finish(const nb::list& outputs) {
    return to_list(level_->finish(tensors_of(outputs, "functionalize: the outputs")));
  }

 private:
  FunctionalizePtr level_;
  Interpreter* outside_ = nullptr;
};

}  // namespace

void bind_functionalize(nb::module_& m) {
  nb::class_<FunctionalRun>(m, "FunctionalRun", "One run of functionalize.")
      .def(nb::init<bool>(), nb::arg("removes_views"))
      .def("lift", &FunctionalRun::lift, nb::arg("inputs"), "Return the tensors for the function.")
      .def("finish", &FunctionalRun::finish, nb::arg("outputs"),
           "Write back to inputs; return the outputs as the caller gets them.")
      .def("__enter__",
           [](const nb::object& self) {
             nb::cast<FunctionalRun&>(self).enter();
             return self;
           })
      .def(
          "__exit__",
          [](FunctionalRun& self, const nb::object& type, const nb::object& /*value*/,
             const nb::object& /*trace*/) { self.exit(!type.is_none()); },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("trace").none());
}

}  // namespace opwright::python
