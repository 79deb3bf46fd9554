// An owned reference to a Python object. The GIL is held wherever one is created, copied or
// dropped.
#pragma once

#include <utility>

#include <Python.h>

namespace opwright::torch_bridge {

class Reference {
 public:
  Reference() = default;
  // Takes over a new reference, or null.
  static Reference take(PyObject* owned) noexcept { return Reference(owned); }
  static Reference borrow(PyObject* object) noexcept { return Reference(Py_XNewRef(object)); }

  Reference(const Reference& other) noexcept : object_(Py_XNewRef(other.object_)) {}
  Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Reference& operator=(Reference other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Reference() { Py_XDECREF(object_); }

  [[nodiscard]] PyObject* get() const noexcept { return object_; }
  // Releases ownership of the reference.
  [[nodiscard]] PyObject* give() noexcept { return std::exchange(object_, nullptr); }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  explicit Reference(PyObject* owned) noexcept : object_(owned) {}

  PyObject* object_ = nullptr;
};

}  // namespace opwright::torch_bridge
