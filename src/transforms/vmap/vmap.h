// Vmap: runs a function of one sample over an entire batch at once.
//
// Its values are wrappers that show one sample: the inner tensor has the batch as an additional
// dimension at any position. A call without such values goes to the level below unchanged. A call
// with them goes down once, by the operator's Vmap rule or the default rule for pointwise
// operators, else once per sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/ir/graph/random_states.h"
#include "opwright/runtime/vmap.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/vmap/drawn_states.h"
#include "opwright/visibility.h"

namespace opwright {

// "error", "same" or "different", as passed to Vmap rules.
[[nodiscard]] OPWRIGHT_EXPORT std::string_view to_text(Randomness randomness);
// ValueError for any other text.
[[nodiscard]] OPWRIGHT_EXPORT Randomness parse_randomness(std::string_view text);

class OPWRIGHT_EXPORT Vmap : public Interpreter, public RandomStates {
 public:
  Vmap(Interpreter* parent, SymInt batch_size, Randomness randomness);

  [[nodiscard]] const char* name() const override { return "vmap"; }
  [[nodiscard]] const char* advice() const override {
    return "Return it from the mapped function instead of storing it.";
  }
  [[nodiscard]] bool maps_samples() const noexcept override { return true; }
  void process(const Operator& op, Arguments args, Results results) override;
  // A composite runs its body at this level, unless it has its own rule.
  [[nodiscard]] bool keeps_whole(const Operator& op) const override {
    return op.record(Slot::Vmap) != nullptr;
  }

  // Generators that are drawn from are noted in `drawn`, which outlives this level.
  void note_drawn_states(DrawnStates* drawn) noexcept { drawn_ = drawn; }

  // The states of the levels below; a level above uses them for draws of its own.
  [[nodiscard]] Tensor read_state(RandomState& generator) override;
  void write_state(RandomState& generator, const Tensor& state) override;

  [[nodiscard]] const SymInt& batch_size() const noexcept { return batch_size_; }
  [[nodiscard]] Randomness randomness() const noexcept { return randomness_; }

  // Wraps one sample of `inner`, whose dimension `dim` (nonnegative) is the batch.
  [[nodiscard]] Tensor wrap(Tensor inner, int64_t dim);
  [[nodiscard]] bool owns(const OpwTensor* tensor) const noexcept {
    return is_wrapper_of(*this, tensor);
  }
  // For a tensor of this level: the batch, and its batch dimension.
  [[nodiscard]] static OpwTensor* inner_of(const OpwTensor* own) noexcept {
    return wrapper_of(own).inner.get();
  }
  [[nodiscard]] static int64_t dim_of(const OpwTensor* own) noexcept {
    return static_cast<int64_t>(reinterpret_cast<intptr_t>(wrapper_of(own).payload.data));
  }
  // Returns what the caller of the mapped function gets: the batch at `dim`; a tensor that is the
  // same for all samples is repeated. No `dim`: it must be the same for all.
  [[nodiscard]] Tensor unwrap(const Tensor& output, std::optional<int64_t> dim);

  // Takes ownership of results of the level below and wraps them for this level. `dims` holds the
  // batch dimension of each, like out_dims of a Vmap rule; a single one applies to all.
  void wrap_results(const Operator& op, Arguments args, Results raw, const OpwValue& dims,
                    Results results);

 private:
  [[nodiscard]] static const WrapperImpl& wrapper_of(const OpwTensor* own) noexcept {
    return static_cast<const WrapperImpl&>(impl(const_cast<OpwTensor*>(own)));
  }
  [[nodiscard]] bool has_own(const Operator& op, Arguments args) const;
  void check_written(const Operator& op, Arguments args) const;
  void process_batched(const Operator& op, Arguments args, Results results);
  void run_own_rule(const Operator& op, Arguments args, Results results);
  void run_pointwise(const Operator& op, Arguments args, Results results);
  void run_at_this_level(const Operator& op, const OpwRecord& body, Arguments args,
                         Results results);
  void run_by_sample(const Operator& op, Arguments args, Results results);
  void draw(const Operator& op, Arguments args, Results results);
  void draw_same(const Operator& op, Arguments args, Results results);
  void draw_once(const Operator& op, Arguments args, Results results);
  void draw_functionally(const Operator& op, Arguments args, Results results);
  void check_randomness(const Operator& op) const;
  void draw_different(const Operator& op, Arguments args, Results results);
  void wrap_result(const Operator& op, OpwValue& result, const OpwValue& dims);
  void refresh_written(const Operator& op, Arguments args);

  SymInt batch_size_;
  Randomness randomness_;
  DrawnStates* drawn_ = nullptr;
};

using VmapPtr = IntrusivePtr<Vmap>;

}  // namespace opwright
