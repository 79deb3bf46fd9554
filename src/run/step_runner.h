// StepRunner: executes the steps of one run, after its inputs were read.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/ir/graph/graph.h"
#include "opwright/run/frame.h"
#include "opwright/run/plan.h"
#include "opwright/run/schedule.h"
#include "opwright/value.h"

namespace opwright {

class StepRunner {
 public:
  // Whether no transform, mode or fake context is active on this thread.
  [[nodiscard]] static bool can_run_here() noexcept;

  StepRunner(const Graph& graph, const Schedule& schedule, Frame& frame) noexcept;

  // `results` has room for all outputs except the random states, which are set instead. The caller
  // owns the results. After an error the frame is left as it is.
  void run(std::span<OpwValue> results, StepWatch* watch);

 private:
  void run_step(uint32_t index);
  void run_watched(uint32_t index, StepWatch& watch);
  void put_arguments(const Step& step);
  void put_late_arguments(const Step& step);
  void call_step(const Step& step, uint32_t index);
  void invoke(const Step& step, uint32_t index);
  void invoke_with_care(const Step& step, const OpwRecord& record, Arguments args,
                        Results results) const;
  void keep_results(const Step& step);
  void spread_list(const Step& step, const ListResult& list);
  void compute_late(uint32_t late);
  void take_outputs(std::span<OpwValue> results);

  const Graph& graph_;
  const Schedule& schedule_;
  Frame& frame_;
  uint32_t watched_flags_;  // tensor flags: the device, and those that force the slow path
};

}  // namespace opwright
