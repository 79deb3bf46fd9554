// Checks an op against its prototype.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/ge/prototype.h"
#include "opwright/error.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

class OpCheck {
 public:
  OpCheck(const Prototype& prototype, const GeOp& op) : prototype_(prototype), op_(op) {}

  void run() const {
    check_ports("input", prototype_.inputs, op_.input_descriptors);
    check_ports("output", prototype_.outputs, op_.output_descriptors);
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      if (op_.inputs[i].is_there()) continue;
      const Port* port = find_port(prototype_.inputs, op_.input_descriptors[i].name);
      if (port->kind == PortKind::Required)
        fail("ValueError", concatenate("input '", port->name, "' is required, got None"));
    }
    for (const TypeName& each : prototype_.types) check_type_name(each.name);
    check_attributes();
  }

 private:
  [[noreturn]] void fail(const char* kind, const std::string& problem) const {
    throw_error(kind, "GE: ", op_.type, ": ", problem, "\n  prototype: ", to_text(prototype_),
                "\n  op:        ", to_text(op_));
  }

  // "x0" is an element of the dynamic "x".
  static bool is_element(const Port& port, std::string_view name) {
    if (port.kind != PortKind::Dynamic || !name.starts_with(port.name)) return false;
    name.remove_prefix(port.name.size());
    return !name.empty() && std::ranges::all_of(name, [](char each) {
      return std::isdigit(static_cast<unsigned char>(each)) != 0;
    });
  }
  static bool takes(const Port& port, DataType type) {
    const bool is_any = !port.type_name.empty() && port.types.is_empty();
    return is_any || port.types.has(type);
  }
  static const Port* find_port(const std::vector<Port>& ports, std::string_view name) {
    for (const Port& each : ports) {
      if (each.kind != PortKind::Dynamic && each.name == name) return &each;
    }
    for (const Port& each : ports) {
      if (is_element(each, name)) return &each;
    }
    return nullptr;
  }

  void check_ports(const char* word, const std::vector<Port>& ports,
                   const std::vector<TensorDescriptor>& given) const {
    for (const TensorDescriptor& each : given) {
      const Port* port = find_port(ports, each.name);
      if (!port)
        fail("ValueError", concatenate("the prototype has no ", word, " '", each.name, "'"));
      if (each.dtype && !takes(*port, data_type_of(*each.dtype))) {
        std::string types;
        append_text(types, port->types);
        fail("TypeError",
             concatenate(word, " '", each.name, "' is ", *each.dtype, ", which is not in ", types));
      }
    }
    for (const Port& port : ports) {
      if (port.kind != PortKind::Required) continue;
      if (std::ranges::find(given, port.name, &TensorDescriptor::name) == given.end())
        fail("ValueError", concatenate(word, " '", port.name, "' is missing"));
    }
  }

  // All known dtypes of a type name must be equal.
  void check_type_name(const std::string& name) const {
    const TensorDescriptor* first = nullptr;
    const auto check = [&](const char* word, const std::vector<Port>& ports,
                           const std::vector<TensorDescriptor>& given) {
      for (const TensorDescriptor& each : given) {
        if (!each.dtype || find_port(ports, each.name)->type_name != name) continue;
        if (!first) first = &each;
        if (*each.dtype != *first->dtype)
          fail("TypeError",
               concatenate(word, " '", each.name, "' is ", *each.dtype, " and '", first->name,
                           "' is ", *first->dtype, ", but both must be of one type ", name));
      }
    };
    check("input", prototype_.inputs, op_.input_descriptors);
    check("output", prototype_.outputs, op_.output_descriptors);
  }

  void check_attributes() const {
    const auto& known = prototype_.attributes;
    for (const Attribute& each : op_.attributes) {
      if (each.name.starts_with('_')) continue;  // the engine's own marks
      const auto found = std::ranges::find(known, each.name, &PrototypeAttribute::name);
      if (found == known.end())
        fail("ValueError", concatenate("the prototype has no attribute '", each.name, "'"));
      if (!fits(found->kind, each.kind))
        fail("TypeError",
             concatenate("attribute '", each.name, "' must be of kind ", names_of(found->kind).name,
                         ", got ", names_of(each.kind).name));
    }
    for (const PrototypeAttribute& each : known) {
      if (each.default_text.empty() && !op_.find_attribute(each.name))
        fail("ValueError", concatenate("attribute '", each.name, "' is missing"));
    }
  }

  const Prototype& prototype_;
  const GeOp& op_;
};

}  // namespace

void check_op(const Prototype& prototype, const GeOp& op) { OpCheck(prototype, op).run(); }

}  // namespace opwright::graph_engine
