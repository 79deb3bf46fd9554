// The node of one recorded call of an operator, which is also the context of its formula.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/autograd/formula_node.h"
#include "opwright/autograd/tape.h"
#include "opwright/base/source_site.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"
#include "opwright/tensor.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT OperatorNode final : public FormulaNode {
 public:
  static void* operator new(size_t bytes);
  static void operator delete(void* memory, size_t bytes) noexcept;

  // The edges of all tensors among the arguments, and which arguments have one: a bit for each
  // tensor argument, in schema order.
  struct ArgumentEdges {
    TapeEdges edges;
    uint64_t needs = 0;
  };
  // Created just before the call.
  OperatorNode(const Operator& op, Arguments args, ArgumentEdges&& edges);

  [[nodiscard]] std::string name() const override { return op_->name(); }
  [[nodiscard]] std::string backward_name() const override;
  [[nodiscard]] std::string line_text() const override;
  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override;
  // Runs only the formula: a result for each tensor argument, as the author returned it. Missing
  // gradients become zeros first, unless the formula turned that off.
  void run_formula(std::span<Tensor> gradients, Results results);
  void release_saved() noexcept override;
  void visit_owned(OwnedTensorVisitor& visitor) const override;

  [[nodiscard]] const Operator& op() const noexcept { return *op_; }
  // Null: the object is not a context.
  [[nodiscard]] static OperatorNode* find(OpwObject* object) noexcept;
  // The context as rules receive it; borrowed.
  [[nodiscard]] OpwValue context() noexcept;
  // The node whose context it is.
  static OperatorNode& of(OpwContext* context) noexcept;

  // Before a call that writes: fixes the versions that saved arguments have now. While SetupContext
  // runs: the arguments and results of the call; borrowed.
  struct Saving {
    const OperatorNode* node = nullptr;  // null: not running
    Saving* outer = nullptr;
    Arguments args;
    std::span<const OpwValue> results;
    struct Version {
      const OpwTensor* tensor;
      uint64_t version;
    };
    SmallVector<Version, 4> versions;
    SmallVector<const OpwTensor*, 2> non_differentiable;
  };
  void begin_saving(Saving& saving) const noexcept;
  static void end_saving() noexcept;  // of the last one begun on this thread
  // After the call: sets the number of tensors in each gradient of the formula.
  void set_gradient_lengths(Arguments args, std::span<const OpwValue> results);

  // ---- Called by a formula (OpwContextTable) ----
  void save(std::span<OpwTensor* const> tensors) override;
  [[nodiscard]] size_t num_saved() const override;
  [[nodiscard]] Tensor saved(size_t index) override;
  // Null: there is none.
  [[nodiscard]] const OpwValue* find_attribute(std::string_view name) const;
  [[nodiscard]] const OpwValue* find_argument(uint32_t index) const;
  void set_attribute(std::string_view name, Value value);
  [[nodiscard]] bool needs_gradient(uint32_t index) const noexcept {
    return index < 64 && (needs_ >> index & 1) != 0;
  }
  [[nodiscard]] uint64_t needs() const noexcept { return needs_; }
  void set_materialize(bool on) noexcept override { materializes_ = on; }
  void mark_non_differentiable(std::span<OpwTensor* const> results) override;
  // Turns the stored symbols into plain ints if their values are known (settled).
  void settle_numbers();
  // The number of tensors in argument `which`, counted over tensor arguments; nullopt: it is not a
  // list.
  [[nodiscard]] std::optional<uint32_t> list_length(uint32_t which) const noexcept;

 private:
  struct Attribute {
    std::string name;
    Value value;
  };
  // Data that few nodes need.
  struct Extra {
    std::vector<Attribute> attributes;
    std::vector<uint32_t> argument_lengths;  // of each tensor argument, 1 if it is not a list
    std::vector<uint32_t> gradient_lengths;  // of each gradient that the formula gets
    std::vector<PackedTensorPtr> packed;     // instead of saved tensors, if hooks packed them
    SourceSite line;
  };

  [[nodiscard]] Extra& extra();
  void check_can_be_saved(const Tensor& tensor) const;
  [[nodiscard]] SavedTensor make_saved(OpwTensor* tensor) const;
  // Replaces all saved tensors by what the hooks return.
  void pack_saved();
  struct Kept {
    SavedTensor saved;
    PackedTensorPtr packed;
  };
  [[nodiscard]] Kept find_saved(size_t index);
  [[nodiscard]] Saving* find_saving() const noexcept;
  // The output index of a result or written argument; kNotAResult for others.
  [[nodiscard]] uint32_t place_of(const OpwTensor* tensor, const Saving& saving) const noexcept;
  void fill(std::span<Tensor> gradients) const;
  void call_formula(std::span<Tensor> gradients, Results results);
  void check_not_released() const;
  // Throws RuntimeError if an argument had a history when it was saved, and lost it by detach_.
  void check_not_detached(const SavedTensor& kept) const;
  // Takes ownership of the gradient, as far as it is needed.
  void give(uint32_t which, uint32_t argument, OpwValue& gradient, std::span<Tensor> given,
            size_t& next);
  void give_one(uint32_t argument, Tensor gradient, Tensor& given, size_t edge);
  [[noreturn]] void throw_failed_formula();
  [[noreturn]] void throw_missing_formula() const;

  OpwContext context_;
  const Operator* op_;
  uint64_t needs_;
  SmallVector<SavedTensor, 2> saved_;
  std::unique_ptr<Value[]> numbers_;  // the arguments that are not tensors, in schema order
  std::unique_ptr<Extra> extra_;
  bool materializes_ = true;
  bool is_released_ = false;
  // A lock for saved_ and is_released_: a backward on one thread may free what another thread
  // reads.
  mutable std::atomic<bool> saved_is_taken_ = false;
};

}  // namespace opwright
