// c10::ScalarType: opwright::DType under PyTorch's names.
//
// Its number is DLPack's, not PyTorch's. It is a class so that it converts to a DType; a switch
// accepts it.
#pragma once

#include <iosfwd>
#include <string>

#include "opwright/compat/c10/util/Half.h"
#include "opwright/compat/c10/util/complex.h"
#include "opwright/dtype.h"
#include "opwright/value.h"

// _(C++ type, PyTorch's name, opwright's name)
#define AT_FORALL_SCALAR_TYPES_(_)                        \
  _(uint8_t, Byte, UInt8)                                 \
  _(int8_t, Char, Int8)                                   \
  _(int16_t, Short, Int16)                                \
  _(int32_t, Int, Int32)                                  \
  _(int64_t, Long, Int64)                                 \
  _(opwright::Half, Half, Float16)                        \
  _(float, Float, Float32)                                \
  _(double, Double, Float64)                              \
  _(opwright::Complex<float>, ComplexFloat, Complex64)    \
  _(opwright::Complex<double>, ComplexDouble, Complex128) \
  _(bool, Bool, Bool)                                     \
  _(opwright::BFloat16, BFloat16, BFloat16)               \
  _(uint16_t, UInt16, UInt16)                             \
  _(uint32_t, UInt32, UInt32)                             \
  _(uint64_t, UInt64, UInt64)

namespace c10 OPWRIGHT_VISIBILITY {
struct ScalarType {
  opwright::DType value{};

  constexpr ScalarType() = default;
  // NOLINTBEGIN(google-explicit-constructor): the same type under another name
  constexpr ScalarType(opwright::DType dtype) : value(dtype) {}
  constexpr operator opwright::DType() const { return value; }
  // NOLINTEND(google-explicit-constructor)
  constexpr explicit operator int() const { return static_cast<int>(value); }

  // The methods of PyTorch's TypeMeta.
  [[nodiscard]] constexpr size_t itemsize() const { return opwright::item_size(value); }
  [[nodiscard]] constexpr const char* name() const;
  [[nodiscard]] constexpr ScalarType toScalarType() const { return *this; }

#define OPWRIGHT_DECLARE_SCALAR_TYPE_(cpp_type, name, dtype) static const ScalarType name;
  AT_FORALL_SCALAR_TYPES_(OPWRIGHT_DECLARE_SCALAR_TYPE_)
#undef OPWRIGHT_DECLARE_SCALAR_TYPE_
  static const ScalarType Float8_e4m3fn;
  static const ScalarType Float8_e5m2;
  static const ScalarType Undefined;
};
#define OPWRIGHT_DEFINE_SCALAR_TYPE_(cpp_type, name, dtype)             \
  inline constexpr ScalarType ScalarType::name{opwright::DType::dtype}; \
  inline constexpr ScalarType k##name{opwright::DType::dtype};
AT_FORALL_SCALAR_TYPES_(OPWRIGHT_DEFINE_SCALAR_TYPE_)
#undef OPWRIGHT_DEFINE_SCALAR_TYPE_
inline constexpr ScalarType ScalarType::Float8_e4m3fn{opwright::DType::Float8E4M3FN};
inline constexpr ScalarType ScalarType::Float8_e5m2{opwright::DType::Float8E5M2};
inline constexpr ScalarType ScalarType::Undefined{};
inline constexpr ScalarType kFloat8_e4m3fn = ScalarType::Float8_e4m3fn;
inline constexpr ScalarType kFloat8_e5m2 = ScalarType::Float8_e5m2;

// "Float", "Long", ...: PyTorch's name.
constexpr const char* ScalarType::name() const {
#define OPWRIGHT_NAME_SCALAR_TYPE_(cpp_type, name, dtype) \
  if (value == opwright::DType::dtype) return #name;
  AT_FORALL_SCALAR_TYPES_(OPWRIGHT_NAME_SCALAR_TYPE_)
#undef OPWRIGHT_NAME_SCALAR_TYPE_
  return *this == Float8_e4m3fn ? "Float8_e4m3fn"
         : *this == Float8_e5m2 ? "Float8_e5m2"
                                : "Undefined";
}

// The dtype of a C++ type, and the reverse.
template <class T>
struct CppTypeToScalarType {
  static constexpr ScalarType value = opwright::dtype_of<T>();
};
namespace impl {
template <opwright::DType kDType>
struct ScalarTypeToCPPType;
#define OPWRIGHT_CPP_TYPE_(cpp_type, name, dtype)      \
  template <>                                          \
  struct ScalarTypeToCPPType<opwright::DType::dtype> { \
    using type = cpp_type;                             \
  };
AT_FORALL_SCALAR_TYPES_(OPWRIGHT_CPP_TYPE_)
#undef OPWRIGHT_CPP_TYPE_
template <opwright::DType kDType>
using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<kDType>::type;
}  // namespace impl

constexpr const char* toString(ScalarType type) { return type.name(); }
constexpr size_t elementSize(ScalarType type) { return type.itemsize(); }
constexpr bool isFloatingType(ScalarType type) { return opwright::is_floating(type); }
constexpr bool isComplexType(ScalarType type) { return opwright::is_complex(type); }
constexpr bool isIntegralType(ScalarType type, bool include_bool) {
  return opwright::is_integral(type) || (include_bool && type == ScalarType::Bool);
}
constexpr bool isReducedFloatingType(ScalarType type) {
  return type == ScalarType::Half || type == ScalarType::BFloat16;
}
constexpr ScalarType typeMetaToScalarType(ScalarType type) { return type; }
constexpr ScalarType scalarTypeToTypeMeta(ScalarType type) { return type; }

inline void append_text(std::string& out, ScalarType type) { out.append(type.name()); }
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                             ScalarType type) {
  return out << type.name();
}
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
namespace caffe2 OPWRIGHT_VISIBILITY {
using TypeMeta = c10::ScalarType;
}  // namespace caffe2

template <>
struct opwright::ValueOf<c10::ScalarType> : opwright::ValueOf<opwright::DType> {};
