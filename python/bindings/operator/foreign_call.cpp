#include "bindings/operator/foreign_call.h"

#include <cstddef>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/size_object.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {

uint32_t num_foreign_scopes = 0;
bool has_foreign_types = false;

namespace {

struct ForeignType {
  PyTypeObject* type;  // owned
  PyObject* handler;   // owned
};

std::vector<ForeignType>& foreign_types() {
  static auto* types = new std::vector<ForeignType>;  // under the GIL
  return *types;
}

thread_local PyObject* innermost_handler = nullptr;  // borrowed from its ForeignScope

PyObject* handler_of(PyObject* object) noexcept {
  for (const ForeignType& each : foreign_types()) {
    if (PyObject_TypeCheck(object, each.type)) return each.handler;
  }
  return nullptr;
}

// The result of `find` for the first argument or list element for which it is not null.
template <class Find>
auto find_in(const GivenArguments& given, const Find& find) noexcept {
  const size_t count = given.num_positional + given.num_keywords();
  for (size_t i = 0; i < count; ++i) {
    PyObject* object = given.objects[i];
    if (const auto found = find(object)) return found;
    if (!PyList_CheckExact(object) && !is_plain_tuple(object)) continue;
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
    for (Py_ssize_t k = 0; k < size; ++k) {
      if (const auto found = find(PySequence_Fast_GET_ITEM(object, k))) return found;
    }
  }
  return decltype(find(nullptr)){};
}

nb::object positional_tuple(const GivenArguments& given) {
  nb::object tuple = own(PyTuple_New(static_cast<Py_ssize_t>(given.num_positional)));
  for (size_t i = 0; i < given.num_positional; ++i)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(given.objects[i]));
  return tuple;
}

nb::object keyword_dict(const GivenArguments& given) {
  nb::object dict = own(PyDict_New());
  for (size_t n = 0; n < given.num_keywords(); ++n) {
    PyObject* name = PyTuple_GET_ITEM(given.names, static_cast<Py_ssize_t>(n));
    require_no_error(PyDict_SetItem(dict.ptr(), name, given.objects[given.num_positional + n]));
  }
  return dict;
}

void set_foreign_type(const nb::object& type, const nb::object& handler) {
  OPWRIGHT_CHECK_TYPE(PyType_Check(type.ptr()), "set_foreign_type: expected a type, got ",
                      class_name(type.ptr()));
  OPWRIGHT_CHECK_TYPE(handler.is_none() || PyCallable_Check(handler.ptr()),
                      "set_foreign_type: expected a function or None, got ",
                      class_name(handler.ptr()));
  auto* const wanted = reinterpret_cast<PyTypeObject*>(type.ptr());
  OPWRIGHT_CHECK_TYPE(!PyType_IsSubtype(wanted, tensor_type), "set_foreign_type: ", wanted->tp_name,
                      " is a Tensor of opwright");
  std::vector<ForeignType> types = foreign_types();
  std::vector<ForeignType> removed;
  std::erase_if(types, [&](const ForeignType& each) {
    if (each.type != wanted) return false;
    removed.push_back(each);
    return true;
  });
  if (!handler.is_none()) {
    Py_INCREF(type.ptr());
    types.push_back({wanted, Py_NewRef(handler.ptr())});
  }
  foreign_types() = std::move(types);
  has_foreign_types = !foreign_types().empty();
  for (const ForeignType& each : removed) {  // last: destructors may call this again
    Py_DECREF(each.type);
    Py_DECREF(each.handler);
  }
}

class ForeignScope {
 public:
  explicit ForeignScope(nb::object handler) : handler_(std::move(handler)) {
    OPWRIGHT_CHECK_TYPE(PyCallable_Check(handler_.ptr()), "ForeignScope: expected a function, got ",
                        class_name(handler_.ptr()));
  }

  void enter() {
    previous_.push_back(std::exchange(innermost_handler, handler_.ptr()));
    ++num_foreign_scopes;
  }
  void exit() {
    OPWRIGHT_CHECK(!previous_.empty(), "ForeignScope: left without having been entered");
    innermost_handler = previous_.back();
    previous_.pop_back();
    --num_foreign_scopes;
  }

 private:
  nb::object handler_;
  std::vector<PyObject*> previous_;  // what was innermost at each entry
};

}  // namespace

PyObject* find_type_handler(const GivenArguments& given) noexcept {
  return find_in(given, &handler_of);
}

PyObject* find_scope_handler(const GivenArguments& given) noexcept {
  if (!innermost_handler) return nullptr;
  return find_in(given, [](PyObject* object) { return is_tensor(object); }) ? nullptr
                                                                            : innermost_handler;
}

bool is_in_foreign_scope() noexcept { return innermost_handler != nullptr; }

PyObject* call_foreign(PyObject* handler, PyObject* callable,
                       const GivenArguments& given) noexcept {
  return guarded([&] {
    const nb::object kept = nb::borrow(handler);  // it may be replaced during the call
    const nb::object args = positional_tuple(given);
    const nb::object kwargs = keyword_dict(given);
    const OwnCallScope own_call;
    return require(PyObject_CallFunctionObjArgs(handler, callable, args.ptr(), kwargs.ptr(),
                                                static_cast<PyObject*>(nullptr)));
  });
}

OwnCallScope::OwnCallScope() noexcept : left_(std::exchange(innermost_handler, nullptr)) {}
OwnCallScope::~OwnCallScope() { innermost_handler = left_; }

void bind_foreign_call(nb::module_& m) {
  m.def("set_foreign_type", &set_foreign_type, nb::arg("type"), nb::arg("handler").none(),
        "Send every call of an operator with an argument, or an element of a list, of this type to "
        "`handler(operator_or_packet, args, kwargs)`. None removes the handler.");
  m.def("in_foreign_scope", [] { return innermost_handler != nullptr; });
  nb::class_<ForeignScope>(m, "ForeignScope",
                           "In this block and thread, calls of operators without a tensor of ours "
                           "also go to `handler(operator_or_packet, args, kwargs)`.")
      .def(nb::init<nb::object>(), nb::arg("handler"))
      .def("__enter__",
           [](const nb::object& self) {
             nb::cast<ForeignScope&>(self).enter();
             return self;
           })
      .def("__exit__", [](ForeignScope& self, const nb::args&) { self.exit(); });
}

}  // namespace opwright::python
