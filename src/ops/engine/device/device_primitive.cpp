#include "opwright/ops/engine/device/device_primitive.h"

#include "opwright/error.h"

namespace opwright {

void throw_no_device_kernel(const char* who, Device device, std::string_view reason) {
  throw_error(
      "NotImplementedError", who, ": there is no kernel for ", device_text(device), ", ", reason,
      "\n  Register a kernel for it; under opwright.allow_fallback() it runs on the CPU, on "
      "copies.");
}

void throw_no_primitive(const char* who, Device device, const char* what) {
  throw_no_device_kernel(who, device, concatenate("since the device computes no ", what));
}

}  // namespace opwright
