// What ReadObserver notes of a read: a key, an attribute, the class of an operand, the elements of
// a container.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

#include "bindings/compile/observed_name.h"
#include "bindings/compile/read_observer.h"
#include "bindings/compile/type_kind.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/pytree/object_guard.h"
#include "bindings/pytree/pytree.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

bool is_native_property(PyObject* on_class) {
  return on_class &&
         (Py_TYPE(on_class) == &PyGetSetDescr_Type || Py_TYPE(on_class) == &PyMemberDescr_Type);
}

// Whether a value belongs to an argument's leaves or to the context of its class, so that the
// guards of the arguments cover it.
bool is_guarded_part(PyObject* argument, PyObject* value) {
  const FlatTree flat = tree_flatten(argument);
  const auto is_leaf = [&](const nb::object& wanted) {
    return std::ranges::any_of(flat.leaves,
                               [&](const nb::object& leaf) { return leaf.is(wanted); });
  };
  if (std::ranges::all_of(tree_flatten(value).leaves, is_leaf)) return true;
  const nb::object& context = flat.spec.nodes()[0].children;
  if (!context.is_valid()) return false;
  if (is_same_value(value, context.ptr())) return true;
  PyObject* held = nullptr;
  for (Py_ssize_t at = 0;
       PyDict_Check(context.ptr()) && PyDict_Next(context.ptr(), &at, nullptr, &held);) {
    if (is_same_value(value, held)) return true;
  }
  for (Py_ssize_t i = 0; PyTuple_Check(context.ptr()) && i < PyTuple_GET_SIZE(context.ptr()); ++i) {
    if (is_same_value(value, PyTuple_GET_ITEM(context.ptr(), i))) return true;
  }
  return false;
}

// Whether an attribute tells how a tensor came about or where its data lie, which may differ for a
// tensor with the same sizes and strides.
bool reads_history(PyObject* tensor, std::string_view name) {
  static constexpr std::string_view kNames[] = {"_version",     "_base",     "_is_view",
                                                "retains_grad", "output_nr", "storage_offset"};
  if (std::ranges::find(kNames, name) != std::end(kNames)) return true;
  if (name != "grad_fn") return false;
  const nb::object node = nb::steal(PyObject_GetAttrString(tensor, "grad_fn"));
  PyErr_Clear();
  return node.is_valid() && !node.is_none();
}

bool is_namespace(PyObject* object) {
  return std::string_view(native_base(Py_TYPE(object))->tp_name) == "types.SimpleNamespace";
}

}  // namespace

ContentGuard::Kind ReadObserver::content_kind(TypeKind kind) {
  switch (kind) {
    case TypeKind::List:
      return ContentGuard::Kind::List;
    case TypeKind::Dict:
      return ContentGuard::Kind::Dict;
    case TypeKind::OrderedDict:
      return ContentGuard::Kind::OrderedDict;
    case TypeKind::Set:
      return ContentGuard::Kind::Set;
    default:
      return ContentGuard::Kind::Other;
  }
}

void ReadObserver::read_key(PyObject* dict, PyObject* key, const std::string& name) {
  if (!PyDict_Check(dict) || state_.reads(dict, key)) return;
  guards_for(dict).add_key(dict, key, name);
}

void ReadObserver::read_global(PyObject* globals, PyObject* builtins, PyObject* name) {
  if (!PyDict_CheckExact(globals)) return;
  const std::string text = "global " + observed_text(name);
  read_key(globals, name, text);
  if (PyDict_Contains(globals, name) != 1 && PyDict_CheckExact(builtins))
    read_key(builtins, name, text);
}

void ReadObserver::read_cell(PyObject* cell, const std::string& name) {
  if (!cell || !PyCell_Check(cell) || !is_old(cell) || state_.reads(cell, nullptr)) return;
  reads_.add_cell(cell, name);
}

// A class that the function creates is not guarded, but its bases are.
void ReadObserver::read_class_attribute(PyTypeObject* type, PyObject* name) {
  if (!is_open_class(type)) return;
  if (!is_old(reinterpret_cast<PyObject*>(type))) {
    PyObject* bases = type->tp_bases;
    for (Py_ssize_t i = 0; bases && i < PyTuple_GET_SIZE(bases); ++i)
      read_class_attribute(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i)), name);
    return;
  }
  reads_.add_class_attribute(type, name, concatenate(type->tp_name, ".", observed_text(name)));
  if (PyObject* found = _PyType_Lookup(type, name))
    read_special_methods(Py_TYPE(found));  // of a descriptor
}

void ReadObserver::read_special_methods(PyTypeObject* type) {
  if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) || special_types_.contains(type)) return;
  if (!is_open_class(type)) return;
  if (is_old(reinterpret_cast<PyObject*>(type))) {
    special_types_.insert(type);
    if (reads_.add_special_methods(type)) return;
    return end(concatenate("a special method of ", type->tp_name,
                           " keeps results (functools.lru_cache), which cannot be observed"));
  }
  PyObject* bases = type->tp_bases;
  for (Py_ssize_t i = 0; bases && i < PyTuple_GET_SIZE(bases); ++i)
    read_special_methods(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i)));
}

void ReadObserver::read_class(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) || is_tensor(object)) return;
  read_special_methods(type);
  if (is_open_class(type) && is_old(object) && !given_objects_.contains(object))
    reads_.add_class_of(object, name_of(object));
}

// A property in C, whose value a guard reads again.
void ReadObserver::read_native_property(PyObject* owner, PyObject* descriptor,
                                        const std::string& name) {
  if (reads_.add_slot(owner, descriptor, name)) return;
  end(concatenate("it reads ", name, ", which is a new object each time"));
}

// The dict of an object that existed before the run; Python may make it only now. Null: it has
// none.
nb::object ReadObserver::dict_of_old(PyObject* owner) {
  nb::object dict = nb::steal(PyObject_GenericGetDict(owner, nullptr));
  PyErr_Clear();
  if (dict.is_valid()) created_->remove(dict.ptr());
  return dict;
}

void ReadObserver::read_instance_attribute(PyObject* owner, PyObject* name) {
  PyTypeObject* type = Py_TYPE(owner);
  PyObject* on_class = _PyType_Lookup(type, name);
  read_special_methods(type);
  read_class_attribute(type, name);
  reads_.add_class_of(owner, name_of(owner));
  const std::string full = concatenate(observed_path(name_of(owner)), ".", observed_text(name));
  const bool is_native = is_native_property(on_class);
  // A property in Python: its code is observed, unless it is in C.
  if (!is_native && on_class && Py_TYPE(on_class)->tp_descr_set)
    return read_python_property(owner, on_class);
  nb::object dict;
  if (!is_native || observed_text(name) == "__dict__") dict = dict_of_old(owner);
  if (is_native) return read_native_property(owner, on_class, full);
  const bool is_given = given_objects_.contains(owner);
  if (dict.is_valid()) (is_given ? given_ : reads_).add_key(dict.ptr(), name, full);
  PyObject* own_value = dict.is_valid() ? PyDict_GetItemWithError(dict.ptr(), name) : nullptr;
  PyErr_Clear();
  if (is_given && own_value && !is_guarded_part(owner, own_value))
    return end(
        concatenate("it reads ", full, ", which the pytree of the argument does not contain"));
  if (!own_value && !on_class) read_fallback_attribute(owner, name, full);
}

void ReadObserver::read_python_property(PyObject* owner, PyObject* descriptor) {
  if (Py_TYPE(descriptor) != &PyProperty_Type) return;
  const nb::object getter = own(PyObject_GetAttrString(descriptor, "fget"));
  if (!getter.is_none() && !PyFunction_Check(getter.ptr()))
    note_call(getter.ptr(), {&owner, 1}, nullptr);
}

// What a class in Python does in C when an attribute is missing: class Config(dict) with
// __getattr__ = dict.__getitem__.
void ReadObserver::read_fallback_attribute(PyObject* owner, PyObject* name,
                                           const std::string& full) {
  PyObject* fallback = _PyType_Lookup(Py_TYPE(owner), nb::str("__getattr__").ptr());
  if (!fallback || PyFunction_Check(fallback) || !is_open_class(Py_TYPE(owner))) return;
  const bool is_of_dict = PyDict_Check(owner) && (Py_TYPE(fallback) == &PyMethodDescr_Type ||
                                                  Py_TYPE(fallback) == &PyWrapperDescr_Type);
  if (is_of_dict) return guards_for(owner).add_key(owner, name, full);
  end(concatenate("it reads ", full, " by a __getattr__ that is not written in Python"));
}

// Of a class: its own and its bases' attributes, then those of its metaclass.
void ReadObserver::read_attribute_of_class(PyObject* owner, PyObject* name) {
  auto* type = reinterpret_cast<PyTypeObject*>(owner);
  PyTypeObject* metaclass = Py_TYPE(owner);
  read_class_attribute(type, name);
  read_special_methods(metaclass);
  read_class_attribute(metaclass, name);
  if (!is_open_class(type) || !is_old(owner)) return;
  if (observed_text(name) == "__dict__")
    return reads_.add_contents(type->tp_dict, ContentGuard::Kind::Dict,
                               concatenate(type->tp_name, ".__dict__"));
  PyObject* on_metaclass = _PyType_Lookup(metaclass, name);
  if (is_native_property(on_metaclass))
    read_native_property(owner, on_metaclass, concatenate(type->tp_name, ".", observed_text(name)));
}

// Of an object of an unknown class in C: only what its own dict holds can be guarded.
void ReadObserver::read_attribute_of_unknown(PyObject* owner, PyObject* name) {
  PyTypeObject* type = Py_TYPE(owner);
  PyObject* on_class = _PyType_Lookup(type, name);
  const bool is_native_state = on_class && Py_TYPE(on_class)->tp_descr_set &&
                               !is_open_class(Py_TYPE(on_class)) &&
                               Py_TYPE(on_class) != &PyProperty_Type;
  // A weak proxy, or the attributes of a thread.
  const bool is_native_lookup = native_base(type)->tp_getattro != &PyObject_GenericGetAttr;
  if (is_native_state || is_native_lookup)
    return end(concatenate("it reads ", observed_path(name_of(owner)), ".", observed_text(name),
                           " (", type->tp_name, "), whose state cannot be guarded"));
  read_instance_attribute(owner, name);
}

void ReadObserver::read_attribute(PyObject* owner, PyObject* name, bool is_write) {
  if (is_tensor(owner)) {
    PyObject** dict = _PyObject_GetDictPtr(owner);
    const bool is_own = dict && *dict && PyDict_Contains(*dict, name) == 1;
    if (is_own || (is_write && !_PyType_Lookup(Py_TYPE(owner), name)))
      end(concatenate("it ", is_write ? "sets" : "reads", " the attribute '", observed_text(name),
                      "' of a tensor, which a graph does not keep"));
    else if (!is_write && reads_history(owner, observed_text(name)))
      end(concatenate("it reads '", observed_text(name), "' of a tensor, which is not guarded"));
    return;
  }
  if (Py_TYPE(owner) == &PySuper_Type) {
    const nb::object type = own(PyObject_GetAttrString(owner, "__thisclass__"));
    const nb::object self = own(PyObject_GetAttrString(owner, "__self__"));
    return read_super_attribute(type.ptr(), self.ptr(), name);
  }
  if (PyCell_Check(owner)) return read_cell(owner, name_of(owner));
  if (PyWeakref_CheckProxy(owner) && is_old(owner)) return end("it reads a weak reference");
  if (PyMethod_Check(owner)) return read_attribute(PyMethod_GET_FUNCTION(owner), name, is_write);
  if (!is_old(owner)) {  // but its class existed before
    if (PyType_Check(owner)) return read_attribute_of_class(owner, name);
    read_special_methods(Py_TYPE(owner));
    return read_class_attribute(Py_TYPE(owner), name);
  }
  const std::string full = concatenate(observed_path(name_of(owner)), ".", observed_text(name));
  if (is_write) note_line(full);
  switch (kind_of(Py_TYPE(owner))) {
    case TypeKind::Module: {
      const char* module = PyModule_GetName(owner);
      if (!module) PyErr_Clear();
      const std::string_view text = module ? module : "";
      const bool is_package = text == "opwright" || text.starts_with("opwright.");
      PyObject* dict = PyModule_GetDict(owner);
      const bool exists = PyDict_Contains(dict, name) == 1;
      if (is_package && !exists) return;  // set when it is first used
      read_key(dict, name, full);
      if (!exists) read_key(dict, nb::str("__getattr__").ptr(), full);
      return;
    }
    case TypeKind::Class:
      return read_attribute_of_class(owner, name);
    case TypeKind::Buffer:
      return read_contents(owner);
    case TypeKind::Package:
      return;
    case TypeKind::Instance:
      if (is_nn_module(owner)) state_.watch_module(owner, name_of(owner));
      return read_instance_attribute(owner, name);
    case TypeKind::Constant:
      if (!PyType_HasFeature(Py_TYPE(owner), Py_TPFLAGS_HEAPTYPE)) return;
      return read_instance_attribute(owner, name);
    case TypeKind::Unknown:
      return read_attribute_of_unknown(owner, name);
    default:
      return read_instance_attribute(owner, name);
  }
}

// Of super(type, self): each class after `type` decides what it finds.
void ReadObserver::read_super_attribute(PyObject* type, PyObject* self, PyObject* name) {
  PyTypeObject* of_self = Py_TYPE(self);
  if (PyType_Check(self) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(self),
                                             reinterpret_cast<PyTypeObject*>(type)))
    of_self = reinterpret_cast<PyTypeObject*>(self);
  PyObject* classes = of_self->tp_mro;
  bool is_after = false;
  for (Py_ssize_t i = 0; classes && i < PyTuple_GET_SIZE(classes); ++i) {
    PyObject* each = PyTuple_GET_ITEM(classes, i);
    if (is_after) read_class_attribute(reinterpret_cast<PyTypeObject*>(each), name);
    is_after = is_after || each == type;
  }
}

void ReadObserver::read_all_attributes(PyObject* owner) {
  if (PyType_Check(owner)) return read_attribute_of_class(owner, nb::str("__dict__").ptr());
  read_class(owner);
  if (!is_old(owner)) return;
  PyObject* classes = Py_TYPE(owner)->tp_mro;
  for (Py_ssize_t i = 0; classes && i < PyTuple_GET_SIZE(classes); ++i) {
    auto* type = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(classes, i));
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    for (Py_ssize_t at = 0; is_open_class(type) && PyDict_Next(type->tp_dict, &at, &name, &value);)
      if (Py_TYPE(value) == &PyMemberDescr_Type) read_attribute(owner, name, false);
  }
  const nb::object dict = dict_of_old(owner);
  if (dict.is_valid())
    guards_for(owner).add_contents(dict.ptr(), ContentGuard::Kind::Dict,
                                   name_of(owner) + ".__dict__");
}

void ReadObserver::read_contents(PyObject* object) {
  const TypeKind kind = kind_of(Py_TYPE(object));
  if (kind == TypeKind::Instance && is_nn_module(object) && is_old(object))
    return state_.watch_module(object, name_of(object));
  if (kind == TypeKind::Constant || kind == TypeKind::Package) return;
  read_class(object);
  if (!is_old(object)) return;
  switch (kind) {
    case TypeKind::List:
    case TypeKind::Dict:
    case TypeKind::Set:
    case TypeKind::OrderedDict:
    case TypeKind::Sequence:
      note_line(name_of(object));
      guards_for(object).add_contents(object, content_kind(kind), name_of(object));
      return;
    case TypeKind::Buffer:
      if (reads_.add_buffer(object, name_of(object))) return;
      return end(concatenate("it reads ", name_of(object), " (a large ", Py_TYPE(object)->tp_name,
                             "), whose data a graph can neither take nor watch"));
    case TypeKind::Iterator:
      return end(concatenate("it reads from ", name_of(object), " (", Py_TYPE(object)->tp_name,
                             "), an iterator that lives outside of the function"));
    case TypeKind::Unknown:
      return end(concatenate("it reads ", name_of(object), " (", Py_TYPE(object)->tp_name,
                             "), whose state cannot be guarded"));
    default:
      return;
  }
}

void ReadObserver::read_deep(PyObject* object, int depth) {
  constexpr int kMostDepth = 16;
  constexpr size_t kMostContainers = 100'000;
  const TypeKind kind = kind_of(Py_TYPE(object));
  if (is_container(kind)) {
    read_contents(object);
    if (!is_active_) return;
    if (depth == kMostDepth || ++num_deep_ > kMostContainers)
      return end(concatenate("it passes on ", name_of(object), ", which holds too much to guard"));
    const nb::object elements = PyDict_Check(object)
                                    ? ContentGuard::read(object, ContentGuard::Kind::Dict)
                                    : ContentGuard::read(object, content_kind(kind));
    const Py_ssize_t step = PyDict_Check(object) ? 2 : 1;
    for (Py_ssize_t i = 0; elements.is_valid() && i < PyTuple_GET_SIZE(elements.ptr()); ++i) {
      PyObject* element = PyTuple_GET_ITEM(elements.ptr(), i);
      const TypeKind inner = kind_of(Py_TYPE(element));
      if (inner == TypeKind::Instance && !is_namespace(element)) {
        read_special_methods(Py_TYPE(element));
        continue;
      }
      if (!is_container(inner) && inner != TypeKind::Buffer && inner != TypeKind::Instance)
        continue;
      PyObject* key = step == 2 && i % 2 == 1 ? PyTuple_GET_ITEM(elements.ptr(), i - 1) : nullptr;
      const std::string which = key ? key_text(key) : concatenate(i / step);
      give_name(element, concatenate(observed_path(name_of(object)), "[", which, "]"));
      read_deep(element, depth + 1);
      if (!is_active_) return;
    }
    return;
  }
  read_contents(object);
  if (kind != TypeKind::Instance || !is_active_ || !is_old(object)) return;
  if (is_namespace(object)) {  // C functions compare and print it
    read_all_attributes(object);
    const nb::object dict = dict_of_old(object);
    if (dict.is_valid() && depth < kMostDepth) read_deep(dict.ptr(), depth + 1);
  } else if (PyExceptionInstance_Check(object)) {
    read_attribute(object, nb::str("args").ptr(), false);
  }
}

}  // namespace opwright::python
