#include "bindings/tensor/nested_data.h"

#include <cstddef>
#include <utility>

#include "bindings/object/element.h"
#include "bindings/object/fake_mode.h"
#include "bindings/object/method.h"
#include "bindings/object/value.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/transforms/trace/fake.h"

namespace opwright::python {
namespace {

bool is_data_sequence(PyObject* object) {
  if (PyList_Check(object) || PyTuple_Check(object)) return true;
  return PySequence_Check(object) && !PyUnicode_Check(object) && !PyBytes_Check(object) &&
         !dtype_of_number(object);
}

class NestedData {
 public:
  NestedData(PyObject* data, const char* who) : data_(data), who_(who) { find_sizes(); }

  [[nodiscard]] const Sizes& sizes() const noexcept { return sizes_; }

  // Calls visit(element) for every element, in order.
  template <class Visit>
  void visit_elements(const Visit& visit) const {
    walk(data_, 0, visit);
  }

 private:
  // From the first element of each sequence; walk() checks the others against it.
  void find_sizes() {
    nanobind::object level = share(data_);
    while (is_data_sequence(level.ptr())) {
      OPWRIGHT_CHECK_VALUE(sizes_.size() < kMostDims, who_, ": the data is nested more than ",
                           kMostDims, " deep");
      const Py_ssize_t length = PySequence_Size(level.ptr());
      if (length < 0) throw_python_error();
      sizes_.push_back(length);
      if (length == 0) break;
      level = own(PySequence_GetItem(level.ptr(), 0));
    }
  }

  template <class Visit>
  void walk(PyObject* data, size_t dim, const Visit& visit) const {
    if (dim == sizes_.size()) return visit(data);
    const int64_t expected = sizes_[dim];
    OPWRIGHT_CHECK_VALUE(is_data_sequence(data), who_, ": expected a sequence of length ", expected,
                         " at dimension ", dim, ", got ", class_name(data));
    const nanobind::object items = own(PySequence_Fast(data, "the data is no sequence"));
    check_length(items.ptr(), dim);
    for (Py_ssize_t i = 0; i < expected; ++i) {
      check_length(items.ptr(), dim);  // reading a number may have run Python code
      const nanobind::object element = share(PySequence_Fast_GET_ITEM(items.ptr(), i));
      walk(element.ptr(), dim + 1, visit);
    }
  }

  void check_length(PyObject* items, size_t dim) const {
    const Py_ssize_t length = PySequence_Fast_GET_SIZE(items);
    OPWRIGHT_CHECK_VALUE(length == sizes_[dim], who_, ": expected a sequence of length ",
                         sizes_[dim], " at dimension ", dim, ", got ", length);
  }

  PyObject* data_;
  const char* who_;
  Sizes sizes_;
};

[[noreturn]] void throw_no_number(PyObject* element, const NestedData& data, const char* who) {
  if (is_data_sequence(element)) {
    throw_error("ValueError", who, ": expected a number at dimension ", data.sizes().size(),
                ", got ", class_name(element));
  }
  throw_error("TypeError", who, ": ", class_name(element),
              " is not a number; the data must be numbers, or sequences of numbers");
}

DType infer_dtype(const NestedData& data, const char* who) {
  std::optional<DType> common;
  data.visit_elements([&](PyObject* element) {
    const std::optional<DType> dtype = dtype_of_number(element);
    if (!dtype) throw_no_number(element, data, who);
    if (common != dtype) common = common ? promote_dtypes(*common, *dtype) : *dtype;
  });
  return common.value_or(kDefaultFloat);
}

}  // namespace

Tensor tensor_of_nested(PyObject* object, std::optional<DType> given_dtype, const char* who) {
  const NestedData data(object, who);
  const DType dtype = given_dtype ? *given_dtype : infer_dtype(data, who);
  const auto check = [&](PyObject* element) {
    if (given_dtype && !dtype_of_number(element)) throw_no_number(element, data, who);
  };
  if (is_making_fakes()) {  // no element is read: symbols among them stay dynamic
    data.visit_elements(check);
    return adopt(make_fake(data.sizes(), dtype, kCpu));
  }
  Tensor tensor = make_empty(data.sizes(), dtype);
  auto* out = static_cast<std::byte*>(tensor.mutable_data());
  data.visit_elements([&](PyObject* element) {
    check(element);
    write_element(out, dtype, element);
    out += item_size(dtype);
  });
  return adopt(std::move(tensor));
}

}  // namespace opwright::python
