#include "opwright/tensor/device/device_table.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::TestDevice;

OpwDeviceTable table_named(const char* name, int32_t type = 0) {
  OpwDeviceTable table = TestDevice::kTable;
  table.name = name;
  table.type = type;
  return table;
}

TEST(DeviceTable, GivesTheCpuTheFirstBit) {
  EXPECT_EQ(device_bit(kOpwDeviceCpu), 1U);
  EXPECT_EQ(device_type_of_bit(1), kOpwDeviceCpu);
}

TEST(DeviceTable, GivesEachDeviceABitOfItsOwnThatStays) {
  const uint32_t meta = device_bit(kOpwDeviceMeta);
  const uint32_t cuda = device_bit(kOpwDeviceCuda);

  EXPECT_NE(meta, cuda);
  EXPECT_EQ(device_bit(kOpwDeviceMeta), meta);
  EXPECT_EQ(device_type_of_bit(cuda), kOpwDeviceCuda);
}

TEST(DeviceTable, RefusesABitThatNoDeviceHas) {
  EXPECT_ERROR(device_type_of_bit(1U << 15), "ValueError", "no device has the flag bit 32768");
  EXPECT_ERROR(device_type_of_bit(3), "ValueError", "no device has the flag bit 3");
}

TEST(DeviceTable, GivesAPluginATypeOfItsOwn) {
  const Device device = TestDevice::device();

  EXPECT_GE(device.type, kOpwFirstPluginDevice);
  EXPECT_EQ(find_device_type("test"), device.type);
  EXPECT_STREQ(find_device_name(device.type), "test");
  EXPECT_EQ(device_table(device.type).type, device.type);
}

TEST(DeviceTable, RefusesTheSameNameTwice) {
  TestDevice::device();

  EXPECT_ERROR(register_device(table_named("test")), "ValueError",
               "register_device: the device test is registered already");
  EXPECT_ERROR(register_device(table_named("cpu")), "ValueError",
               "register_device: the device cpu is registered already");
}

TEST(DeviceTable, RegistersAKnownNameUnderItsKnownType) {
  EXPECT_EQ(register_device(table_named("hpu")), kOpwDeviceHpu);
  EXPECT_STREQ(device_table(kOpwDeviceHpu).name, "hpu");
}

TEST(DeviceTable, LetsAPluginRenamePrivateUse1) {
  EXPECT_EQ(register_device(table_named("npu", kOpwDevicePrivate)), kOpwDevicePrivate);

  EXPECT_EQ(parse_device("npu:1"), Device(kOpwDevicePrivate, 1));
  EXPECT_EQ(parse_device("privateuse1"), Device(kOpwDevicePrivate));
  EXPECT_EQ(device_text(Device(kOpwDevicePrivate, 1)), "npu:1");
}

TEST(DeviceTable, RefusesATypeThatBelongsToAnotherName) {
  EXPECT_ERROR(register_device(table_named("cudda", kOpwDeviceCuda)), "ValueError",
               "register_device: device type 2 is cuda, got the name cudda");
  EXPECT_ERROR(register_device(table_named("cuda", kOpwDeviceRocm)), "ValueError",
               "register_device: the name cuda belongs to device type 2, got type 10");
  EXPECT_ERROR(register_device(table_named("other", 700)), "ValueError",
               "register_device: the type of other must be a DLPack device type, or 0 for a new "
               "one, got 700");
}

TEST(DeviceTable, RefusesATableThatIsTooShort) {
  OpwDeviceTable table = table_named("short");
  table.struct_size = 16;

  EXPECT_ERROR(register_device(table), "ValueError",
               "register_device: struct_size must be at least 80 (through synchronize), got 16");
}

TEST(DeviceTable, TakesAShorterTableAsADeviceWithoutStreams) {
  OpwDeviceTable table = table_named("shorter");
  table.struct_size = offsetof(OpwDeviceTable, current_stream);

  const int32_t type = register_device(table);

  EXPECT_EQ(device_table(type).current_stream, nullptr);
}

TEST(DeviceTable, RefusesANameThatCannotBeParsed) {
  EXPECT_ERROR(register_device(table_named("Test:1")), "ValueError",
               "register_device: a device name has lower-case letters, digits and underscores and "
               "starts with a letter, "
               "got 'Test:1'");
}

TEST(DeviceTable, RefusesATableWithoutTheFunctionsThatAllNeed) {
  OpwDeviceTable table = table_named("hollow");
  table.allocate = nullptr;

  EXPECT_ERROR(register_device(table), "ValueError",
               "register_device: hollow must have the functions count, current, allocate, free, "
               "copy and synchronize");
}

TEST(DeviceTable, RefusesHalfASetOfStreamFunctions) {
  OpwDeviceTable table = table_named("halved");
  table.wait_event = nullptr;

  EXPECT_ERROR(register_device(table), "ValueError",
               "register_device: halved must have all of current_stream, synchronize_stream, "
               "record_event, wait_event, "
               "synchronize_event and free_event, or none");
}

TEST(DeviceTable, SaysWhichPluginIsMissing) {
  EXPECT_ERROR(
      device_table(kOpwDeviceCuda), "RuntimeError",
      "nothing runs on cuda here: the plug-in that registers the device 'cuda' is not loaded");
  EXPECT_ERROR(device_table(kOpwDeviceMeta), "RuntimeError",
               "meta tensors have no memory, so nothing runs on meta");
}

TEST(DeviceTable, ParsesANameWithAndWithoutAnIndex) {
  EXPECT_EQ(parse_device("cuda:1"), Device(kOpwDeviceCuda, 1));
  EXPECT_EQ(parse_device("cpu"), Device(kOpwDeviceCpu, -1));
}

TEST(DeviceTable, SuggestsTheClosestNameForAnUnknownOne) {
  try {
    parse_device("cudda");
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(
        std::string(error.text())
            .starts_with("unknown device 'cudda'; did you mean 'cuda'? known: cpu, cuda, opencl,"))
        << error.text();
    EXPECT_STREQ(error.kind(), "ValueError");
  }
}

TEST(DeviceTable, RefusesABadIndex) {
  EXPECT_ERROR(parse_device("cuda:x"), "ValueError",
               "the index in device 'cuda:x' must be a number such as 'cuda:0', got 'x'");
  EXPECT_ERROR(parse_device("cuda:-1"), "ValueError",
               "the index in device 'cuda:-1' must be a number such as 'cuda:0', got '-1'");
  EXPECT_ERROR(parse_device("cuda:"), "ValueError",
               "the index in device 'cuda:' must be a number such as 'cuda:0', got ''");
  EXPECT_ERROR(parse_device("cuda:99999999999"), "ValueError",
               "the index in device 'cuda:99999999999' must be a number such as 'cuda:0', got "
               "'99999999999'");
}

TEST(DeviceTable, ResolvesAMissingIndexToTheCurrentDevice) {
  TestDevice::current_index = 1;
  EXPECT_EQ(resolve_device(TestDevice::device(-1)), TestDevice::device(1));
  TestDevice::current_index = 0;
  EXPECT_EQ(resolve_device(Device(kOpwDeviceCpu)), kCpu);
  EXPECT_EQ(resolve_device(Device(kOpwDeviceCuda)), Device(kOpwDeviceCuda, 0));
}

TEST(DeviceTable, RefusesAnIndexThatDoesNotExist) {
  EXPECT_ERROR(resolve_device(TestDevice::device(2)), "IndexError",
               "there is no test:2: this process sees 2 test devices");
  EXPECT_ERROR(resolve_device(Device(kOpwDeviceCpu, 1)), "IndexError",
               "there is no cpu:1: this process sees 1 cpu device");
}

// Its property "problem" is "HIDDEN=1 hides the others".
OpwDeviceTable table_with_a_problem(const char* name) {
  OpwDeviceTable table = table_named(name);
  table.property = [](int32_t index, const char* key, char* buffer, size_t capacity) {
    constexpr std::string_view kText = "HIDDEN=1 hides the others";
    if (std::string_view(key) != "problem" || index != 0) return size_t{0};
    kText.copy(buffer, std::min(kText.size(), capacity));
    return kText.size();
  };
  return table;
}

TEST(DeviceTable, TellsThePluginsProblemWithAnIndexThatDoesNotExist) {
  static const int32_t type = register_device(table_with_a_problem("hidden"));

  EXPECT_ERROR(resolve_device(Device(type, 2)), "IndexError",
               "there is no hidden:2: this process sees 2 hidden devices; HIDDEN=1 hides the "
               "others");
}

TEST(DeviceTable, GivesThePropertiesThatADeviceTells) {
  static const int32_t type = register_device(table_with_a_problem("telling"));

  EXPECT_EQ(device_property(Device(type, 0), "problem"), "HIDDEN=1 hides the others");
  EXPECT_EQ(device_property(Device(type, 0), "name"), std::nullopt);
  EXPECT_EQ(device_property(TestDevice::device(), "name"), std::nullopt);
}

TEST(DeviceTable, NamesAPluginsDeviceInMessages) {
  EXPECT_EQ(concatenate(TestDevice::device(1)), "test:1");
  EXPECT_EQ(device_text(kCpu), "cpu");
}

}  // namespace
}  // namespace opwright
