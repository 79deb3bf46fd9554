// Grad: the level of a function that is differentiated.
//
// Its wrappers show what they wrap; they only give autograd a place of its own, so that derivatives
// nest. What an operator makes is the level's own, also of foreign tensors, so that it may be
// written with values that are differentiated; foreign tensors themselves may not.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "opwright/autograd/tape.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/func.h"
#include "opwright/tensor.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {

class Grad final : public Interpreter {
 public:
  // Made before grad mode is switched on for it.
  explicit Grad(Interpreter* parent) : Interpreter(parent, {.restores_grad_mode = true}) {}

  [[nodiscard]] const char* name() const override { return "grad"; }
  [[nodiscard]] const char* advice() const override {
    return "Return it from the differentiated function (has_aux=True) instead of storing it.";
  }
  void process(const Operator& op, Arguments args, Results results) override;

  [[nodiscard]] Tensor wrap(Tensor inner);
  // What the level below has; a foreign tensor is that itself.
  [[nodiscard]] Tensor unwrap(const Tensor& tensor) const;

 private:
  [[nodiscard]] bool owns(const OpwTensor* tensor) const noexcept {
    return is_wrapper_of(*this, tensor);
  }
};
using GradPtr = IntrusivePtr<Grad>;

// Recording is on, whatever it was outside.
class [[nodiscard]] RecordingScope {
 public:
  RecordingScope() : grad_(kAttentionGradOff, false), inference_(kAttentionInference, false) {}

 private:
  AttentionScope grad_;
  AttentionScope inference_;
};

// One run of a function that is differentiated: its inputs as leaves, then its outputs, then any
// number of pull-backs.
class VjpRun {
 public:
  // On top of the current level.
  VjpRun();

  // Leaves over the inputs. TypeError for a dtype without gradients.
  [[nodiscard]] std::vector<Tensor> enter(std::span<const Tensor> inputs);
  // Runs a function at the level.
  template <class Function>
  auto run(const Function& function) {
    const InterpreterScope scope(level_.get());
    const RecordingScope recording;
    return function();
  }
  // What the caller gets; the outputs remember their history.
  [[nodiscard]] std::vector<Tensor> finish(std::span<const Tensor> outputs);
  [[nodiscard]] std::vector<Tensor> unwrap(std::span<const Tensor> tensors) const;

  // The gradients of the inputs, zeros where nothing came. RuntimeError for a number or sizes of
  // cotangents that are not those of the outputs.
  [[nodiscard]] std::vector<Tensor> pull(std::span<const Tensor> cotangents, bool keeps_graph);

 private:
  struct Output {
    Edge edge;
    ValueMeta meta;
  };

  GradPtr level_;
  std::vector<Tensor> inputs_;
  std::vector<Edge> targets_;
  std::vector<Output> outputs_;
};

}  // namespace opwright
