// Plug-ins: loading a device, using it, and errors.
//
// Covers: src/host/device_finder.
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "host/test_host.h"
#include "opwright/functions.h"
#include "opwright/host/device_finder.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/factory.h"

namespace opwright::testing {
namespace {

Device sample(int32_t index = 0) {
  (void)load_device(operator_binary("sample_device"));
  return Device(*find_device_type("sample"), index);
}

// A file next to this program, which is where the core of these tests is.
class FileBesideCore {
 public:
  FileBesideCore(const std::string& binary, const std::string& name)
      : path_(std::filesystem::read_symlink("/proc/self/exe").parent_path() /
              ("libopwright_" + name + ".so")) {
    std::filesystem::copy_file(operator_binary(binary), path_,
                               std::filesystem::copy_options::overwrite_existing);
  }
  ~FileBesideCore() { std::filesystem::remove(path_); }
  FileBesideCore(const FileBesideCore&) = delete;
  FileBesideCore& operator=(const FileBesideCore&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(LoadDevice, GivesTheNamesOfTheDevicesThatThePluginAdds) {
  EXPECT_EQ(load_device(operator_binary("sample_device")), std::vector<std::string>{"sample"});
}

TEST(LoadDevice, IsHarmlessForTheSameFileTwice) {
  const Device device = sample();
  EXPECT_EQ(load_device(operator_binary("sample_device")), std::vector<std::string>{"sample"});
  EXPECT_EQ(find_device_type("sample"), device.type);
}

TEST(LoadDevice, LetsTensorsGoThereAndBack) {
  const Tensor x = make_scalar_tensor(Scalar(3.0), DType::Float32);
  const Tensor there = x.to(sample(1), DType::Float32);
  EXPECT_EQ(there.device(), sample(1));
  EXPECT_EQ(to_text(there.to(kCpu, DType::Float32)), "tensor(3.)");
}

TEST(LoadDevice, LetsKernelsOfThePluginRunThere) {
  static OperatorHandle<Tensor(const Tensor&)> twice("sample::twice");
  const Tensor x = make_scalar_tensor(Scalar(3.0), DType::Float32).to(sample(), DType::Float32);
  EXPECT_EQ(to_text(twice(x)), "tensor(6., device='sample:0')");
}

TEST(LoadDevice, RefusesAnIndexThatDoesNotExist) {
  EXPECT_ERROR(resolve_device(sample(2)), "IndexError",
               "there is no sample:2: this process sees 2 sample devices");
}

TEST(LoadDevice, RefusesAFileThatIsNotThere) {
  EXPECT_ERROR(load_device("nowhere/libnothing.so"), "OSError",
               "there is no file nowhere/libnothing.so");
}

TEST(LoadDevice, RefusesABinaryThatAddsNoDevice) {
  const std::string path = operator_binary("soft_clip");
  EXPECT_ERROR(load_device(path), "ImportError",
               path +
                   " adds no device\n  A plug-in has an OPWRIGHT_DEVICE(table) of "
                   "opwright/device_plugin.h; load_library takes binaries of operators alone.");
}

TEST(LoadDevice, RefusesAPluginOfAnotherAbiVersion) {
  const std::string path = operator_binary("other_abi");
  EXPECT_ERROR(load_device(path), "ImportError",
               path +
                   " was built for ABI 2.0 of Opwright, this is ABI 1.2\n  Build it again with "
                   "the headers of this version.");
}

TEST(LoadDevice, RefusesATableWithoutTheFunctionsThatAllNeed) {
  const std::string path = operator_binary("hollow_device");
  EXPECT_ERROR(load_device(path), "ValueError",
               "register_device: hollow must have the functions count, current, allocate, free, "
               "copy and synchronize\n  in the plug-in " +
                   path);
  EXPECT_FALSE(find_device_type("hollow"));
}

TEST(LoadDevice, RefusesADeviceThatAnotherPluginAdded) {
  (void)sample();
  const FileBesideCore copy("sample_device", "sample_again");
  EXPECT_ERROR(
      load_device(copy.path()), "ValueError",
      "register_device: the device sample is registered already\n  in the plug-in " + copy.path());
}

TEST(LoadDevice, TakesOneFileFromManyThreads) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] { (void)load_device(operator_binary("sample_device")); });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(device_table(sample().type).count(), 2);
}

TEST(DeviceFinder, LoadsTheFileBesideTheCoreWhenTheDeviceIsFirstNamed) {
  const FileBesideCore file("plain_device", "plain");
  EXPECT_FALSE(find_device_type("plain"));
  const Device found = parse_device("plain:0");
  EXPECT_EQ(device_text(found), "plain:0");
  EXPECT_EQ(device_table(found.type).count(), 1);
}

TEST(DeviceFinder, TellsWhereItLookedForADeviceThatNothingRunsOn) {
  try {
    (void)device_table(kOpwDeviceVulkan);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.text();
    EXPECT_TRUE(
        text.starts_with("nothing runs on vulkan here: the plug-in that registers the "
                         "device 'vulkan' is not loaded\n  Looked for "))
        << text;
    EXPECT_TRUE(
        text.ends_with("/libopwright_vulkan.so (there is no such file); "
                       "opwright.load_device(path) takes a plug-in from anywhere."))
        << text;
  }
}

TEST(DeviceFinder, TellsWhyTheFileThatItFoundCannotBeUsed) {
  const FileBesideCore file("other_abi", "foreign");
  try {
    (void)parse_device("foreign");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.text())
                  .find("libopwright_foreign.so (ImportError: " + file.path() +
                        " was built for ABI 2.0 of Opwright, this is ABI 1.2"),
              std::string::npos)
        << error.text();
  }
}

TEST(DeviceFinder, AsksThePackagesOnceForAName) {
  static int times = 0;
  set_package_search([](const char* name) {
    ++times;
    return std::string("a package of ") + name;
  });
  for (int i = 0; i < 3; ++i) {
    EXPECT_ERROR_CONTAINS(parse_device("absent"), "ValueError", "unknown device 'absent'; known: ");
  }
  set_package_search(nullptr);
  EXPECT_EQ(times, 1);
}

TEST(DeviceFinder, LooksForNoFileOfANameThatNoDeviceCanHave) {
  EXPECT_ERROR_CONTAINS(parse_device("../nowhere"), "ValueError", "unknown device '../nowhere'");
}

}  // namespace
}  // namespace opwright::testing
