// Random schemas, calls and values, reproducible by seed: for property tests of any layer.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/schema/bind.h"
#include "opwright/schema/opaque_types.h"
#include "opwright/schema/schema.h"

namespace opwright::testing {

// The number of cases in a property test: OPWRIGHT_CASES, or 200,000 under OPWRIGHT_ALL=1, or
// 2,000.
inline int64_t num_cases() {
  if (const char* cases = std::getenv("OPWRIGHT_CASES")) return std::atoll(cases);
  const char* all = std::getenv("OPWRIGHT_ALL");
  return all && std::string_view(all) == "1" ? 200000 : 2000;
}

class SchemaGenerator {
 public:
  explicit SchemaGenerator(uint64_t seed) : random_(seed) { opaque_types_.add("audio.Filter"); }

  // In any form that parse_schema accepts.
  Schema schema();
  Type type(int level = 0);
  // A value of the type that a schema can express; nullopt if there is none.
  std::optional<Value> constant(const Type& type);

  // A value for each argument without a default and for some with one; some by position, the others
  // by keyword.
  struct Call {
    std::vector<std::pair<size_t, Value>>
        given;  // the argument's index; the first `num_positional` in order
    size_t num_positional = 0;
  };
  // nullopt if an argument's type has no value that a schema can express.
  std::optional<Call> call(const Schema& schema);

  // For the parser.
  [[nodiscard]] const OpaqueTypes& opaque_types() const { return opaque_types_; }
  uint64_t below(uint64_t bound) { return random_() % bound; }
  bool one_in(uint64_t number) { return below(number) == 0; }

 private:
  Type plain_type();
  AliasInfo alias(const Type& type);
  AliasInfo mark();
  std::vector<std::string> sets();
  Argument argument(bool is_keyword_only, bool needs_default);
  std::string name();
  double number();
  std::string text();
  std::optional<Value> list_constant(const Type& type);
  template <class T, size_t N>
  const T& one_of(const T (&choices)[N]) {
    return choices[below(N)];
  }

  std::mt19937_64 random_;
  OpaqueTypes opaque_types_;
  uint64_t next_name_ = 0;
};

inline Type SchemaGenerator::plain_type() {
  static constexpr TypeKind kKinds[] = {
      TypeKind::Tensor,     TypeKind::Tensor,    TypeKind::Tensor,       TypeKind::Int,
      TypeKind::SymInt,     TypeKind::Float,     TypeKind::Bool,         TypeKind::Complex,
      TypeKind::Scalar,     TypeKind::String,    TypeKind::Device,       TypeKind::Layout,
      TypeKind::ScalarType, TypeKind::Generator, TypeKind::MemoryFormat, TypeKind::Stream,
      TypeKind::Storage,    TypeKind::QScheme,   TypeKind::Dimname,      TypeKind::Any,
      TypeKind::AnyEnum,    TypeKind::None,      TypeKind::SymFloat,     TypeKind::SymBool,
      TypeKind::AnyClass,   TypeKind::Capsule,   TypeKind::Quantizer,
  };
  static constexpr std::string_view kVariables[] = {"t", "t1", "tVal", "key"};
  switch (below(12)) {
    case 0:
      return Type::with_name(TypeKind::Variable, one_of(kVariables));
    case 1:
      return one_in(2)
                 ? Type::with_name(TypeKind::Opaque, "audio.Filter")
                 : Type::with_name(TypeKind::Class, "__torch__.torch.classes.quantized.Packed");
    default:
      return one_of(kKinds);
  }
}

inline Type SchemaGenerator::type(int level) {
  if (level > 3) return plain_type();
  static constexpr TypeKind kNested[] = {TypeKind::Future, TypeKind::RRef, TypeKind::Await};
  switch (below(10)) {
    case 0:
    case 1:
      return Type::list_of(type(level + 1),
                           one_in(3) ? std::optional<uint32_t>(below(5)) : std::nullopt);
    case 2:
      return Type::optional_of(type(level + 1));
    case 3: {
      std::vector<Type> elements(below(4));
      for (Type& element : elements) element = type(level + 1);
      if (one_in(2) || elements.empty())
        return Type::with_elements(TypeKind::Tuple, std::move(elements));
      return Type::with_elements(TypeKind::Union, std::move(elements));
    }
    case 4:
      if (one_in(2)) return Type::with_elements(TypeKind::Dict, {type(level + 1), type(level + 1)});
      return Type::with_elements(one_of(kNested), {type(level + 1)});
    default:
      return plain_type();
  }
}

inline std::vector<std::string> SchemaGenerator::sets() {
  static constexpr std::string_view kSets[] = {"a", "b", "c", "set1", "*"};  // in canonical order
  std::vector<std::string> chosen;
  for (const std::string_view set : kSets) {
    if (one_in(3)) chosen.emplace_back(set);
  }
  if (chosen.empty()) chosen.emplace_back(one_of(kSets));
  return chosen;
}

inline AliasInfo SchemaGenerator::mark() {
  AliasInfo mark;
  mark.is_write = one_in(2);
  if (mark.is_write && one_in(4)) return mark;  // Tensor!
  mark.before = sets();
  mark.after = one_in(3) ? sets() : mark.before;
  return mark;
}

inline AliasInfo SchemaGenerator::alias(const Type& type) {
  const Type& looked_through = type.required();
  AliasInfo alias = one_in(4) ? mark() : AliasInfo();
  bool is_any_marked = false;
  std::vector<AliasInfo> elements;
  for (const Type& element : looked_through.elements()) {
    elements.push_back(this->alias(element));
    is_any_marked |= elements.back() != AliasInfo();
  }
  if (is_any_marked) alias.elements = std::move(elements);
  return alias;
}

inline std::string SchemaGenerator::name() {
  static constexpr std::string_view kWords[] = {"x", "from", "in",   "Tensor", "int",
                                                "_", "None", "self", "limit",  "inf"};
  return std::string(one_of(kWords)) + std::to_string(next_name_++);
}

inline double SchemaGenerator::number() {
  static constexpr double kNumbers[] = {0.0,
                                        -0.0,
                                        1.0,
                                        -2.5,
                                        1e-5,
                                        1e300,
                                        5e-324,
                                        0.1,
                                        1e16,
                                        123456789.125,
                                        std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN()};
  return one_in(2) ? one_of(kNumbers)
                   : static_cast<double>(static_cast<int64_t>(random_())) / 1024.0;
}

inline std::string SchemaGenerator::text() {
  std::string text;
  for (uint64_t left = below(8); left > 0; --left) text.push_back(static_cast<char>(below(256)));
  return text;
}

inline std::optional<Value> SchemaGenerator::list_constant(const Type& type) {
  const bool is_list = type.is_list();
  const size_t length = is_list ? type.fixed_length().value_or(static_cast<uint32_t>(below(4)))
                                : type.elements().size();
  std::vector<Value> elements;
  for (size_t i = 0; i < length; ++i) {
    auto element = constant(is_list ? type.element() : type.elements()[i]);
    if (!element) return std::nullopt;
    elements.push_back(std::move(*element));
  }
  return pack_list(type.value_tag(), elements);
}

inline std::optional<Value> SchemaGenerator::constant(const Type& type) {
  const auto whole = static_cast<int64_t>(random_()) >> below(64);
  switch (type.kind()) {
    case TypeKind::Optional:
      return one_in(2) ? Value() : constant(type.element()).value_or(Value());
    case TypeKind::List:
    case TypeKind::Tuple:
      return list_constant(type);
    case TypeKind::Int:
      return Value(whole);
    case TypeKind::SymInt:
      return Value(SymInt(whole / 4));
    case TypeKind::Float:
      return Value(number());
    case TypeKind::Bool:
      return Value(one_in(2));
    case TypeKind::Complex:
      return Value(Complex<double>(number(), number()));
    case TypeKind::Scalar:
      return constant(one_in(2)   ? Type(TypeKind::Int)
                      : one_in(2) ? Type(TypeKind::Float)
                                  : Type(TypeKind::Complex));
    case TypeKind::String:
      return Value(text());
    case TypeKind::ScalarType:
      return Value(one_of(kDTypes).dtype);
    case TypeKind::Device:
      return Value(Device(one_of(kDeviceNames).type, static_cast<int32_t>(below(4)) - 1));
    case TypeKind::Layout:
      return Value(Layout::Strided);
    case TypeKind::MemoryFormat:
      return Value(static_cast<MemoryFormat>(below(4)));
    default:
      return std::nullopt;
  }
}

inline Argument SchemaGenerator::argument(bool is_keyword_only, bool needs_default) {
  Argument argument;
  argument.name = name();
  argument.type = type();
  argument.is_keyword_only = is_keyword_only;
  if (needs_default || one_in(4)) argument.default_value = constant(argument.type);
  if (needs_default && !argument.default_value) {
    argument.type = Type::optional_of(std::move(argument.type));
    argument.default_value = Value();
  }
  argument.alias = alias(argument.type);
  return argument;
}

inline Schema SchemaGenerator::schema() {
  Schema schema;
  schema.name = {one_in(8) ? "" : "audio", name(), one_in(2) ? "" : name()};
  bool needs_default = false;
  for (uint64_t left = below(5); left > 0; --left) {
    schema.arguments.push_back(argument(false, needs_default));
    needs_default = schema.arguments.back().default_value.has_value();
  }
  for (uint64_t left = below(3); left > 0; --left)
    schema.arguments.push_back(argument(true, false));
  schema.is_vararg = one_in(10);
  for (uint64_t left = below(4); left > 0; --left) {
    Return result;
    if (one_in(3)) result.name = name();
    result.type = type();
    result.alias = alias(result.type);
    schema.returns.push_back(std::move(result));
  }
  schema.is_varret = one_in(10);
  return schema;
}

inline std::optional<SchemaGenerator::Call> SchemaGenerator::call(const Schema& schema) {
  Call call;
  call.num_positional = below(schema.num_positional() + 1);
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    const bool is_left_out =
        i >= call.num_positional && schema.arguments[i].default_value && one_in(2);
    if (is_left_out) continue;
    auto value = constant(schema.arguments[i].type);
    if (!value) return std::nullopt;
    call.given.emplace_back(i, std::move(*value));
  }
  for (size_t i = call.given.size(); i > call.num_positional + 1;
       --i) {  // keywords come in any order
    std::swap(call.given[i - 1], call.given[call.num_positional + below(i - call.num_positional)]);
  }
  return call;
}

}  // namespace opwright::testing
