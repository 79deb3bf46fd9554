// Plan: a graph made ready to run many times.
//
// Functions are resolved, arguments laid out, sizes turned into programs, memory placed. A run on
// plain tensors that nothing records goes through the steps without dispatch and, when sizes are
// those of the last run, without allocating anything but what it returns. Every other run (under a
// transform or a mode, recording, on fakes) is evaluate() of the graph, at the caller's level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph.h"
#include "opwright/value.h"

namespace opwright {

// Told of every call of a run; for profiles. Times are nanoseconds of a steady clock.
class StepWatch {
 public:
  virtual ~StepWatch() = default;
  virtual void finish_step(const Node& node, int64_t began, int64_t ended) = 0;
};

class Plan : public Counted<Plan> {
 public:
  // The graph must not change from here on. Nothing is run. ValueError from verify().
  explicit Plan(GraphPtr graph);
  ~Plan();

  [[nodiscard]] const Graph& graph() const noexcept;

  // As evaluate(graph, arguments), with the same checks and errors. Any number of threads at a
  // time.
  [[nodiscard]] std::vector<Value> run(std::span<const OpwValue> arguments,
                                       StepWatch* watch = nullptr) const;

  // What the last run on this thread used.
  struct Memory {
    size_t placed_bytes = 0;  // one block for all intermediate values
    size_t value_bytes = 0;   // what they would take without being re-used
  };
  [[nodiscard]] Memory memory() const;

 private:
  struct Body;
  Body* body_;
};
using PlanPtr = IntrusivePtr<const Plan>;

}  // namespace opwright
