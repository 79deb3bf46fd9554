// Compares a tensor on the computing device with the CPU result.
#pragma once

#include <gtest/gtest.h>

#include "ops/computing_device.h"
#include "ops/op_tensors.h"
#include "opwright/functions.h"
#include "opwright/runtime/runtime.h"

namespace opwright::testing {

// Expects the same elements, dtype, sizes and strides, on the device.
inline void expect_same_on_device(const Tensor& actual, const Tensor& expected,
                                  double tolerance = 1e-6) {
  EXPECT_EQ(actual.device(), ComputingDevice::device());
  ASSERT_EQ(actual.dtype(), expected.dtype());
  ASSERT_EQ(sizes(actual), sizes(expected));
  EXPECT_EQ(strides(actual), strides(expected));
  EXPECT_TRUE(allclose(on_cpu(actual), expected, tolerance, tolerance, true))
      << to_text(on_cpu(actual)) << " is not " << to_text(expected);
}

}  // namespace opwright::testing
