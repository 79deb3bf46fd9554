// What is known of a value of a model, under the names that symbolics of PyTorch ask by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "opwright/dtype.h"
#include "opwright/symint.h"

namespace opwright::python {

struct SymbolicType {
  std::optional<DType> dtype = std::nullopt;
  std::optional<std::vector<SymInt>> sizes = std::nullopt;
};

// "float32[n, 3]", "?" for what is not known.
[[nodiscard]] std::string to_text(const SymbolicType& type);

// "Float", "Long", ...; null for a dtype that has none.
[[nodiscard]] const char* scalar_type_name(DType dtype);
// PyTorch's number of a dtype, -1 for one that has none.
[[nodiscard]] int scalar_type_number(DType dtype);

void bind_onnx_type(nanobind::module_& m);

}  // namespace opwright::python
