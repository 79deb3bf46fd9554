#include "bindings/object/value.h"

#include <atomic>
#include <limits>
#include <string>
#include <unordered_map>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/generator.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/tape_object.h"
#include "bindings/object/tensor_object.h"
#include "opwright/autograd/operator_node.h"
#include "opwright/base/intern.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/schema/bind.h"
#include "opwright/symbolic/shape_env/user_question.h"

namespace opwright::python {
namespace {

GraphConversion graph_conversion;

// ---- Objects ----

struct CountedObject : OpwObject {
  std::atomic<uint32_t> count;
  PyObject* object;  // owned
};

void retain_held(OpwObject* object) {
  static_cast<CountedObject*>(object)->count.fetch_add(1, std::memory_order_relaxed);
}

void release_held(OpwObject* object) {
  auto* held = static_cast<CountedObject*>(object);
  if (held->count.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  drop_reference(held->object);
  delete held;
}

int equal_held(const OpwObject* a, const OpwObject* b) {
  const LockScope lock;
  PyObject* first = object_of(a);
  PyObject* second = object_of(b);
  if (!first || !second) return 0;
  const int equal = PyObject_RichCompareBool(first, second, Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal > 0 ? 1 : 0;
}

uint64_t hash_held(const OpwObject* object) {
  const LockScope lock;
  const Py_hash_t hash = PyObject_Hash(object_of(object));
  if (hash == -1) PyErr_Clear();
  return static_cast<uint64_t>(hash);
}

size_t text_held(const OpwObject* object, char* buffer, size_t capacity) {
  const LockScope lock;
  PyObject* text = PyObject_Repr(object_of(object));
  Py_ssize_t length = 0;
  const char* characters = text ? PyUnicode_AsUTF8AndSize(text, &length) : nullptr;
  if (!characters) PyErr_Clear();
  const size_t size = characters ? static_cast<size_t>(length) : 0;
  if (capacity > 0) {
    const size_t written = std::min(size, capacity - 1);
    if (written > 0) std::memcpy(buffer, characters, written);
    buffer[written] = '\0';
  }
  Py_XDECREF(text);
  return size;
}

OpwObjectTable table_named(const char* immortal_name) {
  return {.struct_size = sizeof(OpwObjectTable),
          .type_name = immortal_name,
          .retain = &retain_held,
          .release = &release_held,
          .equal = &equal_held,
          .hash = &hash_held,
          .text = &text_held};
}

// By class; under the GIL. Tables are immortal, and so are their classes.
std::unordered_map<PyTypeObject*, OpwObjectTable*>& opaque_tables() {
  static auto* tables = new std::unordered_map<PyTypeObject*, OpwObjectTable*>;
  return *tables;
}

// The table of objects of unregistered classes: the binder rejects them by their class's name.
const OpwObjectTable* table_of_class(PyTypeObject* type) {
  static auto* tables = new std::unordered_map<std::string, OpwObjectTable*>;
  std::string name = type->tp_name;
  // Through the attribute: builtin types of newer Pythons do not have their own dict.
  PyObject* module = PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__");
  const char* text = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : nullptr;
  PyErr_Clear();
  const bool is_shown = text && std::string_view(text) != "builtins" &&
                        std::string_view(text) != "__main__" && name.find('.') == std::string::npos;
  if (is_shown) name = concatenate(text, ".", name);
  Py_XDECREF(module);
  OpwObjectTable*& table = (*tables)[name];
  if (!table) table = new OpwObjectTable(table_named(intern(name)));
  return table;
}

// ---- Numbers ----

OpwValue int_value(PyObject* number) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0) {
    PyObject* text = require(PyObject_Repr(number));
    std::string shown = PyUnicode_AsUTF8(text);
    Py_DECREF(text);
    if (shown.size() > 40) shown = shown.substr(0, 37) + "...";
    throw_error("OverflowError", "the int ", shown, " does not fit into 64 bits");
  }
  if (value == -1 && PyErr_Occurred()) throw_python_error();
  return make_value(kOpwInt, value);
}

OpwValue string_value(PyObject* text) {
  Py_ssize_t length = 0;
  const char* characters = PyUnicode_AsUTF8AndSize(text, &length);
  if (!characters) throw_python_error();
  return ValueOf<std::string_view>::lend({characters, static_cast<size_t>(length)});
}

// Members of an enum.Enum represent their values.
bool is_enum_member(PyObject* object) {
  static PyObject* enum_class = require(  // kept permanently
      PyObject_GetAttrString(require(PyImport_ImportModule("enum")), "Enum"));
  return PyObject_IsInstance(object, enum_class) == 1;
}

bool is_numpy_scalar(PyObject* object) {
  return std::string_view(Py_TYPE(object)->tp_name).starts_with("numpy.") &&
         PyObject_HasAttrString(object, "dtype") && PyObject_HasAttrString(object, "item") &&
         !PySequence_Check(object);
}

// ---- To Python ----

template <class Element>
PyObject* list_to_python(uint32_t length, const Element& element) {
  nanobind::object list = nanobind::steal(require(PyList_New(length)));
  for (uint32_t i = 0; i < length; ++i) PyList_SET_ITEM(list.ptr(), i, require(element(i)));
  return list.release().ptr();
}

PyObject* word_to_python(OpwSymWord word) {
  if (!is_symbolic(word)) [[likely]]
    return PyLong_FromLongLong(word);
  return sym_int_to_python(SymInt::borrow(word));
}

PyObject* object_to_python(OpwObject* object) {
  if (OperatorNode* node = OperatorNode::find(object)) return wrap_borrowed_node(node);
  if (PyObject* held = object_of(object)) return Py_NewRef(held);
  OpwValue value{};
  value.tag = kOpwObject;
  value.as_object = object;
  if (is_graph(value)) return graph_conversion.to_object(graph_of(value));
  if (std::string_view(object->table->type_name) == "Generator")
    return to_python(Generator::borrow(object));
  throw_error("TypeError", "an object of type ", object->table->type_name,
              " cannot be shown to Python");
}

PyObject* value_to_python(const OpwValue& value) {
  switch (value.tag) {
    case kOpwNone:
      return Py_NewRef(Py_None);
    case kOpwTensor:
      return wrap_borrowed(value.as_tensor);
    case kOpwInt:
      return PyLong_FromLongLong(value.as_int);
    case kOpwSymInt:
      return word_to_python(value.as_int);
    case kOpwFloat:
      return PyFloat_FromDouble(value.as_double);
    case kOpwBool:
      return PyBool_FromLong(value.as_int != 0);
    case kOpwComplex:
      return PyComplex_FromDoubles(value.as_doubles[0], value.as_doubles[1]);
    case kOpwString:
      return PyUnicode_FromStringAndSize(value.as_string, value.length);
    case kOpwDtype:
      return to_python(static_cast<DType>(value.as_int));
    case kOpwDeviceValue:
      return to_python(Device(value.as_device));
    case kOpwLayout:
      return to_python(static_cast<Layout>(value.as_int));
    case kOpwMemoryFormat:
      return to_python(static_cast<MemoryFormat>(value.as_int));
    case kOpwIntList:
      return list_to_python(value.length,
                            [&](uint32_t i) { return PyLong_FromLongLong(value.as_ints[i]); });
    case kOpwSymIntList:
      return list_to_python(value.length,
                            [&](uint32_t i) { return word_to_python(value.as_ints[i]); });
    case kOpwFloatList:
      return list_to_python(value.length,
                            [&](uint32_t i) { return PyFloat_FromDouble(value.as_doubles[i]); });
    case kOpwBoolList:
      return list_to_python(value.length,
                            [&](uint32_t i) { return PyBool_FromLong(value.as_bytes[i]); });
    case kOpwTensorList:
      return list_to_python(value.length,
                            [&](uint32_t i) { return wrap_borrowed(value.as_tensors[i]); });
    case kOpwList:
      return list_to_python(value.length, [&](uint32_t i) {
        return value_to_python(static_cast<const OpwValue*>(value.as_values)[i]);
      });
    case kOpwObject:
      return object_to_python(value.as_object);
    default:
      throw_error("TypeError", "a value with the unknown tag ", value.tag);
  }
}

}  // namespace

void set_graph_conversion(GraphConversion conversion) noexcept { graph_conversion = conversion; }

ValueMemory::~ValueMemory() {
  for (OpwObject* object : objects_) object->table->release(object);
  for (PyObject* object : references_) Py_DECREF(object);
}

OpwValue ValueMemory::borrow(PyObject* object) {
  if (object == Py_None) return {};
  if (is_tensor(object)) {
    OpwValue value{};
    value.tag = kOpwTensor;
    value.as_tensor = tensor_of(object);
    return value;
  }
  if (PyBool_Check(object)) return make_value(kOpwBool, object == Py_True);
  if (PyLong_Check(object)) return int_value(object);
  if (PyFloat_Check(object)) return ValueOf<double>::lend(PyFloat_AS_DOUBLE(object));
  if (is_sym_int(object)) return make_value(kOpwSymInt, settled_word_of(object));
  if (is_sym_bool(object))  // the operator may branch on it: evaluated here
    return make_value(kOpwBool, guard_for_user(SymInt::borrow(sym_word_of(object))) ? 1 : 0);
  if (PyUnicode_Check(object)) return string_value(object);
  if (PyList_Check(object) || PyTuple_Check(object)) return borrow_sequence(object);
  if (Py_TYPE(object) == dtype_type)
    return make_value(kOpwDtype, static_cast<int64_t>(as_dtype(object)));
  if (Py_TYPE(object) == device_type) return ValueOf<Device>::lend(as_device(object));
  if (Py_TYPE(object) == memory_format_type)
    return make_value(kOpwMemoryFormat, static_cast<int64_t>(as_memory_format(object)));
  if (Py_TYPE(object) == layout_type) return make_value(kOpwLayout, 0);
  if (Py_TYPE(object) == generator_type) return ValueOf<Generator>::lend(as_generator(object));
  if (find_opaque_table(Py_TYPE(object))) return borrow_object(object);
  return borrow_number(object);
}

// Objects that are not plain numbers but represent one.
OpwValue ValueMemory::borrow_number(PyObject* object) {
  if (PyComplex_Check(object)) {
    double* parts = memory_.allocate<double>(2);
    parts[0] = PyComplex_RealAsDouble(object);
    parts[1] = PyComplex_ImagAsDouble(object);
    OpwValue value{};
    value.tag = kOpwComplex;
    value.length = 2;
    value.as_doubles = parts;
    return value;
  }
  if (is_enum_member(object)) {
    PyObject* value = require(PyObject_GetAttrString(object, "value"));
    references_.push_back(value);
    return borrow(value);
  }
  if (is_numpy_scalar(object)) {
    PyObject* item = require(PyObject_CallMethod(object, "item", nullptr));
    references_.push_back(item);
    if (Py_TYPE(item) != Py_TYPE(object)) return borrow(item);
  } else if (PyIndex_Check(object) && !PySequence_Check(object) && !PyMapping_Check(object)) {
    PyObject* index = require(PyNumber_Index(object));
    references_.push_back(index);
    return int_value(index);
  }
  return borrow_object(object);
}

OpwValue ValueMemory::borrow_sequence(PyObject* sequence) {
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence);
  OPWRIGHT_CHECK_KIND("OverflowError", size <= std::numeric_limits<uint32_t>::max(), "a list of ",
                      size, " elements is too long");
  auto* elements = memory_.allocate<OpwValue>(static_cast<size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    // __index__ of an element may have changed the list.
    OPWRIGHT_CHECK(i < PySequence_Fast_GET_SIZE(sequence), "a list changed while it was read");
    PyObject* element = Py_NewRef(PySequence_Fast_GET_ITEM(sequence, i));
    references_.push_back(element);
    elements[i] = borrow(element);
  }
  OpwValue value{};
  value.tag = kOpwList;
  value.length = static_cast<uint32_t>(size);
  value.as_values = elements;
  return value;
}

OpwValue ValueMemory::borrow_object(PyObject* object) {
  if (GraphPtr graph = graph_conversion.from_object(object)) {
    const OpwValue sub_graph = graph_value(std::move(graph)).give();
    objects_.push_back(sub_graph.as_object);
    return sub_graph;
  }
  const OpwObjectTable* table = find_opaque_table(Py_TYPE(object));
  OpwValue value{};
  value.tag = kOpwObject;
  value.as_object = new_object(object, table ? table : table_of_class(Py_TYPE(object)));
  objects_.push_back(value.as_object);
  return value;
}

PyObject* to_python(const OpwValue& value) noexcept {
  return guarded([&] { return value_to_python(value); });
}

PyObject* take_to_python(OpwValue value) noexcept {
  if (value.tag == kOpwTensor) [[likely]]
    return wrap(value.as_tensor);
  PyObject* object = to_python(value);
  release_value(value);
  return object;
}

OpwValue give_natural(PyObject* object) {
  ValueMemory memory;
  return copy_value(memory.borrow(object));
}

OpwValue give_result(PyObject* object, const Type& type, const std::string& who) {
  ValueMemory memory;
  const OpwValue natural = memory.borrow(object);
  CoercionMemory coerced_memory;
  Coercion coercion(coerced_memory, std::nullopt);
  OpwValue value{};
  if (coercion.run(type, natural, value) == Fit::No) {
    const Mismatch& mismatch = coercion.mismatch();
    if (mismatch.reason == Mismatch::Reason::Value)
      throw_error("ValueError", who, ": ", mismatch.text);
    std::string got = mismatch.element ? concatenate("element ", *mismatch.element, " is ",
                                                     describe_kind(mismatch.got))
                                       : concatenate("it returned ", describe_kind(mismatch.got));
    throw_error("TypeError", who, " must be ", type, ", but ", got);
  }
  return copy_value(value);
}

std::string class_name(PyObject* object) { return table_of_class(Py_TYPE(object))->type_name; }

OpwObject* new_object(PyObject* object, const OpwObjectTable* table) {
  auto* held = new CountedObject;
  held->table = table;
  held->count.store(1, std::memory_order_relaxed);
  held->object = Py_NewRef(object);
  return held;
}

PyObject* object_of(const OpwObject* object) noexcept {
  return object->table->release == &release_held ? static_cast<const CountedObject*>(object)->object
                                                 : nullptr;
}

void register_opaque_type(PyObject* python_class, const std::string& name) {
  OPWRIGHT_CHECK_TYPE(PyType_Check(python_class), "register_opaque_type: expected a class, got ",
                      class_name(python_class));
  auto* type = reinterpret_cast<PyTypeObject*>(python_class);
  const auto found = opaque_tables().find(type);
  if (found != opaque_tables().end()) {
    OPWRIGHT_CHECK_VALUE(found->second->type_name == name, "register_opaque_type: ", type->tp_name,
                         " is registered as ", found->second->type_name, " already");
    return;
  }
  Registry::get().add_opaque_type(name);
  Py_INCREF(python_class);  // kept alive as long as its table
  opaque_tables()[type] = new OpwObjectTable(table_named(intern(name)));
}

const OpwObjectTable* find_opaque_table(PyTypeObject* type) noexcept {
  const auto& tables = opaque_tables();
  if (tables.empty()) return nullptr;
  for (PyTypeObject* each = type; each; each = each->tp_base) {
    const auto found = tables.find(each);
    if (found != tables.end()) return found->second;
  }
  return nullptr;
}

}  // namespace opwright::python
