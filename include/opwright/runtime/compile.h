// For programs that link the core: runs a function of tensors as compiled graphs.
//
//   auto f = opwright::compile(
//       [](const Tensor& x, const Tensor& y) { return opwright::sin(x) * y; });
//   const Tensor z = f(x, y);   // captured, compiled and run; later calls only run
//
// A call captures the function by running it once on shapes, unless an earlier capture is valid for
// its arguments: guards check dtype, device, sizes, strides, requires_grad, which arguments share
// written memory, grad mode and autocast. Anything else that the function reads is read only during
// capture; tensors that it closes over are read again on each call.
//
// Operator binaries do not include this.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opwright/runtime/tensor_function.h"
#include "opwright/tensor.h"

namespace opwright OPWRIGHT_VISIBILITY {
struct CompileOptions {
  // Throws GraphBreakError if the function does something that no graph can represent; otherwise
  // such a call continues eagerly from there.
  bool fullgraph = false;
  // Which sizes are symbols. Not set: those that changed; true: all; false: none.
  std::optional<bool> dynamic = std::nullopt;
  std::string backend = "llvm";
};

// A function over a list of tensors.
using CompiledBody = std::vector<Tensor> (*)(void* context, std::span<const Tensor> inputs);

// The compiled versions of one function. Copies share them. Any thread.
class OPWRIGHT_EXPORT CompiledFunction {
 public:
  // Throws ValueError for an unknown backend.
  explicit CompiledFunction(CompileOptions options);

  [[nodiscard]] std::vector<Tensor> call(std::span<const Tensor> inputs, CompiledBody body,
                                         void* context);
  // How often the function was captured.
  [[nodiscard]] uint64_t num_compiles() const;
  // Why it was captured again: the guard that failed, with values.
  [[nodiscard]] std::vector<std::string> recompile_reasons() const;
  // Why some guard sets run the function itself: "<cause>, at <file>:<line>".
  [[nodiscard]] std::vector<std::string> breaks() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

template <class F>
class Compiled {
 public:
  Compiled(F function, CompileOptions options)
      : function_(std::move(function)), compiled_(std::move(options)) {}

  // Returns what the function returns: a tensor, or a std::vector of them.
  template <std::same_as<Tensor>... Inputs>
  auto operator()(const Inputs&... inputs) {
    using Result = std::invoke_result_t<F&, const Inputs&...>;
    const std::array<Tensor, sizeof...(Inputs)> given{inputs...};
    std::vector<Tensor> results = compiled_.call(
        given,
        [](void* self, std::span<const Tensor> own) {
          return call_with_list(static_cast<Compiled*>(self)->function_, own,
                                std::make_index_sequence<sizeof...(Inputs)>());
        },
        this);
    if constexpr (std::is_same_v<std::remove_cvref_t<Result>, Tensor>) {
      return std::move(results.front());
    } else {
      return results;
    }
  }

  [[nodiscard]] const CompiledFunction& compiled() const noexcept { return compiled_; }

 private:
  F function_;
  CompiledFunction compiled_;
};

// `function` accepts tensors and returns a tensor or a std::vector of them.
template <class F>
[[nodiscard]] Compiled<F> compile(F function, CompileOptions options = {}) {
  return Compiled<F>(std::move(function), std::move(options));
}
}  // namespace opwright
