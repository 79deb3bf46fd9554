#include "bindings/onnx/onnx_type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/value.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/symint.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

struct ScalarTypeName {
  DType dtype;
  const char* name;
  int number;
};
constexpr ScalarTypeName kScalarTypes[] = {
    {DType::UInt8, "Byte", 0},
    {DType::Int8, "Char", 1},
    {DType::Int16, "Short", 2},
    {DType::Int32, "Int", 3},
    {DType::Int64, "Long", 4},
    {DType::Float16, "Half", 5},
    {DType::Float32, "Float", 6},
    {DType::Float64, "Double", 7},
    {DType::Complex64, "ComplexFloat", 9},
    {DType::Complex128, "ComplexDouble", 10},
    {DType::Bool, "Bool", 11},
    {DType::BFloat16, "BFloat16", 15},
    {DType::Float8E5M2, "Float8E5M2", 23},
    {DType::Float8E4M3FN, "Float8E4M3FN", 24},
    {DType::UInt16, "UInt16", 27},
    {DType::UInt32, "UInt32", 28},
    {DType::UInt64, "UInt64", 29},
};

const ScalarTypeName* find_scalar_type(DType dtype) {
  for (const ScalarTypeName& each : kScalarTypes) {
    if (each.dtype == dtype) return &each;
  }
  return nullptr;
}

// Numbers; None for a dynamic size. None if unknown.
nb::object symbolic_sizes(const SymbolicType& self) {
  if (!self.sizes) return nb::none();
  nb::list sizes;
  for (const SymInt& size : *self.sizes)
    sizes.append(size.is_symbolic() ? nb::none() : nb::object(nb::int_(size.word())));
  return sizes;
}

nb::object sym_sizes_of(const SymbolicType& self) {
  if (!self.sizes) return nb::none();
  nb::list sizes;
  for (const SymInt& size : *self.sizes) sizes.append(own(sym_int_to_python(size)));
  return nb::tuple(sizes);
}

SymbolicType with_sizes(const SymbolicType& self, const nb::object& sizes) {
  SymbolicType type{.dtype = self.dtype};
  if (sizes.is_none()) return type;
  std::vector<SymInt> read;
  for (const nb::handle each : sizes) {
    if (each.is_none()) return type;  // an unnamed dynamic size: the sizes are unknown
    const std::optional<SymInt> size = read_sym_int(each.ptr());
    OPWRIGHT_CHECK_TYPE(size, "with_sizes: a size must be an int or None, got ",
                        class_name(each.ptr()));
    read.push_back(*size);
  }
  type.sizes = std::move(read);
  return type;
}

}  // namespace

std::string to_text(const SymbolicType& type) {
  std::string text = type.dtype ? dtype_name_or_null(*type.dtype) : "?";
  if (!type.sizes) return text + "[?]";
  text += "[";
  for (size_t i = 0; i < type.sizes->size(); ++i)
    text += concatenate(i == 0 ? "" : ", ", (*type.sizes)[i]);
  return text + "]";
}

const char* scalar_type_name(DType dtype) {
  const ScalarTypeName* found = find_scalar_type(dtype);
  return found ? found->name : nullptr;
}
int scalar_type_number(DType dtype) {
  const ScalarTypeName* found = find_scalar_type(dtype);
  return found ? found->number : -1;
}

void bind_onnx_type(nb::module_& m) {
  nb::class_<SymbolicType>(m, "OnnxType", "The type of a value of a model, as far as known.")
      .def("sizes", &symbolic_sizes, "Numbers, None for a dynamic size; None if unknown.")
      .def("varyingSizes", &symbolic_sizes, "The same as sizes().")
      .def_prop_ro("sym_sizes", &sym_sizes_of, "Sizes with symbols; None if unknown.")
      .def("dim",
           [](const SymbolicType& self) -> nb::object {
             if (!self.sizes) return nb::none();
             return nb::int_(self.sizes->size());
           })
      .def(
          "scalarType",
          [](const SymbolicType& self) -> nb::object {
            const char* name = self.dtype ? scalar_type_name(*self.dtype) : nullptr;
            if (!name) return nb::none();
            return nb::str(name);
          },
          "\"Float\", \"Long\", ...; None if unknown.")
      .def(
          "dtype",
          [](const SymbolicType& self) {
            return self.dtype ? own(to_python(*self.dtype)) : nb::none();
          },
          "None if unknown.")
      .def("kind", [](const SymbolicType&) { return "TensorType"; })
      .def("with_sizes", &with_sizes, nb::arg("sizes").none(), "The same with other sizes.")
      .def(
          "with_dtype",
          [](const SymbolicType& self, const nb::object& dtype) {
            return SymbolicType{.dtype = parse_dtype(dtype.ptr()), .sizes = self.sizes};
          },
          nb::arg("dtype"), "The same with another dtype.")
      .def("__repr__", [](const SymbolicType& self) { return to_text(self); });
  nb::list types;
  for (const ScalarTypeName& each : kScalarTypes)
    types.append(nb::make_tuple(own(to_python(each.dtype)), each.name, each.number,
                                onnx::element_type(each.dtype)));
  m.attr("onnx_scalar_types") = nb::tuple(types);  // dtype, PyTorch's name and number, ONNX's
}

}  // namespace opwright::python
