#include "opwright/run/frame.h"

#include <algorithm>
#include <cstddef>

#include "opwright/run/schedule.h"
#include "opwright/value.h"

namespace opwright {

Frame::Frame(const Schedule& schedule)
    : arguments(schedule.arguments.make_cells()),
      slots(schedule.slots.size()),
      functions(schedule.steps.size()),
      symbols(schedule.sizes.num_symbols()),
      expected(schedule.sizes.inputs().expected.size()),
      numbers(schedule.sizes.num_early()),
      late_numbers(schedule.sizes.num_late()),
      conditions(std::max(schedule.sizes.inputs().guards.size(), schedule.sizes.most_assertions())),
      num_inputs(schedule.slots.num_inputs()) {
  random_states.reserve(schedule.num_random_states);
}

void Frame::clear() noexcept {
  for (size_t i = num_inputs; i < slots.size(); ++i) release_value(slots[i]);
  random_states.clear();
}

}  // namespace opwright
