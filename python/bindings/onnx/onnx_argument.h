// Arguments of symbolics by the descriptors of parse_args: 'v', 'i', 'f', 's', 'b', 't', 'is',
// 'fs', 'none'.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

namespace opwright::python {

// ValueError for an unknown descriptor.
void check_descriptor(const std::string& descriptor);

// The value itself for 'v' and 'none', None for None, otherwise the constant in the form of the
// descriptor. TypeError, with the argument and the function, for a constant of another kind;
// ValueError for a computed value.
[[nodiscard]] nanobind::object parse_argument(nanobind::handle value, const std::string& descriptor,
                                              const std::string& argument,
                                              const std::string& function);

void bind_onnx_argument(nanobind::module_& m);

}  // namespace opwright::python
