#include "opwright/run/input_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/base/thread_state.h"
#include "opwright/dispatch/autograd_hooks.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/input_plan.h"
#include "opwright/ir/graph/random_input.h"
#include "opwright/run/frame.h"
#include "opwright/run/size_plan.h"
#include "opwright/run/symbol_source.h"
#include "opwright/symint.h"
#include "opwright/tensor/dlpack/dlpack_equality.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

// Whether autograd tracks a view.
bool is_tracked(OpwTensor* view) {
  const AutogradHooks* hooks = autograd_hooks();
  return hooks && (hooks->is_tracked(view, false) || hooks->is_tracked(view, true));
}

bool all_hold(std::span<const int64_t> conditions) {
  return std::ranges::all_of(conditions, [](int64_t condition) { return condition != 0; });
}

bool are_plain(std::span<const int64_t> numbers) {
  return std::ranges::none_of(numbers, [](int64_t number) { return is_symbolic(number); });
}

}  // namespace

InputReader::InputReader(const Graph& graph, const SizePlan& sizes) : sizes_(sizes) {
  const InputPlan& plan = sizes.inputs();
  for (const GraphValue* value : graph.inputs()) {
    const auto slot = static_cast<uint32_t>(inputs_.size());
    Input input{.node = &value->node(), .is_int = value->meta().tag() == kOpwSymInt};
    if (!input.is_int) {
      const OpwDlTensor& traced = value->meta().get().as_tensor->dl;
      input.dtype = traced.dtype;
      input.device = traced.device;
      input.ndim = traced.ndim;
    }
    num_arguments_ += input.node->role() == InputRole::Argument ? 1 : 0;
    for (const SymbolBinding& binding : plan.bindings[slot]) {
      sources_.push_back(source_of(binding, slot, plan.symbols));
    }
    inputs_.push_back(input);
  }
  for (const InputPlan::Expected& one : plan.expected) {
    expected_.push_back({static_cast<uint32_t>(one.place), {one.shown.part, one.shown.dim}});
    if (!plan.sizes) plain_sizes_.push_back(one.shown.expression.word());
  }
  for (const Symbol& symbol : plan.ranges) {
    const auto found = std::ranges::find(plan.symbols, symbol.name);
    ranges_.push_back({static_cast<uint32_t>(found - plan.symbols.begin()), symbol.range.least,
                       symbol.range.greatest});
  }
}

bool InputReader::fits(const Input& input, const OpwValue& value, uint32_t refused) {
  if (input.is_int) return value.tag == kOpwInt || value.tag == kOpwSymInt;
  if (value.tag != kOpwTensor || !value.as_tensor) return false;
  OpwTensor* tensor = value.as_tensor;
  if (tensor->flags & refused) {
    // A view is rejected only if it has a history.
    if ((tensor->flags & refused) != kFlagHasBase || is_tracked(tensor)) return false;
  }
  return tensor->dl.ndim == input.ndim && are_equal(tensor->dl.dtype, input.dtype) &&
         are_equal(tensor->dl.device, input.device);
}

bool InputReader::take(std::span<const OpwValue> arguments, Frame& frame) const {
  if (arguments.size() != num_arguments_) return false;
  uint32_t refused = kOpwFlagWrapped | kOpwFlagFake | kOpwFlagSymbolic | kOpwFlagStale;
  if (!thread_state().is_inference()) refused |= kOpwFlagInference;
  if (!thread_state().needs_attention()) refused |= kAutogradFlags;
  size_t used = 0;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    OpwValue value{};
    if (input.node->role() == InputRole::Argument) {
      value = arguments[used++];
    } else if (input.node->role() == InputRole::RandomState) {
      value = ValueOf<Tensor>::lend(frame.random_states.emplace_back(read_random_state()));
    } else {
      value = ValueOf<Tensor>::lend(input.node->bound());
    }
    if (!fits(input, value, refused)) return false;
    frame.slots[i] = value;
  }
  return true;
}

bool InputReader::compute_all(Frame& frame) const {
  const InputPlan& plan = sizes_.inputs();
  if (!plan.sizes) {
    frame.expected = plain_sizes_;
    return true;
  }
  const std::span<const int64_t> symbols(frame.symbols);
  plan.sizes->run(symbols, frame.expected);
  const std::span guards(frame.conditions.data(), plan.guards.size());
  plan.conditions->run(symbols, guards);
  if (!all_hold(guards)) return false;
  for (const Range& range : ranges_) {
    const int64_t value = symbols[range.symbol];
    if (value < range.least || value > range.greatest) return false;
  }
  if (sizes_.assertions()) {
    const std::span held(frame.conditions.data(), sizes_.assertions()->num_values());
    sizes_.assertions()->run(symbols, held);
    if (!all_hold(held)) return false;
  }
  sizes_.early()->run(symbols, frame.numbers);
  return are_plain(frame.numbers);
}

bool InputReader::compute(Frame& frame) const {
  try {
    return compute_all(frame);
  } catch (const Error&) {  // a division by zero, or an overflow
    return false;
  }
}

InputReader::Outcome InputReader::read(std::span<const OpwValue> arguments, Frame& frame) const {
  if (!take(arguments, frame)) return Outcome::Refused;
  bool is_new = !frame.has_sizes;
  for (const SymbolSource& source : sources_) {
    int64_t value = 0;
    if (!read_symbol(source, frame.slots[source.slot], value)) {
      frame.has_sizes = false;
      return Outcome::Refused;
    }
    is_new |= frame.symbols[source.symbol] != value;
    frame.symbols[source.symbol] = value;
  }
  if (is_new) {
    frame.has_sizes = compute(frame);
    if (!frame.has_sizes) return Outcome::Refused;
  }
  for (size_t i = 0; i < expected_.size(); ++i) {
    int64_t number = 0;
    const OpwValue& value = frame.slots[expected_[i].slot];
    if (!read_number(value, expected_[i].place, number) || number != frame.expected[i]) {
      frame.has_sizes &= !is_new;
      return Outcome::Refused;
    }
  }
  return is_new ? Outcome::NewSizes : Outcome::SameSizes;
}

}  // namespace opwright
