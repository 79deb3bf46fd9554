// Capture: a function becomes a functional graph by running once on fakes of its tensors.
//
//   Capture capture;
//   capture.add_tensor(x, "x", dynamic_dims);
//   { const InterpreterScope scope(capture.level()); y = f(x); }
//   GraphPtr graph = capture.finish({y});
//
// The function gets the caller's own tensors: each call that it makes takes their twins.
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

  // An argument of the graph; each tensor once. Sizes of the dimensions of `dynamic` are symbols,
  // of at least 1.
  void add_tensor(const Tensor& given, const std::string& name, TensorGuards::DynamicDims dynamic);
  // What a tensor that is no argument is called, should the function use it.
  void name_tensor(const Tensor& tensor, const std::string& name);

  [[nodiscard]] Interpreter* level() const noexcept { return session_.level(); }
  [[nodiscard]] TraceSession& session() noexcept { return session_; }
  // The arguments as the trace has them.
  [[nodiscard]] std::span<const Tensor> own_arguments() const noexcept { return own_; }

  // The calls as they were made. `outputs` are tensors, ints, symbolic ones too, or None. Once.
  [[nodiscard]] GraphPtr finish(std::span<const OpwValue> outputs);

 private:
  TraceSession session_;
  std::vector<Tensor> own_;
};

// Whether a graph of calls as they were made writes to inputs that share memory with others: no
// functional graph can say that. `arguments` are what it is called with.
[[nodiscard]] bool writes_shared_memory(const Graph& graph, std::span<const Tensor> arguments);

// Without writes on the way and dead code.
[[nodiscard]] GraphPtr make_functional(const Graph& graph);

// Inputs that a graph writes, by their place; others that such calls take may be among them.
[[nodiscard]] std::vector<uint32_t> written_inputs(const Graph& graph);

}  // namespace opwright
