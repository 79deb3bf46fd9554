#include "bridges/torch/python/lock.h"

namespace opwright::torch_bridge {
namespace {

bool interpreter_has_ended() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return !Py_IsInitialized() || Py_IsFinalizing();
#else
  return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

}  // namespace

void drop_reference(PyObject* object) noexcept {
  if (!object || interpreter_has_ended()) return;
  const LockScope lock;
  Py_DECREF(object);
}

}  // namespace opwright::torch_bridge
