// Jvp: forward mode. Each value carries its tangent, the derivative along the given direction.
//
// A value's tangent belongs to the memory that the value shows: all views of one memory share a
// cell. A write replaces the cell's tangent, which is never modified in place; a view then
// recomputes its part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/runtime/func.h"
#include "opwright/tensor.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/visibility.h"

namespace opwright {

struct TangentCell : Counted<TangentCell> {
  Tensor primal;   // at the level below
  Tensor tangent;  // undefined: zero
  uint64_t num_writes = 0;
};

// What a wrapper of this level carries.
struct Dual {
  IntrusivePtr<TangentCell> cell;
  ViewRecordPtr view;  // null: the cell's own
  Tensor part = {};    // of the cell's tangent, as of `seen`
  uint64_t seen = UINT64_MAX;
};

class OPWRIGHT_EXPORT Jvp final : public Interpreter {
 public:
  // Who opened the level: a transformed function, or the user (forward_ad.dual_level).
  enum class Opener : uint8_t { Function, User };

  explicit Jvp(Interpreter* parent, Opener opener = Opener::Function)
      : Interpreter(parent), opener_(opener) {}

  [[nodiscard]] bool transforms_function() const noexcept { return opener_ == Opener::Function; }

  [[nodiscard]] const char* name() const override { return "jvp"; }
  [[nodiscard]] const char* advice() const override {
    return "Return it from the differentiated function (has_aux=True) instead of storing it.";
  }
  void process(const Operator& op, Arguments args, Results results) override;
  // An operator's own rule takes precedence over the body of a composite.
  [[nodiscard]] bool keeps_whole(const Operator& op) const override {
    return op.record(Slot::Jvp) != nullptr;
  }

  // An undefined tangent is zero.
  [[nodiscard]] Tensor wrap(Tensor primal, Tensor tangent);
  // The value at the level below; a foreign tensor is returned as it is and has no tangent.
  [[nodiscard]] Tensor primal_of(const Tensor& tensor) const;
  [[nodiscard]] Tensor tangent_of(const Tensor& tensor) const;
  // After a write to the memory that `own`, a value of this level, shows.
  void set_tangent(OpwTensor* own, Tensor tangent);

 private:
  // One call with its values unwrapped.
  struct Push {
    Arguments args;
    Arguments inner;               // at the level below
    std::vector<Tensor> tangents;  // for all tensors among the arguments
  };

  [[nodiscard]] bool owns(const OpwTensor* tensor) const noexcept {
    return is_wrapper_of(*this, tensor);
  }
  [[nodiscard]] Tensor wrap_dual(Tensor primal, Dual dual);
  [[nodiscard]] Tensor wrap_view(const Operator& op, Arguments args, Arguments inner,
                                 uint32_t result, uint32_t element, OpwTensor* made);
  void run_plain(const Operator& op, Arguments args, Arguments inner, Results results);
  void run_rule_of(const Operator& op, Push& push, Results results);
  void run_formula_of(const Operator& op, Push& push, Results results);
  void give(const Operator& op, Push& push, Results raw, std::span<const Tensor> tangents,
            Results results);

  Opener opener_;
};
using JvpPtr = IntrusivePtr<Jvp>;

// What jvp_function returns, computed inside `level`, which must not have been used before.
[[nodiscard]] JvpResult push_through(Jvp& level, std::span<const Tensor> inputs,
                                     std::span<const Tensor> tangents, const FunctionBody& body,
                                     bool strict = false);

}  // namespace opwright
