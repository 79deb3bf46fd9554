#include "opwright/convert/onnx/model/model.h"

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/tensor_text.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/runtime/onnx.h"
#include "opwright/schema/constant.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::onnx {
namespace {

struct ElementType {
  DType dtype;
  int32_t number;
};
constexpr ElementType kElementTypes[] = {
    {DType::Float32, 1},       {DType::UInt8, 2},       {DType::Int8, 3},
    {DType::UInt16, 4},        {DType::Int16, 5},       {DType::Int32, 6},
    {DType::Int64, 7},         {DType::Bool, 9},        {DType::Float16, 10},
    {DType::Float64, 11},      {DType::UInt32, 12},     {DType::UInt64, 13},
    {DType::Complex64, 14},    {DType::Complex128, 15}, {DType::BFloat16, 16},
    {DType::Float8E4M3FN, 17}, {DType::Float8E5M2, 19},
};

void append_list(std::string& out, const std::vector<std::string>& names) {
  const char* separator = "";
  for (const std::string& name : names) {
    out += separator;
    out += name.empty() ? "_" : name;
    separator = ", ";
  }
}

void append_type(std::string& out, const ValueInfo& info) {
  append_text(out, info.dtype);
  out += '[';
  const char* separator = "";
  for (const Dimension& dim : info.dims) {
    out += separator;
    out += dim.name.empty() ? std::to_string(dim.size) : dim.name;
    separator = ", ";
  }
  out += ']';
}

void append_values(std::string& out, const char* word, const std::vector<ValueInfo>& values) {
  for (const ValueInfo& each : values) {
    out += concatenate("  ", word, " ", each.name, ": ");
    append_type(out, each);
    out += '\n';
  }
}

void append_body(std::string& out, const GraphBody& body);

void append_attribute(std::string& out, const Attribute& attribute) {
  out += concatenate(attribute.name(), "=");
  if (attribute.kind() == Attribute::Kind::Graph) {
    out += "{\n";
    append_body(out, *attribute.body());
    out += "  }";
    return;
  }
  if (attribute.kind() == Attribute::Kind::Tensor)
    return append_tensor(out, Tensor::borrow(attribute.value().get().as_tensor));
  append_value_text(out, attribute.value().get());
}

void append_nodes(std::string& out, const std::vector<OnnxNode>& nodes) {
  for (const OnnxNode& node : nodes) {
    out += "  ";
    append_list(out, node.outputs);
    out += " = ";
    if (!node.domain.empty()) out += node.domain + "::";
    out += node.type;
    if (!node.attributes.empty()) {
      const char* separator = "<";
      for (const Attribute& attribute : node.attributes) {
        out += separator;
        append_attribute(out, attribute);
        separator = ", ";
      }
      out += '>';
    }
    out += '(';
    append_list(out, node.inputs);
    out += ")\n";
  }
}

void append_body(std::string& out, const GraphBody& body) {
  append_values(out, "input", body.inputs);
  for (const Initializer& each : body.initializers) {
    out += concatenate("  constant ", each.name, ": ");
    append_tensor(out, each.data);
    out += '\n';
  }
  append_nodes(out, body.nodes);
  append_values(out, "value", body.values);
  append_values(out, "output", body.outputs);
}

}  // namespace

int32_t element_type(DType dtype) {
  for (const ElementType& each : kElementTypes) {
    if (each.dtype == dtype) return each.number;
  }
  throw_error("TypeError", "ONNX has no element type for ", dtype);
}

int64_t ir_version(int64_t opset) {
  struct Since {
    int64_t opset;
    int64_t version;
  };
  constexpr Since kVersions[] = {{25, 13}, {24, 12}, {23, 11}, {21, 10}, {19, 9}, {15, 8}, {12, 7}};
  for (const Since& each : kVersions) {
    if (opset >= each.opset) return each.version;
  }
  return 7;
}

std::string to_text(const Model::State& model) {
  std::string out = "model";
  for (const auto& [domain, version] : model.opsets) {
    out += concatenate(" ", domain.empty() ? "onnx" : domain, "=", version);
  }
  out += " {\n";
  append_body(out, model.graph);
  out += "}\n";
  for (const FunctionBody& each : model.functions) {
    out += concatenate("function ", each.domain, "::", each.name, "(");
    append_list(out, each.inputs);
    out += ") -> (";
    append_list(out, each.outputs);
    out += ") {\n";
    append_nodes(out, each.nodes);
    out += "}\n";
  }
  return out;
}

}  // namespace opwright::onnx
