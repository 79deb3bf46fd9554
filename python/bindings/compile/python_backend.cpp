#include "bindings/compile/python_backend.h"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/compile/read_observer.h"
#include "bindings/interpreter/error.h"
#include "bindings/interpreter/held_object.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/trace/graph.h"
#include "opwright/error.h"
#include "opwright/ir/graph/random_input.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// The result of a backend's function for a graph.
class PythonExecutable final : public Executable {
 public:
  PythonExecutable(std::string name, PyObject* callable, GraphPtr graph)
      : name_(std::move(name)), callable_(callable), graph_(std::move(graph)) {}

  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const override {
    const LockScope lock;
    const nb::object args = own(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
    for (size_t i = 0; i < arguments.size(); ++i)
      PyTuple_SET_ITEM(args.ptr(), static_cast<Py_ssize_t>(i), require(to_python(arguments[i])));
    const ReadObserver::PauseScope unobserved;
    const nb::object returned = own(PyObject_Call(callable_.get(), args.ptr(), nullptr));
    take(returned, results);
  }
  [[nodiscard]] std::vector<Section> describe() const override {
    return {{.title = "backend", .text = name_}, {.title = "graph", .text = to_text(*graph_)}};
  }

 private:
  void take(const nb::object& returned, std::span<OpwValue> results) const {
    const bool is_one =
        results.size() == 1 && !PyTuple_Check(returned.ptr()) && !PyList_Check(returned.ptr());
    const bool is_many = PyTuple_Check(returned.ptr()) || PyList_Check(returned.ptr());
    const nb::object all = is_one ? nb::object(nb::make_tuple(returned)) : returned;
    OPWRIGHT_CHECK_TYPE(is_one || is_many || results.empty(),
                        "compile: the callable of the backend '", name_, "' returned a ",
                        class_name(returned.ptr()), ", a tuple of ", results.size(),
                        " values was expected");
    if (results.empty() && !is_many) return;
    const auto count = static_cast<size_t>(PySequence_Fast_GET_SIZE(all.ptr()));
    OPWRIGHT_CHECK_VALUE(count == results.size(), "compile: the callable of the backend '", name_,
                         "' returned ", count, " values, the graph has ", results.size());
    std::vector<Value> values;
    for (size_t i = 0; i < count; ++i) {
      PyObject* each = PySequence_Fast_GET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i));
      check_kind(each, i);
      values.push_back(Value::take(give_natural(each)));
    }
    for (size_t i = 0; i < count; ++i) results[i] = values[i].give();
  }
  void check_kind(PyObject* given, size_t output) const {
    const NodeArgument& expected = graph_->outputs()[output];
    const bool is_tensor_expected =
        expected.kind() == NodeArgument::Kind::Value && expected.value().tensor().is_defined();
    OPWRIGHT_CHECK_TYPE(is_tensor(given) == is_tensor_expected,
                        "compile: the callable of the backend '", name_, "' returned a ",
                        class_name(given), " for output ", output, ", a ",
                        is_tensor_expected ? "tensor" : "number or None", " was expected");
  }

  std::string name_;
  HeldObject callable_;
  GraphPtr graph_;
};

ExecutablePtr call_backend(const std::string& name, PyObject* function, const GraphPtr& graph) {
  const LockScope lock;
  const ReadObserver::PauseScope pause;  // the backend is not part of the captured function
  const nb::object helpers = nb::module_::import_("opwright.compiler");
  const nb::object made = helpers.attr("_call_backend")(nb::handle(function), graph_object(graph));
  OPWRIGHT_CHECK_TYPE(PyCallable_Check(made.ptr()), "compile: the backend '", name, "' returned a ",
                      class_name(made.ptr()),
                      ", a callable that takes the graph's inputs was expected");
  return ExecutablePtr::take(new PythonExecutable(name, made.ptr(), graph));
}

Backend make_backend(std::string name, PyObject* function) {
  return [name = std::move(name), function = HeldObject(function)](const GraphPtr& graph) {
    return call_backend(name, function.get(), graph);
  };
}

}  // namespace

Backend read_backend(PyObject* object) {
  if (PyUnicode_Check(object)) {
    const char* name = PyUnicode_AsUTF8(object);
    if (!name) throw_python_error();
    return find_backend(name);
  }
  OPWRIGHT_CHECK_TYPE(PyCallable_Check(object),
                      "compile: backend must be a name or a function(graph_module, "
                      "example_inputs), got ",
                      class_name(object));
  const nb::object name = nb::getattr(nb::handle(object), "__name__", nb::none());
  const char* text = PyUnicode_Check(name.ptr()) ? PyUnicode_AsUTF8(name.ptr()) : nullptr;
  return make_backend(text ? text : class_name(object), object);
}

void register_python_backend(const std::string& name, PyObject* function) {
  OPWRIGHT_CHECK_TYPE(PyCallable_Check(function), "register_backend: the backend '", name,
                      "' must be a function(graph_module, example_inputs), got ",
                      class_name(function));
  register_backend(name, make_backend(name, function));
}

}  // namespace opwright::python
