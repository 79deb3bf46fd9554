#include "opwright/transforms/mode/default_device.h"

#include "opwright/base/small_vector.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/operator.h"
#include "opwright/schema/schema.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// The argument that is the device of the result; empty if the call has none or gives one.
std::optional<size_t> find_open_device(const Operator& op, Arguments args) {
  const auto& arguments = op.schema().arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type.required().kind() != TypeKind::Device) continue;
    return args[i].tag == kOpwNone ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool DefaultDevice::process(const Operator& op, Arguments args, Results results) {
  if (op.takes_tensors()) return false;
  const std::optional<size_t> place = find_open_device(op, args);
  if (!place) return false;
  SmallVector<OpwValue, 16> given(args.begin(), args.end());
  given[*place] = ValueOf<Device>::lend(device_);
  call(op, {given.data(), given.size()}, results);
  return true;
}

std::optional<Device> default_device() {
  for (const Mode* mode = thread_state().modes; mode; mode = mode->outer()) {
    if (const auto* found = dynamic_cast<const DefaultDevice*>(mode)) return found->device();
  }
  return std::nullopt;
}

}  // namespace opwright
