// For programs that link the core: traces a function of tensors into a graph.
//
//   const auto f = [](const Tensor& x, const Tensor& y) { return opwright::sin(x * y); };
//   const auto graph = opwright::make_fx(f, opwright::TracingMode::Symbolic)(x, y);
//   std::vector<Tensor> results = graph({x, y});
//
// Operator binaries do not include this.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/runtime/tensor_function.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright OPWRIGHT_VISIBILITY {
enum class TracingMode : uint8_t {
  Real,      // runs the kernels on the inputs
  Fake,      // runs fake kernels; sizes are those of the inputs
  Symbolic,  // runs fake kernels; sizes of the inputs are symbols
};

// A graph traced by make_fx.
class OPWRIGHT_EXPORT TracedGraph {
 public:
  explicit TracedGraph(Value graph) : graph_(std::move(graph)) {}

  // Runs it at the caller's level. Throws ValueError for inputs that its guards do not allow.
  [[nodiscard]] std::vector<Tensor> operator()(std::span<const Tensor> inputs) const;
  [[nodiscard]] std::vector<Tensor> operator()(std::initializer_list<Tensor> inputs) const {
    return (*this)(std::span(inputs.begin(), inputs.size()));
  }
  // The text form, which parses back.
  [[nodiscard]] std::string text() const;
  // Runnable Python code.
  [[nodiscard]] std::string code() const;
  // A graph without views and writes, except writes to inputs at the end.
  [[nodiscard]] TracedGraph functionalize() const;

 private:
  Value graph_;
};

// The function passed to make_fx, over a list of tensors.
using TracedBody = std::vector<Tensor> (*)(void* context, std::span<const Tensor> inputs);
[[nodiscard]] OPWRIGHT_EXPORT TracedGraph trace_function(std::span<const Tensor> inputs,
                                                         TracingMode mode, TracedBody body,
                                                         void* context);

template <class F>
class MakeFx {
 public:
  MakeFx(F function, TracingMode mode) : function_(std::move(function)), mode_(mode) {}

  template <std::same_as<Tensor>... Inputs>
  [[nodiscard]] TracedGraph operator()(const Inputs&... inputs) {
    const Tensor given[] = {inputs...};
    return trace_function(
        given, mode_,
        [](void* self, std::span<const Tensor> own) {
          return call_with_list(static_cast<MakeFx*>(self)->function_, own,
                                std::make_index_sequence<sizeof...(Inputs)>());
        },
        this);
  }

 private:
  F function_;
  TracingMode mode_;
};

// `function` accepts tensors and returns a tensor or a std::vector of them.
template <class F>
[[nodiscard]] MakeFx<F> make_fx(F function, TracingMode mode = TracingMode::Real) {
  return MakeFx<F>(std::move(function), mode);
}
}  // namespace opwright
