#include "opwright/check/checks/formula_examination.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/autograd/operator_node.h"
#include "opwright/autograd/tape.h"
#include "opwright/base/thread_state.h"
#include "opwright/check/checks/given_gradients.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/checked_function.h"
#include "opwright/check/example/comparison.h"
#include "opwright/check/example/recorded_call.h"
#include "opwright/check/memory/memory_snapshot.h"
#include "opwright/check/values/real_numbers.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tensor.h"
#include "opwright/tensor/random_state.h"

namespace opwright {
namespace {

constexpr uint64_t kSeed = 20;  // for formulas that draw random numbers

// The messages of BackwardAdapter and of the Python binding, which count gradients before anyone
// else sees them.
bool is_wrong_count(const Error& error) {
  return std::string_view(error.text()).find(" gradients, but the operator has ") !=
         std::string_view::npos;
}

// The same values as every second element of a larger tensor, with the last dimension outermost.
Tensor scattered(const Tensor& gradient) {
  if (!gradient.is_defined() || gradient.dim() == 0) return gradient;
  std::vector<int64_t> sizes(gradient.sizes().begin(), gradient.sizes().end());
  std::vector<int64_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::ranges::reverse(sizes);
  sizes.push_back(2);
  Tensor spread = gradient.new_zeros(sizes).select(-1, 0).permute(order);
  spread.copy_(gradient);
  return spread;
}

class SavedTensors final : public OwnedTensorVisitor {
 public:
  explicit SavedTensors(MemorySnapshot& to) : to_(to) {}
  void visit(const Tensor& tensor) override {
    if (tensor.is_defined()) to_.add(tensor, concatenate("saved tensor ", count_));
    ++count_;
  }

 private:
  MemorySnapshot& to_;
  size_t count_ = 0;
};

}  // namespace

Tensor random_gradient(const Tensor& like, uint64_t number) {
  Numbers numbers = random_direction(count_numbers(like), number);
  for (double& each : numbers) each *= std::sqrt(static_cast<double>(numbers.size()));
  return tensor_of(numbers, like);
}

FormulaExamination::FormulaExamination(const RecordedCall& call, const ComparisonOptions& options)
    : call_(call),
      options_(options),
      op_(call.node()->op()),
      example_(call.outcome().after),
      incoming_(call.node()->num_places()) {
  for (const size_t output : call.differentiable()) {
    const Edge edge = edge_of(call.outputs()[output]);
    if (edge.node.get() != call.node()) continue;
    incoming_[edge.place] = random_gradient(call.outputs()[output], output);
  }
  const std::vector<Tensor> tensors = example_.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    arguments_.add(tensors[i], concatenate("argument '", example_.tensor_name(i), "'"));
  }
  SavedTensors saved(saved_);
  call.node()->visit_owned(saved);
  for (size_t i = 0; i < call.outputs().size(); ++i) {
    results_.add(call.outputs()[i], concatenate("result ", i));
  }
}

std::optional<Fault> FormulaExamination::run() {
  if (std::optional<Fault> found = run_once(incoming_, first_, "")) return found;
  Given given;
  if (std::optional<Fault> found = run_once(incoming_, given, " when it runs again")) return found;
  if (std::optional<Fault> found = compare(given, "when it runs again")) return found;
  std::vector<Tensor> spread;
  for (const Tensor& each : incoming_) spread.push_back(scattered(each));
  const std::string when = "for an incoming gradient that is not contiguous";
  if (std::optional<Fault> found = run_once(spread, given, " " + when)) return found;
  if (std::optional<Fault> found = compare(given, when)) return found;
  return run_without_some();
}

std::optional<Fault> FormulaExamination::run_without_some() {
  const auto is_there = [](const Tensor& each) { return each.is_defined(); };
  if (std::ranges::count_if(incoming_, is_there) < 2) return std::nullopt;
  Given given;
  for (size_t place = 0; place < incoming_.size(); ++place) {
    if (!incoming_[place].is_defined()) continue;
    std::vector<Tensor> some = incoming_;
    some[place] = Tensor();
    const std::string when = concatenate(" when result ", place, " has no gradient");
    if (std::optional<Fault> found = run_once(std::move(some), given, when)) return found;
  }
  return std::nullopt;
}

std::optional<Fault> FormulaExamination::run_once(std::vector<Tensor> incoming, Given& given,
                                                  const std::string& when) {
  MemorySnapshot gradients;
  for (size_t i = 0; i < incoming.size(); ++i) {
    if (incoming[i].is_defined()) gradients.add(incoming[i], concatenate("gradient ", i));
  }
  OwnedResults raw(op_.num_tensor_arguments());
  try {
    const AttentionScope unrecorded(kAttentionGradOff, true);
    RandomState random{Device{}, kSeed};
    const DefaultGeneratorScope scope(random);
    call_.node()->run_formula(incoming, raw.get());
  } catch (const Error& error) {
    is_refused_ = std::string_view(error.kind()) == "NotImplementedError";
    if (is_wrong_count(error))
      return formula_fault(op_, "gradient-count", " is wrong: ", error.text());
    return formula_fault(op_, "formula-raised", " raised ", error.kind(), when, ": ", error.text());
  }
  if (std::optional<Fault> found = find_write(gradients)) return found;
  return take_gradients(call_, raw.get(), given);
}

std::optional<Fault> FormulaExamination::find_write(const MemorySnapshot& incoming) const {
  constexpr const char* kAdvice = "; compute a new tensor, or write to a clone";
  if (const auto name = incoming.find_written()) {
    return formula_fault(op_, "gradient-written", " writes to incoming ", *name,
                         ", which other code may share", kAdvice);
  }
  const auto argument = arguments_.find_written();
  const auto saved = saved_.find_written();
  if (saved && !argument) {
    return formula_fault(op_, "saved-written", " writes to ", *saved,
                         ", so a second backward would start from other values", kAdvice);
  }
  if (const auto name = argument ? argument : results_.find_written()) {
    return formula_fault(op_, "input-written", " writes to ", *name,
                         ": a backward must not modify them", kAdvice);
  }
  return std::nullopt;
}

std::optional<Fault> FormulaExamination::compare(const Given& given,
                                                 const std::string& when) const {
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is_defined() && !first_[i].is_defined()) continue;
    const Tensor& like = first_[i].is_defined() ? first_[i] : given[i];
    const Tensor is = given[i].is_defined() ? given[i] : zeros_like(like);
    const Tensor should = first_[i].is_defined() ? first_[i] : zeros_like(like);
    if (const auto difference = find_difference(is, should, options_)) {
      return formula_fault(op_, "backward-differs", " returns a different gradient for '",
                           example_.tensor_name(i), "' ", when, ": ", *difference);
    }
  }
  return std::nullopt;
}

}  // namespace opwright
