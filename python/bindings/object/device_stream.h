// Streams and events of devices for Python.
#pragma once

#include <nanobind/nanobind.h>

#include "opwright/c_api.h"
#include "opwright/device.h"

namespace opwright::python {

void bind_device_stream(nanobind::module_& m);

// A stream as Python holds it. TypeError, starting with `who`, for another object.
struct StreamHandle {
  Device device;
  OpwStream* stream;
};
StreamHandle read_stream(nanobind::handle object, const char* who);

}  // namespace opwright::python
