// The check "devices": compares kernels of another device with the CPU's.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "check/look.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "tensor/test_device.h"

namespace opwright::testing {
namespace {

Tensor scaled_by(const Tensor& x, float factor) {
  const Tensor input = x.contiguous();
  Tensor result = empty_like(input);
  for (int64_t i = 0; i < input.numel(); ++i)
    result.mutable_data<float>()[i] = factor * input.data<float>()[i];
  return result;
}

Tensor device_twice(const Tensor& x) { return scaled_by(x, 2); }
Tensor thrice(const Tensor& x) { return scaled_by(x, 3); }
Tensor missing(const Tensor& /*x*/) {
  throw_error("NotImplementedError", "aten::nothing has no kernel for test");
}
Tensor failing(const Tensor& /*x*/) { throw_error("RuntimeError", "the device is on fire"); }

Tensor six_numbers() { return arange(6, DType::Float32).reshape({2, 3}); }

// The device must be known when the kernels are registered.
[[maybe_unused]] const int32_t kTestDevice = TestDevice::device(0).type;

OPWRIGHT_LIBRARY(device_check, m) {
  m.def("same(Tensor x) -> Tensor");
  m.def("other(Tensor x) -> Tensor");
  m.def("missing(Tensor x) -> Tensor");
  m.def("failing(Tensor x) -> Tensor");
  m.def("cpu_alone(Tensor x) -> Tensor");
}
OPWRIGHT_LIBRARY_IMPL(device_check, CPU, m) {
  for (const char* name : {"same", "other", "missing", "failing", "cpu_alone"})
    m.impl(name, &device_twice);
}
OPWRIGHT_LIBRARY_IMPL(device_check, test, m) {
  m.impl("same", &device_twice);
  m.impl("other", &thrice);
  m.impl("missing", &missing);
  m.impl("failing", &failing);
}

TEST(DeviceCheck, FindsNothingWhereBothKernelsAgree) {
  EXPECT_EQ(look("devices", "device_check::same", {Value(six_numbers())}), "");
  EXPECT_EQ(look("devices", "device_check::same", {Value(six_numbers().t())}), "");
}

TEST(DeviceCheck, NamesOperatorDeviceElementAndBothValues) {
  EXPECT_EQ(look("devices", "device_check::other", {Value(six_numbers())}),
            "device-differs: device_check::other on test:0: the result: element [0, 1] is 3 and "
            "should be 2 (5 of 6 elements differ), as on the cpu; correct its kernel for TEST, or "
            "pass rtol and atol");
}

TEST(DeviceCheck, LeavesOutWhatTheDeviceHasNoKernelFor) {
  EXPECT_EQ(look("devices", "device_check::missing", {Value(six_numbers())}), "");
  EXPECT_EQ(look("devices", "device_check::cpu_alone", {Value(six_numbers())}),
            "skipped: no other device here than the cpu has a kernel for it");
}

TEST(DeviceCheck, TellsWhatTheDeviceRaisesAndTheCpuDoesNot) {
  EXPECT_FAULT(look("devices", "device_check::failing", {Value(six_numbers())}),
               "device-raises: device_check::failing on test:0: it raises RuntimeError: the device "
               "is on fire");
}

TEST(DeviceCheck, HasNothingToCompareARandomOperatorWith) {
  EXPECT_EQ(look("devices", "aten::rand_like", {Value(six_numbers())}),
            "skipped: its numbers are random");
}

}  // namespace
}  // namespace opwright::testing
