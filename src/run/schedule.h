// Schedule: a graph as a list of steps. Built once, read concurrently by any number of runs.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/run/argument_layout.h"
#include "opwright/run/input_reader.h"
#include "opwright/run/liveness.h"
#include "opwright/run/output_layout.h"
#include "opwright/run/size_plan.h"
#include "opwright/run/step.h"
#include "opwright/run/value_slots.h"

namespace opwright {

struct Schedule {
  explicit Schedule(const Graph& graph);
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  // False for a graph that only evaluate() can run: arguments of an unsupported form, symbols of an
  // enclosing graph, or random states that it does not return.
  bool is_whole = true;
  uint32_t num_random_states = 0;

  ValueSlots slots;
  SizePlan sizes;
  ArgumentLayout arguments;
  std::vector<uint32_t> drops;  // for all steps
  std::vector<uint32_t> leftovers;
  std::vector<ListResult> lists;
  std::vector<Step> steps;
  OutputLayout outputs;
  InputReader inputs;

 private:
  std::vector<Step> make_steps(const Graph& graph);
  void add_call(const Node& node, uint32_t call, const Liveness& liveness, Step& step);
  void add_drops(const Node& node, uint32_t call, const Liveness& liveness, Step& step);
  void add_results(const Node& node, const Liveness& liveness, Step& step);
};

}  // namespace opwright
