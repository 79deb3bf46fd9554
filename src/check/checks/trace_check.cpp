// trace: the graph of a call returns what the call does, at the given sizes and at others that
// its guards admit.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/check/example/check.h"
#include "opwright/check/example/tensor_call.h"
#include "opwright/check/variation/fake_run.h"
#include "opwright/check/variation/other_sizes.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/runtime/make_fx.h"
#include "opwright/tag.h"
#include "opwright/transforms/trace/make_fx.h"

namespace opwright {
namespace {

constexpr int kMostTracedSizes = 2;

// One way to trace a call.
struct TraceWay {
  TracingMode mode;
  bool is_taken_apart;  // record the operator's decomposition
  const char* name;     // as users write it
};
constexpr TraceWay kWays[] = {
    {TracingMode::Real, false, "tracing_mode=\"real\""},
    {TracingMode::Fake, false, "tracing_mode=\"fake\""},
    {TracingMode::Symbolic, false, "tracing_mode=\"symbolic\""},
    {TracingMode::Symbolic, true, "tracing_mode=\"symbolic\" and the operator decomposed"},
};

Slot body_slot(const Operator& op) {
  return op.record(Slot::ImplicitComposite) ? Slot::ImplicitComposite : Slot::Decompose;
}
bool has_traced_body(const Operator& op) { return op.record(body_slot(op)) != nullptr; }

bool is_int_value(const Value& value) {
  return value.tag() == kOpwInt || value.tag() == kOpwSymInt;
}

struct TracedCall {
  GraphPtr graph;
  std::vector<Value> results;  // of the trace: their tensors and ints are the outputs
  SymbolicForms forms;         // of Example::tensors()
};

TracedCall trace_call(const Example& example, const TraceWay& way) {
  TraceSessionOptions options{.mode = way.mode};
  if (way.is_taken_apart) options.trace.decompose.insert(&example.op());
  const Example copied = example.copy();
  const DistinctTensors distinct(copied);
  const ComparedRunScope compared;
  TraceSession session(std::move(options));
  std::vector<Tensor> added;
  for (size_t i = 0; i < distinct.get().size(); ++i)
    added.push_back(session.add_tensor(distinct.get()[i], distinct.name(i)));
  TracedCall traced;
  traced.forms = forms_of(distinct.spread(added));
  const std::vector<Tensor> own = session.enter(added);
  {
    const InterpreterScope scope(session.level());
    traced.results = call_with(copied, distinct.spread(own));
  }
  std::vector<OpwValue> outputs;
  const std::vector<Tensor> tensors = tensors_of(traced.results);
  for (const Tensor& tensor : tensors) outputs.push_back(ValueOf<Tensor>::lend(tensor));
  for (const Value& result : traced.results) {
    if (is_int_value(result)) outputs.push_back(result.get());
  }
  traced.graph = session.finish(outputs);
  return traced;
}

// Runs the graph on a copy.
Outcome run_graph(const TracedCall& traced, const Example& example) {
  const ComparedRunScope compared;
  Outcome outcome{.after = example.copy(), .results = {}, .error = std::nullopt};
  const DistinctTensors distinct(outcome.after);
  std::vector<OpwValue> inputs;
  for (const Tensor& tensor : distinct.get()) inputs.push_back(ValueOf<Tensor>::lend(tensor));
  try {
    std::vector<Value> outputs = evaluate(*traced.graph, inputs);
    outcome.results = replace_tensors(traced.results, tensors_of(outputs));
    size_t next = tensors_of(outputs).size();
    for (Value& result : outcome.results) {
      if (is_int_value(result)) result = std::move(outputs[next++]);
    }
  } catch (const Error& error) {
    outcome.error = error;
  }
  return outcome;
}

// A graph that contains an object has no text form.
std::optional<std::string> find_text_problem(const Graph& graph) {
  const std::string text = to_text(graph);
  if (text.find("object(\"") != std::string::npos) return std::nullopt;
  try {
    (void)parse_graph(text);
    return std::nullopt;
  } catch (const Error& error) {
    return concatenate("its text does not read back: ", error.text());
  }
}

class TraceCheck : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::DataDependentOutput)) return "its results are numbers read from data";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    if (holds_objects(input.example())) return std::nullopt;
    const Outcome plain = run_compared(input.example());
    if (plain.is_refused()) return std::nullopt;
    for (const TraceWay& way : kWays) {
      if (way.is_taken_apart && !has_traced_body(input.op())) continue;
      if (auto found = look(input, plain, way)) return found;
    }
    return std::nullopt;
  }

 private:
  static std::string who(const Operator& op, const TraceWay& way) {
    std::string text = concatenate(op.name(), " traced with ", way.name);
    if (way.is_taken_apart) text += site_text(op, body_slot(op));
    return text;
  }

  static std::optional<Fault> look(const CheckInput& input, const Outcome& plain,
                                   const TraceWay& way) {
    const Operator& op = input.op();
    TracedCall traced;
    try {
      traced = trace_call(input.example(), way);
    } catch (const Error& error) {
      return refusal(input, way, error);
    }
    const Outcome run = run_graph(traced, input.example());
    if (run.error) {
      return Fault{"trace-raised", concatenate("the graph of ", who(op, way),
                                               " raises when it runs: ", run.error->kind(), ": ",
                                               run.error->message())};
    }
    if (auto problem = find_text_problem(*traced.graph))
      return Fault{"trace-raised", concatenate("the graph of ", who(op, way), ": ", *problem)};
    if (auto difference = compare(input, run, plain);
        difference && !is_rounding(input, run, plain, way)) {
      return Fault{"trace-differs", concatenate("the graph of ", who(op, way),
                                                " differs from the call: ", *difference)};
    }
    if (way.mode != TracingMode::Symbolic || input.settings().is_harmful) return std::nullopt;
    return look_at_other_sizes(input, traced, way);
  }

  static std::optional<std::string> compare(const CheckInput& input, const Outcome& is,
                                            const Outcome& should) {
    if (input.op().tags().has(Tag::Nondeterministic)) return std::nullopt;
    return find_difference(is, should, input.comparison());
  }

  // Whether a difference is due to rounding: in double precision there is none.
  static bool is_rounding(const CheckInput& input, const Outcome& is, const Outcome& should,
                          const TraceWay& way) {
    if (input.settings().tolerance || find_difference(is, should, any_values())) return false;
    const std::optional<Example> finer = widen(input.example());
    if (!finer) return false;
    const Outcome plain = run_compared(*finer);
    if (plain.is_refused()) return false;
    try {
      const Outcome run = run_graph(trace_call(*finer, way), *finer);
      return !run.error && !find_difference(run, plain);
    } catch (const Error&) {
      return false;
    }
  }

  static std::optional<Fault> refusal(const CheckInput& input, const TraceWay& way,
                                      const Error& error) {
    const Operator& op = input.op();
    if (is_data_dependent(error)) {
      if (op.tags().has(Tag::DynamicOutputShape)) return std::nullopt;
      if (!has_traced_body(op) && way.mode != TracingMode::Real)
        return std::nullopt;  // of its fake kernel
      return Fault{"trace-raised",
                   concatenate(who(op, way), ": its body", site_text(op, body_slot(op)),
                               " reads data of a tensor, which no trace has: ", error.message())};
    }
    // Errors of the fake kernel are reported by its own check.
    if (way.mode != TracingMode::Real &&
        run_on_fakes(input.example(), way.mode == TracingMode::Fake ? FakeMode::Sizes::Static
                                                                    : FakeMode::Sizes::Dynamic)
            .error) {
      return std::nullopt;
    }
    return Fault{"trace-raised", concatenate(who(op, way), " raises where the call does not: ",
                                             error.kind(), ": ", error.message())};
  }

  static std::optional<Fault> look_at_other_sizes(const CheckInput& input, const TracedCall& traced,
                                                  const TraceWay& way) {
    if (!traced.graph->shape_env()) return std::nullopt;
    const auto found = find_fault_at_other_sizes(
        {input.example(), *traced.graph->shape_env(), traced.forms}, input.settings().seed,
        kMostTracedSizes,
        [&](const Example& resized, const SymbolValues&) -> std::optional<std::string> {
          const Outcome plain = run_compared(resized);
          if (plain.is_refused()) return std::nullopt;
          const Outcome run = run_graph(traced, resized);
          if (is_refused_by_guards(run)) return std::nullopt;
          if (run.error) return concatenate("it raises ", text_of(*run.error));
          return compare(input, run, plain).value_or("");
        });
    if (!found) return std::nullopt;
    return Fault{
        "trace-differs-at-other-size",
        concatenate("the graph of ", who(input.op(), way), " is right for the sizes given, but",
                    found->where, " it differs from the call: ", found->what)};
  }
};

[[maybe_unused]] const bool kIsTraceCheckRegistered =
    (register_check({.name = "trace",
                     .about = "the graph of a call returns what the call does",
                     .make = [] { return std::unique_ptr<Check>(new TraceCheck()); },
                     .place = 60}),
     true);

}  // namespace
}  // namespace opwright
