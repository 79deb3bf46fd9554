#include "bindings/compile/compiled_function.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <structmember.h>

#include "bindings/compile/compiled_state.h"
#include "bindings/compile/python_backend.h"
#include "bindings/compile/read_guards.h"
#include "bindings/compile/stance.h"
#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/interpreter/python_type.h"
#include "bindings/object/method.h"
#include "bindings/object/value.h"
#include "bindings/operator/foreign_call.h"
#include "bindings/trace/graph.h"
#include "opwright/compile/capture/capture_context.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

PyTypeObject* compiled_type = nullptr;

struct CompiledObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;
  CompiledState* state;  // owned
  PyObject* options;     // the arguments of its constructor, a tuple
  PyObject* dict;
  PyObject* weakrefs;
};

// All live ones; under the GIL.
std::unordered_set<PyObject*>& all_compiled() {
  static auto* all = new std::unordered_set<PyObject*>;
  return *all;
}

CompiledObject* as_compiled(PyObject* object) { return reinterpret_cast<CompiledObject*>(object); }

// ---- Calls ----

[[gnu::noinline]] PyObject* call_function(const CompiledObject* self, const GivenArguments& given) {
  const nb::object function = nb::borrow(self->function);  // the call may drop this object
  return PyObject_Vectorcall(function.ptr(), given.objects, given.num_positional, given.names);
}

std::string describe(const nb::object& object) {
  const nb::object text = own(PyObject_Repr(object.ptr()));
  return nb::cast<std::string>(text);
}

[[gnu::noinline]] PyObject* call_new(CompiledObject* self, const GivenArguments& given) {
  if (!self->state->eager_reason().empty() || type_handler(given) ||
      current_stance == Stance::EagerOnRecompile)
    return call_function(self, given);
  const nb::object alive = nb::borrow(reinterpret_cast<PyObject*>(self));
  return guarded([&] {
    if (current_stance == Stance::FailOnRecompile) throw_compile_refused(describe(alive));
    return give(self->state->capture(self->function, given));
  });
}

PyObject* compiled_call(PyObject* callable, PyObject* const* args, size_t flags, PyObject* names) {
  CompiledObject* self = as_compiled(callable);
  const GivenArguments given{args, static_cast<size_t>(PyVectorcall_NARGS(flags)), names};
  if (!CaptureContext::is_plain() || num_foreign_scopes != 0 ||
      current_stance == Stance::ForceEager) [[unlikely]]
    return call_function(self, given);
  drain_queue();
  PythonEntry::Values values;
  const CompiledState::EntryPtr entry = self->state->find(given, values);
  if (!entry) [[unlikely]]
    return call_new(self, given);
  if (entry->is_eager()) [[unlikely]]
    return call_function(self, given);
  return entry->run(values);
}

// ---- Life ----

CaptureOptions read_compile_options(PyObject* fullgraph, PyObject* dynamic, PyObject* backend) {
  CaptureOptions options;
  const int is_full = PyObject_IsTrue(fullgraph);
  require_no_error(is_full);
  options.fullgraph = is_full == 1;
  OPWRIGHT_CHECK_TYPE(dynamic == Py_None || PyBool_Check(dynamic),
                      "compile: dynamic must be None, True or False, got ", class_name(dynamic));
  if (dynamic != Py_None) options.dynamic = dynamic == Py_True;
  options.backend = read_backend(backend);
  return options;
}

PyObject* new_compiled(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    PyObject* function = nullptr;
    PyObject* fullgraph = Py_False;
    PyObject* dynamic = Py_None;
    PyObject* backend = nullptr;
    static const char* const names[] = {"function", "fullgraph", "dynamic", "backend", nullptr};
    parse_arguments(args, kwargs, "OOOO", names, &function, &fullgraph, &dynamic, &backend);
    OPWRIGHT_CHECK_TYPE(PyCallable_Check(function),
                        "compile: a function or a module must be "
                        "given, got ",
                        class_name(function));
    auto state = std::make_unique<CompiledState>(read_compile_options(fullgraph, dynamic, backend));
    PyObject* made = require(type->tp_alloc(type, 0));
    CompiledObject* self = as_compiled(made);
    self->vectorcall = &compiled_call;
    self->function = Py_NewRef(function);
    self->state = state.release();
    self->options = PyTuple_Pack(4, function, fullgraph, dynamic, backend);
    all_compiled().insert(made);
    return made;
  });
}

int traverse_compiled(PyObject* object, visitproc visit, void* arg) {
  CompiledObject* self = as_compiled(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->function);
  Py_VISIT(self->options);
  Py_VISIT(self->dict);
  return self->state ? self->state->traverse(visit, arg) : 0;
}

int clear_compiled(PyObject* object) {
  CompiledObject* self = as_compiled(object);
  if (self->state) self->state->reset();
  Py_CLEAR(self->dict);
  return 0;
}

void dealloc_compiled(PyObject* object) {
  CompiledObject* self = as_compiled(object);
  PyObject_GC_UnTrack(object);
  all_compiled().erase(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  (void)clear_compiled(object);
  delete std::exchange(self->state, nullptr);
  Py_CLEAR(self->options);
  Py_CLEAR(self->function);
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

// ---- Attributes ----

// In a class body it is a method.
PyObject* bind_compiled_method(PyObject* object, PyObject* instance, PyObject* /*type*/) {
  const bool is_plain = !instance || instance == Py_None;
  const bool is_function = PyFunction_Check(as_compiled(object)->function);
  return is_plain || !is_function ? Py_NewRef(object) : PyMethod_New(object, instance);
}

// Its own attributes, then those of the function or module.
PyObject* get_attribute(PyObject* object, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(object, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return PyObject_GetAttr(as_compiled(object)->function, name);
}

// Attributes of a compiled module are set on the module.
int set_attribute(PyObject* object, PyObject* name, PyObject* value) {
  PyObject* function = as_compiled(object)->function;
  if (PyFunction_Check(function) || PyMethod_Check(function))
    return PyObject_GenericSetAttr(object, name, value);
  return PyObject_SetAttr(function, name, value);
}

PyObject* get_wrapped(PyObject* object, void* /*unused*/) {
  return Py_NewRef(as_compiled(object)->function);
}

// Makes isinstance() treat a compiled module as a module.
PyObject* get_class(PyObject* object, void* /*unused*/) {
  PyObject* function = as_compiled(object)->function;
  const bool is_function =
      PyFunction_Check(function) || PyMethod_Check(function) || PyCFunction_Check(function);
  return is_function ? Py_NewRef(reinterpret_cast<PyObject*>(compiled_type))
                     : PyObject_GetAttrString(function, "__class__");
}

PyObject* get_attribute_of_function(PyObject* object, void* name) {
  PyObject* found =
      PyObject_GetAttrString(as_compiled(object)->function, static_cast<const char*>(name));
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return Py_NewRef(Py_None);
}

PyObject* get_num_compiles(PyObject* object, void* /*unused*/) {
  return PyLong_FromUnsignedLongLong(as_compiled(object)->state->num_compiles());
}

PyObject* get_reasons(PyObject* object, void* /*unused*/) {
  return guarded([&] { return new_list(as_compiled(object)->state->reasons()); });
}

PyObject* get_breaks(PyObject* object, void* /*unused*/) {
  return guarded([&] { return new_list(as_compiled(object)->state->breaks()); });
}

PyObject* get_guards(PyObject* object, void* /*unused*/) {
  return guarded([&] {
    std::vector<std::string> texts;
    for (const auto& entry : as_compiled(object)->state->entries())
      texts.push_back(entry->guards_text());
    return new_list(texts);
  });
}

PyObject* get_graphs(PyObject* object, void* /*unused*/) {
  return guarded([&] {
    nb::list graphs;
    for (const auto& entry : as_compiled(object)->state->entries()) {
      if (!entry->is_eager()) graphs.append(graph_object(entry->compiled()->graph()));
    }
    return graphs.release().ptr();
  });
}

PyObject* get_descriptions(PyObject* object, void* /*unused*/) {
  return guarded([&] {
    nb::list all;
    for (const auto& entry : as_compiled(object)->state->entries()) {
      nb::list sections;
      if (entry->is_eager()) {
        sections.append(nb::make_tuple("break", entry->eager_reason()));
      } else {
        for (const Executable::Section& section : entry->compiled()->executable().describe())
          sections.append(nb::make_tuple(section.title, section.text));
      }
      all.append(sections);
    }
    return all.release().ptr();
  });
}

// Copies and pickles are created again from the function.
PyObject* reduce_compiled(PyObject* object, PyObject* /*unused*/) {
  return Py_BuildValue("OO", compiled_type, as_compiled(object)->options);
}

PyObject* reset_compiled(PyObject* object, PyObject* /*unused*/) {
  as_compiled(object)->state->reset();
  return Py_NewRef(Py_None);
}

PyObject* repr_compiled(PyObject* object) {
  return PyUnicode_FromFormat("<compiled %R>", as_compiled(object)->function);
}

PyGetSetDef compiled_properties[] = {
    {"__wrapped__", &get_wrapped, nullptr, "The function or module itself.", nullptr},
    {"__class__", &get_class, nullptr, nullptr, nullptr},
    {"__name__", &get_attribute_of_function, nullptr, nullptr, const_cast<char*>("__name__")},
    {"__qualname__", &get_attribute_of_function, nullptr, nullptr,
     const_cast<char*>("__qualname__")},
    {"num_compiles", &get_num_compiles, nullptr, "How often it was captured and compiled.",
     nullptr},
    {"recompile_reasons", &get_reasons, nullptr,
     "The reason of each recompilation: the guard that failed, with values.", nullptr},
    {"breaks", &get_breaks, nullptr,
     "Why captures ended early and calls run eagerly: '<cause>, at <file>:<line>'.", nullptr},
    {"guards", &get_guards, nullptr, "A text for each guard set, last used first.", nullptr},
    {"graphs", &get_graphs, nullptr, "The captured graphs, last used first.", nullptr},
    {"descriptions", &get_descriptions, nullptr,
     "For each guard set a list of (title, text) that describes what runs.", nullptr},
    {"__dict__", &PyObject_GenericGetDict, &PyObject_GenericSetDict, nullptr, nullptr},
    {}};
PyMethodDef compiled_methods[] = {
    {"reset", &reset_compiled, METH_NOARGS, "Discard all compiled code."},
    {"__reduce__", &reduce_compiled, METH_NOARGS, nullptr},
    {}};
PyMemberDef compiled_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CompiledObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(CompiledObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CompiledObject, weakrefs), READONLY, nullptr},
    {}};
constexpr char kCompiledDoc[] =
    "A function or module that runs compiled graphs; the result of `opwright.compile`.\n\n"
    ">>> import opwright as ow\n"
    ">>> twice = ow.compile(lambda x: x + x)\n"
    ">>> twice(ow.ones(2)), twice.num_compiles\n"
    "(tensor([2., 2.]), 1)\n";
PyType_Slot compiled_slots[] = {{Py_tp_doc, const_cast<char*>(kCompiledDoc)},
                                {Py_tp_new, as_slot(&new_compiled)},
                                {Py_tp_dealloc, as_slot(&dealloc_compiled)},
                                {Py_tp_traverse, as_slot(&traverse_compiled)},
                                {Py_tp_clear, as_slot(&clear_compiled)},
                                {Py_tp_call, as_slot(&PyVectorcall_Call)},
                                {Py_tp_descr_get, as_slot(&bind_compiled_method)},
                                {Py_tp_getattro, as_slot(&get_attribute)},
                                {Py_tp_setattro, as_slot(&set_attribute)},
                                {Py_tp_repr, as_slot(&repr_compiled)},
                                {Py_tp_getset, compiled_properties},
                                {Py_tp_methods, compiled_methods},
                                {Py_tp_members, compiled_members},
                                {0, nullptr}};
PyType_Spec compiled_spec = {"opwright.CompiledFunction", sizeof(CompiledObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
                             compiled_slots};

}  // namespace

void add_compiled_function_type(PyObject* module) {
  compiled_type = add_type(module, compiled_spec);
}

namespace {

void reset_all() {
  std::vector<nb::object> held;  // dropping an entry may drop another function
  for (PyObject* each : all_compiled()) held.push_back(nb::borrow(each));
  for (const nb::object& each : held) as_compiled(each.ptr())->state->reset();
}

}  // namespace

PyObject* compiled_target(PyObject* object) noexcept {
  return compiled_type && Py_TYPE(object) == compiled_type ? as_compiled(object)->function
                                                           : nullptr;
}

void bind_compile(nb::module_& m) {
  m.def("next_module_epoch", &raise_module_clock,
        "A number that no state of any module has had before.");
  bind_stance(m);
  m.def("ignore_reads", &set_ignored_reads, nb::arg("kinds"),
        "For tests: do not guard these kinds of reads.");
  m.def("reset_compiled", &reset_all, "Discard all compiled code of all functions.");
  m.def(
      "set_recompile_hook", [](const nb::object& hook) { set_recompile_hook(hook.ptr()); },
      nb::arg("hook").none());
  m.def(
      "register_backend",
      [](const std::string& name, const nb::object& function) {
        register_python_backend(name, function.ptr());
      },
      nb::arg("name"), nb::arg("function"));
}

}  // namespace opwright::python
