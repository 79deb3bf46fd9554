#include "bindings/object/element.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "bindings/object/method.h"
#include "bindings/object/numpy_objects.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/value.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/tensor/number_text.h"

namespace opwright::python {
namespace {

template <class T>
PyObject* read_integer_element(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  if constexpr (std::is_signed_v<T>) {
    return PyLong_FromLongLong(value);
  } else {
    return PyLong_FromUnsignedLongLong(value);
  }
}

[[noreturn]] void throw_does_not_fit(PyObject* number, DType dtype) {
  const nanobind::object text = own(PyObject_Str(number));
  const char* characters = PyUnicode_AsUTF8(text.ptr());
  throw_error("OverflowError", characters ? characters : "the number", " does not fit into ",
              dtype);
}

template <class T>
void write_integer(void* element, PyObject* number) {
  OPWRIGHT_CHECK_TYPE(!PyComplex_Check(number), "a complex number cannot become ", dtype_of<T>());
  const nanobind::object integer =
      PyLong_Check(number) ? share(number) : own(PyNumber_Long(number));
  T value = 0;
  if constexpr (std::is_same_v<T, uint64_t>) {
    const unsigned long long wide = PyLong_AsUnsignedLongLong(integer.ptr());
    if (wide == std::numeric_limits<unsigned long long>::max() && PyErr_Occurred()) {
      PyErr_Clear();
      throw_does_not_fit(number, dtype_of<T>());
    }
    value = wide;
  } else {
    int overflow = 0;
    const long long wide = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (wide == -1 && PyErr_Occurred()) throw_python_error();
    if (overflow != 0 || wide < static_cast<long long>(std::numeric_limits<T>::min()) ||
        wide > static_cast<long long>(std::numeric_limits<T>::max())) {
      throw_does_not_fit(number, dtype_of<T>());
    }
    value = static_cast<T>(wide);
  }
  std::memcpy(element, &value, sizeof value);
}

template <class T>
void write_float(void* element, PyObject* number) {
  OPWRIGHT_CHECK_TYPE(!PyComplex_Check(number), "a complex number cannot become ", dtype_of<T>());
  const double wide = PyFloat_AsDouble(number);
  if (wide == -1 && PyErr_Occurred()) throw_python_error();
  T value;
  if constexpr (std::is_floating_point_v<T>) {
    value = static_cast<T>(wide);
  } else {
    value = T(static_cast<float>(wide));
  }
  std::memcpy(element, &value, sizeof value);
}

template <class T>
void write_complex(void* element, PyObject* number) {
  const Py_complex wide = PyComplex_AsCComplex(number);
  if (wide.real == -1 && PyErr_Occurred()) throw_python_error();
  const T value(Complex<double>(wide.real, wide.imag));
  std::memcpy(element, &value, sizeof value);
}

// Converts a NumPy scalar or a tensor to Python's own number.
nanobind::object plain_number(PyObject* number) {
  if (PyFloat_CheckExact(number) || PyLong_CheckExact(number) || PyBool_Check(number) ||
      PyComplex_CheckExact(number)) {
    return share(number);
  }
  if (is_tensor(number)) return own(read_single_element(*LentTensor(number), "item"));
  if (PyObject_HasAttrString(number, "item"))
    return own(PyObject_CallMethod(number, "item", nullptr));
  return share(number);
}

}  // namespace

PyObject* read_element(const void* element, DType dtype) {
  if (dtype == DType::Bool) return PyBool_FromLong(*static_cast<const uint8_t*>(element) != 0);
  if (is_integral(dtype)) {
    return for_integral_dtype(dtype, "item", [&]<typename T>() -> PyObject* {
      return require(read_integer_element<T>(element));
    });
  }
  const FloatParts parts = read_float(element, dtype);
  return require(is_complex(dtype) ? PyComplex_FromDoubles(parts.real, parts.imag)
                                   : PyFloat_FromDouble(parts.real));
}

std::optional<DType> dtype_of_number(PyObject* object) {
  if (PyFloat_CheckExact(object)) return kDefaultFloat;
  if (PyBool_Check(object)) return DType::Bool;
  if (PyLong_CheckExact(object)) return DType::Int64;
  if (PyComplex_CheckExact(object)) return kDefaultComplex;
  if (is_sym_int(object)) return DType::Int64;
  if (is_sym_bool(object)) return DType::Bool;
  if (is_tensor(object)) {
    const LentTensor tensor(object);
    return tensor->dim() == 0 ? std::optional(tensor->dtype()) : std::nullopt;
  }
  if (is_numpy_number(object) ||
      (is_numpy_array(object) && PyObject_HasAttrString(object, "ndim") &&
       PyLong_AsLong(own(PyObject_GetAttrString(object, "ndim")).ptr()) == 0)) {
    return parse_dtype(own(PyObject_GetAttrString(object, "dtype")).ptr());
  }
  if (PyFloat_Check(object)) return kDefaultFloat;
  if (PyLong_Check(object)) return DType::Int64;
  if (PyComplex_Check(object)) return kDefaultComplex;
  return std::nullopt;
}

void write_element(void* element, DType dtype, PyObject* number) {
  const nanobind::object plain = plain_number(number);
  for_dtype(dtype, "tensor", [&]<typename T>() {
    if constexpr (std::is_same_v<T, bool>) {
      const int truth = PyObject_IsTrue(plain.ptr());
      require_no_error(truth);
      *static_cast<bool*>(element) = truth != 0;
    } else if constexpr (std::is_integral_v<T>) {
      write_integer<T>(element, plain.ptr());
    } else if constexpr (std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>) {
      write_complex<T>(element, plain.ptr());
    } else {
      write_float<T>(element, plain.ptr());
    }
  });
}

}  // namespace opwright::python
