#include "bindings/pytree/object_guard.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/size_object.h"
#include "bindings/object/value.h"
#include "bindings/pytree/pytree.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

bool is_container(const TreeSpec& spec) {
  const TreeKind kind = spec.nodes()[0].kind;
  return kind != TreeKind::Leaf && kind != TreeKind::None;
}

bool are_equal_floats(PyObject* a, PyObject* b) {
  const double left = PyFloat_AS_DOUBLE(a);
  const double right = PyFloat_AS_DOUBLE(b);
  return std::memcmp(&left, &right, sizeof left) == 0;  // NaN equals itself, and -0.0 is not 0.0
}

}  // namespace

bool is_compared_by_value(PyObject* object) {
  if (PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyUnicode_CheckExact(object) ||
      PyBool_Check(object) || PyComplex_CheckExact(object) || PyBytes_CheckExact(object) ||
      object == Py_None || object == Py_Ellipsis)
    return true;
  PyTypeObject* type = Py_TYPE(object);
  return type == dtype_type || type == device_type || type == memory_format_type ||
         type == layout_type || type == &PySlice_Type;
}

bool is_plain_value(PyObject* object) {
  if (!PyTuple_CheckExact(object)) return is_compared_by_value(object) && !PySlice_Check(object);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
    if (!is_plain_value(PyTuple_GET_ITEM(object, i))) return false;
  }
  return true;
}

bool is_tree_node(PyObject* object) { return is_container(tree_flatten(object).spec); }

bool is_same_value(PyObject* now, PyObject* held) {
  if (now == held) return true;
  if (Py_TYPE(now) != Py_TYPE(held)) return false;
  if (PyTuple_CheckExact(held)) {
    const Py_ssize_t size = PyTuple_GET_SIZE(held);
    if (PyTuple_GET_SIZE(now) != size) return false;
    for (Py_ssize_t i = 0; i < size; ++i) {
      if (!is_same_value(PyTuple_GET_ITEM(now, i), PyTuple_GET_ITEM(held, i))) return false;
    }
    return true;
  }
  if (!is_compared_by_value(held)) return false;
  if (PyFloat_CheckExact(held)) return are_equal_floats(now, held);
  const int is_equal = PyObject_RichCompareBool(now, held, Py_EQ);
  if (is_equal < 0) PyErr_Clear();
  return is_equal > 0;
}

std::string value_text(PyObject* object) {
  PyObject* repr = PyObject_Repr(object);
  const char* text = repr ? PyUnicode_AsUTF8(repr) : nullptr;
  std::string result = text ? text : "?";
  Py_XDECREF(repr);
  PyErr_Clear();
  if (result.size() > 100) result = result.substr(0, 97) + "...";
  return result;
}

std::string key_text(PyObject* key) {
  bool is_plain = is_plain_value(key);
  if (PySlice_Check(key)) {
    const auto* slice = reinterpret_cast<PySliceObject*>(key);
    is_plain =
        is_plain_value(slice->start) && is_plain_value(slice->stop) && is_plain_value(slice->step);
  }
  return is_plain ? value_text(key) : concatenate("a ", Py_TYPE(key)->tp_name);
}

uint32_t GuardedTensors::place_of(PyObject* tensor, const std::string& name, bool& is_new) {
  const TensorImpl* wanted = tensor_of(tensor);
  for (size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].tensor.get() != wanted) continue;
    is_new = false;
    return static_cast<uint32_t>(i);
  }
  is_new = true;
  all_.push_back({handle_of(tensor), name});
  return static_cast<uint32_t>(all_.size() - 1);
}

ObjectGuard::ObjectGuard(PyObject* object, const std::string& name, GuardedTensors& tensors,
                         Look look)
    : name_(name) {
  if (is_tensor(object)) {
    bool is_new = false;
    place_ = tensors.place_of(object, name, is_new);
    kind_ = is_new ? Kind::Tensor : Kind::Repeat;
    type_ = Py_TYPE(object);
    keep_ = nb::borrow(reinterpret_cast<PyObject*>(type_));
    return;
  }
  keep_ = nb::borrow(object);
  object_ = object;
  type_ = Py_TYPE(object);
  if (is_compared_by_value(object)) {
    kind_ = Kind::Equal;
    return;
  }
  if (look == Look::All && PyObject_CheckBuffer(object)) {  // arrays, whose data may change
    tensors.note_unfit(concatenate("the argument '", name, "' is a ", class_name(object),
                                   ", whose data a graph can neither take nor watch"));
    kind_ = Kind::Class;
    keep_ = nb::borrow(reinterpret_cast<PyObject*>(type_));
    object_ = nullptr;
    return;
  }
  if (look == Look::Tuples && !is_plain_tuple(object)) return;
  FlatTree flat = tree_flatten(object);
  if (!is_container(flat.spec)) return;
  kind_ = Kind::Tree;
  tree_ = std::make_unique<Tree>(Tree{.spec = flat.spec, .leaves = {}});
  tree_->leaves.reserve(flat.leaves.size());
  for (size_t i = 0; i < flat.leaves.size(); ++i)
    tree_->leaves.emplace_back(flat.leaves[i].ptr(), flat.spec.leaf_path(i, name), tensors);
  object_ = nullptr;  // the contents are guarded instead
  keep_ = nb::object();
}

bool ObjectGuard::check_tree(PyObject* object, OpwValue* values) const {
  try {
    const FlatTree flat = tree_flatten(object);
    if (!(flat.spec == tree_->spec)) return false;
    for (size_t i = 0; i < flat.leaves.size(); ++i) {
      if (!tree_->leaves[i].check(flat.leaves[i].ptr(), values)) return false;
    }
    return true;
  } catch (...) {  // the capture reports the error
    PyErr_Clear();
    return false;
  }
}

bool ObjectGuard::check_slow(PyObject* object, OpwValue* values) const {
  switch (kind_) {
    case Kind::Repeat:
      return Py_TYPE(object) == type_ && tensor_of(object) == values[place_].as_tensor;
    case Kind::Equal:
      return is_same_value(object, object_);
    case Kind::Class:
      return Py_TYPE(object) == type_;
    case Kind::Tree:
      return check_tree(object, values);
    default:
      return false;
  }
}

std::string ObjectGuard::describe_difference(PyObject* object) const {
  switch (kind_) {
    case Kind::Tensor:
    case Kind::Repeat:
      if (Py_TYPE(object) != type_) {
        return concatenate(name_, " is of class ", class_name(object), ", it was a ",
                           type_->tp_name);
      }
      return concatenate(name_, " is another tensor than before");
    case Kind::Equal:
      return concatenate(name_, " is ", value_text(object), ", it was ", value_text(object_));
    case Kind::Tree:
      return concatenate(name_, " has another structure or holds other values, ",
                         tree_->spec.text(), " was expected");
    default:
      return concatenate(name_, " is another object of class ", class_name(object));
  }
}

std::string ObjectGuard::text() const {
  switch (kind_) {
    case Kind::Equal:
      return concatenate(name_, " == ", value_text(object_));
    case Kind::Same:
      return concatenate(name_, " is this ", type_->tp_name);
    case Kind::Class:
      return concatenate(name_, " is a ", type_->tp_name);
    case Kind::Repeat:
      return concatenate(name_, " is the tensor of place ", place_);
    case Kind::Tree: {
      std::string text = concatenate(name_, " has the structure ", tree_->spec.text());
      for (const ObjectGuard& leaf : tree_->leaves) {
        const std::string own = leaf.text();
        if (!own.empty()) text += "\n" + own;
      }
      return text;
    }
    default:
      return "";
  }
}

int ObjectGuard::traverse(visitproc visit, void* arg) const {
  Py_VISIT(keep_.ptr());
  if (!tree_) return 0;
  for (const ObjectGuard& leaf : tree_->leaves) {
    if (const int stop = leaf.traverse(visit, arg)) return stop;
  }
  return 0;
}

}  // namespace opwright::python
