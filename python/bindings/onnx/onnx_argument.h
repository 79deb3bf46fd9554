// Arguments of symbolics by the descriptors of parse_args: 'v', 'i', 'f', 's', 'b', 't', 'is',
// 'fs', 'none'.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

namespace opwright::python {

// ValueError for a descriptor that there is none of.
void check_descriptor(const std::string& descriptor);

// The value itself for 'v' and 'none', None for None, else the constant as the descriptor says.
// TypeError, with the argument and the function, for a constant of another kind; ValueError for a
// value that is computed.
[[nodiscard]] nanobind::object parse_argument(nanobind::handle value, const std::string& descriptor,
                                              const std::string& argument,
                                              const std::string& function);

void bind_onnx_argument(nanobind::module_& m);

}  // namespace opwright::python
