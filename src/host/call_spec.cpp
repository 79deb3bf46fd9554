#include "opwright/host/call_spec.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph.h"
#include "opwright/program/signature.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

DType dtype_of_number(uint32_t tag) {
  switch (tag) {
    case kOpwFloat:
      return DType::Float64;
    case kOpwBool:
      return DType::Bool;
    default:
      return DType::Int64;
  }
}

SymRange range_of(const Graph& graph, const SymInt& size) {
  if (!size.is_symbolic()) return {size.word(), size.word()};
  return graph.shape_env()->range(size);
}

void describe_tensor(const Graph& graph, const Tensor& tensor, ValueSpec& spec) {
  spec.dtype = tensor.dtype();
  spec.device = tensor.device();
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    const SymInt size = tensor.sym_size(dim);
    spec.sizes.push_back({size, range_of(graph, size)});
  }
}

ValueSpec describe_value(const Graph& graph, std::string name, const OpwValue& meta) {
  ValueSpec spec;
  spec.name = std::move(name);
  spec.tag = meta.tag == kOpwSymInt ? static_cast<uint32_t>(kOpwInt) : meta.tag;
  if (meta.tag == kOpwTensor) {
    describe_tensor(graph, Tensor::borrow(meta.as_tensor), spec);
  } else {
    spec.dtype = dtype_of_number(meta.tag);
  }
  return spec;
}

ValueSpec describe_output(const Graph& graph, const OutputSpec& output, size_t place) {
  if (output.value.empty())
    return describe_value(graph, concatenate("output", place), output.constant.get());
  const GraphValue* value = graph.find(output.value);
  if (value) return describe_value(graph, output.value, value->meta().get());
  OpwValue number{};  // an expression of sizes, which is its own name
  number.tag = kOpwInt;
  return describe_value(graph, output.value, number);
}

bool is_mutated(const GraphSignature& signature, const std::string& value) {
  return std::any_of(signature.outputs.begin(), signature.outputs.end(), [&](const auto& output) {
    return output.kind == OutputKind::UserInputMutation && output.target == value;
  });
}

bool writes_state(const OutputSpec& output) {
  return output.kind == OutputKind::BufferMutation || output.kind == OutputKind::ParameterMutation;
}

}  // namespace

CallSpec describe_call(const ExportedProgram& program) {
  const Graph& graph = program.graph();
  const GraphSignature& signature = program.signature();
  CallSpec call;
  for (const InputSpec& input : signature.inputs) {
    if (input.kind != InputKind::UserInput || input.value.empty()) continue;
    ValueSpec spec = describe_value(graph, input.target, graph.find(input.value)->meta().get());
    spec.is_written = is_mutated(signature, input.value);
    call.inputs.push_back(std::move(spec));
  }
  for (const OutputSpec& output : signature.outputs) {
    call.keeps_state |= writes_state(output);
    if (output.kind != OutputKind::UserOutput) continue;
    call.outputs.push_back(describe_output(graph, output, call.outputs.size()));
  }
  return call;
}

std::vector<OpwValue> add_constants(const ExportedProgram& program,
                                    std::span<const OpwValue> given) {
  std::vector<OpwValue> values;
  values.reserve(program.signature().inputs.size());
  auto next = given.begin();
  for (const InputSpec& input : program.signature().inputs) {
    if (input.kind != InputKind::UserInput) continue;
    values.push_back(input.value.empty() ? input.constant.get() : *next++);
  }
  return values;
}

}  // namespace opwright
