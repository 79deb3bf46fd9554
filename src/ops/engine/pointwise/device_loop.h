// Elementwise loops on a device: one result, several operands and numbers, and a formula
// (pointwise_formula.h) for each element.
#pragma once

#include <array>
#include <cstdint>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/scalar.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"

namespace opwright {

// Device memory as a loop accesses it.
struct DeviceElements {
  void* data;  // of element (0, 0, ...)
  DType dtype;
  Sizes sizes;
  Sizes strides;
};
[[nodiscard]] DeviceElements elements_of(const Tensor& tensor);
// The elements of a dense tensor as one row; for a zero-dim tensor without dimensions here too.
[[nodiscard]] DeviceElements row_of(const Tensor& tensor);

// Whether the device has compute_loop.
[[nodiscard]] bool computes_loops(Device device);

class DeviceLoop {
 public:
  // The formula is computed in dtype `compute`, which must not be a half.
  DeviceLoop(const char* formula, DType compute) : formula_(formula), compute_(compute) {}

  // Adds the next of x, y, z: elements that broadcast to the result and are rounded to `through`
  // before use, or a number.
  void add_operand(DeviceElements elements, DType through);
  void add_operand(const Scalar& number, DType through);
  // Adds the next of a, b, c.
  void add_number(const Scalar& number);

  // Does nothing if the result has no elements. NotImplementedError for `who` if the device has no
  // loops.
  void write(const char* who, Device device, const DeviceElements& result);

 private:
  struct Operand {
    DeviceElements elements;  // data is null: a number
    DType through;
    Scalar number;
  };

  const char* formula_;
  DType compute_;
  SmallVector<Operand, kMostInputs> operands_;
  SmallVector<OpwValue, kMostNumbers> numbers_;
};

}  // namespace opwright
