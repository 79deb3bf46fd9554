#include "opwright/tensor/device/device_search.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/tensor/device/device_table.h"
#include "tensor/test_device.h"

namespace opwright::testing {
namespace {

int times = 0;

// Registers a device "found" and nothing else.
std::string find(const char* name) {
  ++times;
  if (std::string(name) == "found") {
    OpwDeviceTable table = TestDevice::kTable;
    table.name = "found";
    register_device(table);
  }
  return "\n  Looked under the bed.";
}

class FinderScope {
 public:
  FinderScope() { set_device_finder(&find); }
  ~FinderScope() { set_device_finder(nullptr); }
  FinderScope(const FinderScope&) = delete;
  FinderScope& operator=(const FinderScope&) = delete;
};

TEST(DeviceSearch, FindsADeviceWhoseNameNobodyKnew) {
  const FinderScope scope;
  EXPECT_EQ(device_text(parse_device("found:1")), "found:1");
}

TEST(DeviceSearch, LooksOnceForADeviceOfAKnownName) {
  const FinderScope scope;
  const int before = times;
  EXPECT_EQ(look_for_device_table(kOpwDeviceRocm), nullptr);
  EXPECT_EQ(resolve_device(Device(kOpwDeviceRocm, 3)), Device(kOpwDeviceRocm, 3));
  EXPECT_EQ(look_for_device_table(kOpwDeviceRocm), nullptr);
  EXPECT_EQ(times, before + 1);
}

TEST(DeviceSearch, TellsWhereItLooked) {
  const FinderScope scope;
  EXPECT_ERROR(device_table(kOpwDeviceXpu), "RuntimeError",
               "nothing runs on xpu here: the plug-in that registers the device 'xpu' is not "
               "loaded\n  Looked under the bed.");
  EXPECT_ERROR_CONTAINS(parse_device("absent"), "ValueError", "\n  Looked under the bed.");
}

TEST(DeviceSearch, DoesNotLookForMetaOrForWhatIsNoName) {
  const FinderScope scope;
  const int before = times;
  EXPECT_EQ(look_for_device_table(kOpwDeviceMeta), nullptr);
  EXPECT_ERROR_CONTAINS(parse_device("No such"), "ValueError", "unknown device 'No such'");
  EXPECT_EQ(times, before);
}

TEST(DeviceSearch, TakesAPluginWithoutDevicesAsOneThatIsNotThere) {
  OpwDeviceTable table = TestDevice::kTable;
  table.name = "deserted";
  table.count = [] { return int32_t{0}; };
  const int32_t type = register_device(table);
  EXPECT_EQ(resolve_device(Device(type, 5)), Device(type, 5));
}

}  // namespace
}  // namespace opwright::testing
