// opwright::current_stream: an operator, so that kernels in any binary reach the host's streams.
#include "opwright/tensor/device/stream.h"

#include <cstdint>

#include "opwright/device.h"
#include "opwright/dispatch/property.h"
#include "opwright/library.h"

namespace opwright {
namespace {

int64_t stream_address(Device device) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(current_device_stream(device)));
}

}  // namespace

OPWRIGHT_LIBRARY_FRAGMENT(opwright, m) {
  m.def("current_stream(Device device) -> int", &stream_address,
        with_properties({}, {Property::Internal}));
}

}  // namespace opwright
