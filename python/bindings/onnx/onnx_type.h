// The type of a value of a model, with the names that PyTorch's symbolics use.
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

// "float32[n, 3]", "?" for unknown parts.
[[nodiscard]] std::string to_text(const SymbolicType& type);

// "Float", "Long", ...; null for a dtype without a name.
[[nodiscard]] const char* scalar_type_name(DType dtype);
// PyTorch's number of a dtype, -1 if it has none.
[[nodiscard]] int scalar_type_number(DType dtype);

void bind_onnx_type(nanobind::module_& m);

}  // namespace opwright::python
