#include "opwright/convert/ge/prototype.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/spaced_scanner.h"
#include "opwright/error.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/schema.h"
#include "opwright/schema/type.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

class PrototypeReader : private SpacedScanner {
 public:
  explicit PrototypeReader(std::string_view text) : SpacedScanner(text) {}

  Prototype read() {
    Prototype prototype;
    prototype.name = take_word("the name of the op");
    if (skip("<")) read_type_names();
    prototype.types = types_;
    expect("(");
    while (!skip(")")) {
      if (skip(";")) {
        read_attributes(prototype.attributes);
        break;
      }
      read_port(prototype.inputs);
      if (!skip(",") && peek() != ';' && peek() != ')') fail("',', ';' or ')'");
    }
    expect("->");
    expect("(");
    while (!skip(")")) {
      read_port(prototype.outputs);
      if (!skip(",") && peek() != ')') fail("',' or ')'");
    }
    if (peek() != '\0') fail("the end");
    return prototype;
  }

 private:
  void expect(const char* word) {
    if (!skip(word)) fail(word);
  }
  [[noreturn]] void fail(const char* wanted) const {
    throw_error("ValueError", "GE: a prototype cannot be read: expected ", wanted, " at column ",
                at_ + 1, "\n    ", text_, "\n    ", std::string(at_, ' '), "^");
  }
  std::string take_word(const char* what) {
    std::string word = scan_word();
    if (word.empty()) fail(what);
    return word;
  }

  void read_type_names() {
    do {
      TypeName type{take_word("a name")};
      if (skip(":")) type.types = read_set();
      types_.push_back(std::move(type));
    } while (skip(","));
    expect(">");
  }

  void read_port(std::vector<Port>& ports) {
    Port port;
    port.name = take_word("a name");
    if (skip("?")) port.kind = PortKind::Optional;
    if (skip("*")) port.kind = PortKind::Dynamic;
    expect(":");
    if (const TypeName* named = skip_type_name()) {
      port.types = named->types;
      port.type_name = named->name;
    } else {
      port.types = read_set();
    }
    ports.push_back(std::move(port));
  }

  const TypeName* skip_type_name() {
    const size_t begin = at_;
    const auto found = std::ranges::find(types_, scan_word(), &TypeName::name);
    if (found != types_.end()) return &*found;
    at_ = begin;
    return nullptr;
  }

  TensorType read_set() {
    TensorType types;
    do types = types | read_types();
    while (skip("|"));
    return types;
  }

  TensorType read_types() {
    if (skip("{")) {
      TensorType types;
      while (!skip("}")) {
        types = types | read_type(take_word("an element type"));
        if (!skip(",") && peek() != '}') fail("',' or '}'");
      }
      return types;
    }
    const std::string word = take_word("a set of element types");
    for (const TensorTypeName& each : kTensorTypes) {
      if (word == each.name) return each.type;
    }
    return read_type(word);
  }

  TensorType read_type(const std::string& word) {
    for (const DataTypeName& each : kDataTypes) {
      if (word == each.name) return TensorType(each.type);
    }
    at_ -= word.size();
    fail("an element type");
  }

  void read_attributes(std::vector<PrototypeAttribute>& attributes) {
    while (!skip(")")) {
      PrototypeAttribute attribute{.name = take_word("a name"), .kind = AttributeKind::Int};
      expect(":");
      attribute.kind = read_kind();
      if (skip("=")) attribute.default_text = read_default();
      attributes.push_back(std::move(attribute));
      if (!skip(",") && peek() != ')') fail("',' or ')'");
    }
  }

  AttributeKind read_kind() {
    const std::string word = take_word("a kind of attribute");
    uint8_t number = 0;
    for (const AttributeKindName& each : kAttributeKinds) {
      if (word == each.name) return static_cast<AttributeKind>(number);
      ++number;
    }
    at_ -= word.size();
    fail("a kind of attribute");
  }

  // Reads up to the comma or bracket that ends it.
  std::string read_default() {
    (void)peek();
    const size_t begin = at_;
    int depth = 0;
    bool is_quoted = false;
    for (; at_ < text_.size(); ++at_) {
      const char each = text_[at_];
      if (is_quoted) {
        if (each == '\\') ++at_;
        if (each == '"') is_quoted = false;
        continue;
      }
      is_quoted = each == '"';
      if (depth == 0 && (each == ',' || each == ')')) break;
      if (each == '[') ++depth;
      if (each == ']') --depth;
    }
    if (at_ == begin) fail("a value");
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::vector<TypeName> types_;
};

PrototypeText texts_of(const Prototype& prototype) {
  PrototypeText text(prototype.name);
  for (const TypeName& each : prototype.types) text.add_type(each.name, each.types);
  for (const Port& each : prototype.inputs) {
    each.type_name.empty() ? text.add_input(each.name, each.types, each.kind)
                           : text.add_input(each.name, each.type_name, each.kind);
  }
  for (const Port& each : prototype.outputs) {
    each.type_name.empty() ? text.add_output(each.name, each.types, each.kind)
                           : text.add_output(each.name, each.type_name, each.kind);
  }
  for (const PrototypeAttribute& each : prototype.attributes)
    text.add_attribute(each.name, each.kind, each.default_text);
  return text;
}

std::string cpp_set(TensorType types) {
  for (const TensorTypeName& each : kTensorTypes) {
    if (each.type == types) return concatenate("ge::TensorType::", each.name, "()");
  }
  std::string out;
  for (const DataTypeName& each : kDataTypes) {
    if (types.has(each.type)) out += concatenate(out.empty() ? "" : ", ", "ge::DT_", each.name);
  }
  return concatenate("ge::TensorType({", out, "})");
}

// "[1, 2]" and "True" in C++ syntax.
std::string cpp_value(const PrototypeAttribute& attribute) {
  std::string text = attribute.default_text;
  if (attribute.kind == AttributeKind::String || attribute.kind == AttributeKind::Bytes)
    return text;
  if (attribute.kind == AttributeKind::Type)
    return "ge::" + data_type_name(static_cast<DataType>(std::stoi(text)));
  if (text == "True") return "true";
  if (text == "False") return "false";
  for (char& each : text) each = each == '[' ? '{' : each == ']' ? '}' : each;
  return text;
}

std::string capitalised(std::string_view name) {
  std::string out;
  bool is_start = true;
  for (const char each : name) {
    if (each == '_') {
      is_start = true;
      continue;
    }
    out += is_start ? static_cast<char>(std::toupper(static_cast<unsigned char>(each))) : each;
    is_start = false;
  }
  return out;
}

std::optional<AttributeKind> find_kind(const Type& type) {
  const Type& plain = type.required();
  const bool is_list = plain.is_list();
  switch ((is_list ? plain.element() : plain).kind()) {
    case Type::Int:
    case Type::SymInt:
      return is_list ? AttributeKind::ListInt : AttributeKind::Int;
    case Type::Float:
    case Type::Scalar:
      return is_list ? AttributeKind::ListFloat : AttributeKind::Float;
    case Type::Bool:
      return is_list ? AttributeKind::ListBool : AttributeKind::Bool;
    case Type::String:
      return is_list ? AttributeKind::ListString : AttributeKind::String;
    case Type::ScalarType:
      return is_list ? AttributeKind::ListType : AttributeKind::Type;
    default:
      return std::nullopt;
  }
}

std::optional<PortKind> find_port_kind(const Type& type) {
  const Type& plain = type.required();
  if (plain.is_list() && plain.element().required().kind() == Type::Tensor)
    return PortKind::Dynamic;
  if (plain.kind() != Type::Tensor) return std::nullopt;
  return type.is_optional() ? PortKind::Optional : PortKind::Required;
}

std::string default_of(const Argument& argument, AttributeKind kind) {
  if (!argument.default_value || argument.default_value->is_none()) return {};
  const Attribute value = make_attribute(argument.name, argument.default_value->get(), kind);
  return value_text(value.value.get());
}

}  // namespace

Prototype parse_prototype(std::string_view text) { return PrototypeReader(text).read(); }
std::string to_text(const Prototype& prototype) { return texts_of(prototype).text(); }
std::string schema_text(const Prototype& prototype) {
  return "ge::" + texts_of(prototype).schema();
}

std::string reg_op_text(const Prototype& prototype) {
  std::string out = concatenate("REG_OP(", prototype.name, ")\n");
  const auto add_ports = [&](const std::vector<Port>& ports, const char* word) {
    for (const Port& each : ports) {
      const char* prefix = each.kind == PortKind::Required   ? ""
                           : each.kind == PortKind::Optional ? "OPTIONAL_"
                                                             : "DYNAMIC_";
      const std::string type =
          each.type_name.empty() ? cpp_set(each.types) : concatenate("\"", each.type_name, "\"");
      out += concatenate("    .", prefix, word, "(", each.name, ", ", type, ")\n");
    }
  };
  add_ports(prototype.inputs, "INPUT");
  add_ports(prototype.outputs, "OUTPUT");
  for (const TypeName& each : prototype.types) {
    if (!each.types.is_empty())
      out += concatenate("    .DATATYPE(", each.name, ", ", cpp_set(each.types), ")\n");
  }
  for (const PrototypeAttribute& each : prototype.attributes) {
    const bool is_required = each.default_text.empty();
    out += concatenate(is_required ? "    .REQUIRED_ATTR(" : "    .ATTR(", each.name, ", ",
                       names_of(each.kind).name);
    if (!is_required) out += ", " + cpp_value(each);
    out += ")\n";
  }
  return out + concatenate("    .OP_END_FACTORY_REG(", prototype.name, ")\n");
}

std::vector<std::string> output_names(const Schema& schema) {
  std::unordered_set<std::string> taken;
  for (const Argument& argument : schema.arguments) taken.insert(argument.name);
  std::vector<std::string> names;
  for (const Return& result : schema.returns) {
    std::string name = result.name;
    if (name.empty()) name = schema.returns.size() == 1 ? "y" : concatenate("y", names.size());
    while (!taken.insert(name).second) name += "_out";
    names.push_back(std::move(name));
  }
  return names;
}

Prototype prototype_from_schema(const Schema& schema, std::string name) {
  Prototype prototype{.name = name.empty() ? capitalised(schema.name.base) : std::move(name)};
  for (const Argument& argument : schema.arguments) {
    if (const auto port = find_port_kind(argument.type)) {
      prototype.inputs.push_back({argument.name, TensorType::ALL(), *port});
      continue;
    }
    const auto kind = find_kind(argument.type);
    OPWRIGHT_CHECK_TYPE(kind, schema.full_name(), ": argument '", argument.name, "' (",
                        argument.type, ") can be neither an input nor an attribute of a GE op",
                        "\n  Write the prototype with REG_OP.");
    prototype.attributes.push_back({argument.name, *kind, default_of(argument, *kind)});
  }
  const std::vector<std::string> names = output_names(schema);
  for (size_t i = 0; i < names.size(); ++i) {
    const Type& type = schema.returns[i].type;
    const auto port = find_port_kind(type);
    OPWRIGHT_CHECK_TYPE(port, schema.full_name(), ": its result (", type,
                        ") cannot be an output of a GE op");
    prototype.outputs.push_back({names[i], TensorType::ALL(), *port});
  }
  return prototype;
}

}  // namespace opwright::graph_engine
