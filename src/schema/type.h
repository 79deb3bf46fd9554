// Types of the schema language: `Tensor`, `int[2]?`, `Dict(str, t)`, ...
//
// A plain kind is two words and needs no heap; a nested or named type shares an immutable node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/c_api.h"
#include "opwright/visibility.h"

namespace opwright {

enum class TypeKind : uint8_t {
  Tensor,
  Int,
  SymInt,
  Float,
  SymFloat,
  Bool,
  SymBool,
  Complex,
  Scalar,  // any number
  String,
  ScalarType,  // a dtype
  Device,
  Layout,
  MemoryFormat,
  Generator,
  Stream,
  Storage,
  QScheme,
  Quantizer,
  Dimname,
  Capsule,
  Any,
  AnyEnum,
  AnyClass,
  None,
  // With a name.
  Class,     // __torch__.torch.classes.quantized.Conv2dPackedParamsBase
  Variable,  // t, t1, tVal: one type throughout a schema
  Opaque,    // a registered object type
  // With elements.
  Optional,
  List,
  Tuple,
  Dict,
  Union,
  Future,
  RRef,
  Await,
};

struct TypeNode;

class OPWRIGHT_EXPORT Type {
 public:
  using enum TypeKind;  // Type::Float

  // A kind without name and elements.
  Type(TypeKind kind =
           Tensor) noexcept;  // NOLINT(google-explicit-constructor): a plain kind is a type
  [[nodiscard]] static Type list_of(Type element, std::optional<uint32_t> length = std::nullopt);
  // `type` itself if it is already optional.
  [[nodiscard]] static Type optional_of(Type type);
  [[nodiscard]] static Type with_elements(TypeKind kind, std::vector<Type> elements);
  [[nodiscard]] static Type with_name(TypeKind kind, std::string_view name);

  [[nodiscard]] TypeKind kind() const noexcept { return kind_; }
  [[nodiscard]] bool is_optional() const noexcept { return kind_ == Optional; }
  [[nodiscard]] bool is_list() const noexcept { return kind_ == List; }
  // For a named kind, else empty.
  [[nodiscard]] std::string_view name() const noexcept;
  [[nodiscard]] const std::vector<Type>& elements() const noexcept;
  // The first element: the element type of an Optional or a List.
  [[nodiscard]] const Type& element() const noexcept { return elements().front(); }
  // N of `int[N]`. A number passed for the list means N copies of it.
  [[nodiscard]] std::optional<uint32_t> fixed_length() const noexcept;
  // The type without `?`.
  [[nodiscard]] const Type& required() const noexcept { return is_optional() ? element() : *this; }

  // The tag of this type's values; for an optional type, that of values that are not None. kOpwNone
  // if there is no single tag: a Scalar has the tag of the number that it holds.
  [[nodiscard]] OpwTag value_tag() const noexcept { return static_cast<OpwTag>(tag_); }
  // Whether values of this type can be passed to an operator binary.
  [[nodiscard]] bool can_cross_abi() const noexcept;

  friend bool operator==(const Type& a, const Type& b) noexcept;

 private:
  Type(TypeKind kind, IntrusivePtr<const TypeNode> node, std::optional<uint32_t> length) noexcept;

  TypeKind kind_;
  uint8_t tag_;
  uint32_t length_ = UINT32_MAX;  // for a List; the maximum: any
  IntrusivePtr<const TypeNode> node_;
};
OPWRIGHT_EXPORT bool operator==(const Type& a, const Type& b) noexcept;

struct TypeNode : Counted<TypeNode> {
  TypeNode(std::vector<Type> node_elements, std::string_view node_name)
      : elements(std::move(node_elements)), name(node_name) {}

  const std::vector<Type> elements;
  const std::string name;
};

// In schema syntax, e.g. "int[2]?".
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Type& type);
inline void append_text(std::string& out, const Type& type) { out.append(to_text(type)); }

// The kind named by a word of the schema language, e.g. "int", "Scalar" and "number"; nullopt for
// other words.
[[nodiscard]] std::optional<TypeKind> find_type_kind(std::string_view word) noexcept;
// The same for kinds that are written with their elements: "Dict", "Union", "Future", "RRef",
// "Await".
[[nodiscard]] std::optional<TypeKind> find_nested_kind(std::string_view word) noexcept;
// The word of a plain kind, or of a kind with elements, e.g. "Dict".
[[nodiscard]] const char* kind_word(TypeKind kind) noexcept;
// All words that start a type, for suggestions.
[[nodiscard]] std::vector<std::string_view> type_words();

}  // namespace opwright
