#include "opwright/ir/graph/random_input.h"

#include <cstdint>

#include "opwright/device.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/random_states.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/tensor/random_state.h"

namespace opwright {
namespace {

// The innermost level that keeps states; null: none.
RandomStates* find_states() {
  for (Interpreter* level = current_interpreter(); level; level = level->parent()) {
    if (auto* states = dynamic_cast<RandomStates*>(level)) return states;
  }
  return nullptr;
}

}  // namespace

uint32_t count_random_states(const Graph& graph) {
  uint32_t count = 0;
  for (const GraphValue* input : graph.inputs()) {
    count += input->node().role() == InputRole::RandomState ? 1 : 0;
  }
  return count;
}

Tensor call_random_state() {
  static OperatorHandle<Tensor()> op("opwright::random_state");
  return op();
}

void call_set_random_state(const Tensor& state) {
  static OperatorHandle<void(const Tensor&)> op("opwright::set_random_state");
  op(state);
}

Tensor read_random_state() {
  RandomStates* states = find_states();
  return states ? states->read_state(default_generator(kCpu)) : call_random_state();
}

void write_random_state(const Tensor& state) {
  RandomStates* states = find_states();
  if (states) return states->write_state(default_generator(kCpu), state);
  call_set_random_state(state);
}

}  // namespace opwright
