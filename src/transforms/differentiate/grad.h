// Grad: the interpreter level of a function that is differentiated.
//
// Its wrappers show what they wrap; they only give autograd its own level, so that derivatives
// nest. Every operator result belongs to the level, even if computed from foreign tensors, so that
// differentiated values may be written to it; foreign tensors themselves may not be written.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "opwright/autograd/tape.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/runtime/func.h"
#include "opwright/tensor.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT Grad final : public Interpreter {
 public:
  // Construct it before switching grad mode on for it.
  explicit Grad(Interpreter* parent) : Interpreter(parent, {.restores_grad_mode = true}) {}

  [[nodiscard]] const char* name() const override { return "grad"; }
  [[nodiscard]] const char* advice() const override {
    return "Return it from the differentiated function (has_aux=True) instead of storing it.";
  }
  void process(const Operator& op, Arguments args, Results results) override;

  [[nodiscard]] Tensor wrap(Tensor inner);
  // The value at the level below; a foreign tensor is returned as it is.
  [[nodiscard]] Tensor unwrap(const Tensor& tensor) const;

 private:
  [[nodiscard]] bool owns(const OpwTensor* tensor) const noexcept {
    return is_wrapper_of(*this, tensor);
  }
};
using GradPtr = IntrusivePtr<Grad>;

// Switches recording on, whatever it was outside.
class [[nodiscard]] RecordingScope {
 public:
  RecordingScope()
      : inside_(kAttentionInsideInference, thread_state().may_write_inference()),
        grad_(kAttentionGradOff, false),
        inference_(kAttentionInference, false) {}

 private:
  AttentionScope inside_;
  AttentionScope grad_;
  AttentionScope inference_;
};

// One run of a differentiated function: enter its inputs as leaves, finish its outputs, then pull
// back any number of times.
class VjpRun {
 public:
  // Opens a level on top of the current one.
  VjpRun();

  // Makes leaves of the inputs. TypeError for a dtype without gradients.
  [[nodiscard]] std::vector<Tensor> enter(std::span<const Tensor> inputs);
  // Runs a function at the level.
  template <class Function>
  auto run(const Function& function) {
    const InterpreterScope scope(level_.get());
    const RecordingScope recording;
    return function();
  }
  // Returns the values for the caller; the outputs keep their history.
  [[nodiscard]] std::vector<Tensor> finish(std::span<const Tensor> outputs);
  [[nodiscard]] std::vector<Tensor> unwrap(std::span<const Tensor> tensors) const;

  // The gradients of the inputs, zeros where there are none. RuntimeError if the number or sizes of
  // the cotangents differ from the outputs'.
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
