// Helpers for methods and functions over the C API: method table entries, owned references,
// argument parsing, and tensors borrowed from their Python objects.
#pragma once

#include <type_traits>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/tensor_object.h"
#include "opwright/tensor.h"

namespace opwright::python {

// A new reference that drops itself; throws the exception if null.
inline nanobind::object own(PyObject* owned) { return nanobind::steal(require(owned)); }
inline nanobind::object share(PyObject* borrowed) { return nanobind::borrow(borrowed); }
// Releases ownership of the reference: `return give(own(...));`
inline PyObject* give(nanobind::object object) noexcept { return object.release().ptr(); }

// A function with any of the C API's signatures, in the form that tables hold.
template <class Function>
  requires std::is_function_v<Function>
PyCFunction as_method(Function* function) noexcept {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}
template <class Function>
  requires std::is_function_v<Function>
void* as_slot(Function* function) noexcept {
  return reinterpret_cast<void*>(function);
}
// A property without a setter.
inline PyGetSetDef read_only(const char* name, getter get, const char* doc) {
  return {name, get, nullptr, doc, nullptr};
}
inline constexpr int kKeywords = METH_VARARGS | METH_KEYWORDS;

// PyArg_ParseTupleAndKeywords; `names` ends with null.
template <class... Targets>
void parse_arguments(PyObject* args, PyObject* kwargs, const char* format, const char* const* names,
                     Targets*... targets) {
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, const_cast<char**>(names), targets...))
    throw_python_error();
}

inline PyObject* not_implemented() noexcept { return Py_NewRef(Py_NotImplemented); }
inline nanobind::object dict_of(PyObject* object) {
  return own(PyObject_GetAttrString(object, "__dict__"));
}

inline bool is_given(PyObject* argument) noexcept { return argument && argument != Py_None; }

// The tensor of a Tensor that the caller keeps alive, without its own count.
class LentTensor {
 public:
  explicit LentTensor(PyObject* object) noexcept : tensor_(Tensor::take(tensor_of(object))) {}
  ~LentTensor() { (void)tensor_.give(); }
  LentTensor(const LentTensor&) = delete;
  LentTensor& operator=(const LentTensor&) = delete;

  const Tensor& operator*() const noexcept { return tensor_; }
  const Tensor* operator->() const noexcept { return &tensor_; }

 private:
  Tensor tensor_;
};

}  // namespace opwright::python
