// Prototypes: what an op of the engine takes and gives.
//
// The text form, which binaries hand over and errors show:
//
//   AddCustom(x: ALL, bias?: {FLOAT, FLOAT16}, parts*: BasicType; alpha: Float = 1.0, k: Int) ->
//   (z: ALL)
//
// "?" marks an optional input, "*" a dynamic one or a dynamic output (any number of tensors);
// attributes stand behind ";", those without a default are required. Inputs and outputs that must
// be of one element type have a name for it: Maximum<T: FLOAT>(x1: T, x2: T) -> (y: T); without a
// set it may be any.
//
// A prototype is the operator ge::<Name> in the registry, and its text stands there as the rule of
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
#include "opwright/ge_types.h"
#include "opwright/schema/schema.h"
#include "opwright/visibility.h"

namespace opwright::graph_engine {

struct Port {  // an input or an output
  std::string name;
  TensorType types;  // empty with a type name: any
  PortKind kind = PortKind::Required;
  std::string type_name = {};  // "T": one dtype with the others that have it
};

struct PrototypeAttribute {
  std::string name;
  AttributeKind kind;
  std::string default_text = {};  // as a schema writes it; empty: required
};

struct Prototype {
  std::string name;  // "AddCustom"
  std::vector<Port> inputs = {};
  std::vector<Port> outputs = {};
  std::vector<PrototypeAttribute> attributes = {};
  std::vector<TypeName> types = {};
};
using PrototypePtr = std::shared_ptr<const Prototype>;  // shared by the cache and by ops being made

// ValueError that shows the text with the place.
[[nodiscard]] OPWRIGHT_EXPORT Prototype parse_prototype(std::string_view text);
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Prototype& prototype);
// "REG_OP(AddCustom)\n    .INPUT(x, ge::TensorType::ALL())\n ..." for C++ sources.
[[nodiscard]] OPWRIGHT_EXPORT std::string reg_op_text(const Prototype& prototype);
// "ge::AddCustom(Tensor x, Tensor? bias, Tensor[] parts, *, float alpha=1.0, int k) -> Tensor"
[[nodiscard]] std::string schema_text(const Prototype& prototype);

// A name for each result of an operator as an output of an op: its own, else y, or y0, y1, ...
// where there are several. One that an argument or another result has gets "_out": the engine takes
// an output that is named as an input for that input, written in place.
[[nodiscard]] std::vector<std::string> output_names(const Schema& schema);

// The prototype of an op that takes what the operator takes: tensors are inputs of any type, all
// else attributes; outputs are named by output_names. `name` empty: the operator's name in capitals
// at the start of words, npu_add_custom is NpuAddCustom. TypeError for an argument that neither can
// be.
[[nodiscard]] OPWRIGHT_EXPORT Prototype prototype_from_schema(const Schema& schema,
                                                              std::string name = {});

// The built-in ones too; null: there is none.
[[nodiscard]] OPWRIGHT_EXPORT PrototypePtr find_prototype(std::string_view name);
// Defines ge::<Name> and its text; dropping the registration removes both. The same prototype twice
// is harmless, another one under the same name is a ValueError that shows both.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Registration> define_prototype(
    const Prototype& prototype, SourceSite site = SourceSite::of());

// ValueError or TypeError that shows the prototype and the op: an unknown input or output, one that
// is missing, an unknown or missing attribute, one of another type, a dtype that is not in the set,
// or another one than that of the same type name.
// What is not known of a descriptor is not judged. Dynamic inputs stand in the op as x0, x1, ...
void check_op(const Prototype& prototype, const GeOp& op);

}  // namespace opwright::graph_engine
