// The elements of opwright.Tensor in Python: item, tolist, float(x), its text.
#include <cstddef>
#include <cstdint>
#include <string>

#include "bindings/object/element.h"
#include "bindings/object/method.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/tensor_conversion.h"
#include "bindings/object/value.h"
#include "bindings/tensor/function_transform.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/functions.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/transforms/differentiate/derivative_values.h"
#include "opwright/transforms/differentiate/jvp.h"
#include "opwright/transforms/trace/data_access.h"
#include "opwright/transforms/trace/fake.h"

namespace opwright::python {
namespace {

bool has_own_data(const Tensor& tensor) { return !tensor.is_fake() && !impl(tensor).is_wrapper(); }

// The tensor itself if its memory can be read here, otherwise a copy on the CPU.
Tensor readable(const Tensor& given, const char* who) {
  make_data_real(who, given);
  const Tensor tensor = data_holder(given);
  const TensorImpl& self = impl(tensor);
  if (self.is_wrapper() || tensor.is_fake()) throw_no_data(who, tensor);
  return tensor.device().type == kOpwDeviceCpu ? tensor : detached_copy(tensor, {.device = kCpu});
}

// Set by Python, or null.
NumbersFromData numbers_from_data{};

bool is_exporting() {
  if (!numbers_from_data.is_exporting || may_trace_end()) return false;
  const int answer =
      PyObject_IsTrue(own(PyObject_CallNoArgs(numbers_from_data.is_exporting)).ptr());
  require_no_error(answer);
  return answer == 1;
}

// Whether the number in a tensor stays symbolic because the function is being exported.
bool is_exported(const Tensor& tensor) { return is_traced(tensor) && is_exporting(); }

// Whether the number in a tensor stays symbolic: of a function that is exported, or of a fake
// tensor whose mode says so.
bool stays_symbolic(const Tensor& tensor) {
  if (is_exported(tensor)) return true;
  const auto* mode =
      tensor.is_fake() ? dynamic_cast<const FakeMode*>(current_interpreter()) : nullptr;
  return mode && mode->numbers() == FakeMode::Numbers::Symbolic && numbers_from_data.read;
}

// Whether nested lists have a symbolic number among their elements.
bool holds_symbol(PyObject* data) {
  if (PyList_Check(data) || PyTuple_Check(data)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(data); ++i) {
      if (holds_symbol(PySequence_Fast_GET_ITEM(data, i))) return true;
    }
    return false;
  }
  if (is_sym_int(data)) return true;
  const int answer = PyObject_IsInstance(data, numbers_from_data.number_class);
  require_no_error(answer);
  return answer == 1;
}

// The element of such a tensor.
PyObject* read_symbolic(const Tensor& tensor, const char* who) {
  OPWRIGHT_CHECK(tensor.sym_numel() == 1, who, ": only a tensor with one element is a number, got ",
                 tensor, " with ", tensor.sym_numel(), " elements");
  if (is_integral(tensor.dtype()) && tensor.dtype() != DType::Bool) {
    return take_to_python(Value(tensor.item()).give());
  }
  if (is_complex(tensor.dtype())) throw_no_data(who, tensor);
  return PyObject_CallOneArg(numbers_from_data.read, own(wrap(tensor)).ptr());
}

PyObject* item(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    const LentTensor tensor(self);
    if (stays_symbolic(*tensor)) return read_symbolic(*tensor, "item");
    return read_single_element(*tensor, "item");
  });
}

// ---- tolist ----

// The elements from `data` on, for dimensions from `dim` on.
nanobind::object nested_list(const Tensor& tensor, const std::byte* data, size_t dim) {
  const auto sizes = tensor.sizes();
  if (dim == sizes.size()) return own(read_element(data, tensor.dtype()));
  const int64_t step = tensor.strides()[dim] * static_cast<int64_t>(item_size(tensor.dtype()));
  nanobind::object list = own(PyList_New(sizes[dim]));
  for (int64_t i = 0; i < sizes[dim]; ++i)
    PyList_SET_ITEM(list.ptr(), i, give(nested_list(tensor, data + i * step, dim + 1)));
  return list;
}

// The same without data: each element becomes a symbolic number, as by item().
nanobind::object symbolic_list(const Tensor& tensor) {
  if (tensor.dim() == 0) {
    return own(stays_symbolic(tensor) ? read_symbolic(tensor, "tolist")
                                      : read_single_element(tensor, "tolist"));
  }
  nanobind::object list = own(PyList_New(tensor.size(0)));
  for (int64_t i = 0; i < tensor.size(0); ++i)
    PyList_SET_ITEM(list.ptr(), i, give(symbolic_list(select(tensor, 0, i))));
  return list;
}

PyObject* tolist(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    const Tensor given = handle_of(self);
    make_data_real("tolist", given);
    const bool is_symbolic = !has_own_data(given) && is_integral(given.dtype());
    if (is_symbolic && given.dtype() != DType::Bool) return give(symbolic_list(given));
    if (stays_symbolic(given)) return give(symbolic_list(given));
    const Tensor tensor = readable(given, "tolist");
    return give(nested_list(tensor, static_cast<const std::byte*>(tensor.data()), 0));
  });
}

// ---- Python's own conversions ----

int is_true(PyObject* self) {
  return guarded(
      [&] {
        const LentTensor tensor(self);
        OPWRIGHT_CHECK(!has_own_data(*tensor) || tensor->numel() == 1,
                       "bool: the truth of a tensor of ", tensor->sym_numel(),
                       " elements is ambiguous; one element is needed");
        return PyObject_IsTrue(own(read_single_element(*tensor, "bool")).ptr());
      },
      -1);
}

PyObject* tensor_as_float(PyObject* self) {
  return guarded(
      [&] { return PyNumber_Float(own(read_single_element(*LentTensor(self), "float")).ptr()); });
}

PyObject* tensor_as_int(PyObject* self) {
  return guarded(
      [&] { return PyNumber_Long(own(read_single_element(*LentTensor(self), "int")).ptr()); });
}

PyObject* as_index(PyObject* self) {
  return guarded([&] {
    const LentTensor tensor(self);
    OPWRIGHT_CHECK_TYPE(
        (is_integral(tensor->dtype()) || tensor->dtype() == DType::Bool) &&
            (!has_own_data(*tensor) || tensor->numel() == 1),
        "only integer tensors of a single element can be converted to an index, got ", *tensor);
    return PyNumber_Index(own(read_single_element(*tensor, "index")).ptr());
  });
}

PyObject* as_complex(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    const nanobind::object number = own(read_single_element(*LentTensor(self), "complex"));
    const Py_complex value = PyComplex_AsCComplex(number.ptr());
    if (value.real == -1 && PyErr_Occurred()) throw_python_error();
    return PyComplex_FromCComplex(value);
  });
}

// ---- Text ----

// A dual tensor with its value and its tangent.
std::string text_of(const Tensor& tensor) {
  const auto* level = dynamic_cast<const Jvp*>(impl(tensor).level);
  if (!level || !is_in_chain(level, current_interpreter())) return to_text(tensor);
  const Tensor tangent = level->tangent_of(tensor);
  std::string text = text_of(level->primal_of(tensor));
  if (!tangent.is_defined() || !text.ends_with(')')) return text;
  return text.insert(text.size() - 1, concatenate(", tangent=", text_of(tangent)));
}

PyObject* tensor_repr(PyObject* self) {
  return guarded([&] {
    make_data_real("print", *LentTensor(self));
    std::string text = transform_text(*LentTensor(self)).value_or(text_of(*LentTensor(self)));
    if (Py_TYPE(self) != tensor_type && text.starts_with("tensor(")) {
      const char* name = Py_TYPE(self)->tp_name;
      const char* dot = std::strrchr(name, '.');
      const std::string short_name = dot ? dot + 1 : name;
      // Indents the lines after the first under the opening parenthesis.
      const std::string indent(short_name.size() + 1, ' ');
      constexpr size_t kOldIndent = sizeof("tensor(") - 1;
      for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        if (text.compare(at + 1, kOldIndent, std::string(kOldIndent, ' ')) == 0)
          text.replace(at + 1, kOldIndent, indent);
      }
      text.replace(0, kOldIndent - 1, short_name);
    }
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  });
}

PyObject* tensor_format(PyObject* self, PyObject* specification) {
  return guarded([&] {
    const LentTensor tensor(self);
    make_data_real("format", *tensor);
    if (tensor->dim() == 0 && has_own_data(*tensor)) {
      return PyObject_Format(own(read_single_element(*tensor, "format")).ptr(), specification);
    }
    OPWRIGHT_CHECK_TYPE(PyUnicode_Check(specification) && PyUnicode_GET_LENGTH(specification) == 0,
                        "format: a format like '.2f' is for tensors of zero dimensions, got ",
                        *tensor);
    return PyObject_Str(self);
  });
}

const PyMethodDef kValueMethods[] = {
    {"item", as_method(item), METH_NOARGS,
     "item($self, /)\n--\n\n"
     "Return the only element as a Python number.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([2.5]).item()\n"
     "2.5\n"},
    {"tolist", as_method(tolist), METH_NOARGS,
     "tolist($self, /)\n--\n\n"
     "Return the elements as nested lists, or a number if there are no dimensions.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([[1, 2], [3, 4]]).tolist()\n"
     "[[1, 2], [3, 4]]\n"},
    {"__complex__", as_method(as_complex), METH_NOARGS,
     "__complex__($self, /)\n--\n\n"
     "Return the only element as a complex number.\n\n"
     ">>> import opwright as ow\n"
     ">>> complex(ow.tensor(2.0))\n"
     "(2+0j)\n"},
    {"__format__", as_method(tensor_format), METH_O,
     "__format__($self, specification, /)\n--\n\n"
     "Format the number of a zero-dim tensor, or the text of any other.\n\n"
     ">>> import opwright as ow\n"
     ">>> f'{ow.tensor(2.5):.2f}'\n"
     "'2.50'\n"},
};

const PyType_Slot kValueSlots[] = {
    {Py_tp_repr, as_slot(tensor_repr)},      {Py_nb_bool, as_slot(is_true)},
    {Py_nb_float, as_slot(tensor_as_float)}, {Py_nb_int, as_slot(tensor_as_int)},
    {Py_nb_index, as_slot(as_index)},
};

}  // namespace

void set_numbers_from_data(const NumbersFromData& functions) {
  for (PyObject* each : {functions.read, functions.is_exporting, functions.make_tensor,
                         functions.require_asserted, functions.number_class}) {
    Py_INCREF(each);  // kept permanently
  }
  numbers_from_data = functions;
}

void refuse_state_of_export(const Tensor& tensor, const char* who) {
  if (impl(tensor).is_wrapper() || !is_exported(tensor)) [[likely]]
    return;
  throw_error("DataDependentError", who,
              ": cannot read the data of a tensor that the program holds (", tensor,
              "), which may change before the program runs\n  Keep the value a tensor "
              "(opwright.where, opwright.cond), or read it with item().");
}

bool becomes_requirement(PyObject* condition) {
  if (!is_exporting()) return false;
  const nanobind::object answer =
      own(PyObject_CallOneArg(numbers_from_data.require_asserted, condition));
  return answer.ptr() == Py_True;
}

PyObject* make_symbolic_tensor(PyObject* data, PyObject* args, PyObject* kwargs) {
  if (!thread_state().current || !is_exporting() || !holds_symbol(data)) [[likely]]
    return nullptr;
  return require(PyObject_Call(numbers_from_data.make_tensor, args, kwargs));
}

PyObject* read_single_element(const Tensor& tensor, const char* who) {
  if (is_integral(tensor.dtype()) && !impl(tensor).is_wrapper() && is_exported(tensor)) {
    return take_to_python(Value(tensor.item()).give());  // of a buffer: as of a value
  }
  refuse_state_of_export(tensor, who);
  // In a trace an integer may stay a symbol; everything else is read.
  const bool may_be_symbol = is_integral(tensor.dtype()) && may_trace_end();
  if (!may_be_symbol) make_data_real(who, tensor);
  if (impl(tensor).is_wrapper() || may_be_symbol)
    return take_to_python(Value(tensor.item()).give());  // the transform returns it
  const Tensor memory = readable(tensor, who);
  OPWRIGHT_CHECK(memory.numel() == 1, who, ": a tensor of ", memory.numel(),
                 " elements is not one number; index it first, or use tolist()");
  return read_element(memory.data(), memory.dtype());
}

void add_value_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kValueMethods), std::end(kValueMethods));
  out.slots.insert(out.slots.end(), std::begin(kValueSlots), std::end(kValueSlots));
}

}  // namespace opwright::python
