#include "opwright/schema/type.h"

#include <algorithm>

#include "opwright/schema/alias_info.h"

namespace opwright {
namespace {

struct KindWord {
  TypeKind kind;
  const char* word;
};

// The first word of a kind is the printed one.
constexpr KindWord kPlainKinds[] = {
    {TypeKind::Tensor, "Tensor"},
    {TypeKind::Int, "int"},
    {TypeKind::SymInt, "SymInt"},
    {TypeKind::Float, "float"},
    {TypeKind::SymFloat, "SymFloat"},
    {TypeKind::Bool, "bool"},
    {TypeKind::SymBool, "SymBool"},
    {TypeKind::Complex, "complex"},
    {TypeKind::Scalar, "Scalar"},
    {TypeKind::Scalar, "number"},
    {TypeKind::String, "str"},
    {TypeKind::ScalarType, "ScalarType"},
    {TypeKind::Device, "Device"},
    {TypeKind::Layout, "Layout"},
    {TypeKind::MemoryFormat, "MemoryFormat"},
    {TypeKind::Generator, "Generator"},
    {TypeKind::Stream, "Stream"},
    {TypeKind::Storage, "Storage"},
    {TypeKind::QScheme, "QScheme"},
    {TypeKind::Quantizer, "Quantizer"},
    {TypeKind::Dimname, "Dimname"},
    {TypeKind::Capsule, "Capsule"},
    {TypeKind::Any, "Any"},
    {TypeKind::AnyEnum, "AnyEnumType"},
    {TypeKind::AnyClass, "AnyClassType"},
    {TypeKind::None, "NoneType"},
    {TypeKind::None, "None"},
    // Words that torch reads as int.
    {TypeKind::Int, "DeviceIndex"},
    {TypeKind::Int, "ConstQuantizerPtr"},
};
constexpr KindWord kNestedKinds[] = {
    {TypeKind::Dict, "Dict"}, {TypeKind::Union, "Union"}, {TypeKind::Future, "Future"},
    {TypeKind::RRef, "RRef"}, {TypeKind::Await, "Await"},
};

OpwTag tag_of_kind(TypeKind kind) {
  switch (kind) {
    case TypeKind::Tensor:
      return kOpwTensor;
    case TypeKind::Int:
      return kOpwInt;
    case TypeKind::SymInt:
      return kOpwSymInt;
    case TypeKind::Float:
      return kOpwFloat;
    case TypeKind::Bool:
      return kOpwBool;
    case TypeKind::Complex:
      return kOpwComplex;
    case TypeKind::String:
      return kOpwString;
    case TypeKind::ScalarType:
      return kOpwDtype;
    case TypeKind::Device:
      return kOpwDeviceValue;
    case TypeKind::Layout:
      return kOpwLayout;
    case TypeKind::MemoryFormat:
      return kOpwMemoryFormat;
    case TypeKind::Generator:
    case TypeKind::Stream:
    case TypeKind::Class:
    case TypeKind::Opaque:
      return kOpwObject;
    case TypeKind::List:
    case TypeKind::Tuple:
      return kOpwList;
    default:
      return kOpwNone;
  }
}

OpwTag tag_of_list(const Type& element) {
  switch (element.kind()) {
    case TypeKind::Tensor:
      return kOpwTensorList;
    case TypeKind::Int:
      return kOpwIntList;
    case TypeKind::SymInt:
      return kOpwSymIntList;
    case TypeKind::Float:
      return kOpwFloatList;
    case TypeKind::Bool:
      return kOpwBoolList;
    default:
      return kOpwList;
  }
}

OpwTag tag_of(TypeKind kind, const TypeNode* node) {
  if (kind == TypeKind::Optional) return node->elements.front().value_tag();
  if (kind == TypeKind::List) return tag_of_list(node->elements.front());
  return tag_of_kind(kind);
}

}  // namespace

Type::Type(TypeKind kind) noexcept : kind_(kind), tag_(static_cast<uint8_t>(tag_of_kind(kind))) {}

Type::Type(TypeKind kind, IntrusivePtr<const TypeNode> node,
           std::optional<uint32_t> length) noexcept
    : kind_(kind),
      tag_(static_cast<uint8_t>(tag_of(kind, node.get()))),
      length_(length.value_or(UINT32_MAX)),
      node_(std::move(node)) {}

Type Type::list_of(Type element, std::optional<uint32_t> length) {
  return {List, make_intrusive<const TypeNode>(std::vector<Type>{std::move(element)}, ""), length};
}

Type Type::optional_of(Type type) {
  if (type.is_optional()) return type;
  return with_elements(Optional, {std::move(type)});
}

Type Type::with_elements(TypeKind kind, std::vector<Type> elements) {
  return {kind, make_intrusive<const TypeNode>(std::move(elements), ""), std::nullopt};
}

Type Type::with_name(TypeKind kind, std::string_view name) {
  return {kind, make_intrusive<const TypeNode>(std::vector<Type>(), name), std::nullopt};
}

std::string_view Type::name() const noexcept {
  return node_ ? std::string_view(node_->name) : std::string_view();
}

const std::vector<Type>& Type::elements() const noexcept {
  static const std::vector<Type> none;
  return node_ ? node_->elements : none;
}

std::optional<uint32_t> Type::fixed_length() const noexcept {
  if (length_ == UINT32_MAX) return std::nullopt;
  return length_;
}

bool Type::can_cross_abi() const noexcept {
  switch (kind_) {
    case Optional:
    case List:
    case Tuple:
      return std::ranges::all_of(elements(), &Type::can_cross_abi);
    case Scalar:
      return true;
    case Class:  // an object of another runtime
      return false;
    default:
      return tag_ != kOpwNone;
  }
}

bool operator==(const Type& a, const Type& b) noexcept {
  if (a.kind_ != b.kind_ || a.length_ != b.length_) return false;
  if (a.node_ == b.node_) return true;
  return a.name() == b.name() && a.elements() == b.elements();
}

std::string to_text(const Type& type) { return to_text(type, AliasInfo()); }

std::optional<TypeKind> find_type_kind(std::string_view word) noexcept {
  for (const KindWord& entry : kPlainKinds) {
    if (word == entry.word) return entry.kind;
  }
  return std::nullopt;
}

std::optional<TypeKind> find_nested_kind(std::string_view word) noexcept {
  for (const KindWord& entry : kNestedKinds) {
    if (word == entry.word) return entry.kind;
  }
  return std::nullopt;
}

const char* kind_word(TypeKind kind) noexcept {
  for (const KindWord& entry : kPlainKinds) {
    if (kind == entry.kind) return entry.word;
  }
  for (const KindWord& entry : kNestedKinds) {
    if (kind == entry.kind) return entry.word;
  }
  return "";
}

std::vector<std::string_view> type_words() {
  std::vector<std::string_view> words;
  for (const KindWord& entry : kPlainKinds) words.emplace_back(entry.word);
  for (const KindWord& entry : kNestedKinds) words.emplace_back(entry.word);
  return words;
}

}  // namespace opwright
