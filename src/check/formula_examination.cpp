#include "opwright/check/formula_examination.h"

#include <algorithm>
#include <bit>
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

#include "opwright/autograd/gradient_fit.h"
#include "opwright/autograd/history.h"
#include "opwright/autograd/operator_node.h"
#include "opwright/autograd/tape.h"
#include "opwright/autograd/value_meta.h"
#include "opwright/base/thread_state.h"
#include "opwright/c_api.h"
#include "opwright/check/check.h"
#include "opwright/check/checked_function.h"
#include "opwright/check/comparison.h"
#include "opwright/check/memory_snapshot.h"
#include "opwright/check/real_numbers.h"
#include "opwright/check/recorded_call.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/slot.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/sizes.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/view.h"
#include "opwright/value.h"

namespace opwright {
namespace {

constexpr uint64_t kSeed = 20;  // of formulas that draw random numbers

// The words of BackwardAdapter and of the Python binding, which count before anybody sees the
// gradients.
bool is_wrong_count(const Error& error) {
  return std::string_view(error.text()).find(" gradients, but the operator has ") !=
         std::string_view::npos;
}

// Where tensor `position` of a list stands among all elements.
uint32_t element_index(const OpwValue& list, uint32_t position) {
  if (list.tag == kOpwTensorList) return position;
  uint32_t index = 0;
  for (uint32_t seen = 0; index < list.length; ++index) {
    const bool is_tensor = static_cast<const OpwValue*>(list.as_values)[index].tag == kOpwTensor;
    if (is_tensor && seen++ == position) break;
  }
  return index;
}

size_t precision_bytes(DType dtype) { return item_size(dtype) / (is_complex(dtype) ? 2 : 1); }

bool is_list(const OpwValue& value) { return value.tag == kOpwTensorList || value.tag == kOpwList; }

Tensor element_of(const OpwValue& list, uint32_t index) {
  if (list.tag == kOpwTensorList) return Tensor::borrow(list.as_tensors[index]);
  const OpwValue& element = static_cast<const OpwValue*>(list.as_values)[index];
  return element.tag == kOpwTensor ? Tensor::borrow(element.as_tensor) : Tensor();
}

// The same values at every second place of a larger tensor, with the last dimension outermost.
Tensor scattered(const Tensor& gradient) {
  if (!gradient.is_defined() || gradient.dim() == 0) return gradient;
  std::vector<int64_t> sizes(gradient.sizes().begin(), gradient.sizes().end());
  std::vector<int64_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::ranges::reverse(sizes);
  sizes.push_back(2);
  Tensor spread = zeros(sizes, gradient.dtype()).select(-1, 0).permute(order);
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

template <class... Parts>
Fault FormulaExamination::fault(const char* kind, const Parts&... parts) const {
  return {.kind = kind,
          .message = concatenate(op_.name(), ": ",
                                 rule_text(op_, Slot::Autograd, "backward formula"), parts...)};
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
    if (is_wrong_count(error)) return fault("gradient-count", " is wrong: ", error.text());
    return fault("formula-raised", " raised ", error.kind(), when, ": ", error.text());
  }
  if (std::optional<Fault> found = find_write(gradients)) return found;
  std::vector<Value> values;
  for (const OpwValue& each : raw.get()) values.push_back(Value::copy_of(each));
  return take(values, given);
}

std::optional<Fault> FormulaExamination::find_write(const MemorySnapshot& incoming) const {
  constexpr const char* kAdvice = "; compute a new tensor, or write to a clone";
  if (const auto name = incoming.find_written()) {
    return fault("gradient-written", " writes to incoming ", *name,
                 ", which others may hold as well", kAdvice);
  }
  const auto argument = arguments_.find_written();
  const auto saved = saved_.find_written();
  if (saved && !argument) {
    return fault("saved-written", " writes to ", *saved,
                 ", so that a second backward starts from other values", kAdvice);
  }
  if (const auto name = argument ? argument : results_.find_written()) {
    return fault("input-written", " writes to ", *name,
                 ": a backward leaves what the call got and gave as it is", kAdvice);
  }
  return std::nullopt;
}

// ---- What it gave -------------------------------------------------------------------------------

std::optional<Fault> FormulaExamination::take(const std::vector<Value>& raw, Given& given) const {
  const auto places = example_.tensor_places();
  given.assign(places.size(), Tensor());
  for (size_t i = 0; i < places.size(); ++i) {
    if (!call_.subset()[i]) continue;
    const uint32_t argument = places[i].argument;
    const uint64_t before = op_.all_tensor_args() & ((uint64_t{1} << argument) - 1);
    const OpwValue& gradient = raw[static_cast<size_t>(std::popcount(before))].get();
    if (gradient.tag == kOpwNone) continue;
    const OpwValue& value = example_.values()[argument].get();
    const uint32_t wanted = is_list(value) ? value.length : 1;
    const uint32_t count = is_list(gradient) ? gradient.length : 1;
    if (count != wanted) {
      return fault("gradient-count", " gives ", count, count == 1 ? " gradient" : " gradients",
                   " for '", op_.schema().arguments[argument].name, "', which has ", wanted,
                   wanted == 1 ? " tensor" : " tensors", "; give one for each, or None");
    }
    const uint32_t index = is_list(value) ? element_index(value, places[i].position) : 0;
    given[i] = is_list(gradient) ? element_of(gradient, index) : Tensor::borrow(gradient.as_tensor);
    if (!given[i].is_defined()) continue;
    if (std::optional<Fault> found = check_fit(i, given[i])) return found;
  }
  return std::nullopt;
}

// A real result of a complex argument makes its gradient complex, in the result's precision.
bool FormulaExamination::is_dtype_of_call(DType dtype) const {
  std::vector<Tensor> tensors = example_.tensors();
  tensors.insert(tensors.end(), call_.outputs().begin(), call_.outputs().end());
  const auto is_as_fine = [&](const Tensor& each) {
    return has_gradients(each.dtype()) && precision_bytes(each.dtype()) == precision_bytes(dtype);
  };
  const auto is_of_its_kind = [&](const Tensor& each) {
    return !is_complex(dtype) || is_complex(each.dtype());
  };
  return std::ranges::any_of(tensors, is_as_fine) && std::ranges::any_of(tensors, is_of_its_kind);
}

// The engine sums up for pointwise operators and converts between dtypes.
std::optional<Fault> FormulaExamination::check_fit(size_t which, const Tensor& gradient) const {
  const Tensor argument = example_.tensors()[which];
  const ValueMeta meta(argument);
  const bool is_fit =
      has_sizes(gradient, meta.sizes()) ||
      (op_.tags().has(Tag::Pointwise) && undo_broadcast(gradient, meta.sizes()).is_defined());
  if (!is_fit) {
    return fault("gradient-shape", " gives a gradient of sizes ", to_text(gradient.sizes()),
                 " for '", example_.tensor_name(which), "', which has sizes ",
                 to_text(argument.sizes()), "; a gradient has the sizes of its argument");
  }
  const DType dtype = gradient.dtype();
  const bool is_wider_than_half = item_size(argument.dtype()) < 4 && dtype == DType::Float32;
  if (dtype == argument.dtype() || is_wider_than_half) return std::nullopt;
  if (has_gradients(dtype) && is_dtype_of_call(dtype)) return std::nullopt;
  return fault("gradient-dtype", " gives for '", example_.tensor_name(which), "' of ",
               argument.dtype(), " a gradient of ", dtype,
               ", a dtype that nothing in the call has; compute it in that of its argument");
}

std::optional<Fault> FormulaExamination::compare(const Given& given,
                                                 const std::string& when) const {
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is_defined() && !first_[i].is_defined()) continue;
    const Tensor& like = first_[i].is_defined() ? first_[i] : given[i];
    const Tensor is = given[i].is_defined() ? given[i] : zeros_like(like);
    const Tensor should = first_[i].is_defined() ? first_[i] : zeros_like(like);
    if (const auto difference = find_difference(is, should, options_)) {
      return fault("backward-differs", " gives another gradient for '", example_.tensor_name(i),
                   "' ", when, ": ", *difference);
    }
  }
  return std::nullopt;
}

}  // namespace opwright
