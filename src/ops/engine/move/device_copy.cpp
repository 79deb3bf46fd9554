#include "opwright/ops/engine/move/device_copy.h"

#include <cstddef>
#include <cstdint>

#include "opwright/complex.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/device/device_formula.h"
#include "opwright/ops/engine/pointwise/device_loop.h"
#include "opwright/ops/engine/pointwise/pointwise_formula.h"
#include "opwright/ops/engine/shape/promotion.h"

namespace opwright {
namespace {

constexpr const char* kCopy = "copy_";
constexpr const char* kFill = "fill_";

// The real (0) or imaginary (1) parts of complex numbers.
DeviceElements part_of(const Tensor& tensor, size_t part) {
  DeviceElements elements = elements_of(tensor);
  elements.dtype = real_dtype(tensor.dtype());
  elements.data = static_cast<std::byte*>(elements.data) + part * item_size(elements.dtype);
  for (int64_t& stride : elements.strides) stride *= 2;
  return elements;
}

// Elements that are only moved, as ints of their size.
DeviceElements as_ints(DeviceElements elements) {
  switch (item_size(elements.dtype)) {
    case 1:
      elements.dtype = DType::UInt8;
      break;
    case 2:
      elements.dtype = DType::Int16;
      break;
    case 4:
      elements.dtype = DType::Int32;
      break;
    case 8:
      elements.dtype = DType::Int64;
      break;
    default:  // complex128: two of 8 bytes
      elements.dtype = DType::Int64;
      for (int64_t& stride : elements.strides) stride *= 2;
      elements.sizes.push_back(2);
      elements.strides.push_back(1);
  }
  return elements;
}

void convert(Device device, const DeviceElements& target, const DeviceElements& source) {
  const DType compute = kernel_dtype(source.dtype);
  DeviceLoop loop(device_formula::kCopy, compute);
  loop.add_operand(source, compute);
  loop.write(kCopy, device, target);
}

void fill(Device device, const DeviceElements& target, const Scalar& value) {
  const DType compute = kernel_dtype(target.dtype);
  DeviceLoop loop(device_formula::kFill, compute);
  loop.add_number(number_in_formula(value, compute));
  loop.write(kFill, device, target);
}

// A `value` without memory is the number.
void fill_where(const Tensor& mask, const DeviceElements& target, const DeviceElements& value,
                const Scalar& number) {
  const DType compute = kernel_dtype(target.dtype);
  DeviceLoop loop(device_formula::kChoose, compute);
  loop.add_operand(elements_of(mask), DType::Bool);
  if (value.data)
    loop.add_operand(value, compute);
  else
    loop.add_operand(number_in_formula(number, compute), compute);
  loop.add_operand(target, compute);
  loop.write("masked_fill_", mask.device(), target);
}

}  // namespace

bool can_copy_on_device(const Tensor& target, const Tensor& source) {
  const bool converts_float8 =
      target.dtype() != source.dtype() && (is_float8(target.dtype()) || is_float8(source.dtype()));
  return computes_loops(target.device()) && !converts_float8;
}

void copy_on_device(const Tensor& target, const Tensor& source) {
  const Device device = target.device();
  if (target.dtype() == source.dtype())
    return convert(device, as_ints(elements_of(target)), as_ints(elements_of(source)));
  if (target.dtype() == DType::Bool && is_complex(source.dtype())) {
    const DType compute = real_dtype(source.dtype());
    DeviceLoop loop(device_formula::kIsEitherTrue, compute);
    for (const size_t part : {size_t{0}, size_t{1}})
      loop.add_operand(part_of(source, part), compute);
    return loop.write(kCopy, device, elements_of(target));
  }
  if (!is_complex(target.dtype()))
    return convert(device, elements_of(target),
                   is_complex(source.dtype()) ? part_of(source, 0) : elements_of(source));
  if (!is_complex(source.dtype())) {
    convert(device, part_of(target, 0), elements_of(source));
    return fill(device, part_of(target, 1), 0);
  }
  for (const size_t part : {size_t{0}, size_t{1}})
    convert(device, part_of(target, part), part_of(source, part));
}

bool can_fill_on_device(const Tensor& target) {
  return computes_loops(target.device()) && !is_float8(target.dtype());
}

void fill_on_device(const Tensor& target, const Scalar& value) {
  if (!is_complex(target.dtype())) return fill(target.device(), elements_of(target), value);
  const auto number = value.to<Complex<double>>();
  fill(target.device(), part_of(target, 0), number.real);
  fill(target.device(), part_of(target, 1), number.imag);
}

void fill_where_on_device(const Tensor& target, const Tensor& mask, const Scalar& value) {
  if (!is_complex(target.dtype())) return fill_where(mask, elements_of(target), {}, value);
  const auto number = value.to<Complex<double>>();
  fill_where(mask, part_of(target, 0), {}, number.real);
  fill_where(mask, part_of(target, 1), {}, number.imag);
}

void fill_where_on_device(const Tensor& target, const Tensor& mask, const Tensor& value) {
  if (is_complex(target.dtype())) return fill_where_on_device(target, mask, value.item());
  fill_where(mask, elements_of(target), elements_of(value), {});
}

}  // namespace opwright
