// autograd: the backward formula exists, returns valid gradients, and writes nothing.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/autograd/value_meta.h"
#include "opwright/base/thread_state.h"
#include "opwright/check/checks/formula_examination.h"
#include "opwright/check/checks/given_gradients.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/comparison.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/example/recorded_call.h"
#include "opwright/check/memory/memory_snapshot.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

constexpr size_t kMostAlone = 8;  // tensors that are checked one by one

bool has_any(const GradientSubset& subset) {
  return std::ranges::find(subset, true) != subset.end();
}

GradientSubset subset_of_example(const Example& example) {
  GradientSubset subset;
  for (const Tensor& each : example.tensors()) subset.push_back(requires_grad(each));
  return subset;
}

// All that may require grad, those that do in the example, each alone.
std::vector<GradientSubset> subsets_of(const Example& example) {
  const GradientSubset all = differentiable_tensors(example);
  std::vector<GradientSubset> subsets{all};
  const auto add = [&](const GradientSubset& subset) {
    if (has_any(subset) && std::ranges::find(subsets, subset) == subsets.end())
      subsets.push_back(subset);
  };
  add(subset_of_example(example));
  size_t alone = 0;
  for (size_t i = 0; i < all.size() && alone < kMostAlone; ++i) {
    if (!all[i]) continue;
    GradientSubset one(all.size());
    one[i] = true;
    add(one);
    ++alone;
  }
  return subsets;
}

bool has_differentiable_outputs(const Outcome& outcome) {
  return std::ranges::any_of(outputs_of(outcome),
                             [](const Tensor& each) { return has_gradients(each.dtype()); });
}

class AutogradCheck final : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::Nondifferentiable)) return "it is tagged nondifferentiable";
    if (!op.takes_tensors()) return "it takes no tensors";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    const Example& example = input.example();
    if (!has_any(differentiable_tensors(example))) return std::nullopt;
    if (input.plain().is_refused() || !has_differentiable_outputs(input.plain()))
      return std::nullopt;
    is_trained_ = input.is_given() && has_any(subset_of_example(example));
    if (std::optional<Fault> fault = find_own_history(example)) return fault;
    if (!has_formula(input.op())) return note_missing(missing_text(input.op().name()));
    of_all_.reset();
    for (const GradientSubset& subset : subsets_of(example)) {
      if (std::optional<Fault> fault = look_at(input, subset)) return fault;
    }
    return std::nullopt;
  }

  std::vector<Fault> remarks(const Operator& /*op*/) override {
    if (missing_.empty()) return {};
    return {{.kind = "missing-formula", .message = missing_}};
  }

 private:
  static std::string missing_text(const std::string& op) {
    return concatenate(op,
                       " has no backward formula, so training through it is an error; register one "
                       "with register_autograd, or tag the operator nondifferentiable");
  }

  // A fault if the author's own example requires gradients; otherwise a remark at the end.
  std::optional<Fault> note_missing(std::string message) {
    if (is_trained_) return Fault{.kind = "missing-formula", .message = std::move(message)};
    missing_ = std::move(message);
    return std::nullopt;
  }

  // No argument requires grad, so a result that does was computed from a tensor hidden in the
  // kernel.
  static std::optional<Fault> find_own_history(const Example& example) {
    const Operator& op = example.op();
    if (op.seen_through_body()) return std::nullopt;
    const RecordedCall call(example, GradientSubset(example.tensors().size()));
    if (call.differentiable().empty()) return std::nullopt;
    return Fault{.kind = "differentiates-itself",
                 .message = concatenate(
                     op.name(), ": result ", call.differentiable().front(),
                     " requires grad although no argument does: the kernel computes it from a "
                     "tensor of its own that requires grad, whose gradient is lost as soon as an "
                     "argument requires grad; pass that tensor as an argument, or detach it")};
  }

  std::optional<Fault> look_at(const CheckInput& input, const GradientSubset& subset) {
    const RecordedCall call(input.example(), subset);
    if (call.outcome().is_refused()) return find_failed_rule(input.op(), call.outcome());
    if (call.differentiable().empty()) return std::nullopt;
    if (!call.node()) return look_at_body(call);
    const ComparisonOptions options = input.comparison();
    FormulaExamination examination(call, options);
    if (std::optional<Fault> fault = examination.run()) {
      const bool is_wanted = is_trained_ && subset == subset_of_example(input.example());
      if (examination.is_refused() && !is_wanted) return std::nullopt;
      return fault;
    }
    if (of_all_) return compare_with_all(call, examination.gradients(), options);
    of_all_ = OfAll{.outcome = call.outcome(), .gradients = examination.gradients()};
    return std::nullopt;
  }

  // An operator may reject tensors that require grad; a rule of a successful call must not fail.
  static std::optional<Fault> find_failed_rule(const Operator& op, const Outcome& outcome) {
    const AttentionScope unrecorded(kAttentionGradOff, true);
    if (run_example(outcome.after.copy()).is_refused()) return std::nullopt;
    if (!op.record(Slot::SetupContext) && !op.record(Slot::KeepOld)) return std::nullopt;
    return Fault{
        .kind = "formula-raised",
        .message = concatenate(op.name(), ": ", rule_text(op, Slot::SetupContext, "setup_context"),
                               " raised ", outcome.error->kind(), ": ", outcome.error->text())};
  }

  // The calls of the body were recorded instead.
  std::optional<Fault> look_at_body(const RecordedCall& call) {
    const Example& example = call.outcome().after;
    const std::string& name = example.op().name();
    MemorySnapshot before;
    const std::vector<Tensor> tensors = example.tensors();
    for (size_t i = 0; i < tensors.size(); ++i) {
      before.add(tensors[i], concatenate("argument '", example.tensor_name(i), "'"));
    }
    std::vector<Tensor> gradients;
    for (const size_t output : call.differentiable()) {
      before.add(call.outputs()[output], concatenate("result ", output));
      gradients.push_back(random_gradient(call.outputs()[output], output));
    }
    try {
      (void)call.pull(gradients);
    } catch (const Error& error) {
      if (std::string_view(error.kind()) == "NotImplementedError")
        return note_missing(concatenate("in the body of ", name, ": ", error.text()));
      return Fault{.kind = "formula-raised",
                   .message = concatenate(name, ": the backward of its body raised ", error.kind(),
                                          ": ", error.what())};
    }
    const std::optional<std::string> written = before.find_written();
    if (!written) return std::nullopt;
    return Fault{.kind = "input-written",
                 .message = concatenate(name, ": the backward of its body writes to ", *written,
                                        ", which it must not modify")};
  }

  std::optional<Fault> compare_with_all(const RecordedCall& call, const std::vector<Tensor>& given,
                                        const ComparisonOptions& options) const {
    const Example& example = call.outcome().after;
    if (find_difference(call.outcome(), of_all_->outcome, {.tolerance = Tolerance{}}))
      return std::nullopt;  // not the same call: it draws its own random numbers
    for (size_t i = 0; i < given.size(); ++i) {
      const Tensor& all = of_all_->gradients[i];
      if (!call.subset()[i] || (!given[i].is_defined() && !all.is_defined())) continue;
      const Tensor none = zeros_like(all.is_defined() ? all : given[i]);
      const auto difference = find_difference(given[i].is_defined() ? given[i] : none,
                                              all.is_defined() ? all : none, options);
      if (!difference) continue;
      return formula_fault(example.op(), "backward-differs", " returns a different gradient for '",
                           example.tensor_name(i),
                           "' when other arguments do not require grad: ", *difference);
    }
    return std::nullopt;
  }

  struct OfAll {
    Outcome outcome;
    std::vector<Tensor> gradients;
  };

  bool is_trained_ = false;
  std::string missing_;
  std::optional<OfAll> of_all_;  // found with all tensors requiring grad
};

[[maybe_unused]] const bool kIsAutogradCheckRegistered =
    (register_check(
         {.name = "autograd",
          .about = "the backward formula: what it returns, saves and writes",
          .make = +[]() -> std::unique_ptr<Check> { return std::make_unique<AutogradCheck>(); },
          .place = 40}),
     true);

}  // namespace
}  // namespace opwright
