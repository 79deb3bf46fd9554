// vmap: mapping the operator over a batch returns what it returns sample by sample.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/check/checks/batches.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/comparison.h"
#include "opwright/check/example/tensor_call.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/runtime/vmap.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/transforms/vmap/vmap_function.h"

namespace opwright {
namespace {

constexpr uint32_t kMostVmapInputs = 12;

bool has_composite_body(const Operator& op) {
  return op.record(Slot::ImplicitComposite) || op.record(Slot::Decompose);
}
bool maps_at_once(const Operator& op) {
  return op.record(Slot::Vmap) || op.tags().has(Tag::Pointwise) || has_composite_body(op);
}

struct MappedRun {
  std::vector<Tensor> batches;               // of the arguments, after all calls
  std::vector<std::vector<Tensor>> results;  // the tensors of each sample
  bool has_resized = false;                  // an argument was resized
  std::optional<Error> error;

  // Whether the samples can be stacked into a batch.
  [[nodiscard]] bool is_even() const;
};

bool have_same_sizes(const Tensor& a, const Tensor& b) {
  return std::ranges::equal(a.sizes(), b.sizes());
}

bool MappedRun::is_even() const {
  return !has_resized && std::ranges::all_of(results, [&](const std::vector<Tensor>& each) {
    return std::ranges::equal(each, results[0], have_same_sizes);
  });
}

MappedRun run_one_by_one(const Example& example, const DistinctTensors& tensors,
                         const BatchDims& dims, int64_t batch_size, Samples samples) {
  const ComparedRunScope compared;
  MappedRun run;
  run.batches = make_batches(tensors, dims, batch_size, samples);
  try {
    for (int64_t i = 0; i < batch_size; ++i) {
      const std::vector<Tensor> sample = take_sample(run.batches, dims, i);
      run.results.push_back(tensors_of(call_with(example, tensors.spread(sample))));
      run.has_resized |= !std::ranges::equal(sample, tensors.get(), have_same_sizes);
    }
  } catch (const Error& error) {
    run.error = error;
  }
  return run;
}

MappedRun run_at_once(const Example& example, const DistinctTensors& tensors, const BatchDims& dims,
                      int64_t batch_size, Samples samples) {
  const ComparedRunScope compared;
  MappedRun run;
  run.batches = make_batches(tensors, dims, batch_size, samples);
  const auto call_on = [&](std::span<const Tensor> own) {
    MappedOutputs outputs;
    outputs.tensors = tensors_of(call_with(example, tensors.spread(own)));
    outputs.dims.assign(outputs.tensors.size(), 0);
    return outputs;
  };
  try {
    const MappedOutputs outputs =
        run_mapped_at_once(run.batches, dims, batch_size, Randomness::Error, call_on);
    for (int64_t i = 0; i < batch_size; ++i) {
      std::vector<Tensor> sample;
      for (const Tensor& batch : outputs.tensors) sample.push_back(batch.select(0, i));
      run.results.push_back(std::move(sample));
    }
  } catch (const Error& error) {
    run.error = error;
  }
  return run;
}

// Errors that vmap raises for any rule: unspecified randomness, a write of different values per
// sample to one tensor, and, without a rule, access to data.
bool is_right_refusal(const Operator& op, const Error& error) {
  const std::string_view text = error.text();
  return text.find("randomness") != std::string_view::npos ||
         text.find("is written with values that differ between the samples of vmap") !=
             std::string_view::npos ||
         (!op.record(Slot::Vmap) && is_data_dependent(error));
}

class VmapCheck : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (!op.takes_tensors()) return "it takes no tensors";
    if (op.tags().has(Tag::NondeterministicSeeded)) return "it draws random numbers";
    if (op.tags().has(Tag::Nondeterministic)) return "two calls of it differ";
    if (op.tags().has(Tag::DynamicOutputShape)) return "the sizes of its results are in the data";
    if (op.tags().has(Tag::DataDependentOutput)) return "its results are numbers read from data";
    if (depends_on_strides(op)) return "its results depend on strides";
    if (!maps_at_once(op)) return "it has no rule, so samples run one by one";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    if (input.settings().is_harmful) return std::nullopt;
    const Example example = input.example().copy();
    const DistinctTensors tensors(example);
    const auto is_on_cpu = [](const Tensor& tensor) { return tensor.device() == Device(kCpu); };
    if (!std::ranges::all_of(tensors.get(), is_on_cpu)) return std::nullopt;
    for (const BatchDims& dims : ways_to_map(tensors)) {
      if (auto found = look(input, example, tensors, dims)) return found;
    }
    return std::nullopt;
  }

  std::vector<Fault> remarks(const Operator& op) override {
    if (!op.takes_tensors() || maps_at_once(op)) return {};
    return {{"no-rule",
             concatenate(op.name(),
                         " has no vmap rule, so vmap calls it once for each sample\n  Register one "
                         "with opwright.library.register_vmap(\"",
                         op.name(), "\"), or tag it pointwise if it is.")}};
  }

 private:
  static std::optional<Fault> look(const CheckInput& input, const Example& example,
                                   const DistinctTensors& tensors, const BatchDims& dims) {
    const int64_t batch_size = choose_batch_size(tensors);
    for (const Samples samples : {Samples::Scaled, Samples::Permuted, Samples::Same}) {
      const MappedRun each = run_one_by_one(example, tensors, dims, batch_size, samples);
      if (each.error || !each.is_even()) continue;
      const MappedRun mapped = run_at_once(example, tensors, dims, batch_size, samples);
      auto found = compare(input, tensors, dims, mapped, each, input.comparison());
      if (!found || mapped.error || input.settings().tolerance ||
          compare(input, tensors, dims, mapped, each, any_values()))
        return found;
      const std::optional<Example> finer = widen(example);
      if (finer && agrees(input, *finer, dims, samples)) return std::nullopt;  // it was rounding
      return found;
    }
    return std::nullopt;
  }

  static bool agrees(const CheckInput& input, const Example& example, const BatchDims& dims,
                     Samples samples) {
    const DistinctTensors tensors(example);
    const int64_t batch_size = choose_batch_size(tensors);
    const MappedRun each = run_one_by_one(example, tensors, dims, batch_size, samples);
    if (each.error) return false;
    const MappedRun mapped = run_at_once(example, tensors, dims, batch_size, samples);
    return !compare(input, tensors, dims, mapped, each, {});
  }

  static std::optional<Fault> compare(const CheckInput& input, const DistinctTensors& tensors,
                                      const BatchDims& dims, const MappedRun& mapped,
                                      const MappedRun& each, const ComparisonOptions& options) {
    const Operator& op = input.op();
    const std::string who =
        concatenate(op.name(), " under vmap with ", describe_dims(tensors, dims));
    const std::string rule = find_site(op, Slot::Vmap).is_known()
                                 ? concatenate("; look at its vmap rule", site_text(op, Slot::Vmap))
                             : op.tags().has(Tag::Pointwise) ? "; is it pointwise, as its tag says?"
                                                             : "";
    if (mapped.error) {
      if (is_right_refusal(op, *mapped.error)) return std::nullopt;
      return Fault{"vmap-raised",
                   concatenate(who, " raises where each sample by itself does not", rule, ": ",
                               mapped.error->kind(), ": ", mapped.error->message())};
    }
    const auto differs = [&](const std::string& what, const std::string& difference) {
      return Fault{"vmap-differs", concatenate(who, " differs from one sample after the other: ",
                                               what, ": ", difference, rule)};
    };
    for (size_t sample = 0; sample < each.results.size(); ++sample) {
      if (mapped.results[sample].size() != each.results[sample].size()) {
        return differs("number of tensors", concatenate(mapped.results[sample].size(), ", not ",
                                                        each.results[sample].size()));
      }
      for (size_t i = 0; i < each.results[sample].size(); ++i) {
        if (auto difference =
                find_difference(mapped.results[sample][i], each.results[sample][i], options))
          return differs(concatenate("sample ", sample, " of ", result_name(op, i)), *difference);
      }
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      if (!tensors.is_written(i)) continue;
      if (auto difference = find_difference(mapped.batches[i], each.batches[i], options))
        return differs(concatenate("the argument '", tensors.name(i), "' after the call"),
                       *difference);
    }
    return std::nullopt;
  }
};

[[maybe_unused]] const bool kIsVmapCheckRegistered =
    (register_check({.name = "vmap",
                     .about = "mapping over a batch returns what each sample returns",
                     .make = [] { return std::unique_ptr<Check>(new VmapCheck()); },
                     .place = 50,
                     .most_inputs = kMostVmapInputs}),
     true);

}  // namespace
}  // namespace opwright
