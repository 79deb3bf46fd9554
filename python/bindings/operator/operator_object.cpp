#include "bindings/operator/operator_object.h"

#include <map>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <structmember.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/python_type.h"
#include "bindings/operator/call.h"
#include "bindings/operator/foreign_call.h"
#include "bindings/operator/name_text.h"
#include "bindings/operator/operator_text.h"
#include "bindings/operator/schema.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/tag_name.h"
#include "opwright/schema/parser.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

PyTypeObject* operator_type = nullptr;

// Never freed: operator_object keeps one for each name.
struct OperatorObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  const BindingPlan* plan;  // of the operator that had the name at `epoch`
  uint64_t epoch;           // of the registry; 0: not looked up yet
  const std::string* name;
  OperatorName* parsed;
  PyObject* name_text;      // what `name` returns; null until then
  PyObject* documentation;  // a str, or null
  PyObject* dict;
  PyObject* weakrefs;
};

OperatorObject* as_operator(PyObject* object) { return reinterpret_cast<OperatorObject*>(object); }

void resolve_operator(OperatorObject* self) {
  const uint64_t epoch = registry_epoch();  // read first: the next call sees a concurrent change
  self->plan = &BindingPlan::of(Registry::get().require(*self->name));
  self->epoch = epoch;
}

[[gnu::cold, gnu::noinline]] PyObject* call_in_scope(PyObject* callable, PyObject* const* args,
                                                     size_t flags, PyObject* names) {
  const GivenArguments given{args, static_cast<size_t>(PyVectorcall_NARGS(flags)), names};
  if (PyObject* handler = find_scope_handler(given)) return call_foreign(handler, callable, given);
  return call_planned(*as_operator(callable)->plan, args, given.num_positional, names);
}

PyObject* operator_call(PyObject* callable, PyObject* const* args, size_t flags, PyObject* names) {
  OperatorObject* self = as_operator(callable);
  if (self->epoch != registry_epoch()) [[unlikely]] {
    if (!guarded([&] { return resolve_operator(self), true; })) return nullptr;
  }
  if (num_foreign_scopes != 0) [[unlikely]]
    return call_in_scope(callable, args, flags, names);
  return call_planned(*self->plan, args, static_cast<size_t>(PyVectorcall_NARGS(flags)), names);
}

const Operator* find_named(const OperatorObject* self) { return Registry::get().find(*self->name); }

PyObject* get_schema(PyObject* object, void* /*unused*/) {
  return guarded([&] { return schema_object(require_operator(object).schema()); });
}

PyObject* get_name_text(PyObject* object, void* /*unused*/) {
  return guarded([&] {
    OperatorObject* self = as_operator(object);
    if (!self->name_text) self->name_text = new_name_text(*self->name);
    return Py_NewRef(self->name_text);
  });
}

PyObject* get_itself(PyObject* object, void* /*unused*/) { return Py_NewRef(object); }

PyObject* get_packet_name(PyObject* object, void* /*unused*/) {
  return new_text(as_operator(object)->parsed->packet());
}

PyObject* get_tags(PyObject* object, void* /*unused*/) {
  return guarded([&] {
    const std::vector<std::string> names = tag_names(require_operator(object).tags());
    nb::list tags;
    for (const std::string& name : names) tags.append(name);
    return require(PyList_AsTuple(tags.ptr()));
  });
}

PyObject* get_site(PyObject* object, void* /*unused*/) {
  const Operator* op = find_named(as_operator(object));
  return new_text(op && op->site().is_known() ? op->site().text() : "");
}

PyObject* get_origin(PyObject* object, void* /*unused*/) {
  const Operator* op = find_named(as_operator(object));
  return new_text(op ? op->origin() : "");
}

PyObject* get_is_defined(PyObject* object, void* /*unused*/) {
  return PyBool_FromLong(find_named(as_operator(object)) != nullptr);
}

PyObject* get_implementations(PyObject* object, PyObject* /*unused*/) {
  return guarded([&] {
    nb::list found;
    for (const auto& [slot, site] : Registry::get().implementations(require_operator(object)))
      found.append(nb::make_tuple(slot_name(slot), site.text()));
    return found.release().ptr();
  });
}

PyObject* get_operator_doc(PyObject* object, void* /*unused*/) {
  return guarded([&] {
    const Operator* op = find_named(as_operator(object));
    return op ? new_text(document(*op)) : Py_NewRef(Py_None);
  });
}

// "add.Tensor", "exp.default"
std::string name_in_namespace(PyObject* object) {
  const OperatorName& name = *as_operator(object)->parsed;
  return name.base + "." + (name.overload.empty() ? "default" : name.overload);
}

PyObject* get_short_name(PyObject* object, void* /*unused*/) {
  return new_text(name_in_namespace(object));
}

// The path below `ops`, as PyTorch prints it: "aten.exp.default".
PyObject* print_operator(PyObject* object) {
  return new_text(as_operator(object)->parsed->name_space + "." + name_in_namespace(object));
}

PyObject* repr_operator(PyObject* object) {
  return PyUnicode_FromFormat("<operator %s>", as_operator(object)->name->c_str());
}

// Plain C functions: nanobind's cannot be pickled.
PyObject* require_named_operator(PyObject* /*module*/, PyObject* name) {
  return guarded([&] {
    const char* text = PyUnicode_AsUTF8(name);
    if (!text) throw_python_error();
    const std::string full = parse_operator_name(text).text();
    (void)Registry::get().require(full);
    return Py_NewRef(operator_object(full));
  });
}

PyMethodDef operator_functions[] = {
    {"require_operator", &require_named_operator, METH_O,
     "The operator with that name; the AttributeError suggests similar names."},
    {}};

PyObject* reduce_operator(PyObject* object, PyObject* /*unused*/) {
  return guarded([&] {
    return Py_BuildValue("N(N)", module_function("require_operator"),
                         new_text(*as_operator(object)->name));
  });
}

PyObject* get_documentation(PyObject* object, void* /*unused*/) {
  return guarded([&] { return new_text(documentation_of(object)); });
}

int set_documentation(PyObject* object, PyObject* text, void* /*unused*/) {
  OperatorObject* self = as_operator(object);
  if (text && !PyUnicode_Check(text)) {
    PyErr_SetString(PyExc_TypeError, "documentation must be a str");
    return -1;
  }
  Py_XSETREF(self->documentation, Py_XNewRef(text));
  return 0;
}

PyGetSetDef operator_properties[] = {
    {"name", &get_name_text, nullptr, "The full name, e.g. 'aten::add.Tensor'.", nullptr},
    {"_name", &get_name_text, nullptr, "The name under PyTorch's name.", nullptr},
    {"_qualname", &get_packet_name, nullptr, "The name without the overload, as in PyTorch.",
     nullptr},
    {"_opoverload", &get_itself, nullptr, "The operator, as PyTorch's custom operators have it.",
     nullptr},
    {"namespace", &get_part<OperatorObject, &OperatorName::name_space>, nullptr, "E.g. 'aten'.",
     nullptr},
    {"base", &get_part<OperatorObject, &OperatorName::base>, nullptr, "E.g. 'add'.", nullptr},
    {"overload", &get_part<OperatorObject, &OperatorName::overload>, nullptr,
     "E.g. 'Tensor'; empty for the default.", nullptr},
    {"schema", &get_schema, nullptr, "The arguments and results.", nullptr},
    {"_schema", &get_schema, nullptr, "The schema under PyTorch's name.", nullptr},
    {"tag_names", &get_tags, nullptr, "The names of the tags that have a meaning here.", nullptr},
    {"site", &get_site, nullptr, "Where it was defined: 'file:line'.", nullptr},
    {"origin", &get_origin, nullptr, "The operator binary that defined it, or ''.", nullptr},
    {"is_defined", &get_is_defined, nullptr, "False after it was removed.", nullptr},
    {"documentation", &get_documentation, &set_documentation,
     "The author's documentation; part of __doc__.", nullptr},
    {"__name__", &get_short_name, nullptr, nullptr, nullptr},
    {"__qualname__", &get_name<OperatorObject>, nullptr, nullptr, nullptr},
    {"__dict__", &PyObject_GenericGetDict, &PyObject_GenericSetDict, nullptr, nullptr},
    {}};
PyMethodDef operator_methods[] = {{"implementations", &get_implementations, METH_NOARGS,
                                   "The functions of its row: a list of (slot, 'file:line')."},
                                  {"__reduce__", &reduce_operator, METH_NOARGS, nullptr},
                                  {}};
PyMemberDef operator_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperatorObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(OperatorObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(OperatorObject, weakrefs), READONLY, nullptr},
    {}};
// Properties with these names would show on the type itself.
PyObject* operator_getattr(PyObject* object, PyObject* attribute) {
  if (PyUnicode_CompareWithASCIIString(attribute, "__doc__") == 0)
    return get_operator_doc(object, nullptr);
  if (PyUnicode_CompareWithASCIIString(attribute, "__module__") == 0)
    return get_module<OperatorObject>(object, nullptr);
  return PyObject_GenericGetAttr(object, attribute);
}

constexpr char kOperatorDoc[] =
    "One overload of an operator: a callable with its schema, tags and documentation.\n\n"
    ">>> import opwright as ow\n"
    ">>> ow.ops.aten.mm.default.name\n"
    "'aten::mm'\n";
PyType_Slot operator_slots[] = {{Py_tp_doc, const_cast<char*>(kOperatorDoc)},
                                {Py_tp_getattro, reinterpret_cast<void*>(operator_getattr)},
                                {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_repr, reinterpret_cast<void*>(repr_operator)},
                                {Py_tp_str, reinterpret_cast<void*>(print_operator)},
                                {Py_tp_getset, operator_properties},
                                {Py_tp_methods, operator_methods},
                                {Py_tp_members, operator_members},
                                {0, nullptr}};
PyType_Spec operator_spec = {
    "opwright.Operator", sizeof(OperatorObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    operator_slots};

}  // namespace

void add_operator_type(PyObject* module) {
  add_name_text_type(module);
  operator_type = add_type(module, operator_spec);
  require_no_error(PyModule_AddFunctions(module, operator_functions));
}

PyObject* operator_object(std::string_view given) {
  static auto* objects = new std::map<std::string, PyObject*, std::less<>>;
  const auto found = objects->find(given);
  if (found != objects->end()) return found->second;
  const OperatorName parsed = parse_operator_name(given);
  const std::string name = parsed.text();
  PyObject*& object = (*objects)[name];
  if (!object) {
    auto* self = PyObject_New(OperatorObject, operator_type);
    if (!self) throw_python_error();
    self->vectorcall = &operator_call;
    self->plan = nullptr;
    self->epoch = 0;
    self->name = new std::string(name);
    self->parsed = new OperatorName(parsed);
    self->name_text = nullptr;
    self->documentation = nullptr;
    self->dict = nullptr;
    self->weakrefs = nullptr;
    object = reinterpret_cast<PyObject*>(self);
  }
  return object;
}

bool is_operator(PyObject* object) noexcept { return Py_TYPE(object) == operator_type; }

const Operator& require_operator(PyObject* object) {
  return Registry::get().require(*as_operator(object)->name);
}

std::string documentation_of(PyObject* object) {
  PyObject* text = as_operator(object)->documentation;
  const char* characters = text ? PyUnicode_AsUTF8(text) : nullptr;
  return characters ? characters : "";
}

}  // namespace opwright::python
