#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/convert/onnx/model/node_types.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/runtime/onnx.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/value.h"

namespace opwright::onnx {
namespace {

constexpr size_t kMostSharedBytes = 256;

std::pair<std::string_view, std::string_view> split_type(std::string_view type) {
  const size_t colons = type.find("::");
  if (colons == std::string_view::npos) return {{}, type};
  return {type.substr(0, colons), type.substr(colons + 2)};
}

// Equal tensors have equal keys.
std::string tensor_key(const Tensor& data) {
  std::string key = concatenate(data.dtype(), " ");
  for (int64_t i = 0; i < data.dim(); ++i) key += concatenate(data.size(i), " ");
  key.append(static_cast<const char*>(data.data<void>()),
             static_cast<size_t>(data.numel()) * item_size(data.dtype()));
  return key;
}

}  // namespace

int64_t GraphBuilder::opset() const { return state_.opset; }

OnnxValues GraphBuilder::op(std::string_view type, std::span<const OnnxValue> inputs,
                            std::vector<Attribute> attributes, size_t num_outputs) {
  const auto [domain, name] = split_type(type);
  OPWRIGHT_CHECK_VALUE(!name.empty(), "ONNX: '", type, "' is not a node name: write 'Relu' or ",
                       "'domain::Name'");
  while (!inputs.empty() && !inputs.back().is_there()) inputs = inputs.first(inputs.size() - 1);
  PendingNode node{.domain = std::string(domain),
                   .type = std::string(name),
                   .inputs = {inputs.begin(), inputs.end()},
                   .outputs = {},
                   .attributes = std::move(attributes),
                   .label = state_.label,
                   .site = state_.site};
  for (size_t i = 0; i < num_outputs; ++i) node.outputs.push_back(state_.add({.is_output = true}));
  if (domain.empty()) infer_types(state_, node);
  OnnxValues outputs = node.outputs;
  state_.scope->nodes.push_back(std::move(node));
  return outputs;
}

OnnxValue GraphBuilder::op(std::string_view type, std::span<const OnnxValue> inputs,
                           std::vector<Attribute> attributes) {
  return op(type, inputs, std::move(attributes), 1).front();
}

OnnxValue GraphBuilder::constant(const Tensor& data) {
  OPWRIGHT_CHECK_TYPE(data.is_defined() && !data.is_fake(),
                      "ONNX: a constant must be a tensor with data, got ", data);
  // Goes into the innermost body that can hold initializers; equal ones outside are reused.
  const bool is_small =
      static_cast<size_t>(data.numel()) * item_size(data.dtype()) <= kMostSharedBytes;
  const Tensor dense = data.contiguous();
  BodyScope* home = state_.scope;
  while (home->outer) home = home->outer;
  std::string key;
  if (is_small) {
    key = tensor_key(dense);
    const auto found = home->small_constants.find(key);
    if (found != home->small_constants.end()) return found->second;
  }
  OnnxValue value;
  if (home->is_function) {
    BodyScope* current = std::exchange(state_.scope, home);
    value = op("Constant", {}, {Attribute("value", dense)});
    state_.scope = current;
    // Otherwise nodes before it might read it.
    if (current == home) {
      PendingNode made = std::move(home->nodes.back());
      home->nodes.pop_back();
      home->nodes.insert(home->nodes.begin(), std::move(made));
    }
  } else {
    value = state_.add({});
    home->initializers.push_back(value);
  }
  KnownValue& known = state_.at(value);
  known.dtype = data.dtype();
  known.sizes = sym_sizes_of(data);
  known.data = dense;
  if (is_small) home->small_constants.emplace(std::move(key), value);
  return value;
}

OnnxValue GraphBuilder::ints(std::span<const int64_t> values) {
  const int64_t length[] = {static_cast<int64_t>(values.size())};
  const Tensor data = make_empty(length, DType::Int64);
  if (!values.empty()) std::memcpy(data.mutable_data<void>(), values.data(), values.size_bytes());
  return constant(data);
}

OnnxValue GraphBuilder::scalar(double value, DType dtype) {
  return constant(make_scalar_tensor(value, dtype));
}
OnnxValue GraphBuilder::scalar(int64_t value, DType dtype) {
  return constant(make_scalar_tensor(value, dtype));
}
OnnxValue GraphBuilder::scalar(const OpwValue& number, DType dtype) {
  if (number.tag == kOpwFloat) return scalar(ValueOf<double>::read(number), dtype);
  if (number.tag == kOpwBool) return scalar(int64_t{ValueOf<bool>::read(number)}, dtype);
  if (number.tag == kOpwSymInt) return cast(size(ValueOf<SymInt>::read(number)), dtype);
  return scalar(ValueOf<int64_t>::read(number), dtype);
}

OnnxValue GraphBuilder::cast(OnnxValue value, DType dtype) {
  const KnownValue& known = state_.at(value);
  if (known.dtype == dtype) return value;
  if (known.data.is_defined()) return constant(known.data.to(dtype));
  const std::optional<std::vector<SymInt>> sizes = known.sizes;
  const OnnxValue result = op("Cast", {value}, {Attribute("to", int64_t{element_type(dtype)})});
  state_.at(result).dtype = dtype;
  state_.at(result).sizes = sizes;
  return result;
}

std::optional<DType> GraphBuilder::dtype(OnnxValue value) const { return state_.at(value).dtype; }
std::optional<std::vector<SymInt>> GraphBuilder::shape(OnnxValue value) const {
  return state_.at(value).sizes;
}
Tensor GraphBuilder::data(OnnxValue value) const { return state_.at(value).data; }

void GraphBuilder::set_type(OnnxValue value, DType dtype, std::vector<SymInt> sizes) {
  KnownValue& known = state_.at(value);
  known.dtype = dtype;
  known.sizes = std::move(sizes);
}

const std::string& GraphBuilder::name(OnnxValue value) const {
  KnownValue& known = state_.at(value);
  if (known.name.empty())
    known.name = state_.unused_name(known.data.is_defined() ? "constant" : state_.label);
  return known.name;
}

}  // namespace opwright::onnx
