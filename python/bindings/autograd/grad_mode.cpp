#include "bindings/autograd/grad_mode.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/python_type.h"
#include "bindings/object/method.h"
#include "bindings/object/value.h"
#include "opwright/base/thread_state.h"
#include "opwright/error.h"
#include "opwright/grad_mode.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Recording and inference mode as one number, so that a block restores one value.
constexpr unsigned kGrad = 1;
constexpr unsigned kInference = 2;
constexpr unsigned kModeBits = 2;
constexpr unsigned kMostEntries = 64 / kModeBits;

unsigned current_mode() noexcept {
  return (is_grad_enabled() ? kGrad : 0) | (is_inference_mode_enabled() ? kInference : 0);
}

void set_mode(unsigned mode) noexcept {
  thread_state().set_grad_enabled((mode & kGrad) != 0);
  thread_state().set_inference((mode & kInference) != 0);
}

enum class GradModeKind : uint8_t { NoGrad, EnableGrad, SetGradEnabled, InferenceMode };
PyTypeObject* mode_types[4];

// `previous` is a stack of modes, the innermost in the lowest bits.
struct GradModeObject {
  PyObject_HEAD uint64_t previous;
  uint8_t num_entries;
  GradModeKind kind;
  bool is_on;      // the user's argument
  bool has_acted;  // set_grad_enabled before any `with`
};

GradModeObject& as_mode(PyObject* object) noexcept {
  return *reinterpret_cast<GradModeObject*>(object);
}

const char* grad_mode_name(const GradModeObject& self) noexcept {
  return _PyType_Name(Py_TYPE(reinterpret_cast<const PyObject*>(&self)));
}

unsigned wanted_mode(const GradModeObject& self, unsigned now) noexcept {
  switch (self.kind) {
    case GradModeKind::NoGrad:
      return now & ~kGrad;
    case GradModeKind::EnableGrad:
      return now | kGrad;
    case GradModeKind::SetGradEnabled:
      return self.is_on ? now | kGrad : now & ~kGrad;
    case GradModeKind::InferenceMode:
      return self.is_on ? kInference : kGrad;
  }
  return now;
}

void push_grad_mode(GradModeObject& self) {
  OPWRIGHT_CHECK(self.num_entries < kMostEntries, grad_mode_name(self),
                 ": one object is entered at most ", kMostEntries, " times at once; write ",
                 grad_mode_name(self), "() at each `with`");
  const unsigned now = current_mode();
  self.previous = self.previous << kModeBits | now;
  ++self.num_entries;
  set_mode(wanted_mode(self, now));
}

void pop(GradModeObject& self) {
  OPWRIGHT_CHECK(self.num_entries > 0, grad_mode_name(self), ": left without having been entered");
  set_mode(static_cast<unsigned>(self.previous & (kGrad | kInference)));
  self.previous >>= kModeBits;
  --self.num_entries;
}

PyObject* enter(PyObject* object, PyObject* /*args*/) {
  return guarded([&]() -> PyObject* {
    GradModeObject& self = as_mode(object);
    if (std::exchange(self.has_acted, false)) {
      set_mode(wanted_mode(self, current_mode()));
    } else {
      push_grad_mode(self);
    }
    return Py_NewRef(Py_None);
  });
}

PyObject* leave(PyObject* object, PyObject* const* /*args*/, Py_ssize_t /*num_args*/) {
  return guarded([&]() -> PyObject* {
    GradModeObject& self = as_mode(object);
    self.has_acted = false;
    pop(self);
    return Py_NewRef(Py_None);
  });
}

PyObject* new_mode(GradModeKind kind, bool is_on) {
  auto* self = PyObject_New(GradModeObject, mode_types[static_cast<size_t>(kind)]);
  if (!self) throw_python_error();
  self->previous = 0;
  self->num_entries = 0;
  self->kind = kind;
  self->is_on = is_on;
  self->has_acted = false;
  return reinterpret_cast<PyObject*>(self);
}

// ---- As decorators ----

PyObject* decorate(PyObject* function, nb::object make_mode) {
  const nb::object module = own(PyImport_ImportModule("opwright.grad_mode"));
  return give(module.attr("decorate")(nb::borrow(function), std::move(make_mode)));
}

// Creates an object like this one.
nb::object maker(const GradModeObject& self) {
  nb::object type = nb::borrow(reinterpret_cast<PyObject*>(
      Py_TYPE(reinterpret_cast<PyObject*>(const_cast<GradModeObject*>(&self)))));
  if (self.kind == GradModeKind::NoGrad || self.kind == GradModeKind::EnableGrad) return type;
  const nb::object functools = own(PyImport_ImportModule("functools"));
  return functools.attr("partial")(type, nb::bool_(self.is_on));
}

PyObject* decorate_method(PyObject* object, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"function", nullptr};
    PyObject* function = nullptr;
    parse_arguments(args, kwargs, "O:__call__", names, &function);
    GradModeObject& self = as_mode(object);
    if (std::exchange(self.has_acted, false)) pop(self);
    return decorate(function, maker(self));
  });
}

// ---- Making ----

// no_grad(), and @no_grad without parentheses.
template <GradModeKind kind>
PyObject* make_plain(PyObject* type, PyObject* const* args, size_t flagged, PyObject* keywords) {
  return guarded([&] {
    const Py_ssize_t num_args = PyVectorcall_NARGS(flagged);
    if (num_args == 0 && !keywords) [[likely]]
      return new_mode(kind, true);
    OPWRIGHT_CHECK_TYPE(num_args == 1 && !keywords && PyCallable_Check(args[0]),
                        _PyType_Name(reinterpret_cast<PyTypeObject*>(type)),
                        ": it takes no argument, or the function that it decorates");
    return decorate(args[0], nb::borrow(type));
  });
}

// The argument `mode`, by position or name; null if not given.
PyObject* mode_argument(PyObject* type, PyObject* const* args, size_t flagged, PyObject* keywords) {
  const Py_ssize_t num_args = PyVectorcall_NARGS(flagged);
  const Py_ssize_t num_keywords = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  const bool is_named = num_keywords == 1 && PyUnicode_CompareWithASCIIString(
                                                 PyTuple_GET_ITEM(keywords, 0), "mode") == 0;
  OPWRIGHT_CHECK_TYPE(num_args + num_keywords <= 1 && (num_keywords == 0 || is_named),
                      _PyType_Name(reinterpret_cast<PyTypeObject*>(type)),
                      ": it takes one argument, mode, got ", num_args + num_keywords);
  return num_args + num_keywords == 1 ? args[0] : nullptr;
}

bool read_mode(PyObject* type, PyObject* mode) {
  OPWRIGHT_CHECK_TYPE(mode && PyBool_Check(mode),
                      _PyType_Name(reinterpret_cast<PyTypeObject*>(type)),
                      ": mode must be a bool, got ", mode ? class_name(mode) : "nothing");
  return mode == Py_True;
}

PyObject* make_set_grad_enabled(PyObject* type, PyObject* const* args, size_t flagged,
                                PyObject* keywords) {
  return guarded([&] {
    const bool is_on = read_mode(type, mode_argument(type, args, flagged, keywords));
    PyObject* made = new_mode(GradModeKind::SetGradEnabled, is_on);
    push_grad_mode(as_mode(made));
    as_mode(made).has_acted = true;
    return made;
  });
}

PyObject* make_inference_mode(PyObject* type, PyObject* const* args, size_t flagged,
                              PyObject* keywords) {
  return guarded([&] {
    PyObject* mode = mode_argument(type, args, flagged, keywords);
    if (mode && !PyBool_Check(mode) && PyCallable_Check(mode))
      return decorate(mode, nb::borrow(type));
    return new_mode(GradModeKind::InferenceMode, !mode || read_mode(type, mode));
  });
}

// ---- The types ----

PyObject* get_mode(PyObject* self, void* /*closure*/) {
  return PyBool_FromLong(as_mode(self).is_on ? 1 : 0);
}

void destroy_grad_mode(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyMethodDef grad_mode_methods[] = {{"__enter__", as_method(enter), METH_NOARGS, nullptr},
                                   {"__exit__", as_method(leave), METH_FASTCALL, nullptr},
                                   {}};
PyGetSetDef plain_properties[] = {{}};
PyGetSetDef mode_properties[] = {{"mode", &get_mode, nullptr, "The requested mode.", nullptr}, {}};

constexpr char kNoGradDoc[] =
    "no_grad(function=None, /)\n--\n\n"
    "Disable recording for autograd: results do not require grad.\n\n"
    "A context manager, and a decorator of functions, generators and coroutines with or without\n"
    "parentheses. It applies to the thread that enters it.\n\n"
    ">>> import opwright as ow\n"
    ">>> with ow.no_grad():\n"
    "...     ow.is_grad_enabled()\n"
    "False\n"
    ">>> @ow.no_grad\n"
    "... def evaluate():\n"
    "...     return ow.is_grad_enabled()\n"
    ">>> evaluate(), ow.is_grad_enabled()\n"
    "(False, True)\n";
constexpr char kEnableGradDoc[] =
    "enable_grad(function=None, /)\n--\n\n"
    "Enable recording for autograd, also inside no_grad.\n\n"
    "A context manager and a decorator, like no_grad. Inside inference mode it changes "
    "nothing.\n\n"
    ">>> import opwright as ow\n"
    ">>> with ow.no_grad(), ow.enable_grad():\n"
    "...     ow.is_grad_enabled()\n"
    "True\n";
constexpr char kSetGradEnabledDoc[] =
    "set_grad_enabled(mode)\n--\n\n"
    "Turn recording on or off: immediately, and restored at the end of a `with`.\n\n"
    "Also a decorator, which leaves the mode outside the function unchanged.\n\n"
    ">>> import opwright as ow\n"
    ">>> with ow.set_grad_enabled(False):\n"
    "...     ow.is_grad_enabled()\n"
    "False\n"
    ">>> previous = ow.set_grad_enabled(False)\n"
    ">>> ow.is_grad_enabled()\n"
    "False\n"
    ">>> _ = ow.set_grad_enabled(True)\n";
constexpr char kInferenceModeDoc[] =
    "inference_mode(mode=True)\n--\n\n"
    "Disable recording permanently for the tensors created in it: for serving.\n\n"
    "A tensor created in it can be read anywhere, but outside it can neither be written nor saved\n"
    "for a backward; a clone can. A context manager and a decorator, with or without "
    "parentheses.\n\n"
    ">>> import opwright as ow\n"
    ">>> with ow.inference_mode():\n"
    "...     y = ow.ones(2) * 2\n"
    ">>> y.is_inference(), (y + 1).is_inference()\n"
    "(True, False)\n"
    ">>> y.add_(1)\n"
    "Traceback (most recent call last):\n"
    "    ...\n"
    "RuntimeError: aten::add_.Scalar: 'self' was made in inference mode and is written outside of "
    "it\n"
    "  Write a clone, or write it under inference_mode.\n";

void add_mode_type(PyObject* module, GradModeKind kind, const char* name, const char* doc,
                   PyGetSetDef* properties, vectorcallfunc make) {
  PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(doc)},
                         {Py_tp_dealloc, as_slot(destroy_grad_mode)},
                         {Py_tp_call, as_slot(decorate_method)},
                         {Py_tp_methods, grad_mode_methods},
                         {Py_tp_getset, properties},
                         {0, nullptr}};
  PyType_Spec spec = {name, sizeof(GradModeObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyTypeObject* type = add_type(module, spec);
  type->tp_vectorcall = make;  // the constructor
  mode_types[static_cast<size_t>(kind)] = type;
}

}  // namespace

void bind_grad_mode(nb::module_& m) {
  add_mode_type(m.ptr(), GradModeKind::NoGrad, "opwright.no_grad", kNoGradDoc, plain_properties,
                &make_plain<GradModeKind::NoGrad>);
  add_mode_type(m.ptr(), GradModeKind::EnableGrad, "opwright.enable_grad", kEnableGradDoc,
                plain_properties, &make_plain<GradModeKind::EnableGrad>);
  add_mode_type(m.ptr(), GradModeKind::SetGradEnabled, "opwright.set_grad_enabled",
                kSetGradEnabledDoc, mode_properties, &make_set_grad_enabled);
  add_mode_type(m.ptr(), GradModeKind::InferenceMode, "opwright.inference_mode", kInferenceModeDoc,
                mode_properties, &make_inference_mode);
  m.def("is_grad_enabled", &is_grad_enabled,
        "Whether calls of this thread are recorded for a backward.\n\n"
        ">>> import opwright as ow\n"
        ">>> ow.is_grad_enabled()\n"
        "True\n");
  m.def("is_inference_mode_enabled", &is_inference_mode_enabled,
        "Whether this thread creates inference tensors.\n\n"
        ">>> import opwright as ow\n"
        ">>> with ow.inference_mode():\n"
        "...     ow.is_inference_mode_enabled()\n"
        "True\n");
}

}  // namespace opwright::python
