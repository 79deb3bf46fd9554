// The parts of GE prototypes: element types and sets of them, kinds of attributes, and the texts of
// a prototype.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
namespace graph_engine {
// NOLINTBEGIN(readability-identifier-naming): the engine's names
// The engine's own numbers, as attributes hold them (the wire form of a descriptor uses others).
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

  // The sets that the engine names.
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
  [[nodiscard]] constexpr bool holds(TensorType part) const { return (*this | part) == *this; }
  [[nodiscard]] constexpr int count() const { return std::popcount(bits_); }
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
// NOLINTEND(readability-identifier-naming)

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

// The name of a set that has one, alone or with up to two more elements, else its elements: "ALL",
// "BasicType|BOOL", "{FLOAT, FLOAT16}".
inline void append_text(std::string& out, TensorType type) {
  constexpr int kLeastNamed = 5;
  constexpr int kMostMore = 2;
  TensorType named;
  for (const TensorTypeName& each : kTensorTypes) {
    const bool is_near = each.type.count() >= kLeastNamed && type.holds(each.type) &&
                         type.count() - each.type.count() <= kMostMore;
    if (!is_near && each.type != type) continue;
    named = each.type;
    out.append(each.name);
    break;
  }
  const bool has_name = !named.is_empty();
  const char* separator = has_name ? "|" : "{";
  for (const DataTypeName& each : kDataTypes) {
    if (!type.has(each.type) || named.has(each.type)) continue;
    out.append(separator).append(each.name);
    separator = has_name ? "|" : ", ";
  }
  if (!has_name) out.append(type.is_empty() ? "{}" : "}");
}

// Kinds of attributes, as prototypes name them.
enum class AttributeKind : uint8_t {
  Int,
  Float,
  Bool,
  String,
  Bytes,
  Type,  // a DataType
  Tensor,
  ListInt,
  ListFloat,
  ListBool,
  ListString,
  ListType,
  ListTensor,
  ListListInt,
  ListListFloat,
};
struct AttributeKindName {
  const char* name;
  const char* schema_type;
};
inline constexpr AttributeKindName kAttributeKinds[] = {
    {"Int", "int"},
    {"Float", "float"},
    {"Bool", "bool"},
    {"String", "str"},
    {"Bytes", "str"},
    {"Type", "int"},
    {"Tensor", "Tensor"},
    {"ListInt", "int[]"},
    {"ListFloat", "float[]"},
    {"ListBool", "bool[]"},
    {"ListString", "str[]"},
    {"ListType", "int[]"},
    {"ListTensor", "Tensor[]"},
    {"ListListInt", "int[][]"},
    {"ListListFloat", "float[][]"},
};
[[nodiscard]] constexpr const AttributeKindName& names_of(AttributeKind kind) {
  return kAttributeKinds[static_cast<uint8_t>(kind)];
}

// How often an input or output of an op occurs.
enum class PortKind : uint8_t { Required, Optional, Dynamic };

// A name for the element type that several inputs and outputs share.
struct TypeName {
  std::string name;
  TensorType types = {};  // empty: any
};

// The texts of a prototype, built piece by piece: its own form and the schema of ge::<Name>.
//
//   AddCustom(x: ALL, bias?: {FLOAT}, parts*: BasicType; alpha: Float = 1.0, k: Int) -> (z: ALL)
//   AddCustom(Tensor x, Tensor? bias, Tensor[] parts, *, float alpha=1.0, int k) -> Tensor
//
// Names of element types come first: Relu<T: FLOAT>(x: T) -> (y: T).
class PrototypeText {
 public:
  explicit PrototypeText(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  void add_input(const std::string& name, TensorType types, PortKind kind) {
    add_input_text(name, set_text(types), kind);
  }
  void add_output(const std::string& name, TensorType types, PortKind kind) {
    add_output_text(name, set_text(types), kind);
  }
  // `type` is the name of an element type; one that add_type did not declare means any.
  void add_input(const std::string& name, const std::string& type, PortKind kind) {
    add_input_text(name, type_named(type).name, kind);
  }
  void add_output(const std::string& name, const std::string& type, PortKind kind) {
    add_output_text(name, type_named(type).name, kind);
  }
  void add_type(const std::string& name, TensorType types) { type_named(name).types = types; }
  // `default_value` in schema syntax; empty: the attribute is required.
  void add_attribute(const std::string& name, AttributeKind kind,
                     const std::string& default_value) {
    const AttributeKindName& names = names_of(kind);
    attributes_ += (attributes_.empty() ? "" : ", ") + name + ": " + names.name;
    schema_attributes_ += std::string(", ") + names.schema_type + " " + name;
    if (default_value.empty()) return;
    attributes_ += " = " + default_value;
    schema_attributes_ += "=" + default_value;
  }

  [[nodiscard]] std::string text() const {
    return name_ + types_text() + "(" + inputs_ + (attributes_.empty() ? "" : "; " + attributes_) +
           ") -> (" + outputs_ + ")";
  }
  [[nodiscard]] std::string schema() const {
    std::string arguments = schema_inputs_;
    if (!schema_attributes_.empty())
      arguments += (arguments.empty() ? "*" : ", *") + schema_attributes_;
    const std::string results = num_outputs_ == 1 ? schema_outputs_ : "(" + schema_outputs_ + ")";
    return name_ + "(" + arguments + ") -> " + results;
  }

 private:
  void add_input_text(const std::string& name, const std::string& type, PortKind kind) {
    add_port(inputs_, name, type, kind);
    schema_inputs_ += (schema_inputs_.empty() ? "" : ", ") + schema_type(kind) + " " + name;
  }
  void add_output_text(const std::string& name, const std::string& type, PortKind kind) {
    add_port(outputs_, name, type, kind);
    schema_outputs_ += (schema_outputs_.empty() ? "" : ", ") + schema_type(kind);
    ++num_outputs_;
  }
  static void add_port(std::string& out, const std::string& name, const std::string& type,
                       PortKind kind) {
    if (!out.empty()) out += ", ";
    out += name;
    if (kind != PortKind::Required) out += kind == PortKind::Optional ? "?" : "*";
    out += ": " + type;
  }
  static std::string set_text(TensorType types) {
    std::string out;
    append_text(out, types);
    return out;
  }
  TypeName& type_named(const std::string& name) {
    for (TypeName& each : types_) {
      if (each.name == name) return each;
    }
    return types_.emplace_back(TypeName{name});
  }
  [[nodiscard]] std::string types_text() const {
    std::string out;
    for (const TypeName& each : types_) {
      out += (out.empty() ? "<" : ", ") + each.name;
      if (!each.types.is_empty()) out += ": " + set_text(each.types);
    }
    return out.empty() ? out : out + ">";
  }
  static std::string schema_type(PortKind kind) {
    return kind == PortKind::Required   ? "Tensor"
           : kind == PortKind::Optional ? "Tensor?"
                                        : "Tensor[]";
  }

  std::string name_;
  std::vector<TypeName> types_;  // in the order of their first use
  std::string inputs_;
  std::string outputs_;
  std::string attributes_;
  std::string schema_inputs_;
  std::string schema_outputs_;
  std::string schema_attributes_;
  size_t num_outputs_ = 0;
};
}  // namespace graph_engine
}  // namespace opwright

// The spelling that sources for the engine use.
namespace ge {
using namespace opwright::graph_engine;
}
