#include "opwright/program_api/call_spec.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/program/export/signature.h"
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

// Describes what the graph returns as `name`: a value, or an expression of sizes.
ValueSpec describe_returned(const Graph& graph, const NodeArgument& returned,
                            const std::string& name) {
  if (returned.kind() == NodeArgument::Kind::Value)
    return describe_value(graph, name, returned.value().meta().get());
  OpwValue number{};
  number.tag = kOpwInt;
  return describe_value(graph, name, number);
}

std::vector<ValueSpec> describe_outputs(const Graph& graph, const GraphSignature& signature) {
  std::vector<ValueSpec> specs;
  size_t num_returned = 0;
  for (const OutputSpec& output : signature.outputs) {
    if (output.kind != OutputKind::UserOutput) continue;
    if (output.value.empty()) {
      specs.push_back(
          describe_value(graph, concatenate("output", specs.size()), output.constant.get()));
    } else {
      specs.push_back(describe_returned(graph, graph.outputs()[num_returned++], output.value));
    }
  }
  return specs;
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
  call.outputs = describe_outputs(graph, signature);
  call.keeps_state = std::ranges::any_of(signature.outputs, &writes_state);
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
