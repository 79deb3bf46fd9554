#include "bindings/trace/dispatch_mode.h"

#include <cstdint>
#include <utility>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/mode_entries.h"
#include "bindings/object/value.h"
#include "bindings/operator/python_function.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/record.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Below the bodies of composite operators: the function gets the calls that kernels would get. Its
// own calls go to the level outside, which also records them for autograd.
class PythonMode : public Interpreter {
 public:
  PythonMode(PyObject* function, Interpreter* outside)
      : Interpreter(outside), function_(box_python(function, Convention::Fallback)) {}
  PythonMode(const PythonMode&) = delete;
  PythonMode& operator=(const PythonMode&) = delete;
  ~PythonMode() override { function_.drop(function_.self); }

  [[nodiscard]] const char* name() const override { return "TorchDispatchMode"; }
  [[nodiscard]] const char* advice() const override {
    return "A tensor made in a mode goes on to work outside of it.";
  }

  void process(const Operator& op, Arguments args, Results results) override {
    const OpwRecord record{.struct_size = sizeof(OpwRecord),
                           .function = function_.function,
                           .self = function_.self,
                           .drop = nullptr,
                           .op = to_c(&op),
                           .host = nullptr};
    const ParentScope parent(*this);
    const int status = function_.function(&record, args.data(), static_cast<uint32_t>(args.size()),
                                          results.data(), static_cast<uint32_t>(results.size()));
    if (status != 0) throw_given_error();
  }

 private:
  BoxedFunction function_;
};

// A function and the `with` statements that have entered its mode.
class DispatchModeObject {
 public:
  explicit DispatchModeObject(nb::object function) : function_(std::move(function)) {
    OPWRIGHT_CHECK_TYPE(PyCallable_Check(function_.ptr()),
                        "DispatchMode: expected a function, got ", class_name(function_.ptr()));
  }

  void enter() {
    entries_.enter(
        IntrusivePtr<Interpreter>::take(new PythonMode(function_.ptr(), current_interpreter())));
  }
  void leave() { entries_.leave("TorchDispatchMode"); }

 private:
  nb::object function_;
  ModeEntries entries_;
};

}  // namespace

void bind_dispatch_mode(nb::module_& m) {
  nb::class_<DispatchModeObject>(m, "DispatchMode",
                                 "In this block, every operator call goes to "
                                 "`function(operator, *args, **kwargs)`, whose own calls "
                                 "go outside of the block.")
      .def(nb::init<nb::object>(), nb::arg("function"))
      .def("__enter__",
           [](const nb::object& self) {
             nb::inst_ptr<DispatchModeObject>(self)->enter();
             return self;
           })
      .def("__exit__", [](DispatchModeObject& self, const nb::args&) { self.leave(); });
}

}  // namespace opwright::python
