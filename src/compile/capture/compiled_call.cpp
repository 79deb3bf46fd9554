#include "opwright/compile/capture/compiled_call.h"

#include <span>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/check/example/tensor_call.h"
#include "opwright/compile/backend/compiled_graph.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/transforms/trace/make_fx.h"

namespace opwright {
namespace {

bool is_number(const Value& value) { return value.tag() == kOpwInt || value.tag() == kOpwSymInt; }

// Doubling is exact in every dtype.
Tensor read_twice(const Tensor& tensor) {
  return tensor.dtype() == DType::Bool ? logical_not(tensor) : tensor + tensor;
}

// Bools are left out: unwritten memory may hold bytes that no kernel returns.
Tensor change_of(const Tensor& before, const Tensor& after) {
  return before.dtype() == DType::Bool ? before.ne(before) : before - after;
}

std::vector<Tensor> read_all(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> readings;
  for (const Tensor& tensor : tensors) readings.push_back(read_twice(tensor));
  return readings;
}

struct Parts {
  std::vector<Value> results;
  std::vector<Tensor> changes;
  std::vector<Tensor> readings;
};

// The function that is compiled, at the current level.
Parts call_and_read(const Example& example, const DistinctTensors& distinct,
                    const std::vector<Tensor>& own) {
  Parts parts;
  const std::vector<Tensor> before = read_all(own);
  parts.results = call_with(example, distinct.spread(own));
  const std::vector<Tensor> after = read_all(own);
  for (size_t i = 0; i < own.size(); ++i) parts.changes.push_back(change_of(before[i], after[i]));
  parts.readings = read_all(tensors_of(parts.results));
  return parts;
}

std::vector<OpwValue> outputs_of(const std::vector<Value>& results, const std::vector<Tensor>& of,
                                 const Parts& parts) {
  std::vector<OpwValue> outputs;
  for (const Tensor& tensor : of) outputs.push_back(ValueOf<Tensor>::lend(tensor));
  for (const Value& result : results) {
    if (is_number(result)) outputs.push_back(result.get());
  }
  for (const auto* tensors : {&parts.changes, &parts.readings}) {
    for (const Tensor& tensor : *tensors) outputs.push_back(ValueOf<Tensor>::lend(tensor));
  }
  return outputs;
}

std::vector<Value> run_executable(const Executable& executable, const std::vector<OpwValue>& inputs,
                                  size_t num_outputs) {
  std::vector<OpwValue> raw(num_outputs);
  executable.run(inputs, raw);
  std::vector<Value> outputs;
  for (OpwValue& each : raw) outputs.push_back(Value::take(each));
  return outputs;
}

}  // namespace

CompiledCall compile_call(const Example& example, TracingMode mode) {
  const Example copied = example.copy();
  const DistinctTensors distinct(copied);
  const ComparedRunScope compared;
  TraceSession session({.mode = mode, .functional = true, .keeps_custom_whole = true});
  std::vector<Tensor> added;
  for (size_t i = 0; i < distinct.get().size(); ++i)
    added.push_back(session.add_tensor(distinct.get()[i], distinct.name(i)));
  CompiledCall compiled;
  compiled.forms = forms_of(distinct.spread(added));
  const std::vector<Tensor> own = session.enter(added);
  Parts parts;
  {
    const InterpreterScope scope(session.level());
    parts = call_and_read(copied, distinct, own);
  }
  const std::vector<Tensor> tensors = tensors_of(parts.results);
  compiled.graph = session.finish(outputs_of(parts.results, tensors, parts));
  compiled.results = std::move(parts.results);
  compiled.executable = compile_graph(compiled.graph);
  return compiled;
}

ReadCall run_compiled(const CompiledCall& compiled, const Example& example) {
  const ComparedRunScope compared;
  ReadCall ran{.outcome = {.after = example.copy(), .results = {}, .error = std::nullopt},
               .changes = {},
               .readings = {}};
  const DistinctTensors distinct(ran.outcome.after);
  std::vector<OpwValue> inputs;
  for (const Tensor& tensor : distinct.get()) inputs.push_back(ValueOf<Tensor>::lend(tensor));
  const size_t num_tensors = tensors_of(compiled.results).size();
  size_t num_numbers = 0;
  for (const Value& result : compiled.results) num_numbers += is_number(result) ? 1 : 0;
  try {
    std::vector<Value> outputs = run_executable(
        *compiled.executable, inputs, 2 * num_tensors + num_numbers + distinct.get().size());
    const std::vector<Tensor> tensors = tensors_of(outputs);
    const auto end_of_results = tensors.begin() + static_cast<std::ptrdiff_t>(num_tensors);
    const auto end_of_changes = end_of_results + static_cast<std::ptrdiff_t>(distinct.get().size());
    ran.outcome.results = replace_tensors(compiled.results, std::span(tensors).first(num_tensors));
    size_t next = num_tensors;
    for (Value& result : ran.outcome.results) {
      if (is_number(result)) result = std::move(outputs[next++]);
    }
    ran.changes.assign(end_of_results, end_of_changes);
    ran.readings.assign(end_of_changes, tensors.end());
  } catch (const Error& error) {
    ran.outcome.error = error;
  }
  return ran;
}

ReadCall run_plainly(const Example& example) {
  const ComparedRunScope compared;
  ReadCall ran{.outcome = {.after = example.copy(), .results = {}, .error = std::nullopt},
               .changes = {},
               .readings = {}};
  const DistinctTensors distinct(ran.outcome.after);
  try {
    Parts parts = call_and_read(ran.outcome.after, distinct, distinct.get());
    ran.outcome.results = std::move(parts.results);
    ran.changes = std::move(parts.changes);
    ran.readings = std::move(parts.readings);
  } catch (const Error& error) {
    ran.outcome.error = error;
  }
  return ran;
}

}  // namespace opwright
