#include "bindings/operator/binding_plan.h"

#include <memory>
#include <unordered_map>

#include "bindings/interpreter/error.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/size_object.h"
#include "bindings/object/sym_int.h"
#include "opwright/symint.h"

namespace opwright::python {
namespace {

void set_slot(OpwValue& value, uint32_t tag, int64_t payload) {
  value.tag = tag;
  value.length = 0;
  value.as_int = payload;
}

// For exact ints; false if it does not fit or would be read as a symbol.
bool read_int(PyObject* object, int64_t& result) {
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  result = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0 && result > kOpwSmallestInt;
}

// Where the schema accepts symbols; an `int` specializes them, which the binder does.
bool read_symbol(PyObject* object, uint32_t tag, int64_t& result) {
  if (!is_sym_int(object) || (tag != kOpwSymInt && tag != kOpwSymIntList)) return false;
  result = settled_word_of(object);
  return true;
}

}  // namespace

const BindingPlan& BindingPlan::of(const Operator& op) {
  // Under the GIL. Neither operators nor plans are ever freed: a call may be inside one.
  static auto* plans = new std::unordered_map<const Operator*, std::unique_ptr<BindingPlan>>;
  std::unique_ptr<BindingPlan>& plan = (*plans)[&op];
  if (!plan) plan.reset(new BindingPlan(op));
  return *plan;
}

BindingPlan::BindingPlan(const Operator& op)
    : op_(op),
      num_args_(op.num_arguments()),
      num_positional_(static_cast<uint32_t>(op.schema().num_positional())),
      num_results_(op.num_results()),
      is_blocking_(op.tags().has(Tag::Blocking)),
      gives_tuple_(op.num_results() == 1 &&
                   op.schema().returns[0].type.required().kind() == TypeKind::Tuple) {
  for (const Argument& argument : op.schema().arguments) {
    const Type& type = argument.type.required();
    Planned planned{};
    planned.kind = Kind::Other;
    planned.tag = type.value_tag();
    planned.is_optional = argument.type.is_optional();
    planned.has_default = argument.default_value.has_value();
    if (planned.has_default) planned.default_value = argument.default_value->get();
    const uint32_t length = type.fixed_length().value_or(0);
    planned.fixed_length = length == 1 ? 0 : length;  // int[1] bounds nothing
    planned.name = require(PyUnicode_InternFromString(argument.name.c_str()));
    switch (type.kind()) {
      case TypeKind::Tensor:
        planned.kind = Kind::Tensor;
        break;
      case TypeKind::Float:
        planned.kind = Kind::Float;
        break;
      case TypeKind::Int:
      case TypeKind::SymInt:
        planned.kind = Kind::Int;
        break;
      case TypeKind::Bool:
        planned.kind = Kind::Bool;
        break;
      case TypeKind::Scalar:
        planned.kind = Kind::Scalar;
        break;
      case TypeKind::String:
        planned.kind = Kind::String;
        break;
      case TypeKind::ScalarType:
        planned.kind = Kind::Dtype;
        break;
      case TypeKind::Device:
        planned.kind = Kind::Device;
        break;
      case TypeKind::List:
        if (planned.tag == kOpwIntList || planned.tag == kOpwSymIntList) planned.kind = Kind::Ints;
        if (planned.tag == kOpwTensorList && planned.fixed_length == 0)
          planned.kind = Kind::Tensors;
        break;
      default:
        break;
    }
    args_.push_back(planned);
  }
}

bool BindingPlan::convert_other(const Planned& arg, PyObject* object, OpwValue& value,
                                PlanMemory& memory) {
  if (object == Py_None) {
    set_slot(value, kOpwNone, 0);
    return arg.is_optional;
  }
  int64_t number = 0;
  switch (arg.kind) {
    case Kind::Tensor:
      if (!is_tensor(object)) return false;
      value.tag = kOpwTensor;
      value.length = 0;
      value.as_tensor = tensor_of(object);
      return value.as_tensor != nullptr;
    case Kind::Int:
      if (!read_int(object, number) && !read_symbol(object, arg.tag, number)) return false;
      set_slot(value, arg.tag, number);
      return true;
    case Kind::Bool:
      set_slot(value, kOpwBool, object == Py_True);
      return PyBool_Check(object);
    case Kind::Scalar:
      if (PyFloat_CheckExact(object)) {
        value.tag = kOpwFloat;
        value.length = 0;
        value.as_double = PyFloat_AS_DOUBLE(object);
        return true;
      }
      if (PyBool_Check(object)) {
        set_slot(value, kOpwBool, object == Py_True);
        return true;
      }
      if (read_int(object, number)) {
        set_slot(value, kOpwInt, number);
        return true;
      }
      if (!is_sym_int(object)) return false;
      set_slot(value, kOpwSymInt, settled_word_of(object));
      return true;
    case Kind::String: {
      if (!PyUnicode_CheckExact(object)) return false;
      Py_ssize_t length = 0;
      value.as_string = PyUnicode_AsUTF8AndSize(object, &length);
      value.tag = kOpwString;
      value.length = static_cast<uint32_t>(length);
      if (!value.as_string) PyErr_Clear();  // the binder raises it again
      return value.as_string && length <= UINT32_MAX;
    }
    case Kind::Dtype:
      if (Py_TYPE(object) != dtype_type) return false;
      set_slot(value, kOpwDtype, static_cast<int64_t>(as_dtype(object)));
      return true;
    case Kind::Device:
      if (Py_TYPE(object) != device_type) return false;
      value.tag = kOpwDeviceValue;
      value.length = 0;
      value.as_device = as_device(object);
      return true;
    case Kind::Ints:
      return convert_ints(arg, object, value, memory);
    case Kind::Tensors:
      return convert_tensors(object, value, memory);
    default:
      return false;
  }
}

bool BindingPlan::convert_ints(const Planned& arg, PyObject* object, OpwValue& value,
                               PlanMemory& memory) {
  if (!PyList_CheckExact(object) && !is_plain_tuple(object)) return false;
  const auto size = static_cast<size_t>(PySequence_Fast_GET_SIZE(object));
  if (arg.fixed_length != 0 && size != arg.fixed_length) return false;
  int64_t* ints = memory.allocate(size);
  if (!ints) return false;
  for (size_t i = 0; i < size; ++i) {
    PyObject* element = PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i));
    if (!read_int(element, ints[i]) && !read_symbol(element, arg.tag, ints[i])) return false;
  }
  value.tag = arg.tag;
  value.length = static_cast<uint32_t>(size);
  value.as_ints = ints;
  return true;
}

bool BindingPlan::convert_tensors(PyObject* object, OpwValue& value, PlanMemory& memory) {
  if (!PyList_CheckExact(object) && !is_plain_tuple(object)) return false;
  const auto size = static_cast<size_t>(PySequence_Fast_GET_SIZE(object));
  static_assert(sizeof(OpwTensor*) == sizeof(int64_t));
  auto** tensors = reinterpret_cast<OpwTensor**>(memory.allocate(size));
  if (!tensors) return false;
  for (size_t i = 0; i < size; ++i) {
    PyObject* element = PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i));
    if (!is_tensor(element)) return false;
    tensors[i] = tensor_of(element);
  }
  value.tag = kOpwTensorList;
  value.length = static_cast<uint32_t>(size);
  value.as_tensors = tensors;
  return true;
}

// Names in code are interned, so comparing pointers is usually enough.
uint32_t BindingPlan::find_name(PyObject* name) const {
  for (uint32_t i = 0; i < num_args_; ++i) {
    if (args_[i].name == name) return i;
  }
  for (uint32_t i = 0; i < num_args_; ++i) {
    if (PyUnicode_Compare(args_[i].name, name) == 0) return i;
  }
  return num_args_;
}

bool BindingPlan::bind_some(const GivenArguments& given, OpwValue* values,
                            PlanMemory& memory) const {
  if (given.num_positional > num_positional_) return false;
  uint64_t bound = 0;  // an operator has at most 64 arguments
  for (uint32_t i = 0; i < given.num_positional; ++i) {
    if (!convert(args_[i], given.objects[i], tensor_type, values[i], memory)) return false;
    bound |= uint64_t{1} << i;
  }
  for (size_t n = 0; n < given.num_keywords(); ++n) {
    const uint32_t i = find_name(PyTuple_GET_ITEM(given.names, static_cast<Py_ssize_t>(n)));
    if (i == num_args_ || (bound >> i & 1)) return false;
    if (!convert(args_[i], given.objects[given.num_positional + n], tensor_type, values[i], memory))
      return false;
    bound |= uint64_t{1} << i;
  }
  for (uint32_t i = 0; i < num_args_; ++i) {
    if (bound >> i & 1) continue;
    if (!args_[i].has_default) return false;
    values[i] = args_[i].default_value;
  }
  return true;
}

}  // namespace opwright::python
