// A reference that any thread may drop.
#pragma once

#include <Python.h>

#include "bindings/interpreter/lock.h"

namespace opwright::python {

class HeldObject {
 public:
  explicit HeldObject(PyObject* borrowed) : object_(Py_NewRef(borrowed)) {}
  HeldObject(const HeldObject& other) : object_(other.object_) {
    const LockScope lock;
    Py_INCREF(object_);
  }
  HeldObject& operator=(const HeldObject&) = delete;
  ~HeldObject() { drop_reference(object_); }
  [[nodiscard]] PyObject* get() const noexcept { return object_; }

 private:
  PyObject* object_;
};

}  // namespace opwright::python
