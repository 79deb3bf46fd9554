// The device "quiet", which nobody loads by hand.
#include "minimal_device.h"

namespace {

constexpr OpwDeviceTable kTable = minimal_device_table("quiet");
OPWRIGHT_DEVICE(kTable);

}  // namespace
