// compile: a function with the call in it, compiled for the given sizes and for any, returns what
// it returns uncompiled.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "opwright/check/example/check.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/example/tensor_call.h"
#include "opwright/check/variation/fake_run.h"
#include "opwright/check/variation/other_sizes.h"
#include "opwright/compile/capture/compiled_call.h"
#include "opwright/dispatch/operator.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/runtime/make_fx.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tag.h"
#include "opwright/transforms/trace/fake.h"

namespace opwright {
namespace {

constexpr int kMostOtherSizes = 2;
constexpr uint32_t kMostCompileInputs = 4;  // code is made for each of them

struct Way {
  TracingMode mode;
  FakeMode::Sizes sizes;
  const char* name;  // as users write it
};
constexpr Way kWays[] = {
    {TracingMode::Fake, FakeMode::Sizes::Static, "dynamic=False"},
    {TracingMode::Symbolic, FakeMode::Sizes::Dynamic, "dynamic=True"},
};

class CompileCheck : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::DataDependentOutput)) return "its results are numbers read from data";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    const Example& example = input.example();
    if (holds_objects(example)) return std::nullopt;
    // If something is written, tensors that share memory need a different compiled function.
    if (DistinctTensors(example).share_memory() && input.op().writes_arguments())
      return std::nullopt;
    const ReadCall plain = run_plainly(example);
    if (plain.outcome.is_refused()) return std::nullopt;
    for (const Way& way : kWays) {
      if (auto fault = look(input, plain, way)) return fault;
    }
    return std::nullopt;
  }

 private:
  static std::string who(const Operator& op, const Way& way) {
    return concatenate(op.name(), " compiled with ", way.name);
  }

  static std::optional<Fault> look(const CheckInput& input, const ReadCall& plain, const Way& way) {
    const Operator& op = input.op();
    // Generated code relies on the layouts: if they are wrong it reads invalid memory.
    if (auto fault = find_wrong_fake(input, plain, way)) return fault;
    CompiledCall compiled;
    try {
      compiled = compile_call(input.example(), way.mode);
    } catch (const Error& error) {
      return refusal(input, way, error);
    }
    const ReadCall run = run_compiled(compiled, input.example());
    if (run.outcome.error) {
      return Fault{"compile-raised",
                   concatenate(who(op, way), " raises when it runs, and the call does not: ",
                               text_of(*run.outcome.error))};
    }
    if (auto fault = find_missing_write(input, run, plain)) return fault;
    if (auto difference = compare(input, run, plain)) {
      return Fault{"compile-differs",
                   concatenate(who(op, way), " differs from the call: ", *difference)};
    }
    if (way.mode != TracingMode::Symbolic || input.settings().is_harmful) return std::nullopt;
    return look_at_other_sizes(input, compiled, way);
  }

  static std::optional<Fault> find_wrong_fake(const CheckInput& input, const ReadCall& plain,
                                              const Way& way) {
    const FakeRun fake = run_on_fakes(input.example(), way.sizes);
    if (fake.error) return std::nullopt;
    const auto difference =
        find_difference(fake, plain.outcome, values_of(size_symbols(input.example(), fake.forms)));
    if (!difference) return std::nullopt;
    return Fault{"compile-wrong-fake",
                 concatenate("compiled code relies on the fake kernel of ", input.op().name(),
                             ", which ", difference->text)};
  }

  static std::optional<std::string> compare(const CheckInput& input, const ReadCall& is,
                                            const ReadCall& should) {
    if (input.op().tags().has(Tag::Nondeterministic)) return std::nullopt;
    if (auto difference = find_difference(is.outcome, should.outcome, input.comparison()))
      return difference;
    const DistinctTensors distinct(input.example());
    for (size_t i = 0; i < should.changes.size(); ++i) {
      if (auto difference = find_difference(is.changes[i], should.changes[i], input.comparison()))
        return concatenate("'", distinct.name(i), "' before the call minus after it: ", *difference,
                           "; mark all that it writes in its schema");
    }
    for (size_t i = 0; i < should.readings.size(); ++i) {
      if (auto difference = find_difference(is.readings[i], should.readings[i], input.comparison()))
        return concatenate("twice ", result_name(input.op(), i), ": ", *difference);
    }
    return std::nullopt;
  }

  // An argument that the call wrote and the compiled function did not.
  static std::optional<Fault> find_missing_write(const CheckInput& input, const ReadCall& run,
                                                 const ReadCall& plain) {
    const std::vector<Tensor> before = input.example().tensors();
    const std::vector<Tensor> called = plain.outcome.after.tensors();
    const std::vector<Tensor> ran = run.outcome.after.tensors();
    for (size_t i = 0; i < before.size(); ++i) {
      if (!find_difference(called[i], before[i], {.tolerance = Tolerance{}})) continue;
      if (find_difference(ran[i], before[i], {.tolerance = Tolerance{}})) continue;
      return Fault{
          "compile-misses-write",
          concatenate(input.op().name(), " compiled leaves '", input.example().tensor_name(i),
                      "' as it was, and the call writes it; mark all that it writes in "
                      "its schema")};
    }
    return std::nullopt;
  }

  static std::optional<Fault> refusal(const CheckInput& input, const Way& way, const Error& error) {
    const Operator& op = input.op();
    if (is_data_dependent(error) && op.tags().has(Tag::DynamicOutputShape)) return std::nullopt;
    return Fault{"compile-breaks",
                 concatenate(who(op, way), " breaks the graph: ", text_of(error))};
  }

  static std::optional<Fault> look_at_other_sizes(const CheckInput& input,
                                                  const CompiledCall& compiled, const Way& way) {
    if (!compiled.graph->shape_env()) return std::nullopt;
    const auto found = find_fault_at_other_sizes(
        {input.example(), *compiled.graph->shape_env(), compiled.forms}, input.settings().seed,
        kMostOtherSizes,
        [&](const Example& resized, const SymbolValues&) -> std::optional<std::string> {
          const ReadCall plain = run_plainly(resized);
          if (plain.outcome.is_refused()) return std::nullopt;
          if (find_wrong_fake(CheckInput(resized, false, input.settings()), plain, way))
            return std::nullopt;
          const ReadCall run = run_compiled(compiled, resized);
          if (is_refused_by_guards(run.outcome)) return std::nullopt;
          if (run.outcome.error) return concatenate("it raises ", text_of(*run.outcome.error));
          return compare(input, run, plain).value_or("");
        });
    if (!found) return std::nullopt;
    return Fault{"compile-differs-at-other-size",
                 concatenate(who(input.op(), way), " is right for the sizes given, but",
                             found->where, " it differs from the call: ", found->what)};
  }
};

[[maybe_unused]] const bool kIsCompileCheckRegistered =
    (register_check({.name = "compile",
                     .about = "a compiled function with the call in it returns what the call does",
                     .make = [] { return std::unique_ptr<Check>(new CompileCheck()); },
                     .place = 77,
                     .most_inputs = kMostCompileInputs}),
     true);

}  // namespace
}  // namespace opwright
