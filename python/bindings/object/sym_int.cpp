#include "bindings/object/sym_int.h"

#include <cmath>
#include <string>
#include <utility>

#include "bindings/object/element.h"
#include "bindings/object/method.h"
#include "bindings/object/shape_env.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "opwright/base/thread_state.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/user_question.h"
#include "opwright/symbolic/shape_env/value_finder.h"

namespace opwright::python {

PyTypeObject* sym_int_type = nullptr;
PyTypeObject* sym_bool_type = nullptr;

namespace {

PyObject* new_symbol(PyTypeObject* type, SymInt value) {
  auto* object = reinterpret_cast<SymObject*>(require(type->tp_alloc(type, 0)));
  object->word = value.give();
  return reinterpret_cast<PyObject*>(object);
}

void destroy_sym(PyObject* self) {
  release_word(sym_word_of(self));
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

SymInt value_of(PyObject* object) { return SymInt::borrow(sym_word_of(object)); }

std::string sym_text(PyObject* object) { return concatenate(value_of(object)); }

PyObject* to_unicode(const std::string& text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyObject* sym_repr(PyObject* self) {
  return guarded([&] { return to_unicode(sym_text(self)); });
}

// Equal expressions of one owner are the same node.
Py_hash_t sym_hash(PyObject* self) {
  const auto address = static_cast<Py_hash_t>(sym_word_of(self) >> 4);
  return address == -1 ? -2 : address;
}

PyObject* sym_format(PyObject* self, PyObject* specification) {
  return guarded([&] { return PyObject_Format(own(sym_repr(self)).ptr(), specification); });
}

PyObject* get_self(PyObject* self, PyObject* /*args*/) { return Py_NewRef(self); }

PyObject* sym_reduce(PyObject* self, PyObject* /*args*/) {
  return guarded([&]() -> PyObject* {
    throw_error("TypeError", "the symbol ", sym_text(self),
                " cannot be pickled: it belongs to the trace that made it; int(n) is its value");
  });
}

PyObject* get_hint(PyObject* self, void* /*closure*/) {
  return guarded([&]() -> PyObject* {
    const SymInt value = value_of(self);
    const ShapeEnv* owner = shape_env_of(value);
    const std::optional<int64_t> hint = owner ? owner->hint(value) : std::nullopt;
    if (!hint) return Py_NewRef(Py_None);
    return is_sym_bool(self) ? PyBool_FromLong(*hint != 0) : PyLong_FromLongLong(*hint);
  });
}

PyObject* get_shape_env(PyObject* self, void* /*closure*/) {
  return guarded([&]() -> PyObject* {
    ShapeEnv* owner = shape_env_of(value_of(self));
    return owner ? give(shape_env_object(*owner)) : Py_NewRef(Py_None);
  });
}

// PyTorch's name of what is behind a symbol.
PyObject* get_sym_node(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const nanobind::object module = own(PyImport_ImportModule("opwright.symbolic"));
    return PyObject_CallMethod(module.ptr(), "SymNode", "O", self);
  });
}

// ---- Arithmetic of SymInt ----

// The other operand of a SymInt.
struct Operand {
  std::optional<SymInt> whole;
  PyObject* real = nullptr;  // borrowed; a float
};

Operand read_sym_operand(PyObject* object) {
  if (PyFloat_Check(object)) return {.whole = std::nullopt, .real = object};
  return {.whole = read_sym_int(object)};
}

nanobind::object fixed_object(PyObject* object) {
  return is_sym_int(object) ? own(PyLong_FromLongLong(specialise_for_user(value_of(object))))
                            : share(object);
}

// A float operand turns a symbol into its number: there are no symbolic floats.
template <class Number>
PyObject* run_on_numbers(PyObject* a, PyObject* b, const Number& number) {
  return number(fixed_object(a).ptr(), fixed_object(b).ptr());
}

template <OpwSymOp kOp>
PyObject* run_binary(PyObject* a, PyObject* b, PyObject* (*number)(PyObject*, PyObject*)) {
  return guarded([&]() -> PyObject* {
    const Operand first = read_sym_operand(a);
    const Operand second = read_sym_operand(b);
    if (first.real || second.real) return run_on_numbers(a, b, number);
    if (!first.whole || !second.whole) return not_implemented();
    return sym_int_to_python(apply_sym(kOp, *first.whole, *second.whole));
  });
}

PyObject* sym_add(PyObject* a, PyObject* b) { return run_binary<kOpwSymAdd>(a, b, PyNumber_Add); }
PyObject* sym_subtract(PyObject* a, PyObject* b) {
  return run_binary<kOpwSymSub>(a, b, PyNumber_Subtract);
}
PyObject* sym_multiply(PyObject* a, PyObject* b) {
  return run_binary<kOpwSymMul>(a, b, PyNumber_Multiply);
}
PyObject* sym_floor_divide(PyObject* a, PyObject* b) {
  return run_binary<kOpwSymFloorDiv>(a, b, PyNumber_FloorDivide);
}
PyObject* sym_remainder(PyObject* a, PyObject* b) {
  return run_binary<kOpwSymMod>(a, b, PyNumber_Remainder);
}

PyObject* sym_true_divide(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    const Operand first = read_sym_operand(a);
    const Operand second = read_sym_operand(b);
    if (!(first.real || first.whole) || !(second.real || second.whole)) return not_implemented();
    return run_on_numbers(a, b, PyNumber_TrueDivide);
  });
}

PyObject* divide_with_remainder(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    const nanobind::object quotient = own(sym_floor_divide(a, b));
    if (quotient.ptr() == Py_NotImplemented) return not_implemented();
    return PyTuple_Pack(2, quotient.ptr(), own(sym_remainder(a, b)).ptr());
  });
}

// A shift by a plain number of bits is a product with, or a quotient by, a power of two; any other
// needs the symbols' values.
template <OpwSymOp kOperation>
PyObject* sym_shift(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    constexpr int64_t kMostBits = 62;
    const Operand shifted = read_sym_operand(a);
    const Operand bits = read_sym_operand(b);
    if (!shifted.whole || !bits.whole) return not_implemented();
    const bool is_plain =
        !bits.whole->is_symbolic() && bits.whole->word() >= 0 && bits.whole->word() <= kMostBits;
    if (!is_plain) {
      const auto shift = kOperation == kOpwSymMul ? PyNumber_Lshift : PyNumber_Rshift;
      return shift(fixed_object(a).ptr(), fixed_object(b).ptr());
    }
    return sym_int_to_python(
        apply_sym(kOperation, *shifted.whole, SymInt(int64_t{1} << bits.whole->word())));
  });
}

// A small plain exponent becomes multiplications; any other needs the symbol's value.
PyObject* sym_power(PyObject* a, PyObject* b, PyObject* modulus) {
  return guarded([&]() -> PyObject* {
    constexpr int64_t kMostFactors = 16;
    const Operand base = read_sym_operand(a);
    const Operand exponent = read_sym_operand(b);
    if (!(base.real || base.whole) || !(exponent.real || exponent.whole)) return not_implemented();
    const bool multiplies = base.whole && exponent.whole && modulus == Py_None &&
                            !exponent.whole->is_symbolic() && exponent.whole->word() >= 0 &&
                            exponent.whole->word() <= kMostFactors;
    if (!multiplies) return PyNumber_Power(fixed_object(a).ptr(), fixed_object(b).ptr(), modulus);
    SymInt product = 1;
    for (int64_t i = 0; i < exponent.whole->word(); ++i) product = product * *base.whole;
    return sym_int_to_python(std::move(product));
  });
}

PyObject* sym_negative(PyObject* a) {
  return guarded([&] { return sym_int_to_python(SymInt(0) - value_of(a)); });
}
PyObject* sym_absolute(PyObject* a) {
  return guarded([&] {
    const SymInt value = value_of(a);
    return sym_int_to_python(sym_max(value, SymInt(0) - value));
  });
}
PyObject* sym_positive(PyObject* a) { return Py_NewRef(a); }

// ---- Operations that need the value ----

int is_not_zero(PyObject* self) {
  return guarded([&] { return guard_for_user(apply_sym(kOpwSymNe, value_of(self), 0)) ? 1 : 0; },
                 -1);
}
PyObject* sym_as_int(PyObject* self) {
  return guarded([&] { return PyLong_FromLongLong(specialise_for_user(value_of(self))); });
}
PyObject* sym_as_float(PyObject* self) {
  return guarded(
      [&] { return PyFloat_FromDouble(static_cast<double>(specialise_for_user(value_of(self)))); });
}

// ---- Comparison ----

// Compares an integer with a real number as two integers. Empty if the result is `always`.
std::optional<SymInt> whole_bound(double real, int comparison) {
  const bool is_far = !(std::abs(real) < 4e18);  // infinite, NaN, or beyond any size
  const double lower = std::floor(real);
  if (is_far || ((comparison == Py_EQ || comparison == Py_NE) && lower != real))
    return std::nullopt;
  const bool takes_lower = comparison == Py_LE || comparison == Py_GT;
  return SymInt(static_cast<int64_t>(takes_lower ? lower : std::ceil(real)));
}

bool holds_for_far(double real, int comparison) {
  switch (comparison) {
    case Py_LT:
    case Py_LE:
      return real > 0;
    case Py_GT:
    case Py_GE:
      return real < 0;
    default:
      return comparison == Py_NE;
  }
}

PyObject* sym_compare(PyObject* a, PyObject* b, int comparison) {
  static constexpr OpwSymOp kOps[] = {kOpwSymLt, kOpwSymLe, kOpwSymEq,
                                      kOpwSymNe, kOpwSymGt, kOpwSymGe};
  static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
  return guarded([&]() -> PyObject* {
    Operand other = read_sym_operand(b);
    if (other.real) {
      const double real = PyFloat_AS_DOUBLE(other.real);
      other.whole = whole_bound(real, comparison);
      if (!other.whole) return PyBool_FromLong(holds_for_far(real, comparison) ? 1 : 0);
    }
    if (!other.whole) return not_implemented();
    return sym_bool_to_python(apply_sym(kOps[comparison], value_of(a), *other.whole));
  });
}

// ---- SymBool ----

// Whether facts leave a condition open in this run, because of a number that is not known.
bool is_open(const SymInt& condition) {
  const ShapeEnv* owner = shape_env_of(condition);
  return owner && !owner->hint(condition) && !owner->decide(condition);
}

int holds(PyObject* self) {
  return guarded(
      [&] {
        const SymInt condition = value_of(self);
        if (is_open(condition) && becomes_requirement(self)) return 1;
        return guard_for_user(condition) ? 1 : 0;
      },
      -1);
}

template <OpwSymOp kOp>
PyObject* sym_join(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    const std::optional<SymInt> first = read_condition(a);
    const std::optional<SymInt> second = read_condition(b);
    if (!first || !second) return not_implemented();
    return sym_bool_to_python(apply_sym(kOp, *first, *second));
  });
}
PyObject* negate(PyObject* self) {
  return guarded([&] { return sym_bool_to_python(apply_sym(kOpwSymNot, value_of(self), 0)); });
}
PyObject* condition_as_int(PyObject* self) {
  return guarded([&] { return PyLong_FromLong(guard_for_user(value_of(self)) ? 1 : 0); });
}
PyObject* condition_as_float(PyObject* self) {
  return guarded([&] { return PyFloat_FromDouble(guard_for_user(value_of(self)) ? 1 : 0); });
}

// (a and b) or (not a and not b)
PyObject* compare_conditions(PyObject* a, PyObject* b, int comparison) {
  return guarded([&]() -> PyObject* {
    const std::optional<SymInt> other = read_condition(b);
    if (!other || (comparison != Py_EQ && comparison != Py_NE)) return not_implemented();
    const SymInt self = value_of(a);
    const auto both = [](const SymInt& x, const SymInt& y) { return apply_sym(kOpwSymAnd, x, y); };
    const auto no = [](const SymInt& x) { return apply_sym(kOpwSymNot, x, 0); };
    SymInt equal = self.word() == other->word()
                       ? SymInt(1)
                       : apply_sym(kOpwSymOr, both(self, *other), both(no(self), no(*other)));
    return sym_bool_to_python(comparison == Py_EQ ? std::move(equal) : no(equal));
  });
}

// ---- The types ----

PyMethodDef bool_methods[] = {{"__format__", as_method(sym_format), METH_O, nullptr},
                              {"__copy__", as_method(get_self), METH_NOARGS, nullptr},
                              {"__deepcopy__", as_method(get_self), METH_O, nullptr},
                              {"__reduce__", as_method(sym_reduce), METH_NOARGS, nullptr},
                              {}};
PyMethodDef int_methods[] = {{"__format__", as_method(sym_format), METH_O, nullptr},
                             {"__copy__", as_method(get_self), METH_NOARGS, nullptr},
                             {"__deepcopy__", as_method(get_self), METH_O, nullptr},
                             {"__reduce__", as_method(sym_reduce), METH_NOARGS, nullptr},
                             {"__floor__", as_method(get_self), METH_NOARGS, nullptr},
                             {"__ceil__", as_method(get_self), METH_NOARGS, nullptr},
                             {"__trunc__", as_method(get_self), METH_NOARGS, nullptr},
                             {"__round__", as_method(get_self), METH_VARARGS, nullptr},
                             {}};
PyGetSetDef sym_int_properties[] = {
    {"hint", get_hint, nullptr, "The value in this run; None if it is known at run time only.",
     nullptr},
    {"shape_env", get_shape_env, nullptr, "The environment that owns it.", nullptr},
    {"node", get_sym_node, nullptr, "Its expression, value and environment: a SymNode.", nullptr},
    {}};

constexpr const char* kSymIntDoc =
    "A symbolic size of a trace, or an expression of symbolic sizes.\n\n"
    "Arithmetic and comparison return symbols, or plain numbers if the symbols cancel. It can be\n"
    "used wherever a size can. It is not an int: isinstance(n, int) is False, "
    "opwright.is_symbolic(n)\n"
    "is True. Code that needs the number specializes it for this trace, with a guard that has the\n"
    "line: int(n), float(n), n / 2 (there is no symbolic float; n // 2 stays symbolic), range(n),\n"
    "an index of a list. Control flow on a comparison adds a guard too.\n\n"
    ">>> import opwright as ow\n"
    ">>> n = ow.ShapeEnv().make_size(8, \"x.size(0)\")\n"
    ">>> 2 * n + 1, (2 * n + 1).hint, n - n\n"
    "(2*s0 + 1, 17, 0)\n";
constexpr const char* kSymBoolDoc =
    "A condition on symbolic sizes.\n\n"
    "Control flow evaluates it: bool(c) adds a guard with the line that required it. `&`, `|` and\n"
    "`~` (or opwright.sym_not) combine conditions without guards; opwright.check requires one.\n\n"
    ">>> import opwright as ow\n"
    ">>> env = ow.ShapeEnv()\n"
    ">>> n = env.make_size(8, \"x.size(0)\")\n"
    ">>> \"large\" if n > 4 else \"small\"\n"
    "'large'\n"
    ">>> [guard.text for guard in env.guards]\n"
    "['s0 >= 5']\n";

PyType_Slot int_slots[] = {
    {Py_tp_doc, const_cast<char*>(kSymIntDoc)},
    {Py_tp_dealloc, as_slot(destroy_sym)},
    {Py_tp_repr, as_slot(sym_repr)},
    {Py_tp_hash, as_slot(sym_hash)},
    {Py_tp_richcompare, as_slot(sym_compare)},
    {Py_tp_methods, int_methods},
    {Py_tp_getset, sym_int_properties},
    {Py_nb_add, as_slot(sym_add)},
    {Py_nb_subtract, as_slot(sym_subtract)},
    {Py_nb_multiply, as_slot(sym_multiply)},
    {Py_nb_floor_divide, as_slot(sym_floor_divide)},
    {Py_nb_true_divide, as_slot(sym_true_divide)},
    {Py_nb_remainder, as_slot(sym_remainder)},
    {Py_nb_divmod, as_slot(divide_with_remainder)},
    {Py_nb_power, as_slot(sym_power)},
    {Py_nb_lshift, as_slot(sym_shift<kOpwSymMul>)},
    {Py_nb_rshift, as_slot(sym_shift<kOpwSymFloorDiv>)},
    {Py_nb_negative, as_slot(sym_negative)},
    {Py_nb_positive, as_slot(sym_positive)},
    {Py_nb_absolute, as_slot(sym_absolute)},
    {Py_nb_bool, as_slot(is_not_zero)},
    {Py_nb_int, as_slot(sym_as_int)},
    {Py_nb_index, as_slot(sym_as_int)},
    {Py_nb_float, as_slot(sym_as_float)},
    {0, nullptr},
};
PyType_Slot bool_slots[] = {
    {Py_tp_doc, const_cast<char*>(kSymBoolDoc)},
    {Py_tp_dealloc, as_slot(destroy_sym)},
    {Py_tp_repr, as_slot(sym_repr)},
    {Py_tp_hash, as_slot(sym_hash)},
    {Py_tp_richcompare, as_slot(compare_conditions)},
    {Py_tp_methods, bool_methods},
    {Py_tp_getset, sym_int_properties},
    {Py_nb_bool, as_slot(holds)},
    {Py_nb_int, as_slot(condition_as_int)},
    {Py_nb_index, as_slot(condition_as_int)},
    {Py_nb_float, as_slot(condition_as_float)},
    {Py_nb_and, as_slot(sym_join<kOpwSymAnd>)},
    {Py_nb_or, as_slot(sym_join<kOpwSymOr>)},
    {Py_nb_invert, as_slot(negate)},
    {0, nullptr},
};
constexpr unsigned kTypeFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION;
PyType_Spec int_spec = {"opwright.SymInt", sizeof(SymObject), 0, kTypeFlags, int_slots};
PyType_Spec bool_spec = {"opwright.SymBool", sizeof(SymObject), 0, kTypeFlags, bool_slots};

PyTypeObject* add_named_type(PyObject* module, PyType_Spec& spec, const char* name) {
  PyObject* type = require(PyType_FromSpec(&spec));  // kept permanently
  require_no_error(PyModule_AddObjectRef(module, name, type));
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

void add_sym_types(PyObject* module) {
  sym_int_type = add_named_type(module, int_spec, "SymInt");
  sym_bool_type = add_named_type(module, bool_spec, "SymBool");
}

OpwSymWord settled_word_of(PyObject* object) {
  const OpwSymWord word = sym_word_of(object);
  if (thread_state().current) return word;
  const SymInt known = settled(SymInt::borrow(word));
  return known.is_symbolic() ? word : known.word();
}

PyObject* sym_int_to_python(SymInt value) {
  if (!value.is_symbolic()) return require(PyLong_FromLongLong(value.word()));
  return new_symbol(sym_int_type, std::move(value));
}

PyObject* sym_bool_to_python(SymInt condition) {
  if (!condition.is_symbolic()) return PyBool_FromLong(condition.word() != 0 ? 1 : 0);
  return new_symbol(sym_bool_type, std::move(condition));
}

std::optional<SymInt> read_sym_int(PyObject* object) {
  if (is_sym_int(object)) return value_of(object);
  if (PyFloat_Check(object) || is_tensor(object) || !PyIndex_Check(object)) return std::nullopt;
  const nanobind::object index = own(PyNumber_Index(object));
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (value == -1 && PyErr_Occurred()) throw_python_error();
  OPWRIGHT_CHECK_KIND("OverflowError", overflow == 0,
                      "a number combined with a symbolic size does not fit into 64 bits");
  return SymInt(value);
}

std::optional<SymInt> read_condition(PyObject* object) {
  if (is_sym_bool(object)) return value_of(object);
  if (!PyBool_Check(object)) return std::nullopt;
  return SymInt(object == Py_True ? 1 : 0);
}

}  // namespace opwright::python
