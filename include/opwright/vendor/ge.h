// How authors declare the prototype of an op of the graph engine GE. Not part of
// opwright/opwright.h, since its macros have the engine's names.
//
//   REG_OP(AddCustom)
//       .INPUT(x, ge::TensorType::ALL())
//       .INPUT(y, ge::TensorType::ALL())
//       .OUTPUT(z, ge::TensorType::ALL())
//       .ATTR(alpha, Float, 1.0)
//       .OP_END_FACTORY_REG(AddCustom)
//
// defines the operator ge::AddCustom(Tensor x, Tensor y, *, float alpha=1.0) -> Tensor, for which
// kernels can be registered as for any other: OPWRIGHT_LIBRARY_IMPL(ge, npu, m). Inputs and outputs
// that must have the same element type share a name for it:
//
//   .INPUT(x, "T").OUTPUT(y, "T").DATATYPE(T, ge::TensorType::FLOAT())
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/library.h"
#include "opwright/vendor/ge_types.h"

namespace opwright OPWRIGHT_VISIBILITY {
namespace graph_engine {
// Attribute values, under the names that ATTR uses for their kinds; text() returns schema text.
namespace attribute_value {
inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char each : text) {
    if (each == '"' || each == '\\') out += '\\';
    out += each;
  }
  return out + "\"";
}
template <class Elements, class Write>
std::string list_text(const Elements& elements, const Write& write) {
  std::string out;
  for (const auto& each : elements) out += (out.empty() ? "" : ", ") + write(each);
  return "[" + out + "]";
}
inline std::string float_text(double value) {
  std::string text = concatenate(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}
inline std::string bool_text(bool value) { return value ? "True" : "False"; }

struct Int {
  int64_t value;
  [[nodiscard]] std::string text() const { return std::to_string(value); }
};
struct Float {
  double value;
  [[nodiscard]] std::string text() const { return float_text(value); }
};
struct Bool {
  bool value;
  [[nodiscard]] std::string text() const { return bool_text(value); }
};
struct String {
  std::string value;
  [[nodiscard]] std::string text() const { return quoted(value); }
};
struct Type {
  DataType value;
  [[nodiscard]] std::string text() const { return std::to_string(value); }
};
struct ListInt {
  std::vector<int64_t> value;
  [[nodiscard]] std::string text() const {
    return list_text(value, [](int64_t each) { return std::to_string(each); });
  }
};
struct ListFloat {
  std::vector<double> value;
  [[nodiscard]] std::string text() const { return list_text(value, &float_text); }
};
struct ListBool {
  std::vector<bool> value;
  [[nodiscard]] std::string text() const { return list_text(value, &bool_text); }
};
struct ListString {
  std::vector<std::string> value;
  [[nodiscard]] std::string text() const { return list_text(value, &quoted); }
};
}  // namespace attribute_value

// The builder that REG_OP starts.
class PrototypeRegistration {
 public:
  explicit PrototypeRegistration(const char* name,
                                 std::source_location where = std::source_location::current())
      : text_(name), where_(where) {}

  // `type` is a TensorType, or the name of an element type.
  template <class Type>
  PrototypeRegistration&& add_input(const char* name, const Type& type, PortKind kind) && {
    text_.add_input(name, type, kind);
    return std::move(*this);
  }
  template <class Type>
  PrototypeRegistration&& add_output(const char* name, const Type& type, PortKind kind) && {
    text_.add_output(name, type, kind);
    return std::move(*this);
  }
  PrototypeRegistration&& add_type(const char* name, TensorType types) && {
    text_.add_type(name, types);
    return std::move(*this);
  }
  PrototypeRegistration&& add_attribute(const char* name, AttributeKind kind,
                                        const std::string& default_value = {}) && {
    text_.add_attribute(name, kind, default_value);
    return std::move(*this);
  }

  // Links a block that defines the operator.
  const OpwLibrary* link() && {
    struct Entry : OpwLibrary {
      PrototypeText text;
      std::source_location where;
    };
    // Lives as long as the binary, which is never unloaded.
    auto* entry = new Entry{{}, std::move(text_), where_};
    entry->struct_size = sizeof(OpwLibrary);
    entry->kind = kOpwLibraryFragment;
    entry->name_space = "ge";
    entry->file = where_.file_name();
    entry->line = where_.line();
    entry->body = [](const OpwLibrary* block, OpwRegistrar* registrar) {
      const auto* self = static_cast<const Entry*>(block);
      return run_library_body(block, registrar, [&](Library& m) {
        m.def(self->text.schema(), {}, self->where);
        m.register_converter(self->text.name(), "ge", self->text.text(), 0, self->where);
      });
    };
    link_library(entry);
    return entry;
  }

 private:
  PrototypeText text_;
  std::source_location where_;
};
}  // namespace graph_engine
}  // namespace opwright

#define REG_OP(name)                                                          \
  [[gnu::used]] static const OpwLibrary* const opwright_ge_prototype_##name = \
      ::opwright::graph_engine::PrototypeRegistration(#name)
#define INPUT(name, ...) add_input(#name, __VA_ARGS__, ::opwright::graph_engine::PortKind::Required)
#define OPTIONAL_INPUT(name, ...) \
  add_input(#name, __VA_ARGS__, ::opwright::graph_engine::PortKind::Optional)
#define DYNAMIC_INPUT(name, ...) \
  add_input(#name, __VA_ARGS__, ::opwright::graph_engine::PortKind::Dynamic)
#define OUTPUT(name, ...) \
  add_output(#name, __VA_ARGS__, ::opwright::graph_engine::PortKind::Required)
#define DYNAMIC_OUTPUT(name, ...) \
  add_output(#name, __VA_ARGS__, ::opwright::graph_engine::PortKind::Dynamic)
#define DATATYPE(name, ...) add_type(#name, __VA_ARGS__)
#define ATTR(name, Kind, ...)                                         \
  add_attribute(#name, ::opwright::graph_engine::AttributeKind::Kind, \
                ::opwright::graph_engine::attribute_value::Kind{__VA_ARGS__}.text())
#define REQUIRED_ATTR(name, Kind) \
  add_attribute(#name, ::opwright::graph_engine::AttributeKind::Kind)
// Sources for the engine write it with and without a trailing semicolon.
#define OP_END_FACTORY_REG(name) link();
