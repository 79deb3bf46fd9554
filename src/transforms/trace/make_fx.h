// make_fx: turns a function into a graph by running it once.
//
//   TraceSession session({.mode = TracingMode::Symbolic});
//   const std::vector<Tensor> own = session.enter({session.add_tensor(given, "x")});
//   { const InterpreterScope scope(session.level()); y = f(own[0]); }
//   GraphPtr graph = session.finish({y});
//
// A trace on fakes starts a new root: transforms active outside do not see its calls. A trace on
// real values has the caller's chain as its parent.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/runtime/make_fx.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tensor.h"
#include "opwright/transforms/functionalize/functionalize.h"
#include "opwright/transforms/trace/trace.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

struct TraceSessionOptions {
  TracingMode mode = TracingMode::Real;
  ShapeEnvPtr shape_env = nullptr;  // null: one of its own
  bool functional = false;  // views and writes become pure calls, with write-back at the end
  // In a functional trace: composites outside aten are kept whole, as in other traces. A backward
  // inside the function then cannot go through them.
  bool keeps_custom_whole = false;
  // Whether a backward() in the function also changes `.grad` of the leaves when the graph runs.
  bool writes_gradients = true;
  bool is_part = false;  // part of another graph, which binds its symbols: not verified by itself
  TraceOptions trace = {};
};

// The environment of this thread's traced values; a new one if there is none.
[[nodiscard]] OPWRIGHT_EXPORT ShapeEnvPtr find_shape_env();

class OPWRIGHT_EXPORT TraceSession {
 public:
  // Starts a trace at the current level of this thread.
  explicit TraceSession(TraceSessionOptions options = {});
  // Abandons a trace that was not finished.
  ~TraceSession();
  TraceSession(const TraceSession&) = delete;
  TraceSession& operator=(const TraceSession&) = delete;

  // Adds the function's arguments, in order.
  [[nodiscard]] Tensor add_tensor(const Tensor& given, const std::string& name);
  // The same with sizes given by the caller; for a trace on fakes.
  [[nodiscard]] Tensor add_tensor(const Tensor& given, const std::string& name,
                                  std::span<const SymInt> sizes);
  // In symbolic mode returns a symbol and adds an input to the graph; else returns the number.
  [[nodiscard]] SymInt add_int(int64_t given, const std::string& name);

  // Returns the tensors to call the function with; call it once, after adding all tensors.
  [[nodiscard]] std::vector<Tensor> enter(std::span<const Tensor> added);

  // The interpreter to make current while the function runs.
  [[nodiscard]] Interpreter* level() const noexcept {
    return functionalize_ ? static_cast<Interpreter*>(functionalize_.get()) : trace_.get();
  }
  [[nodiscard]] Trace& trace() const noexcept { return *trace_; }

  // Returns the verified graph. `outputs` are tensors (foreign ones become inputs of the graph),
  // ints, possibly symbolic, or None. Call it once.
  [[nodiscard]] GraphPtr finish(std::span<const OpwValue> outputs);

 private:
  // An outside leaf, at the level of the trace, and its gradient at the level of the function.
  struct LeafGradient {
    Tensor leaf;
    Tensor gradient;
    bool had_one;
  };
  [[nodiscard]] std::vector<LeafGradient> find_gradients() const;
  void record_gradients(std::span<const LeafGradient> gradients);
  [[nodiscard]] std::vector<Tensor> take_tensors(std::span<const OpwValue> outputs);

  TracingMode mode_;
  bool is_part_;
  bool writes_gradients_;
  std::vector<Tensor> given_;
  IntrusivePtr<Trace> trace_;
  IntrusivePtr<Functionalize> functionalize_;  // above the trace; null: writes are recorded
};

// Returns the graph without views and writes, except for writes to inputs at its end.
[[nodiscard]] OPWRIGHT_EXPORT GraphPtr functionalize(const Graph& graph);
// Reruns a graph node by node on fakes, under a trace with other options; its inputs stay the same.
[[nodiscard]] GraphPtr retrace(const Graph& graph, TraceSessionOptions options);
// Replaces the listed operators by their decompositions, recursively.
[[nodiscard]] OPWRIGHT_EXPORT GraphPtr decompose(const Graph& graph,
                                                 std::span<const Operator* const> operators);

}  // namespace opwright
