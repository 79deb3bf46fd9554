#include "opwright/dispatch/rule.h"

#include <bit>

namespace opwright {

uint32_t count_results(const Operator& op, Slot slot) {
  switch (slot) {
    case Slot::SetupContext:
      return 0;
    case Slot::Autograd:
      return op.num_tensor_arguments();
    case Slot::Vmap:
      return op.num_results() + 1;
    case Slot::Scatter:
      return 1;
    case Slot::Functional:
      return op.num_results() + static_cast<uint32_t>(std::popcount(op.written_args()));
    case Slot::Autocast:
      return op.num_arguments();
    default:
      return op.num_results();
  }
}

}  // namespace opwright
