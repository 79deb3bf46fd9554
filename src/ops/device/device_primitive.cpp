#include "opwright/ops/device/device_primitive.h"

#include "opwright/error.h"

namespace opwright {

void throw_no_primitive(const char* who, Device device, const char* what) {
  throw_error("NotImplementedError", who, ": there is no kernel for ", device_text(device),
              ", since the device computes no ", what,
              "\n  Register a kernel for it, or allow the fallback to the cpu.");
}

}  // namespace opwright
