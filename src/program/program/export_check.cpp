// export: the program of a call, written to a file and read back, returns what the call returns, at
// the given sizes and at others.
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
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/property.h"
#include "opwright/error.h"
#include "opwright/program/program/exported_call.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tag.h"
#include "opwright/transforms/trace/fake.h"

namespace opwright {
namespace {

constexpr int kMostOtherSizes = 2;
constexpr uint32_t kMostExportInputs = 16;

// A size that the program fixes, and another that the operator also accepts.
struct FixedSize {
  size_t tensor;
  size_t dim;
  int64_t given;
  int64_t other;
};

class ExportCheck : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::DataDependentOutput)) return "its results are numbers read from data";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    const Example& example = input.example();
    if (holds_objects(example)) return std::nullopt;
    // A program takes tensors that share no memory.
    const DistinctTensors distinct(example);
    const bool is_shared =
        distinct.share_memory() || distinct.get().size() != example.tensors().size();
    if (input.op().writes_arguments() && is_shared) return std::nullopt;
    const Outcome plain = run_compared(example);
    if (plain.is_refused()) return std::nullopt;
    ExportedCall exported;
    try {
      exported = export_call(example);
    } catch (const Error& error) {
      return refusal(input.op(), error);
    }
    return look(input, plain, exported);
  }

 private:
  static std::optional<Fault> refusal(const Operator& op, const Error& error) {
    const bool is_of_data = is_data_dependent(error) && op.tags().has(Tag::DynamicOutputShape);
    if (is_of_data) return std::nullopt;
    return Fault{"export-raised", concatenate(op.name(), " cannot be exported: ", text_of(error))};
  }

  static std::optional<Fault> look(const CheckInput& input, const Outcome& plain,
                                   const ExportedCall& exported) {
    const std::string& name = input.op().name();
    ExportedCall loaded;
    try {
      loaded = read_back(exported);
    } catch (const Error& error) {
      return Fault{
          "export-not-saved",
          concatenate("the program of ", name, " cannot be saved and loaded: ", text_of(error))};
    }
    const Outcome run = run_program(loaded, input.example());
    if (run.error) {
      return Fault{"export-raised", concatenate("the program of ", name,
                                                " raises when it runs: ", text_of(*run.error))};
    }
    if (auto fault = find_missing_write(input, run, plain)) return fault;
    if (auto difference = compare(input, run, plain)) {
      return Fault{"export-differs",
                   concatenate("the program of ", name, " differs from the call: ", *difference)};
    }
    if (input.settings().is_harmful) return std::nullopt;
    if (auto fault = find_fixed_size(input, exported)) return fault;
    return look_at_other_sizes(input, loaded);
  }

  static std::optional<std::string> compare(const CheckInput& input, const Outcome& is,
                                            const Outcome& should) {
    if (input.op().tags().has(Tag::Nondeterministic)) return std::nullopt;
    return find_difference(is, should, input.comparison());
  }

  // An argument that the call wrote and the program did not.
  static std::optional<Fault> find_missing_write(const CheckInput& input, const Outcome& run,
                                                 const Outcome& plain) {
    const std::vector<Tensor> before = input.example().tensors();
    const std::vector<Tensor> called = plain.after.tensors();
    const std::vector<Tensor> ran = run.after.tensors();
    for (size_t i = 0; i < before.size(); ++i) {
      if (!find_difference(called[i], before[i], {.tolerance = Tolerance{}})) continue;
      if (find_difference(ran[i], before[i], {.tolerance = Tolerance{}})) continue;
      return Fault{"export-misses-write",
                   concatenate("the program of ", input.op().name(), " leaves '",
                               input.example().tensor_name(i),
                               "' as it was, and the call writes it; mark all that it writes in "
                               "its schema")};
    }
    return std::nullopt;
  }

  // ---- Sizes ----

  static std::optional<Fault> find_fixed_size(const CheckInput& input,
                                              const ExportedCall& exported) {
    if (is_builtin(input.op())) return std::nullopt;  // checked by the check "fake"
    const std::vector<Tensor> tensors = input.example().tensors();
    for (size_t i = 0; i < tensors.size(); ++i) {
      for (size_t dim = 0; dim < tensors[i].sizes().size(); ++dim) {
        const int64_t given = tensors[i].sizes()[dim];
        if (given < 2 || !exported.is_fixed(i, dim)) continue;
        for (const int64_t other : {given + 1, given * 2}) {
          const FixedSize fixed{i, dim, given, other};
          if (takes_as_well(input, fixed)) return specialisation(input, exported, fixed);
        }
      }
    }
    return std::nullopt;
  }

  // Whether the operator accepts the other size, and its program fixes that too: a size that is
  // compared with a number may be a special case.
  static bool takes_as_well(const CheckInput& input, const FixedSize& fixed) {
    const FakeRun fake = run_on_fakes(input.example(), FakeMode::Sizes::Dynamic);
    if (fake.error) return false;
    const SymInt& size = fake.forms[fixed.tensor].sizes[fixed.dim];
    SymbolValues values = values_of(size_symbols(input.example(), fake.forms));
    values.insert_or_assign(concatenate(size), fixed.other);
    const std::optional<Example> resized = resize(input.example(), fake.env(), fake.forms, values);
    if (!resized) return false;
    const Outcome real = run_compared(*resized);
    const size_t num_results = input.plain().result_tensors().size();
    if (real.is_refused() || real.result_tensors().size() != num_results) return false;
    try {
      return export_call(*resized).is_fixed(fixed.tensor, fixed.dim);
    } catch (const Error&) {
      return false;
    }
  }

  static Fault specialisation(const CheckInput& input, const ExportedCall& exported,
                              const FixedSize& fixed) {
    return {"export-fixes-size",
            concatenate("export of ", input.op().name(), " fixes dimension ", fixed.dim, " of '",
                        input.example().tensor_name(fixed.tensor), "' to ", fixed.given,
                        line_that_asked(exported, fixed), ", but the operator also accepts ",
                        fixed.other,
                        "; keep sizes symbolic in its fake kernel: no int(size), no condition that "
                        "holds for one size only")};
  }
  static std::string line_that_asked(const ExportedCall& exported, const FixedSize& fixed) {
    const std::string symbol = concatenate(exported.forms()[fixed.tensor].sizes[fixed.dim]);
    for (const Guard& guard : exported.env().guards()) {
      const std::vector<std::string> names = exported.env().free_symbols(guard.condition);
      if (names != std::vector{symbol}) continue;
      const SourceSite line = guard.user.is_known() ? guard.user : guard.asked;
      return concatenate(" (", guard.condition, " required at ", line, ")");
    }
    return "";
  }

  static std::optional<Fault> look_at_other_sizes(const CheckInput& input,
                                                  const ExportedCall& loaded) {
    const SymbolicForms forms = loaded.forms();
    const auto found = find_fault_at_other_sizes(
        {input.example(), loaded.env(), forms}, input.settings().seed, kMostOtherSizes,
        [&](const Example& resized, const SymbolValues&) -> std::optional<std::string> {
          const Outcome plain = run_compared(resized);
          if (plain.is_refused()) return std::nullopt;
          const Outcome run = run_program(loaded, resized);
          if (is_refused_by_guards(run)) return std::nullopt;
          if (run.error) return concatenate("it raises ", text_of(*run.error));
          return compare(input, run, plain).value_or("");
        });
    if (!found) return std::nullopt;
    return Fault{
        "export-differs-at-other-size",
        concatenate("the program of ", input.op().name(), " is right for the sizes given, but",
                    found->where, " it differs from the call: ", found->what)};
  }
};

[[maybe_unused]] const bool kIsExportCheckRegistered =
    (register_check({.name = "export",
                     .about = "the program of a call, saved and loaded, returns what the call does",
                     .make = [] { return std::unique_ptr<Check>(new ExportCheck()); },
                     .place = 75,
                     .most_inputs = kMostExportInputs}),
     true);

}  // namespace
}  // namespace opwright
