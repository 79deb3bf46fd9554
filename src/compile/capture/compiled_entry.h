// CompiledEntry: one captured graph, ready to run, with the guards that say when it may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/compile/backend/executable.h"
#include "opwright/compile/capture/capture.h"
#include "opwright/compile/capture/capture_context.h"
#include "opwright/compile/capture/size_guards.h"
#include "opwright/compile/capture/tensor_guards.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/tensor.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// A tensor that a function is called with, and which of its sizes are symbols.
struct CapturedArgument {
  Tensor tensor;
  std::string name;
  TensorGuards::DynamicDims dynamic = 0;
};

class OPWRIGHT_EXPORT CompiledEntry {
 public:
  // Ends the capture of a function that returned `outputs` with `arguments`, all of which were
  // added. Where one of its tensors requires grad and grad mode is on, runs record gradients;
  // GraphBreakError for gradients that no graph can hold.
  CompiledEntry(Capture& capture, std::span<const CapturedArgument> arguments,
                std::span<const OpwValue> outputs, const Backend& backend);

  [[nodiscard]] size_t num_arguments() const noexcept { return num_arguments_; }
  [[nodiscard]] size_t num_results() const noexcept { return num_results_; }
  // What the function closes over; check() takes them after the arguments.
  [[nodiscard]] std::span<const OpwValue> captured() const noexcept { return captured_values_; }

  // `tensors` are the arguments, then captured(). The context is plain.
  [[nodiscard]] bool check(std::span<const OpwValue> tensors) const {
    return context_.is_current() && tensors_.check(tensors) &&
           (gradients_.empty() || have_same_gradients(tensors)) &&
           (sizes_.is_empty() || check_sizes(tensors.first(num_arguments_)));
  }
  // The first guard that does not hold, with values.
  [[nodiscard]] std::string find_difference(std::span<const OpwValue> tensors) const;

  // Of checked arguments; `results` has room for num_results() values, the caller's afterwards.
  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const {
    if (thread_state().modes) [[unlikely]] {
      const WithoutModesScope scope;
      return executable_->run(arguments, results);
    }
    executable_->run(arguments, results);
  }

  [[nodiscard]] const GraphPtr& graph() const noexcept { return graph_; }
  [[nodiscard]] const Executable& executable() const noexcept { return *executable_; }
  // One line for each guard.
  [[nodiscard]] std::string guards_text() const;

 private:
  void finish(Capture& capture, std::span<const CapturedArgument> arguments,
              std::span<const OpwValue> outputs, const Backend& backend);
  // Notes the .grad of tensors that the function read, which another tensor may take the place of.
  void watch_gradients(const Trace& trace, std::span<const CapturedArgument> arguments);
  [[nodiscard]] bool have_same_gradients(std::span<const OpwValue> tensors) const;
  [[nodiscard]] bool check_sizes(std::span<const OpwValue> arguments) const;
  void watch_tensors(std::span<const CapturedArgument> arguments);

  CaptureContext context_;
  TensorGuards tensors_;
  mutable SizeGuards sizes_;  // made anew where more was asked; checks are the caller's one by one
  size_t num_arguments_;
  size_t num_results_;
  GraphPtr graph_;
  ExecutablePtr executable_;
  struct Gradient {
    Tensor of;                  // of an argument: that of the capture
    uint32_t argument;          // kCaptured: `of` itself
    const OpwTensor* gradient;  // kept by captured_
  };
  static constexpr uint32_t kCaptured = UINT32_MAX;
  std::vector<Gradient> gradients_;
  std::vector<Tensor> captured_;
  std::vector<OpwValue> captured_values_;  // lent by captured_
};

}  // namespace opwright
