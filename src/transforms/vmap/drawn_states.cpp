#include "opwright/transforms/vmap/drawn_states.h"

#include <algorithm>

#include "opwright/transforms/functionalize/generator_states.h"

namespace opwright {

void DrawnStates::note(RandomState& generator) {
  if (std::ranges::find(drawn_, &generator, &Drawn::generator) != drawn_.end()) return;
  drawn_.push_back({.generator = &generator, .state = states_at(outside_).read_state(generator)});
}

void DrawnStates::restore() const {
  for (const Drawn& drawn : drawn_) states_at(outside_).write_state(*drawn.generator, drawn.state);
}

}  // namespace opwright
