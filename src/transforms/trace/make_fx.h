// make_fx: a function becomes a graph by running once.
//
//   TraceSession session({.mode = TracingMode::Symbolic});
//   const std::vector<Tensor> own = session.enter({session.add_tensor(given, "x")});
//   { const InterpreterScope scope(session.level()); y = f(own[0]); }
//   GraphPtr graph = session.finish({y});
//
// A trace on fakes starts a new root: transforms that are active outside do not see its calls. One
// on real values keeps the caller's chain as its parent.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/make_fx.h"
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
  // Of a functional trace: composites outside of aten stay whole, as in one that is not. A backward
  // inside the function cannot go through them then.
  bool keeps_custom_whole = false;
  bool is_part = false;  // of another graph, which binds its symbols: it is not verified by itself
  TraceOptions trace = {};
};

// The environment of the traced values of this thread; a new one where there is none.
[[nodiscard]] OPWRIGHT_EXPORT ShapeEnvPtr find_shape_env();

class OPWRIGHT_EXPORT TraceSession {
 public:
  // Begins a trace at the current level of this thread.
  explicit TraceSession(TraceSessionOptions options = {});
  // A trace that was not finished is given up.
  ~TraceSession();
  TraceSession(const TraceSession&) = delete;
  TraceSession& operator=(const TraceSession&) = delete;

  // The function's own arguments, in order.
  [[nodiscard]] Tensor add_tensor(const Tensor& given, const std::string& name);
  // The same with its sizes as the caller has them; of a trace on fakes.
  [[nodiscard]] Tensor add_tensor(const Tensor& given, const std::string& name,
                                  std::span<const SymInt> sizes);
  // In symbolic mode a symbol and an input of the graph, else the number itself.
  [[nodiscard]] SymInt add_int(int64_t given, const std::string& name);

  // What the function gets for the tensors that were added; once, after all of them.
  [[nodiscard]] std::vector<Tensor> enter(std::span<const Tensor> added);

  // What is current while the function runs.
  [[nodiscard]] Interpreter* level() const noexcept {
    return functionalize_ ? static_cast<Interpreter*>(functionalize_.get()) : trace_.get();
  }
  [[nodiscard]] Trace& trace() const noexcept { return *trace_; }

  // The graph, verified. `outputs` are tensors (foreign ones become inputs of the graph), ints,
  // symbolic ones too, or None. Once.
  [[nodiscard]] GraphPtr finish(std::span<const OpwValue> outputs);

 private:
  // A leaf from outside, at the level of the trace, and its gradient at the level of the function.
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
  std::vector<Tensor> given_;
  IntrusivePtr<Trace> trace_;
  IntrusivePtr<Functionalize> functionalize_;  // above the trace; null: writes are recorded
};

// The graph without views and writes, but for those to inputs at its end.
[[nodiscard]] OPWRIGHT_EXPORT GraphPtr functionalize(const Graph& graph);
// Runs a graph again, node by node, on fakes under a trace with other options; its inputs stay.
[[nodiscard]] GraphPtr retrace(const Graph& graph, TraceSessionOptions options);
// With the listed operators replaced by their decompositions, and those of what these are made of.
[[nodiscard]] OPWRIGHT_EXPORT GraphPtr decompose(const Graph& graph,
                                                 std::span<const Operator* const> operators);

}  // namespace opwright
