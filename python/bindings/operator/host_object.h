// A Python object that opcheck calls, from threads that may not hold the GIL.
#pragma once

#include <optional>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/operator/operator_object.h"
#include "opwright/dispatch/operator.h"

namespace opwright::python {

class HostObject {
 public:
  explicit HostObject(PyObject* self) : self_(Py_NewRef(self)) {}
  ~HostObject() { drop_reference(self_); }
  HostObject(const HostObject&) = delete;
  HostObject& operator=(const HostObject&) = delete;

  // The result of a method; the GIL is held. Throws what it raises.
  template <class... Objects>
  nanobind::object call(const char* name, Objects*... objects) const {
    const nanobind::object method = nanobind::steal(require(PyObject_GetAttrString(self_, name)));
    return nanobind::steal(
        require(PyObject_CallFunctionObjArgs(method.ptr(), objects..., nullptr)));
  }

  [[nodiscard]] std::optional<std::string> find_reason_to_skip(const Operator& op) const {
    const LockScope lock;
    const nanobind::object reason = call("find_reason_to_skip", operator_object(op.name()));
    if (reason.is_none()) return std::nullopt;
    return nanobind::cast<std::string>(reason);
  }

 private:
  PyObject* self_;  // owned
};

}  // namespace opwright::python
