// Random operators under vmap: an error, the same numbers for every sample, or different numbers
// for each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dispatch/row.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/functionalize/functional_sibling.h"
#include "opwright/transforms/functionalize/generator_states.h"
#include "opwright/transforms/vmap/vmap.h"
#include "opwright/transforms/vmap/vmap_loop.h"

namespace opwright {
namespace {

// The size argument of a factory.
std::optional<size_t> find_size_argument(const Operator& op) {
  if (op.takes_tensors()) return std::nullopt;
  const auto& arguments = op.schema().arguments;
  const auto found = std::ranges::find_if(arguments, [](const Argument& argument) {
    return argument.name == "size" && argument.type.is_list();
  });
  if (found == arguments.end()) return std::nullopt;
  return static_cast<size_t>(found - arguments.begin());
}

}  // namespace

void Vmap::check_randomness(const Operator& op) const {
  OPWRIGHT_CHECK(
      randomness_ != Randomness::Error, op.name(),
      ": random numbers were requested inside vmap, but its randomness is \"error\" (called random "
      "operation while in randomness error mode)\n  Use "
      "vmap(..., randomness=\"different\") for different numbers in every sample, or "
      "\"same\".");
}

Tensor Vmap::read_state(RandomState& generator) {
  if (drawn_) drawn_->note(generator);
  return states_below(*this).read_state(generator);
}

void Vmap::write_state(RandomState& generator, const Tensor& state) {
  states_below(*this).write_state(generator, state);
}

void Vmap::draw(const Operator& op, Arguments args, Results results) {
  // Not every call of a composite draws: dropout in evaluation mode does not.
  if (const OpwRecord* body = op.record(Slot::ImplicitComposite); body && !keeps_whole(op))
    return run_at_this_level(op, *body, args, results);
  check_randomness(op);
  if (drawn_) drawn_->note(drawn_generator(op, args, generator_argument(op)));
  // Rules of built-in operators draw different numbers for each sample.
  const bool may_use_rule = randomness_ == Randomness::Different || !is_builtin(op);
  if (may_use_rule && op.record(Slot::Vmap) && has_own(op, args))
    return process_batched(op, args, results);
  if (randomness_ == Randomness::Different) return draw_different(op, args, results);
  if (has_own(op, args)) return draw_same(op, args, results);
  const ParentScope scope(*this);
  call(op, args, results);
}

void Vmap::draw_same(const Operator& op, Arguments args, Results results) {
  if (op.writes_arguments()) check_written(op, args);
  if (has_property(op, Property::DrawsBySize)) return draw_once(op, args, results);
  RandomState& generator = drawn_generator(op, args, generator_argument(op));
  RandomStates& states = states_below(*this);
  const Tensor state = states.read_state(generator);
  run_samples(*this, op, args, results, [&](int64_t sample) {
    if (sample > 0) states.write_state(generator, state);
  });
}

// Draws one sample for all.
void Vmap::draw_once(const Operator& op, Arguments args, Results results) {
  const BorrowedTensor sample(args[0].as_tensor);
  Tensor batch = Tensor::borrow(inner_of(args[0].as_tensor));
  OwnedResults raw(op.num_results());
  {
    const ParentScope scope(*this);
    const Tensor drawn = batch.new_empty(sym_geometry_of(sample).sizes);
    SmallVector<OpwValue, 16> given(args.begin(), args.end());
    given[0].as_tensor = drawn.get();
    call(op, given, raw.get());
    if (op.writes_arguments()) batch.copy_(drawn.unsqueeze(dim_of(args[0].as_tensor)));
  }
  wrap_results(op, args, raw.get(), OpwValue{}, results);
}

void Vmap::draw_different(const Operator& op, Arguments args, Results results) {
  if (op.writes_arguments()) check_written(op, args);
  if (op.record(Slot::Vmap)) return run_own_rule(op, args, results);
  OwnedResults raw(op.num_results());
  if (const auto size = find_size_argument(op)) {
    const auto asked = ValueOf<std::span<const SymInt>>::read(args[*size]);
    SymSizes sizes(asked.begin(), asked.end());
    sizes.insert(sizes.begin(), batch_size_);
    const Value batch = Value::take(ValueOf<std::span<const SymInt>>::give(sizes));
    SmallVector<OpwValue, 16> given(args.begin(), args.end());
    given[*size] = batch.get();
    {
      const ParentScope scope(*this);
      call(op, given, raw.get());
    }
    return wrap_results(op, args, raw.get(), make_value(kOpwInt, 0), results);
  }
  if (!op.takes_tensors()) return run_samples(*this, op, args, results, [](int64_t) {});
  if (!has_property(op, Property::DrawsByElement)) return run_by_sample(op, args, results);
  // A tensor that all samples share gets different numbers in each of them. With the batch first,
  // the samples get the numbers that one call for the batch draws.
  SmallVector<Tensor, 4> batches;
  const ReplacedArguments own(args, [&](OpwTensor* tensor) {
    if (owns(tensor) && dim_of(tensor) == 0) return tensor;
    const ParentScope scope(*this);
    batches.push_back(wrap(unwrap(Tensor::borrow(tensor), 0), 0));
    return batches.back().get();
  });
  run_pointwise(op, own.get(), results);
  if (op.returned_args() != 0) give_arguments_back(op, args, results);
}

// A functional sibling, which a functionalize above calls: it takes a state and returns the next
// one. With different numbers the samples pass it on; otherwise all start from the same state.
void Vmap::draw_functionally(const Operator& op, Arguments args, Results results) {
  if (randomness_ == Randomness::Same && !has_own(op, args)) {
    const ParentScope scope(*this);
    return call(op, args, results);
  }
  SmallVector<OpwValue, 16> given(args.begin(), args.end());
  OwnedResults raw(op.num_results());
  SmallVector<OpwValue, 8> dims(op.num_results());
  {
    const ParentScope scope(*this);
    SampleLoop loop(*this, op, given);
    loop.run([&](int64_t sample) {
      if (sample > 0 && randomness_ == Randomness::Different) given[0] = loop.last_result().get();
    });
    const Value state = loop.is_empty() ? Value::copy_of(args[0]) : loop.last_result();
    loop.give(raw.get(), dims);
    release_value(raw.get().back());
    raw.get().back() = copy_value(state.get());
    dims.back() = OpwValue{};
  }
  OpwValue out_dims = make_value(kOpwList, 0);
  out_dims.length = op.num_results();
  out_dims.as_values = dims.data();
  wrap_results(op, args, raw.get(), out_dims, results);
}

}  // namespace opwright
