#include "opwright/convert/ge/graph_builder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/builder_state.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/ge/prototype.h"
#include "opwright/convert/sizes.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/scalar.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/value.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

constexpr size_t kMostSharedBytes = 256;

void add_op_input(GeOp& op, std::string name, OutputPlace value) {
  op.inputs.push_back(value);
  op.input_descriptors.push_back({.name = std::move(name)});
}

void add_operand(GeOp& op, const std::string& name, const Operand& operand) {
  if (const auto* one = std::get_if<OutputPlace>(&operand)) return add_op_input(op, name, *one);
  size_t number = 0;
  for (const OutputPlace each : std::get<GeValues>(operand))
    add_op_input(op, concatenate(name, number++), each);
}

void add_output(GeOp& op, const std::string& name, std::optional<uint32_t> count) {
  if (!count) return void(op.output_descriptors.push_back({.name = name}));
  for (uint32_t i = 0; i < *count; ++i)
    op.output_descriptors.push_back({.name = concatenate(name, i)});
}

// Removes trailing omitted optional inputs.
void trim_inputs(GeOp& op) {
  while (!op.inputs.empty() && !op.inputs.back().is_there()) {
    op.inputs.pop_back();
    op.input_descriptors.pop_back();
  }
}

std::optional<AttributeKind> kind_in(const Prototype* prototype, const std::string& name) {
  if (!prototype) return std::nullopt;
  const auto found = std::ranges::find(prototype->attributes, name, &PrototypeAttribute::name);
  if (found == prototype->attributes.end()) return std::nullopt;
  return found->kind;
}

std::string key_of(const Tensor& data) {
  std::string key = concatenate(data.dtype(), " ");
  for (int64_t i = 0; i < data.dim(); ++i) key += concatenate(data.size(i), " ");
  key.append(static_cast<const char*>(data.data<void>()),
             static_cast<size_t>(data.numel()) * item_size(data.dtype()));
  return key;
}

GeValues op_outputs(const GraphBuilder::State& state, uint32_t op) {
  GeValues outputs;
  for (uint32_t i = 0; i < state.types[op].size(); ++i) outputs.push_back({op, i});
  return outputs;
}

}  // namespace

AttributeValue::AttributeValue(const char* attribute, int64_t value)
    : held{attribute, AttributeKind::Int, Value(value)} {}
AttributeValue::AttributeValue(const char* attribute, bool value)
    : held{attribute, AttributeKind::Bool, Value(value)} {}
AttributeValue::AttributeValue(const char* attribute, double value)
    : held{attribute, AttributeKind::Float, Value(value)} {}
AttributeValue::AttributeValue(const char* attribute, const char* value)
    : held{attribute, AttributeKind::String, Value(std::string(value))} {}
AttributeValue::AttributeValue(const char* attribute, const std::vector<int64_t>& value)
    : held{attribute, AttributeKind::ListInt, Value(value)} {}
AttributeValue::AttributeValue(const char* attribute, DataType value)
    : AttributeValue(attribute, int64_t{value}) {}

GeValues GraphBuilder::op_of_many(std::string_view name, std::initializer_list<Operand> inputs,
                                  std::initializer_list<AttributeValue> attributes,
                                  uint32_t num_dynamic) {
  const PrototypePtr prototype = find_prototype(name);
  OPWRIGHT_CHECK_VALUE(prototype, "GE: there is no prototype of ", name);
  GeOp op{.name = {}, .type = std::string(name)};
  auto port = prototype->inputs.begin();
  for (const Operand& each : inputs) add_operand(op, port++->name, each);
  for (const Port& each : prototype->outputs) {
    const bool is_dynamic = each.kind == PortKind::Dynamic;
    add_output(op, each.name, is_dynamic ? std::optional(num_dynamic) : std::nullopt);
  }
  for (const AttributeValue& each : attributes) {
    op.attributes.push_back(each.held);
    if (const auto kind = kind_in(prototype.get(), each.held.name);
        kind && fits(*kind, each.held.kind))
      op.attributes.back().kind = *kind;
  }
  trim_inputs(op);
  const uint32_t place = state_.add(std::move(op));
  check_op(*prototype, state_.graph.ops[place]);
  return op_outputs(state_, place);
}

OutputPlace GraphBuilder::op(std::string_view name, std::initializer_list<Operand> inputs,
                             std::initializer_list<AttributeValue> attributes,
                             std::optional<ValueType> type) {
  const OutputPlace made = op_of_many(name, inputs, attributes).front();
  state_.type_of(made) = std::move(type);
  return made;
}

GeValues GraphBuilder::custom_op(std::string_view name, const std::vector<NamedOperand>& inputs,
                                 const std::vector<OutputName>& outputs,
                                 std::vector<Attribute> attributes, std::string_view node_name) {
  OPWRIGHT_CHECK_VALUE(!name.empty(), "GE: custom_op needs the name of an op");
  const PrototypePtr prototype = find_prototype(name);
  GeOp op{.name = std::string(node_name), .type = std::string(name)};
  for (const NamedOperand& each : inputs) add_operand(op, each.name, each.value);
  for (const OutputName& each : outputs) add_output(op, each.name, each.count);
  for (Attribute& each : attributes) {
    const auto kind = kind_in(prototype.get(), each.name);
    op.attributes.push_back(kind ? make_attribute(std::move(each.name), each.value.get(), kind)
                                 : std::move(each));
  }
  OPWRIGHT_CHECK_VALUE(node_name.empty() || !state_.names.contains(op.name), "GE: the node name '",
                       node_name, "' is taken by another op of the graph");
  const uint32_t place = state_.add(std::move(op));
  if (prototype) check_op(*prototype, state_.graph.ops[place]);
  return op_outputs(state_, place);
}

OutputPlace GraphBuilder::constant(const Tensor& data) {
  OPWRIGHT_CHECK_TYPE(data.is_defined() && !data.is_fake(),
                      "GE: a constant must be a tensor with data, got ", data);
  const OutsideOfCall outside(state_);
  const Tensor dense = data.contiguous();
  const bool is_small =
      static_cast<size_t>(dense.numel()) * item_size(dense.dtype()) <= kMostSharedBytes;
  std::string key;
  if (is_small) {
    key = key_of(dense);
    const auto found = state_.small_constants.find(key);
    if (found != state_.small_constants.end()) return found->second;
  }
  GeOp op{.name = {}, .type = "Const"};
  op.attributes.push_back({"value", AttributeKind::Tensor, Value(dense)});
  add_output(op, "y", std::nullopt);
  const OutputPlace made{state_.add(std::move(op)), 0};
  state_.type_of(made) = {dense.dtype(), sym_sizes_of(dense)};
  if (is_small) state_.small_constants.emplace(std::move(key), made);
  return made;
}

OutputPlace GraphBuilder::ints(std::span<const int64_t> values) {
  const int64_t length[] = {static_cast<int64_t>(values.size())};
  const Tensor data = make_empty(length, DType::Int64);
  if (!values.empty()) std::memcpy(data.mutable_data<void>(), values.data(), values.size_bytes());
  return constant(data);
}

OutputPlace GraphBuilder::scalar(int64_t number, DType dtype) {
  return constant(make_scalar_tensor(number, dtype));
}

OutputPlace GraphBuilder::scalar(const OpwValue& number, DType dtype) {
  if (number.tag == kOpwFloat)
    return constant(make_scalar_tensor(ValueOf<double>::read(number), dtype));
  if (number.tag == kOpwSymInt) return cast(size(ValueOf<SymInt>::read(number)), dtype);
  if (number.tag == kOpwBool) return scalar(int64_t{ValueOf<bool>::read(number)}, dtype);
  return scalar(ValueOf<int64_t>::read(number), dtype);
}

OutputPlace GraphBuilder::cast(OutputPlace value, DType dtype) {
  const std::optional<ValueType> known = state_.type_of(value);
  if (known && known->dtype == dtype) return value;
  const GeOp& op = state_.graph.ops[value.op];
  if (op.type == "Const") {
    const OpwValue& data = op.find_attribute("value")->value.get();
    return constant(Tensor::borrow(data.as_tensor).to(dtype));
  }
  std::optional<ValueType> type;
  if (known) type = ValueType{dtype, known->sizes};
  return this->op("Cast", {value}, {{"dst_type", data_type_of(dtype)}}, std::move(type));
}

std::optional<DType> GraphBuilder::dtype(OutputPlace value) const {
  const std::optional<ValueType>& known = state_.type_of(value);
  return known ? std::optional(known->dtype) : std::nullopt;
}
std::optional<std::vector<SymInt>> GraphBuilder::shape(OutputPlace value) const {
  const std::optional<ValueType>& known = state_.type_of(value);
  return known ? std::optional(known->sizes) : std::nullopt;
}
std::string GraphBuilder::name(OutputPlace value) const { return to_text(state_.graph, value); }
void GraphBuilder::set_type(OutputPlace value, ValueType type) {
  state_.type_of(value) = std::move(type);
}

}  // namespace opwright::graph_engine
