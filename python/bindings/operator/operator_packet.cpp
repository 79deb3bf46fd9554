#include "bindings/operator/operator_packet.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <structmember.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/python_type.h"
#include "bindings/operator/call.h"
#include "bindings/operator/call_forms.h"
#include "bindings/operator/foreign_call.h"
#include "bindings/operator/named_results.h"
#include "bindings/operator/operator_object.h"
#include "bindings/operator/operator_text.h"
#include "opwright/dispatch/registry.h"
#include "opwright/schema/parser.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

PyTypeObject* packet_type = nullptr;
PyTypeObject* method_type = nullptr;

struct PacketObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  std::vector<const BindingPlan*>* overloads;
  uint64_t epoch;
  const std::string* name;
  OperatorName* parsed;
  Py_ssize_t num_named;  // of results that a call returns as a named tuple; 0: none
  PacketUse use;
  PyObject* known;  // a dict of the overloads that were asked for by name, as of known_epoch
  uint64_t known_epoch;
  PyObject* weakrefs;
};

PacketObject* as_packet(PyObject* object) { return reinterpret_cast<PacketObject*>(object); }

void resolve_packet(PacketObject* self) {
  const uint64_t epoch = registry_epoch();
  std::vector<const BindingPlan*> overloads;
  for (const Operator* op : Registry::get().overloads(*self->name))
    overloads.push_back(&BindingPlan::of(*op));
  if (overloads.empty()) (void)Registry::get().require(*self->name);  // raises
  if (self->use != PacketUse::Operators)
    self->num_named = static_cast<Py_ssize_t>(result_names(overloads).size());
  *self->overloads = std::move(overloads);
  self->epoch = epoch;
}

PyObject* packet_call(PyObject* callable, PyObject* const* args, size_t flags, PyObject* names) {
  PacketObject* self = as_packet(callable);
  if (self->epoch != registry_epoch()) [[unlikely]] {
    if (!guarded([&] { return resolve_packet(self), true; })) return nullptr;
  }
  const GivenArguments given{args, static_cast<size_t>(PyVectorcall_NARGS(flags)), names};
  if (num_foreign_scopes != 0) [[unlikely]] {
    if (PyObject* handler = find_scope_handler(given))
      return call_foreign(handler, callable, given);
  }
  PyObject* result = nullptr;
  if (!run_exact(*self->overloads, given, result)) [[unlikely]] {
    if (PyObject* handler = type_handler(given)) return call_foreign(handler, callable, given);
    // A copy: the call may register operators.
    const std::vector<const BindingPlan*> overloads = *self->overloads;
    result = guarded([&] {
      return self->use == PacketUse::Operators ? call_with_numbers(overloads, given)
                                               : call_in_any_form(overloads, given);
    });
  }
  if (self->use == PacketUse::Operators || !result) return result;
  if (self->num_named != 0 && PyTuple_CheckExact(result) &&
      PyTuple_GET_SIZE(result) == self->num_named)
    return name_results(result, self->parsed->base);
  if (!PyList_CheckExact(result)) [[likely]]
    return result;
  PyObject* tuple = PyList_AsTuple(result);  // lists of tensors, as in PyTorch
  Py_DECREF(result);
  return tuple;
}

PyObject* get_packet_doc(PyObject* object, void* /*unused*/) {
  return guarded([&] {
    std::string text;
    for (const Operator* op : Registry::get().overloads(*as_packet(object)->name))
      text += (text.empty() ? "" : "\n\n") + document(*op);
    return new_text(text);
  });
}

PyObject* repr_packet(PyObject* object) {
  const PacketObject* self = as_packet(object);
  if (self->use == PacketUse::Operators)
    return PyUnicode_FromFormat("<operators %s>", self->name->c_str());
  return PyUnicode_FromFormat(
      self->use == PacketUse::Method ? "<method Tensor.%s>" : "<function opwright.%s>",
      self->parsed->base.c_str());
}

PyObject* require_named_packet(PyObject* /*module*/, PyObject* name) {
  return guarded([&] {
    const char* text = PyUnicode_AsUTF8(name);
    if (!text) throw_python_error();
    if (Registry::get().overloads(text).empty()) (void)Registry::get().require(text);
    return Py_NewRef(packet_object(text));
  });
}

PyMethodDef packet_functions[] = {
    {"require_packet", &require_named_packet, METH_O, "All overloads of a name."}, {}};

PyObject* reduce_packet(PyObject* object, PyObject* /*unused*/) {
  return guarded([&] {
    return Py_BuildValue("N(N)", module_function("require_packet"),
                         new_text(*as_packet(object)->name));
  });
}

std::string overload_name(const Operator& op) {
  const std::string& overload = op.schema().name.overload;
  return overload.empty() ? "default" : overload;
}

PyObject* packet_overloads(PyObject* object, PyObject* /*unused*/) {
  return guarded([&] {
    nb::list names;
    for (const Operator* op : Registry::get().overloads(*as_packet(object)->name))
      names.append(overload_name(*op));
    return names.release().ptr();
  });
}

PyObject* packet_dir(PyObject* object, PyObject* /*unused*/) {
  return guarded([&] {
    nb::list names =
        nb::steal<nb::list>(require(PyObject_Dir(reinterpret_cast<PyObject*>(packet_type))));
    const nb::object overloads = nb::steal(require(packet_overloads(object, nullptr)));
    names.extend(overloads);
    return names.release().ptr();
  });
}

// Null if it is not known, since the registry searches all operators for the overloads of a name.
PyObject* known_overload(PacketObject* self, PyObject* attribute) {
  const uint64_t epoch = registry_epoch();
  if (self->known_epoch == epoch) [[likely]]
    return PyDict_GetItemWithError(self->known, attribute);
  PyDict_Clear(self->known);
  self->known_epoch = epoch;
  return nullptr;
}

// Attributes of the type first, then overloads. Properties called __doc__ and __module__ would show
// on the type itself.
PyObject* packet_getattr(PyObject* object, PyObject* attribute) {
  if (PyObject* overload = known_overload(as_packet(object), attribute)) return Py_NewRef(overload);
  if (PyUnicode_CompareWithASCIIString(attribute, "__doc__") == 0)
    return get_packet_doc(object, nullptr);
  if (PyUnicode_CompareWithASCIIString(attribute, "__module__") == 0)
    return get_module<PacketObject>(object, nullptr);
  PyObject* found = PyObject_GenericGetAttr(object, attribute);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  const char* wanted = PyUnicode_AsUTF8(attribute);
  if (!wanted || wanted[0] == '_') return nullptr;
  PyErr_Clear();
  return guarded([&] {
    const PacketObject* self = as_packet(object);
    std::vector<std::string> names;
    for (const Operator* op : Registry::get().overloads(*self->name)) {
      if (overload_name(*op) == wanted) {
        PyObject* overload = operator_object(op->name());
        if (PyDict_SetItem(self->known, attribute, overload) < 0) throw_python_error();
        return Py_NewRef(overload);
      }
      names.push_back(overload_name(*op));
    }
    std::string text = concatenate(*self->name, " has no overload '", wanted, "'; it has: ");
    for (size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : ", ") + names[i];
    throw Error("AttributeError", text);
  });
}

PyObject* bind_packet_method(PyObject* packet, PyObject* instance, PyObject* /*owner*/) {
  return instance ? PyMethod_New(packet, instance) : Py_NewRef(packet);
}

PyGetSetDef packet_properties[] = {
    {"name", &get_name<PacketObject>, nullptr, "The name of all overloads, e.g. 'aten::add'.",
     nullptr},
    {"namespace", &get_part<PacketObject, &OperatorName::name_space>, nullptr, "E.g. 'aten'.",
     nullptr},
    {"base", &get_part<PacketObject, &OperatorName::base>, nullptr, "E.g. 'add'.", nullptr},
    {"__name__", &get_part<PacketObject, &OperatorName::base>, nullptr, nullptr, nullptr},
    {"__qualname__", &get_name<PacketObject>, nullptr, nullptr, nullptr},
    {}};
PyMethodDef packet_methods[] = {
    {"overloads", &packet_overloads, METH_NOARGS, "The names of the overloads."},
    {"__dir__", &packet_dir, METH_NOARGS, nullptr},
    {"__reduce__", &reduce_packet, METH_NOARGS, nullptr},
    {}};
PyMemberDef packet_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PacketObject, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PacketObject, weakrefs), READONLY, nullptr},
    {}};
constexpr char kPacketDoc[] =
    "All overloads of an operator: a call chooses one of them.\n\n"
    ">>> import opwright as ow\n"
    ">>> ow.ops.aten.sum.overloads()\n"
    "['default', 'dim_IntList', 'IntList_out']\n";
PyType_Slot packet_slots[] = {{Py_tp_doc, const_cast<char*>(kPacketDoc)},
                              {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                              {Py_tp_repr, reinterpret_cast<void*>(repr_packet)},
                              {Py_tp_getattro, reinterpret_cast<void*>(packet_getattr)},
                              {Py_tp_getset, packet_properties},
                              {Py_tp_methods, packet_methods},
                              {Py_tp_members, packet_members},
                              {0, nullptr}};
PyType_Spec packet_spec = {
    "opwright.OperatorPacket", sizeof(PacketObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    packet_slots};
// A separate type: operators held by a user's class must not bind to its instances.
PyType_Slot method_slots[std::size(packet_slots) + 1];  // those, and bind_method
PyType_Spec method_spec = {"opwright.OperatorMethod", sizeof(PacketObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                               Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           method_slots};

}  // namespace

void add_packet_types(PyObject* module) {
  packet_type = add_type(module, packet_spec);
  method_slots[0] = {Py_tp_descr_get, reinterpret_cast<void*>(bind_packet_method)};
  std::copy(std::begin(packet_slots), std::end(packet_slots), method_slots + 1);
  method_type = add_type(module, method_spec);
  require_no_error(PyModule_AddFunctions(module, packet_functions));
  add_named_results(module);
}

PyObject* packet_object(std::string_view name, PacketUse use) {
  static auto* objects = new std::map<std::pair<std::string, PacketUse>, PyObject*>;
  PyObject*& object = (*objects)[{std::string(name), use}];
  if (!object) {
    auto* self = PyObject_New(PacketObject, use == PacketUse::Method ? method_type : packet_type);
    if (!self) throw_python_error();
    self->vectorcall = &packet_call;
    self->overloads = new std::vector<const BindingPlan*>;
    self->epoch = 0;
    self->num_named = 0;
    self->name = new std::string(name);
    self->parsed = new OperatorName(parse_operator_name(name));
    self->use = use;
    self->known = require(PyDict_New());
    self->known_epoch = 0;
    self->weakrefs = nullptr;
    object = reinterpret_cast<PyObject*>(self);
  }
  return object;
}

namespace {

// By the address of the name, which is a literal: packets are permanent.
PyObject* packet_of_literal(std::string_view name) {
  struct Entry {
    const char* name;
    PyObject* packet;
  };
  static Entry entries[256];  // under the GIL
  Entry& entry = entries[reinterpret_cast<uintptr_t>(name.data()) / 4 % std::size(entries)];
  if (entry.name != name.data()) [[unlikely]]
    entry = {name.data(), packet_object(name)};
  return entry.packet;
}

}  // namespace

PyObject* call_packet(std::string_view name, std::initializer_list<PyObject*> args) noexcept {
  return guarded(
      [&] { return packet_call(packet_of_literal(name), args.begin(), args.size(), nullptr); });
}

}  // namespace opwright::python
