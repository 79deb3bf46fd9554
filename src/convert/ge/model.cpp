#include "opwright/convert/ge/model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/convert/ge/attribute.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

struct TypePair {
  DType dtype;
  DataType type;
};
constexpr TypePair kTypes[] = {
    {DType::Float32, DT_FLOAT},
    {DType::Float16, DT_FLOAT16},
    {DType::BFloat16, DT_BF16},
    {DType::Float64, DT_DOUBLE},
    {DType::Int64, DT_INT64},
    {DType::Int32, DT_INT32},
    {DType::Int16, DT_INT16},
    {DType::Int8, DT_INT8},
    {DType::UInt8, DT_UINT8},
    {DType::UInt16, DT_UINT16},
    {DType::UInt32, DT_UINT32},
    {DType::UInt64, DT_UINT64},
    {DType::Bool, DT_BOOL},
    {DType::Complex64, DT_COMPLEX64},
    {DType::Complex128, DT_COMPLEX128},
    {DType::Float8E5M2, DT_FLOAT8_E5M2},
    {DType::Float8E4M3FN, DT_FLOAT8_E4M3FN},
};

void append_descriptor(std::string& out, const TensorDescriptor& descriptor) {
  out += concatenate(descriptor.name, ": ");
  if (!descriptor.dtype || !descriptor.dims) return void(out += '?');
  out += concatenate(*descriptor.dtype, "[");
  const char* separator = "";
  for (const int64_t dim : *descriptor.dims) {
    out += concatenate(separator, dim);
    separator = ", ";
  }
  out += ']';
}

// "(inputs; attributes) -> (outputs)"; inputs are shown by their producers or, without a graph, by
// their types.
void append_signature(std::string& out, const GeOp& op, const GeGraph* graph) {
  out += concatenate(op.type, "(");
  const char* separator = "";
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    out += separator;
    separator = ", ";
    if (graph) {
      out += concatenate(op.input_descriptors[i].name, "=", to_text(*graph, op.inputs[i]));
    } else {
      append_descriptor(out, op.input_descriptors[i]);
    }
  }
  separator = "; ";
  for (const Attribute& attribute : op.attributes) {
    out += separator;
    append_text(out, attribute);
    separator = ", ";
  }
  out += ") -> (";
  separator = "";
  for (const TensorDescriptor& output : op.output_descriptors) {
    out += separator;
    append_descriptor(out, output);
    separator = ", ";
  }
  out += ')';
}

}  // namespace

DataType data_type_of(DType dtype) {
  for (const TypePair& each : kTypes) {
    if (each.dtype == dtype) return each.type;
  }
  return DT_UNDEFINED;
}

std::optional<DType> dtype_of(DataType type) {
  for (const TypePair& each : kTypes) {
    if (each.type == type) return each.dtype;
  }
  return std::nullopt;
}

std::string data_type_name(DataType type) {
  for (const DataTypeName& each : kDataTypes) {
    if (each.type == type) return concatenate("DT_", each.name);
  }
  return concatenate("DataType(", int{type}, ")");
}

const Attribute* GeOp::find_attribute(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::string to_text(const GeGraph& graph, const OutputPlace& output) {
  if (!output.is_there()) return {};
  return concatenate(graph.ops[output.op].name, ":", output.index);
}

std::string to_text(const GeOp& op) {
  std::string out;
  append_signature(out, op, nullptr);
  return out;
}

std::string to_text(const GeGraph& graph) {
  std::string out = concatenate("graph ", graph.name, " {\n");
  for (const GeOp& op : graph.ops) {
    out += concatenate("  ", op.name, " = ");
    append_signature(out, op, &graph);
    if (op.call != kNoPlace)
      out += concatenate("  # ", op.call, " ", graph.calls[op.call].node->op().name());
    out += '\n';
  }
  return out + "}\n";
}

}  // namespace opwright::graph_engine
