// Versions that CPython gives the state of dicts and classes: the same version, the same state.
#pragma once

#include <cstdint>

#include <Python.h>

namespace opwright::python {

// 0 if Python keeps no version. Since 3.13, setting an attribute of an instance changes its dict
// but not the dict's version.
inline uint64_t dict_version([[maybe_unused]] PyObject* dict) noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return 0;
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return reinterpret_cast<PyDictObject*>(dict)->ma_version_tag;
#pragma GCC diagnostic pop
#endif
}

// 0 if the class has no valid version: it was changed, or never looked up.
inline unsigned int class_version(PyObject* object) noexcept {
  auto* type = reinterpret_cast<PyTypeObject*>(object);
#if PY_VERSION_HEX >= 0x030D0000
  return type->tp_version_tag;
#else
  return PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG) ? type->tp_version_tag : 0;
#endif
}

}  // namespace opwright::python
