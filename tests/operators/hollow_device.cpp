// A device without the functions that every device must have.
#include "opwright/plugin/device_plugin.h"

namespace {

constexpr OpwDeviceTable kTable = opwright::empty_device_table("hollow");
OPWRIGHT_DEVICE(kTable);

}  // namespace
