// Dtypes in OpenCL C: the types of elements in memory and for computing, and conversions between
// them. Halves are bit patterns that are computed as float, on every device alike.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::opencl {

class Device;

constexpr bool is_half(DType dtype) { return dtype == DType::Float16 || dtype == DType::BFloat16; }
// The dtype in which numbers of `dtype` are computed.
constexpr DType computing(DType dtype) { return is_half(dtype) ? DType::Float32 : dtype; }

// NotImplementedError for a dtype that `who` does not support on this device.
void check_computes(const Device& device, DType dtype, const char* who);

// The type of an element in memory, of one for computing, and of one that is only moved.
[[nodiscard]] const char* storage_type(DType dtype);
[[nodiscard]] const char* value_type(DType dtype);
[[nodiscard]] const char* moved_type(DType dtype);

// Expressions: the value of an element, a value converted (rounded) to another dtype, and the
// statement that stores a value of `from`.
[[nodiscard]] std::string load_text(DType dtype, const std::string& element);
[[nodiscard]] std::string convert_text(const std::string& value, DType from, DType to);
[[nodiscard]] std::string store_text(DType dtype, const std::string& element,
                                     const std::string& value, DType from);

// The prelude of every kernel: the functions that these expressions call.
[[nodiscard]] const char* dtype_prelude();

// A number as the argument of a kernel.
struct NumberBytes {
  std::array<std::byte, 16> bytes{};
  size_t size = 0;
};
// With type value_type(dtype).
[[nodiscard]] NumberBytes value_bytes(const OpwValue& number, DType dtype);
// As an element in memory.
[[nodiscard]] NumberBytes storage_bytes(const OpwValue& number, DType dtype);
[[nodiscard]] double to_double(const OpwValue& number);

}  // namespace opwright::opencl
