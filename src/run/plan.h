// Plan: a graph prepared to run many times.
//
// Functions are resolved, arguments laid out, sizes compiled to programs, memory placed. A run on
// plain tensors without recording executes the steps without dispatch and, if the sizes are those
// of the last run, allocates only what it returns. Every other run (under a transform or a mode,
// recording, on fakes) calls evaluate() on the graph at the caller's level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// Receives the time of every call of a run, for profiling: nanoseconds of a steady clock.
class OPWRIGHT_EXPORT StepWatch {
 public:
  virtual ~StepWatch() = default;
  virtual void finish_step(const Node& node, int64_t began, int64_t ended) = 0;
};

class OPWRIGHT_EXPORT Plan : public Counted<Plan> {
 public:
  // The graph must not change afterwards. Runs nothing. Raises ValueError from verify().
  explicit Plan(GraphPtr graph);
  ~Plan();

  [[nodiscard]] const Graph& graph() const noexcept;

  // The number of values a run returns: the graph's outputs without the random states.
  [[nodiscard]] size_t num_outputs() const noexcept;

  // Like evaluate(graph, arguments), with the same checks and errors. Any number of threads may run
  // concurrently. A run that falls back to evaluate() does not call `watch`.
  [[nodiscard]] std::vector<Value> run(std::span<const OpwValue> arguments,
                                       StepWatch* watch = nullptr) const;
  // The same, into num_outputs() values that the caller then owns; after an error none are set.
  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results,
           StepWatch* watch = nullptr) const;

  // Memory that the last finished run used for large intermediate values. Nothing is placed before
  // the second run with the same sizes. Small values come from the thread's block cache.
  struct Memory {
    size_t placed_bytes = 0;  // one block for all intermediate values
    size_t value_bytes = 0;   // what they would take without reuse
  };
  [[nodiscard]] Memory memory() const;

 private:
  struct Body;
  struct EarlyWrites;
  Body* body_;
};
using PlanPtr = IntrusivePtr<const Plan>;

}  // namespace opwright
