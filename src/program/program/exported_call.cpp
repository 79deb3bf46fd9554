#include "opwright/program/program/exported_call.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/check/example/tensor_call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/program/export/export_session.h"
#include "opwright/program/file/program_file.h"
#include "opwright/runtime/program.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

bool is_number(const Value& value) { return value.tag() == kOpwInt || value.tag() == kOpwSymInt; }

std::vector<ExportSession::DimAt> free_dims(const Tensor& tensor) {
  std::vector<ExportSession::DimAt> dims;
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) dims.push_back({dim, Dim::automatic()});
  return dims;
}

}  // namespace

const ShapeEnv& ExportedCall::env() const {
  static const ShapeEnv no_symbols;
  const ShapeEnvPtr& env = program->graph().shape_env();
  return env ? *env : no_symbols;
}

SymbolicForms ExportedCall::forms() const {
  std::vector<Tensor> twins;
  for (const GraphValue* input : program->graph().inputs()) {
    if (input->node().role() == InputRole::Argument) twins.push_back(input->tensor());
  }
  return forms_of(twins);
}

bool ExportedCall::is_fixed(size_t tensor, size_t dim) const {
  return !env().simplify(forms()[tensor].sizes[dim]).is_symbolic();
}

ExportedCall export_call(const Example& example, TraceOptions trace) {
  const Example copied = example.copy();
  const ComparedRunScope compared;
  ExportSession session(std::move(trace));
  const std::vector<Tensor> tensors = copied.tensors();
  for (size_t i = 0; i < tensors.size(); ++i)
    session.add_tensor(tensors[i], copied.tensor_name(i), free_dims(tensors[i]));
  const std::vector<Tensor> own = session.enter();
  ExportedCall exported;
  {
    const InterpreterScope scope(session.level());
    exported.results = call_with(copied, own);
  }
  std::vector<OpwValue> outputs;
  const std::vector<Tensor> result_tensors = tensors_of(exported.results);
  for (const Tensor& tensor : result_tensors) outputs.push_back(ValueOf<Tensor>::lend(tensor));
  for (const Value& result : exported.results) {
    if (is_number(result)) outputs.push_back(result.get());
  }
  exported.program = session.finish(outputs);
  return exported;
}

ExportedCall read_back(const ExportedCall& exported) {
  return {read_program(write_program(*exported.program), "opcheck"), exported.results};
}

Outcome run_program(const ExportedCall& exported, const Example& example) {
  const ComparedRunScope compared;
  Outcome outcome{.after = example.copy(), .results = {}, .error = std::nullopt};
  const std::vector<Tensor> tensors = outcome.after.tensors();
  std::vector<OpwValue> inputs;
  for (const Tensor& tensor : tensors) inputs.push_back(ValueOf<Tensor>::lend(tensor));
  try {
    std::vector<Value> outputs = exported.program->run(inputs);
    const std::vector<Tensor> given = tensors_of(outputs);
    outcome.results = replace_tensors(exported.results, given);
    size_t next = given.size();
    for (Value& result : outcome.results) {
      if (is_number(result)) result = std::move(outputs[next++]);
    }
  } catch (const Error& error) {
    outcome.error = error;
  }
  return outcome;
}

}  // namespace opwright
