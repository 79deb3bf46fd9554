// Arithmetic and comparison of opwright.Tensor: Python's operators.
#include <string_view>

#include <Python.h>

#include "bindings/object/foreign_memory.h"
#include "bindings/object/method.h"
#include "bindings/object/numpy_objects.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/operator/operator_packet.h"

namespace opwright::python {
namespace {

bool is_python_number(PyObject* object) noexcept {
  return PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object);
}

// The operand as operators accept it: a Tensor or a Python number; empty otherwise. NumPy's arrays
// become tensors; left to NumPy, `x == array` would be False.
nanobind::object as_operand(PyObject* object) {
  if (is_tensor(object) || PyFloat_CheckExact(object) || PyLong_CheckExact(object))
    return share(object);
  if (is_numpy_number(object)) return own(PyObject_CallMethod(object, "item", nullptr));
  if (is_numpy_array(object)) return own(wrap(tensor_over_buffer(object, "arithmetic")));
  return is_python_number(object) || is_sym_int(object) ? share(object) : nanobind::object();
}

// Applies `body` to two operands of which at least one is a Tensor. Rejects a NumPy array on the
// left, as PyTorch does: `array += x` would not write the array.
template <class Body>
PyObject* with_operands(PyObject* a, PyObject* b, const Body& body) {
  return guarded([&]() -> PyObject* {
    if (!is_tensor(a) && is_numpy_array(a)) return not_implemented();
    const nanobind::object first = as_operand(a);
    const nanobind::object second = as_operand(b);
    if (!first.is_valid() || !second.is_valid()) return not_implemented();
    return body(first.ptr(), second.ptr());
  });
}

// `2 + x` is x + 2.
PyObject* run_commutative(const char* name, PyObject* a, PyObject* b) {
  return with_operands(a, b, [&](PyObject* first, PyObject* second) {
    return is_tensor(first) ? call_packet(name, {first, second})
                            : call_packet(name, {second, first});
  });
}

PyObject* run_in_order(const char* name, PyObject* a, PyObject* b) {
  return with_operands(
      a, b, [&](PyObject* first, PyObject* second) { return call_packet(name, {first, second}); });
}

PyObject* tensor_add(PyObject* a, PyObject* b) { return run_commutative("aten::add", a, b); }
PyObject* tensor_multiply(PyObject* a, PyObject* b) { return run_commutative("aten::mul", a, b); }
PyObject* bit_and(PyObject* a, PyObject* b) { return run_commutative("aten::bitwise_and", a, b); }
PyObject* bit_or(PyObject* a, PyObject* b) { return run_commutative("aten::bitwise_or", a, b); }
PyObject* bit_xor(PyObject* a, PyObject* b) { return run_commutative("aten::bitwise_xor", a, b); }
PyObject* tensor_floor_divide(PyObject* a, PyObject* b) {
  return run_in_order("aten::floor_divide", a, b);
}
PyObject* tensor_remainder(PyObject* a, PyObject* b) {
  return run_in_order("aten::remainder", a, b);
}

PyObject* shift_left(PyObject* a, PyObject* b) {
  return run_in_order("aten::bitwise_left_shift", a, b);
}
PyObject* shift_right(PyObject* a, PyObject* b) {
  return run_in_order("aten::bitwise_right_shift", a, b);
}

PyObject* tensor_subtract(PyObject* a, PyObject* b) {
  return with_operands(a, b, [](PyObject* first, PyObject* second) {
    return is_tensor(first) ? call_packet("aten::sub", {first, second})
                            : call_packet("aten::rsub", {second, first});
  });
}

PyObject* tensor_true_divide(PyObject* a, PyObject* b) {
  return with_operands(a, b, [](PyObject* first, PyObject* second) {
    if (is_tensor(first)) return call_packet("aten::div", {first, second});
    const nanobind::object reciprocal = own(call_packet("aten::reciprocal", {second}));
    return call_packet("aten::mul", {reciprocal.ptr(), first});
  });
}

PyObject* tensor_power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) return not_implemented();
  return run_in_order("aten::pow", a, b);
}

PyObject* matrix_multiply(PyObject* a, PyObject* b) {
  return with_operands(a, b, [](PyObject* first, PyObject* second) {
    const bool are_tensors = is_tensor(first) && is_tensor(second);
    return are_tensors ? call_packet("aten::matmul", {first, second}) : not_implemented();
  });
}

// ---- In place ----

PyObject* run_in_place(std::string_view name, PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    const nanobind::object operand = as_operand(other);
    if (!operand.is_valid()) return not_implemented();
    return call_packet(name, {self, operand.ptr()});
  });
}

PyObject* add_in_place(PyObject* a, PyObject* b) { return run_in_place("aten::add_", a, b); }
PyObject* subtract_in_place(PyObject* a, PyObject* b) { return run_in_place("aten::sub_", a, b); }
PyObject* multiply_in_place(PyObject* a, PyObject* b) { return run_in_place("aten::mul_", a, b); }
PyObject* divide_in_place(PyObject* a, PyObject* b) { return run_in_place("aten::div_", a, b); }
PyObject* shift_left_in_place(PyObject* a, PyObject* b) {
  return run_in_place("aten::bitwise_left_shift_", a, b);
}
PyObject* shift_right_in_place(PyObject* a, PyObject* b) {
  return run_in_place("aten::bitwise_right_shift_", a, b);
}

// ---- One operand ----

PyObject* tensor_negative(PyObject* a) {
  return guarded([&] { return call_packet("aten::neg", {a}); });
}
PyObject* tensor_absolute(PyObject* a) {
  return guarded([&] { return call_packet("aten::abs", {a}); });
}
PyObject* invert(PyObject* a) {
  return guarded([&] { return call_packet("aten::bitwise_not", {a}); });
}
PyObject* tensor_positive(PyObject* a) {
  return guarded([&] {
    OPWRIGHT_CHECK_TYPE(LentTensor(a)->dtype() != DType::Bool,
                        "+x: a bool tensor has no sign; convert it to a number first");
    return Py_NewRef(a);
  });
}

// ---- Comparison ----

PyObject* tensor_compare(PyObject* a, PyObject* b, int comparison) {
  static constexpr const char* kNames[] = {"aten::lt", "aten::le", "aten::eq",
                                           "aten::ne", "aten::gt", "aten::ge"};
  static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
  return run_in_order(kNames[comparison], a, b);  // Python passes the tensor first, even for 2 < x
}

// Makes NumPy's arrays leave arithmetic with a tensor to the tensor.
PyObject* get_array_priority(PyObject* /*self*/, void* /*closure*/) {
  return PyFloat_FromDouble(1000);
}

const PyType_Slot kNumberSlots[] = {
    {Py_nb_add, as_slot(tensor_add)},
    {Py_nb_subtract, as_slot(tensor_subtract)},
    {Py_nb_multiply, as_slot(tensor_multiply)},
    {Py_nb_true_divide, as_slot(tensor_true_divide)},
    {Py_nb_floor_divide, as_slot(tensor_floor_divide)},
    {Py_nb_remainder, as_slot(tensor_remainder)},
    {Py_nb_power, as_slot(tensor_power)},
    {Py_nb_matrix_multiply, as_slot(matrix_multiply)},
    {Py_nb_and, as_slot(bit_and)},
    {Py_nb_or, as_slot(bit_or)},
    {Py_nb_xor, as_slot(bit_xor)},
    {Py_nb_lshift, as_slot(shift_left)},
    {Py_nb_rshift, as_slot(shift_right)},
    {Py_nb_negative, as_slot(tensor_negative)},
    {Py_nb_positive, as_slot(tensor_positive)},
    {Py_nb_absolute, as_slot(tensor_absolute)},
    {Py_nb_invert, as_slot(invert)},
    {Py_nb_inplace_add, as_slot(add_in_place)},
    {Py_nb_inplace_subtract, as_slot(subtract_in_place)},
    {Py_nb_inplace_multiply, as_slot(multiply_in_place)},
    {Py_nb_inplace_true_divide, as_slot(divide_in_place)},
    {Py_nb_inplace_lshift, as_slot(shift_left_in_place)},
    {Py_nb_inplace_rshift, as_slot(shift_right_in_place)},
    {Py_tp_richcompare, as_slot(tensor_compare)},
};

}  // namespace

void add_number_slots(TensorSlots& out) {
  out.slots.insert(out.slots.end(), std::begin(kNumberSlots), std::end(kNumberSlots));
  out.properties.push_back({"__array_priority__", get_array_priority, nullptr,
                            "Makes NumPy leave arithmetic with a tensor to the tensor.\n\n"
                            ">>> import opwright as ow\n"
                            ">>> ow.zeros(2).__array_priority__\n"
                            "1000.0\n",
                            nullptr});
}

}  // namespace opwright::python
