#include "bridges/torch/python/sym_object.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/lock.h"
#include "bridges/torch/python/reference.h"
#include "bridges/torch/python/torch_objects.h"
#include "opwright/error.h"
#include "opwright/symint.h"

namespace opwright::torch_bridge {
namespace {

struct SymObject : OpwSymNode {
  uint32_t count;  // atomic
  PyObject* object;
};

PyObject* symbol_of(OpwSymWord word) { return static_cast<SymObject*>(sym_node(word))->object; }

void retain_symbol(OpwSymNode* node) {
  __atomic_fetch_add(&static_cast<SymObject*>(node)->count, 1, __ATOMIC_RELAXED);
}

void release_symbol(OpwSymNode* node) {
  auto* self = static_cast<SymObject*>(node);
  if (__atomic_fetch_sub(&self->count, 1, __ATOMIC_ACQ_REL) != 1) return;
  drop_reference(self->object);
  delete self;
}

// As an operand of a condition: a plain word is a bool.
Reference condition_object(OpwSymWord word) {
  if (is_symbolic(word)) return Reference::take(object_of_word(word));
  return Reference::take(PyBool_FromLong(word != 0));
}

int comparison_of(OpwSymOp op) {
  constexpr int kComparisons[] = {Py_EQ, Py_NE, Py_LT, Py_LE, Py_GT, Py_GE};
  return kComparisons[op - kOpwSymEq];
}

PyObject* apply_to_numbers(OpwSymOp op, PyObject* a, PyObject* b) {
  const TorchObjects& torch = torch_objects();
  switch (op) {
    case kOpwSymAdd:
      return PyNumber_Add(a, b);
    case kOpwSymSub:
      return PyNumber_Subtract(a, b);
    case kOpwSymMul:
      return PyNumber_Multiply(a, b);
    case kOpwSymFloorDiv:
      return PyNumber_FloorDivide(a, b);
    case kOpwSymMod:
      return PyNumber_Remainder(a, b);
    case kOpwSymMax:
      return PyObject_CallFunctionObjArgs(torch.sym_max, a, b, nullptr);
    case kOpwSymMin:
      return PyObject_CallFunctionObjArgs(torch.sym_min, a, b, nullptr);
    default:
      return PyObject_RichCompare(a, b, comparison_of(op));
  }
}

PyObject* apply_to_objects(OpwSymOp op, OpwSymWord a, OpwSymWord b) {
  if (op == kOpwSymNot)
    return PyObject_CallOneArg(torch_objects().sym_not, condition_object(a).get());
  if (op == kOpwSymAnd) return PyNumber_And(condition_object(a).get(), condition_object(b).get());
  if (op == kOpwSymOr) return PyNumber_Or(condition_object(a).get(), condition_object(b).get());
  const Reference left = Reference::take(object_of_word(a));
  const Reference right = Reference::take(object_of_word(b));
  return apply_to_numbers(op, left.get(), right.get());
}

int apply(OpwSymOp op, OpwSymWord a, OpwSymWord b, OpwSymWord* result) {
  return status_of([&] {
    const LockScope lock;
    const Reference object = require_new(apply_to_objects(op, a, b));
    *result = word_of_object(object.get());
  });
}

// Throws the exception that is set, with the author's line.
[[noreturn]] void throw_asked_at(const char* file, uint32_t line) {
  add_line_note(file, line);
  throw take_python_error();
}

int guard(OpwSymWord condition, OpwIfUnknown if_unknown, const char* file, uint32_t line,
          int* result) {
  return status_of([&] {
    const LockScope lock;
    Reference answer = Reference::borrow(symbol_of(condition));
    const TorchObjects& torch = torch_objects();
    if (if_unknown != kOpwUnknownIsError) {
      PyObject* ask = if_unknown == kOpwUnknownIsFalse ? torch.guard_or_false : torch.guard_or_true;
      answer = Reference::take(PyObject_CallOneArg(ask, answer.get()));
    }
    *result = answer ? PyObject_IsTrue(answer.get()) : -1;
    if (*result < 0) throw_asked_at(file, line);
  });
}

int check_symbol(OpwSymWord condition, const char* message, const char* file, uint32_t line) {
  return status_of([&] {
    const LockScope lock;
    const Reference done = Reference::take(
        PyObject_CallFunction(torch_objects().check, "Os", symbol_of(condition), message));
    if (!done) throw_asked_at(file, line);
  });
}

int specialise(OpwSymWord word, const char* file, uint32_t line, int64_t* result) {
  return status_of([&] {
    const LockScope lock;
    const Reference number = Reference::take(PyNumber_Long(symbol_of(word)));
    if (!number) throw_asked_at(file, line);
    *result = PyLong_AsLongLong(number.get());
    if (*result == -1 && PyErr_Occurred()) throw_asked_at(file, line);
  });
}

size_t symbol_text(OpwSymWord word, char* buffer, size_t capacity) {
  const LockScope lock;
  const Reference string = Reference::take(PyObject_Str(symbol_of(word)));
  Py_ssize_t length = 0;
  const char* characters = string ? PyUnicode_AsUTF8AndSize(string.get(), &length) : nullptr;
  PyErr_Clear();
  if (!characters) {
    characters = "?";
    length = 1;
  }
  if (capacity > 0) {
    const size_t written = std::min(static_cast<size_t>(length), capacity - 1);
    std::memcpy(buffer, characters, written);
    buffer[written] = '\0';
  }
  return static_cast<size_t>(length);
}

constexpr OpwSymTable kSymTable = {
    .struct_size = sizeof(OpwSymTable),
    .retain = retain_symbol,
    .release = release_symbol,
    .apply = apply,
    .guard = guard,
    .check = check_symbol,
    .specialise = specialise,
    .text = symbol_text,
};

OpwSymWord word_of_int(PyObject* number) {
  const long long value = PyLong_AsLongLong(number);
  if (value == -1 && PyErr_Occurred()) throw take_python_error();
  if (value < kOpwSmallestInt)
    throw_error("OverflowError", "the int ", value, " is too small for a symbolic integer");
  return value;
}

}  // namespace

bool is_symbol(PyObject* object) {
  const TorchObjects& torch = torch_objects();
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  return type == torch.sym_int || type == torch.sym_bool;
}

OpwSymWord word_of_object(PyObject* object) {
  if (PyLong_Check(object)) return word_of_int(object);
  if (is_symbol(object)) return sym_word(new SymObject{{&kSymTable}, 1, Py_NewRef(object)});
  const Reference index = Reference::take(PyNumber_Index(object));
  if (!index) {
    PyErr_Clear();
    throw_error("TypeError", "expected an int, got ", Py_TYPE(object)->tp_name);
  }
  return word_of_int(index.get());
}

PyObject* object_of_word(OpwSymWord word) {
  if (!is_symbolic(word)) return require(PyLong_FromLongLong(word));
  if (sym_node(word)->table != &kSymTable)
    throw_error("TypeError", "a symbolic size of Opwright's own trace reached torch");
  return Py_NewRef(symbol_of(word));
}

}  // namespace opwright::torch_bridge
