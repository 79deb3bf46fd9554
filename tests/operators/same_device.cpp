// A second plug-in for the device "plain".
#include "minimal_device.h"

namespace {

constexpr OpwDeviceTable kTable = minimal_device_table("plain");
OPWRIGHT_DEVICE(kTable);

}  // namespace
