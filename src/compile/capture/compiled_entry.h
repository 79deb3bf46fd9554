// CompiledEntry: one captured graph, ready to run, with its guards.
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
  // Ends the capture of a function that returned `outputs` for `arguments`, all of which were
  // added. If one of its tensors requires grad and grad mode is on, runs record gradients;
  // GraphBreakError for gradients that no graph can represent.
  CompiledEntry(Capture& capture, std::span<const CapturedArgument> arguments,
                std::span<const OpwValue> outputs, const Backend& backend);

  [[nodiscard]] size_t num_arguments() const noexcept { return num_arguments_; }
  [[nodiscard]] size_t num_results() const noexcept { return num_results_; }
  // The tensors that the function captures; check() takes them after the arguments.
  [[nodiscard]] std::span<const OpwValue> captured() const noexcept { return captured_values_; }

  // `tensors` are the arguments, then captured(). The context must be plain.
  [[nodiscard]] bool check(std::span<const OpwValue> tensors) const {
    return context_.is_current() && tensors_.check(tensors) &&
           (gradients_.empty() || have_same_gradients(tensors)) &&
           (sizes_.is_empty() || check_sizes(tensors.first(num_arguments_)));
  }
  // Describes the first guard that fails, with values.
  [[nodiscard]] std::string find_difference(std::span<const OpwValue> tensors) const;

  // For checked arguments; `results` has room for num_results() values, which the caller then owns.
  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const {
    if (thread_state().modes) [[unlikely]] {
      const WithoutModesScope scope;
      return executable_->run(arguments, results);
    }
    executable_->run(arguments, results);
  }

  [[nodiscard]] const GraphPtr& graph() const noexcept { return graph_; }
  [[nodiscard]] const Executable& executable() const noexcept { return *executable_; }
  // One line per guard.
  [[nodiscard]] std::string guards_text() const;

 private:
  void finish(Capture& capture, std::span<const CapturedArgument> arguments,
              std::span<const OpwValue> outputs, const Backend& backend);
  // Notes the .grad of tensors that the function read, since another tensor may replace it.
  void watch_gradients(const Trace& trace, std::span<const CapturedArgument> arguments);
  [[nodiscard]] bool have_same_gradients(std::span<const OpwValue> tensors) const;
  [[nodiscard]] bool check_sizes(std::span<const OpwValue> arguments) const;
  void watch_tensors(std::span<const CapturedArgument> arguments);

  CaptureContext context_;
  TensorGuards tensors_;
  mutable SizeGuards sizes_;  // rebuilt if more was required; the caller serializes checks
  size_t num_arguments_;
  size_t num_results_;
  GraphPtr graph_;
  ExecutablePtr executable_;
  struct Gradient {
    Tensor of;                  // for an argument: the captured call's
    uint32_t argument;          // kCaptured: `of` itself
    const OpwTensor* gradient;  // kept alive by captured_
  };
  static constexpr uint32_t kCaptured = UINT32_MAX;
  std::vector<Gradient> gradients_;
  std::vector<Tensor> captured_;
  std::vector<OpwValue> captured_values_;  // borrowed from captured_
};

}  // namespace opwright
