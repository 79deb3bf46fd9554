// Capture: turns a function into a functional graph by running it once on fake tensors.
//
//   Capture capture;
//   capture.add_tensor(x, "x", dynamic_dims);
//   { const InterpreterScope scope(capture.level()); y = f(x); }
//   GraphPtr graph = capture.finish({y});
//
// The function gets the caller's own tensors; each call that it makes uses their fakes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/compile/capture/tensor_guards.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/tensor.h"
#include "opwright/transforms/trace/make_fx.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT Capture {
 public:
  Capture();

  // Adds an argument of the graph; each tensor once. Sizes of the dimensions in `dynamic` are
  // symbols of at least 1. Its name in the graph follows from `path`: "x[0].bias" becomes x_0_bias.
  void add_tensor(const Tensor& given, const std::string& path, TensorGuards::DynamicDims dynamic);
  // The path of a tensor that is not an argument, in case the function uses it.
  void name_tensor(const Tensor& tensor, const std::string& path);

  [[nodiscard]] Interpreter* level() const noexcept { return session_.level(); }
  [[nodiscard]] TraceSession& session() noexcept { return session_; }
  // The arguments at the level of the trace.
  [[nodiscard]] std::span<const Tensor> own_arguments() const noexcept { return own_; }

  // The graph of the calls as they were made. `outputs` are tensors, ints, SymInts or None. Call
  // once.
  [[nodiscard]] GraphPtr finish(std::span<const OpwValue> outputs);

 private:
  TraceSession session_;
  std::vector<Tensor> own_;
};

// Whether a graph of calls as they were made writes to inputs that share memory with others, which
// a functional graph cannot express. `arguments` are the inputs of the call.
[[nodiscard]] bool writes_shared_memory(const Graph& graph, std::span<const Tensor> arguments);

// Without intermediate writes and dead code.
[[nodiscard]] GraphPtr make_functional(const Graph& graph);

// Indices of the inputs that a graph writes; may include other inputs of the writing calls.
[[nodiscard]] std::vector<uint32_t> written_inputs(const Graph& graph);

}  // namespace opwright
