// Prototypes: the inputs, outputs and attributes of an op of the engine.
//
// The text form, as passed by binaries and shown in errors:
//
// clang-format off
//   AddCustom(x: ALL, bias?: {FLOAT, FLOAT16}, parts*: BasicType; alpha: Float = 1.0, k: Int)
//       -> (z: ALL)
// clang-format on
//
// "?" marks an optional input, "*" a dynamic input or output (any number of tensors); attributes
// follow ";", those without a default are required. Inputs and outputs that must have the same
// element type share a type name: Maximum<T: FLOAT>(x1: T, x2: T) -> (y: T); without a set it may
// be any type.
//
// A prototype is the operator ge::<Name> in the registry; its text is stored there as the rule of
// that operator for the engine "ge".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/model.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/schema/schema.h"
#include "opwright/vendor/ge_types.h"
#include "opwright/visibility.h"

namespace opwright::graph_engine {

struct Port {  // an input or an output
  std::string name;
  TensorType types;  // empty with a type name: any
  PortKind kind = PortKind::Required;
  std::string type_name = {};  // "T": one dtype with the others of that name
};

struct PrototypeAttribute {
  std::string name;
  AttributeKind kind;
  std::string default_text = {};  // as in a schema; empty: required
};

struct Prototype {
  std::string name;  // "AddCustom"
  std::vector<Port> inputs = {};
  std::vector<Port> outputs = {};
  std::vector<PrototypeAttribute> attributes = {};
  std::vector<TypeName> types = {};
};
using PrototypePtr = std::shared_ptr<const Prototype>;  // shared by the cache and by ops being made

// ValueError that shows the text with the position.
[[nodiscard]] OPWRIGHT_EXPORT Prototype parse_prototype(std::string_view text);
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Prototype& prototype);
// "REG_OP(AddCustom)\n    .INPUT(x, ge::TensorType::ALL())\n ..." for C++ sources.
[[nodiscard]] OPWRIGHT_EXPORT std::string reg_op_text(const Prototype& prototype);
// "ge::AddCustom(Tensor x, Tensor? bias, Tensor[] parts, *, float alpha=1.0, int k) -> Tensor"
[[nodiscard]] std::string schema_text(const Prototype& prototype);

// Names the results of an operator as outputs of an op: its own name, otherwise y, or y0, y1, ...
// if there are several. A name that an argument or another result has gets "_out": the engine
// treats an output named like an input as that input, written in place.
[[nodiscard]] std::vector<std::string> output_names(const Schema& schema);

// The prototype of an op with the arguments of the operator: tensors are inputs of any type, all
// others are attributes; outputs are named by output_names. `name` empty: the operator's name in
// CamelCase, npu_add_custom is NpuAddCustom. TypeError for an argument that can be neither.
[[nodiscard]] OPWRIGHT_EXPORT Prototype prototype_from_schema(const Schema& schema,
                                                              std::string name = {});

// Includes the built-in ones; null if there is none.
[[nodiscard]] OPWRIGHT_EXPORT PrototypePtr find_prototype(std::string_view name);
// Defines ge::<Name> and its text; dropping the registration removes both. Registering the same
// prototype twice is harmless; another one under the same name is a ValueError that shows both.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Registration> define_prototype(
    const Prototype& prototype, SourceSite site = SourceSite::of());

// ValueError or TypeError that shows the prototype and the op: an unknown or missing input or
// output, an unknown or missing attribute, one of another type, a dtype that is not in the set, or
// one that differs from others of the same type name. Unknown parts of a descriptor are not
// checked. Dynamic inputs of the op are x0, x1, ...
void check_op(const Prototype& prototype, const GeOp& op);

}  // namespace opwright::graph_engine
