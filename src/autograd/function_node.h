// The node of one call of an autograd.Function: a forward that runs unrecorded, with its own
// backward.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/autograd/formula_node.h"
#include "opwright/base/source_site.h"
#include "opwright/base/thread_state.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// A derived class calls the backward in apply(). In order: the constructor; the forward, inside a
// ForwardScope, which saves and marks; finish().
class OPWRIGHT_EXPORT FunctionNode : public FormulaNode {
 public:
  // The forward is not recorded at its level; the levels below record. In eager mode it may turn on
  // recording for its own calls.
  class OPWRIGHT_EXPORT ForwardScope {
   public:
    // The level of the node; null: eager.
    explicit ForwardScope(Interpreter* level = current_interpreter());
    ForwardScope(const ForwardScope&) = delete;
    ForwardScope& operator=(const ForwardScope&) = delete;

   private:
    AttentionScope grad_off_;
    std::optional<UnrecordedLevelScope> level_;
  };

  // `inputs` are all arguments; undefined means not a tensor.
  FunctionNode(std::string name, std::vector<Tensor> inputs);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string backward_name() const override { return name_ + "Backward"; }
  [[nodiscard]] std::string line_text() const override;
  void release_saved() noexcept override;
  void visit_owned(OwnedTensorVisitor& visitor) const override;

  void save(std::span<OpwTensor* const> tensors) override;
  [[nodiscard]] size_t num_saved() const override;
  [[nodiscard]] Tensor saved(size_t index) override;
  void set_materialize(bool on) noexcept override { materializes_ = on; }
  void mark_non_differentiable(std::span<OpwTensor* const> results) override;
  void mark_dirty(std::span<OpwTensor* const> inputs);
  void note_saved_for_forward(std::span<OpwTensor* const> tensors);

  // After setup_context: throws RuntimeError if an input that is also an output was saved, since
  // the two have different histories.
  void check_saved(std::span<const Tensor> outputs) const;
  // After the forward: the outputs as the caller gets them, with their history; undefined means not
  // a tensor.
  void finish(std::span<Tensor> outputs);
  [[nodiscard]] bool is_recorded() const noexcept { return is_recorded_; }

  // Whether each output of the forward is a tensor; only those have a place.
  [[nodiscard]] const std::vector<bool>& output_is_tensor() const { return output_is_tensor_; }

 protected:
  // Puts zeros for gradients that are missing, unless set_materialize(false) was called.
  void fill_missing(std::span<Tensor> gradients) const;
  // The gradient of input `index` with the sizes and dtype of that input. Throws RuntimeError if
  // the sizes do not fit, or if that input is not a tensor.
  [[nodiscard]] Tensor fit_gradient(size_t index, const Tensor& gradient) const;
  // Says in the error in whose backward it happened.
  void add_backward_note(Error& error) const;

 private:
  // While the forward runs.
  struct Call {
    std::vector<Tensor> inputs;
    std::vector<uint64_t> versions;  // of the inputs, before the call
    std::vector<Tensor> saved;
    std::vector<Tensor> saved_for_forward;
    std::vector<Tensor> dirty;
    std::vector<Tensor> non_differentiable;
  };
  [[nodiscard]] static TapeEdges find_edges(std::span<const Tensor> inputs);
  [[nodiscard]] Tensor attach(Tensor output, uint32_t place);
  void attach_all(std::span<Tensor> outputs, std::span<const Tensor> returned);
  [[nodiscard]] SavedTensor make_saved(const Tensor& tensor, std::span<const Tensor> outputs) const;
  void check_not_released() const;
  struct Kept {
    SavedTensor saved;
    PackedTensorPtr packed;  // null: use `saved`
  };
  [[nodiscard]] Kept find_saved(size_t index) const;

  std::string name_;
  SourceSite line_;
  std::vector<Kept> kept_;
  std::vector<bool> output_is_tensor_;
  std::vector<bool> input_is_tensor_;
  std::unique_ptr<Call> call_;
  bool is_recorded_ = false;
  bool materializes_ = true;
  bool is_released_ = false;
  mutable std::atomic<bool> kept_is_taken_ = false;  // a ShortLock for kept_ and is_released_
};

// Notes that the output of a Function shows memory of its input, and is not to be written: its
// backward is the Function's.
OPWRIGHT_EXPORT void note_as_view(const Tensor& output, const Tensor& input);

}  // namespace opwright
