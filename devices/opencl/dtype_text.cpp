#include "dtype_text.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "device.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

const char* int_type(size_t size, bool is_signed) {
  switch (size) {
    case 1:
      return is_signed ? "char" : "uchar";
    case 2:
      return is_signed ? "short" : "ushort";
    case 4:
      return is_signed ? "int" : "uint";
    default:
      return is_signed ? "long" : "ulong";
  }
}

int64_t to_int(const OpwValue& number) {
  if (number.tag == kOpwFloat) return static_cast<int64_t>(number.as_double);
  if (number.tag == kOpwComplex) return static_cast<int64_t>(number.as_doubles[0]);
  return number.as_int;
}

template <class Value>
NumberBytes bytes_of(const Value& value) {
  NumberBytes result;
  static_assert(sizeof value <= sizeof result.bytes);
  std::memcpy(result.bytes.data(), &value, sizeof value);
  result.size = sizeof value;
  return result;
}

NumberBytes complex_bytes(const OpwValue& number, DType dtype) {
  const double parts[2] = {to_double(number), number.tag == kOpwComplex ? number.as_doubles[1] : 0};
  if (dtype == DType::Complex128) return bytes_of(parts);
  const float narrow[2] = {static_cast<float>(parts[0]), static_cast<float>(parts[1])};
  return bytes_of(narrow);
}

}  // namespace

void check_computes(const Device& device, DType dtype, const char* who) {
  const bool is_known_here = !is_complex(dtype) && dtype_name_or_null(dtype) != nullptr &&
                             dtype_code(dtype) != kOpwDtypeFloat8E4M3FN &&
                             dtype_code(dtype) != kOpwDtypeFloat8E5M2;
  OPWRIGHT_CHECK_KIND("NotImplementedError", is_known_here, "opencl: ", who,
                      " does not compute with ", dtype,
                      "; move the tensors to the cpu for this operator");
  OPWRIGHT_CHECK_KIND("NotImplementedError", dtype != DType::Float64 || device.has_double(),
                      "opencl:", device.index(), " has no float64 (cl_khr_fp64), which ", who,
                      " needs; convert the tensors to float32");
}

const char* storage_type(DType dtype) {
  if (dtype == DType::Float32) return "float";
  if (dtype == DType::Float64) return "double";
  return int_type(item_size(dtype), dtype_code(dtype) == kOpwDtypeInt);
}

const char* value_type(DType dtype) { return is_half(dtype) ? "float" : storage_type(dtype); }

const char* moved_type(DType dtype) {
  return item_size(dtype) == 16 ? "ulong2" : int_type(item_size(dtype), false);
}

std::string load_text(DType dtype, const std::string& element) {
  if (dtype == DType::Float16) return "opw_of_half(" + element + ")";
  if (dtype == DType::BFloat16) return "opw_of_bfloat(" + element + ")";
  if (dtype == DType::Bool) return "(uchar)(" + element + " != 0)";
  return element;
}

std::string convert_text(const std::string& value, DType from, DType to) {
  if (from == to) return value;
  if (to == DType::Bool) return "(uchar)((" + value + ") != 0)";
  if (to == DType::Float16) return "opw_of_half(opw_to_half((float)(" + value + ")))";
  if (to == DType::BFloat16) return "opw_of_bfloat(opw_to_bfloat((float)(" + value + ")))";
  const std::string type = value_type(to);
  if (is_floating(from) && is_integral(to)) {
    const std::string wide = to == DType::UInt64 ? "opw_ulong_of_" : "opw_long_of_";
    return "(" + type + ")" + wide + value_type(from) + "(" + value + ")";
  }
  return "(" + type + ")(" + value + ")";
}

std::string store_text(DType dtype, const std::string& element, const std::string& value,
                       DType from) {
  if (dtype == DType::Float16) return element + " = opw_to_half((float)(" + value + "));\n";
  if (dtype == DType::BFloat16) return element + " = opw_to_bfloat((float)(" + value + "));\n";
  return element + " = " + convert_text(value, from, dtype) + ";\n";
}

const char* dtype_prelude() {
  return R"(
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
float opw_of_bfloat(ushort bits) { return as_float((uint)bits << 16); }
ushort opw_to_bfloat(float value) {
  const uint word = as_uint(value);
  if ((word & 0x7fffffffu) > 0x7f800000u) return (ushort)(word >> 16 | 0x40u);
  return (ushort)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}
float opw_of_half(ushort bits) {
  const uint sign = (uint)(bits & 0x8000u) << 16;
  const uint exponent = bits >> 10 & 0x1fu;
  const uint mantissa = bits & 0x3ffu;
  if (exponent == 0x1fu) return as_float(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0) return as_float(sign | (exponent + 112u) << 23 | mantissa << 13);
  const float magnitude = (float)mantissa * 5.9604644775390625e-8f;
  return as_float(as_uint(magnitude) | sign);
}
ushort opw_to_half(float value) {
  const uint word = as_uint(value);
  const uint sign = word >> 16 & 0x8000u;
  const uint magnitude = word & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return (ushort)(sign | 0x7e00u);
  if (magnitude >= 0x47800000u) return (ushort)(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    const float scaled = as_float(magnitude) + 0.5f;
    return (ushort)(sign | (as_uint(scaled) - 0x3f000000u));
  }
  return (ushort)(sign | (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13);
}
long opw_long_of_float(float x) {
  return x >= -9223372036854775808.0f && x < 9223372036854775808.0f ? (long)x : LONG_MIN;
}
ulong opw_ulong_of_float(float x) {
  if (x >= 9223372036854775808.0f && x < 18446744073709551616.0f) return (ulong)x;
  return (ulong)opw_long_of_float(x);
}
#ifdef cl_khr_fp64
long opw_long_of_double(double x) {
  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (long)x : LONG_MIN;
}
ulong opw_ulong_of_double(double x) {
  if (x >= 9223372036854775808.0 && x < 18446744073709551616.0) return (ulong)x;
  return (ulong)opw_long_of_double(x);
}
#endif
)";
}

double to_double(const OpwValue& number) {
  if (number.tag == kOpwFloat) return number.as_double;
  if (number.tag == kOpwComplex) return number.as_doubles[0];
  return static_cast<double>(number.as_int);
}

NumberBytes value_bytes(const OpwValue& number, DType dtype) {
  if (is_complex(dtype)) return complex_bytes(number, dtype);
  if (dtype == DType::Bool) return bytes_of(static_cast<uint8_t>(to_double(number) != 0));
  if (dtype == DType::Float64) return bytes_of(to_double(number));
  if (is_floating(dtype)) return bytes_of(static_cast<float>(to_double(number)));
  NumberBytes result = bytes_of(to_int(number));
  result.size = item_size(dtype);  // the low bytes come first
  return result;
}

NumberBytes storage_bytes(const OpwValue& number, DType dtype) {
  if (dtype == DType::Float16) return bytes_of(Half(to_double(number)));
  if (dtype == DType::BFloat16) return bytes_of(BFloat16(to_double(number)));
  return value_bytes(number, dtype);
}

}  // namespace opwright::opencl
