// The device "plain": no more than a device must have.
#include "minimal_device.h"

namespace {

constexpr OpwDeviceTable kTable = minimal_device_table("plain");
OPWRIGHT_DEVICE(kTable);

}  // namespace
