// Element types of the graph engine GE, and sets of them, as its prototypes name them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
namespace graph_engine {
// The engine's own numbers: attributes hold them (the wire form of a descriptor has others).
enum DataType : uint8_t {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT32 = 8,
  DT_INT64 = 9,
  DT_UINT64 = 10,
  DT_DOUBLE = 11,
  DT_BOOL = 12,
  DT_STRING = 13,
  DT_COMPLEX64 = 16,
  DT_COMPLEX128 = 17,
  DT_QINT8 = 18,
  DT_QINT16 = 19,
  DT_QINT32 = 20,
  DT_QUINT8 = 21,
  DT_QUINT16 = 22,
  DT_RESOURCE = 23,
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_COMPLEX32 = 33,
  DT_FLOAT8_E5M2 = 35,
  DT_FLOAT8_E4M3FN = 36,
};
inline constexpr DataType DT_FLOAT32 = DT_FLOAT;

struct DataTypeName {
  DataType type;
  const char* name;  // without "DT_"
};
inline constexpr DataTypeName kDataTypes[] = {
    {DT_FLOAT, "FLOAT"},
    {DT_FLOAT16, "FLOAT16"},
    {DT_INT8, "INT8"},
    {DT_INT32, "INT32"},
    {DT_UINT8, "UINT8"},
    {DT_INT16, "INT16"},
    {DT_UINT16, "UINT16"},
    {DT_UINT32, "UINT32"},
    {DT_INT64, "INT64"},
    {DT_UINT64, "UINT64"},
    {DT_DOUBLE, "DOUBLE"},
    {DT_BOOL, "BOOL"},
    {DT_STRING, "STRING"},
    {DT_COMPLEX64, "COMPLEX64"},
    {DT_COMPLEX128, "COMPLEX128"},
    {DT_QINT8, "QINT8"},
    {DT_QINT16, "QINT16"},
    {DT_QINT32, "QINT32"},
    {DT_QUINT8, "QUINT8"},
    {DT_QUINT16, "QUINT16"},
    {DT_RESOURCE, "RESOURCE"},
    {DT_BF16, "BF16"},
    {DT_COMPLEX32, "COMPLEX32"},
    {DT_FLOAT8_E5M2, "FLOAT8_E5M2"},
    {DT_FLOAT8_E4M3FN, "FLOAT8_E4M3FN"},
};

// A set of element types.
class TensorType {
 public:
  constexpr TensorType() = default;
  constexpr explicit TensorType(DataType type) : bits_(bit(type)) {}
  constexpr TensorType(std::initializer_list<DataType> types) {
    for (const DataType type : types) bits_ |= bit(type);
  }

  // The sets that the engine has names for.
  static constexpr TensorType ALL() {
    return OrdinaryType() | QuantifiedType() | TensorType{DT_RESOURCE, DT_STRING};
  }
  static constexpr TensorType QuantifiedType() {
    return {DT_QINT8, DT_QINT16, DT_QINT32, DT_QUINT8, DT_QUINT16};
  }
  static constexpr TensorType OrdinaryType() { return Plain() | TensorType(DT_BOOL); }
  static constexpr TensorType BasicType() { return Plain() | QuantifiedType(); }
  static constexpr TensorType NumberType() {
    return Plain() | TensorType{DT_QINT8, DT_QINT32, DT_QUINT8};
  }
  static constexpr TensorType RealNumberType() {
    return IntegerDataType() | FloatingDataType() | TensorType(DT_BF16);
  }
  static constexpr TensorType ComplexDataType() {
    return {DT_COMPLEX128, DT_COMPLEX64, DT_COMPLEX32};
  }
  static constexpr TensorType IntegerDataType() { return SignedDataType() | UnsignedDataType(); }
  static constexpr TensorType SignedDataType() { return {DT_INT8, DT_INT16, DT_INT32, DT_INT64}; }
  static constexpr TensorType UnsignedDataType() {
    return {DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64};
  }
  static constexpr TensorType FloatingDataType() { return {DT_DOUBLE, DT_FLOAT, DT_FLOAT16}; }
  static constexpr TensorType IndexNumberType() { return {DT_INT32, DT_INT64}; }
  static constexpr TensorType UnaryDataType() {
    return ComplexDataType() | FloatingDataType() | TensorType(DT_BF16);
  }
  static constexpr TensorType FLOAT() { return {DT_FLOAT, DT_FLOAT16, DT_BF16}; }

  [[nodiscard]] constexpr bool has(DataType type) const { return (bits_ & bit(type)) != 0; }
  [[nodiscard]] constexpr bool is_empty() const { return bits_ == 0; }
  friend constexpr TensorType operator|(TensorType a, TensorType b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(TensorType, TensorType) = default;

 private:
  static constexpr uint64_t bit(DataType type) { return uint64_t{1} << type; }
  static constexpr TensorType Plain() {
    return IntegerDataType() | FloatingDataType() | ComplexDataType() | TensorType(DT_BF16);
  }

  uint64_t bits_ = 0;
};

struct TensorTypeName {
  TensorType type;
  const char* name;
};
inline constexpr TensorTypeName kTensorTypes[] = {
    {TensorType::ALL(), "ALL"},
    {TensorType::BasicType(), "BasicType"},
    {TensorType::NumberType(), "NumberType"},
    {TensorType::RealNumberType(), "RealNumberType"},
    {TensorType::OrdinaryType(), "OrdinaryType"},
    {TensorType::UnaryDataType(), "UnaryDataType"},
    {TensorType::FloatingDataType(), "FloatingDataType"},
    {TensorType::IndexNumberType(), "IndexNumberType"},
    {TensorType::FLOAT(), "FLOAT"},
    {TensorType::IntegerDataType(), "IntegerDataType"},
    {TensorType::SignedDataType(), "SignedDataType"},
    {TensorType::UnsignedDataType(), "UnsignedDataType"},
    {TensorType::ComplexDataType(), "ComplexDataType"},
    {TensorType::QuantifiedType(), "QuantifiedType"},
};

// The name of a set that has one, else its elements: "ALL", "{FLOAT, FLOAT16}".
inline void append_text(std::string& out, TensorType type) {
  for (const TensorTypeName& each : kTensorTypes) {
    if (each.type == type) return void(out.append(each.name));
  }
  const char* separator = "{";
  for (const DataTypeName& each : kDataTypes) {
    if (!type.has(each.type)) continue;
    out.append(separator).append(each.name);
    separator = ", ";
  }
  out.append(type.is_empty() ? "{}" : "}");
}
}  // namespace graph_engine
}  // namespace opwright

namespace ge = opwright::graph_engine;
