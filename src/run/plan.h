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
#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// Told of every call of a run; for profiles. Times are nanoseconds of a steady clock.
class OPWRIGHT_EXPORT StepWatch {
 public:
  virtual ~StepWatch() = default;
  virtual void finish_step(const Node& node, int64_t began, int64_t ended) = 0;
};

class OPWRIGHT_EXPORT Plan : public Counted<Plan> {
 public:
  // The graph must not change from here on. Nothing is run. ValueError from verify().
  explicit Plan(GraphPtr graph);
  ~Plan();

  [[nodiscard]] const Graph& graph() const noexcept;

  // How many values a run gives: the outputs of the graph but the states of random numbers.
  [[nodiscard]] size_t num_outputs() const noexcept;

  // As evaluate(graph, arguments), with the same checks and errors. Any number of threads at a
  // time. A run that is evaluate() of the graph tells `watch` nothing.
  [[nodiscard]] std::vector<Value> run(std::span<const OpwValue> arguments,
                                       StepWatch* watch = nullptr) const;
  // The same into num_outputs() values of the caller, who owns them afterwards; an error leaves
  // none.
  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results,
           StepWatch* watch = nullptr) const;

  // What the run that ended last used for large intermediate values; nothing is placed before the
  // second run of the same sizes. Small ones come from the thread's cache of blocks.
  struct Memory {
    size_t placed_bytes = 0;  // one block for all intermediate values
    size_t value_bytes = 0;   // what they would take without being re-used
  };
  [[nodiscard]] Memory memory() const;

 private:
  struct Body;
  struct EarlyWrites;
  Body* body_;
};
using PlanPtr = IntrusivePtr<const Plan>;

}  // namespace opwright
