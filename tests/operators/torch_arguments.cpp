// samples_arguments::...: operators with every kind of argument, for torch's referees.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/opwright.h"

namespace samples_arguments {
namespace {

using opwright::AutogradContext;
using opwright::Complex;
using opwright::Device;
using opwright::DType;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::MemoryFormat;
using opwright::Scalar;
using opwright::SymInt;
using opwright::Tag;
using opwright::Tensor;

// ---- Lists of tensors ----

// The weighted sum of tensors of one size: 1 * xs[0] + 2 * xs[1] + ...
Tensor sum_all(std::span<const Tensor> xs) {
  OPWRIGHT_CHECK_VALUE(!xs.empty(), "sum_all: xs must hold a tensor");
  Tensor total = xs[0].clone(MemoryFormat::Contiguous);
  for (size_t i = 1; i < xs.size(); ++i) total.add_(xs[i], static_cast<int64_t>(i + 1));
  return total;
}
FakeTensor sum_all_fake(std::span<const FakeTensor> xs) {
  OPWRIGHT_CHECK_VALUE(!xs.empty(), "sum_all: xs must hold a tensor");
  return xs[0].new_empty(xs[0].sizes());
}
void sum_all_save(AutogradContext& context, std::span<const Tensor> xs, const Tensor& /*result*/) {
  context.set_attribute("count", static_cast<int64_t>(xs.size()));
}
Gradients sum_all_backward(const AutogradContext& context, const Tensor& gradient) {
  std::vector<Tensor> of_list;
  for (int64_t i = 0; i < context.attribute<int64_t>("count"); ++i) {
    of_list.push_back(gradient * (i + 1));
  }
  return Gradients().add(of_list);
}

// The pieces of a vector, copied.
std::vector<Tensor> cut(const Tensor& x, std::span<const SymInt> sizes) {
  std::vector<Tensor> pieces;
  for (const Tensor& piece : x.split_with_sizes(sizes)) pieces.push_back(piece.clone());
  return pieces;
}
std::vector<FakeTensor> cut_fake(const FakeTensor& x, std::span<const SymInt> sizes) {
  SymInt total = 0;
  std::vector<FakeTensor> pieces;
  for (const SymInt& size : sizes) {
    total = total + size;
    pieces.push_back(x.new_empty({size}));
  }
  opwright::check(total == x.size(0), "cut: the sizes must add up to that of x");
  return pieces;
}
Gradients cut_backward(const AutogradContext& /*context*/, std::span<const Tensor> of_pieces) {
  return {opwright::cat<Tensor>(of_pieces)};
}

// x times the product of those parts that are there.
Tensor merge(const Tensor& x, std::span<const std::optional<Tensor>> parts) {
  Tensor product = x.clone(MemoryFormat::Contiguous);
  for (const std::optional<Tensor>& part : parts) {
    if (part) product.mul_(*part);
  }
  return product;
}
Tensor merge_list(const Tensor& x, const std::vector<std::optional<Tensor>>& parts) {
  return merge(x, parts);
}
FakeTensor merge_fake(const FakeTensor& x,
                      const std::vector<std::optional<FakeTensor>>& /*parts*/) {
  return x.new_empty(x.sizes());
}

// ---- Lists of numbers ----

// The sum of x * weight over those weights that are not masked.
Tensor weigh(const Tensor& x, std::span<const double> weights, std::span<const bool> mask) {
  OPWRIGHT_CHECK_VALUE(weights.size() == mask.size(), "weigh: ", weights.size(), " weights, but ",
                       mask.size(), " mask values");
  double total = 0;
  for (size_t i = 0; i < weights.size(); ++i) total += mask[i] ? weights[i] : 0.0;
  return x * total;
}
FakeTensor weigh_fake(const FakeTensor& x, std::span<const double> /*weights*/,
                      std::span<const bool> /*mask*/) {
  return x * 1.0;
}
void weigh_save(AutogradContext& /*context*/, const Tensor& /*x*/,
                std::span<const double> /*weights*/, std::span<const bool> /*mask*/,
                const Tensor& /*result*/) {}
Gradients weigh_backward(const AutogradContext& context, const Tensor& gradient) {
  return {weigh(gradient, context.attribute<std::vector<double>>("weights"),
                context.argument<std::span<const bool>>(2))};
}

// ---- Strings ----

// A vector with more elements before and behind it: zeros, or its own ends.
Tensor pad_ends(const Tensor& x, std::span<const int64_t> pad, std::string_view mode,
                const std::optional<std::string>& who) {
  const std::string name = who ? *who : "pad_ends";
  OPWRIGHT_CHECK_VALUE(mode == "zeros" || mode == "ends", name,
                       ": mode must be 'zeros' or 'ends', got '", mode, "'");
  OPWRIGHT_CHECK_VALUE(x.dim() == 1 && x.size(0) > 0, name,
                       ": x must be a vector that is not empty, got ", x);
  const Tensor before = x.new_zeros({pad[0]});
  const Tensor behind = x.new_zeros({pad[1]});
  const bool is_zeros = mode == "zeros";
  const Tensor parts[] = {is_zeros ? before : before + x.select(0, 0), x,
                          is_zeros ? behind : behind + x.select(0, -1)};
  return opwright::cat<Tensor>(parts);
}
FakeTensor pad_ends_fake(const FakeTensor& x, std::span<const int64_t> pad,
                         std::string_view /*mode*/, const std::optional<std::string>& /*who*/) {
  return x.new_empty({x.size(0) + pad[0] + pad[1]});
}

// ---- Dtype, device, memory format ----

// A copy in another dtype and on another device.
Tensor convert(const Tensor& x, const std::optional<DType>& dtype,
               const std::optional<Device>& device) {
  return x.to(dtype.value_or(x.dtype()), {}, device, {}, false, true, MemoryFormat::Contiguous);
}
FakeTensor convert_fake(const FakeTensor& x, const std::optional<DType>& dtype,
                        const std::optional<Device>& device) {
  return x.new_empty(x.sizes(), dtype, {}, device);
}

// A copy with another order of dimensions in memory.
Tensor arrange(const Tensor& x, MemoryFormat memory_format) { return x.clone(memory_format); }
FakeTensor arrange_fake(const FakeTensor& x, MemoryFormat memory_format) {
  return opwright::empty_like(x, {}, {}, {}, {}, memory_format);
}

// ---- Numbers of any type ----

// x * scale + by in the dtype of x.
Tensor shift(const Tensor& x, const Scalar& by, const Scalar& scale) {
  const Tensor input = x.contiguous();
  Tensor result = opwright::empty(x.sizes(), x.dtype(), {}, x.device());
  opwright::for_floating_dtype(x.dtype(), "shift", [&]<typename T>() {
    const T* from = input.data<T>();
    T* to = result.mutable_data<T>();
    const auto factor = scale.to<double>();
    const auto offset = by.to<double>();
    for (int64_t i = 0; i < x.numel(); ++i) {
      to[i] = static_cast<T>(static_cast<double>(from[i]) * factor + offset);
    }
  });
  return result;
}
FakeTensor shift_fake(const FakeTensor& x, const Scalar& /*by*/, const Scalar& /*scale*/) {
  return x.new_empty(x.sizes());
}
void shift_save(AutogradContext& /*context*/, const Tensor& /*x*/, const Scalar& /*by*/,
                const Scalar& /*scale*/, const Tensor& /*result*/) {}
Gradients shift_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * context.attribute<Scalar>("scale")};
}

// x * by, for a complex x.
Tensor turn(const Tensor& x, Complex<double> by) { return x * Scalar(by); }
FakeTensor turn_fake(const FakeTensor& x, Complex<double> by) { return x * Scalar(by); }
void turn_save(AutogradContext& /*context*/, const Tensor& /*x*/, Complex<double> /*by*/,
               const Tensor& /*result*/) {}
Gradients turn_backward(const AutogradContext& context, const Tensor& gradient) {
  const auto by = context.attribute<Complex<double>>("by");
  return {gradient * Scalar(Complex<double>(by.real, -by.imag))};
}

// ---- Default values and names ----

Tensor tune(const Tensor& x, int64_t power, double scale, bool invert, std::string_view direction,
            std::span<const int64_t> offsets) {
  Tensor result = opwright::full_like(x, 1);
  for (int64_t i = 0; i < power; ++i) result = result * x;
  for (const int64_t offset : offsets)
    result = direction == "up" ? result + offset : result - offset;
  return invert ? result * -scale : result * scale;
}
FakeTensor tune_fake(const FakeTensor& x, int64_t /*power*/, double scale, bool /*invert*/,
                     std::string_view /*direction*/, std::span<const int64_t> /*offsets*/) {
  return x * scale;
}

}  // namespace

OPWRIGHT_LIBRARY(samples_arguments, m) {
  m.def("sum_all(Tensor[] xs) -> Tensor");
  m.register_fake("sum_all", &sum_all_fake);
  m.register_autograd("sum_all", &sum_all_save, &sum_all_backward);
  m.def("cut(Tensor x, SymInt[] sizes) -> Tensor[]");
  m.register_fake("cut", &cut_fake);
  m.register_autograd("cut", &cut_backward);
  m.def("merge(Tensor x, Tensor?[] parts) -> Tensor");
  m.register_fake("merge", &merge_fake);
  m.def("weigh(Tensor x, float[] weights, bool[] mask) -> Tensor", {Tag::Pointwise});
  m.register_fake("weigh", &weigh_fake);
  m.register_autograd("weigh", &weigh_save, &weigh_backward);
  m.def("pad_ends(Tensor x, int[2] pad, str mode=\"zeros\", str? who=None) -> Tensor");
  m.register_fake("pad_ends", &pad_ends_fake);
  m.def("convert(Tensor x, *, ScalarType? dtype=None, Device? device=None) -> Tensor");
  m.register_fake("convert", &convert_fake);
  m.def("arrange(Tensor x, *, MemoryFormat memory_format) -> Tensor");
  m.register_fake("arrange", &arrange_fake);
  m.def("shift(Tensor x, Scalar by, Scalar scale=1) -> Tensor", {Tag::Pointwise});
  m.register_fake("shift", &shift_fake);
  m.register_autograd("shift", &shift_save, &shift_backward);
  m.def("turn(Tensor x, complex by) -> Tensor", {Tag::Pointwise});
  m.register_fake("turn", &turn_fake);
  m.register_autograd("turn", &turn_save, &turn_backward);
  m.def(
      "tune(Tensor x, int power=2, float scale=0.5, bool invert=True, *, str direction=\"up\", "
      "int[] offsets=[1, 2]) -> Tensor",
      {Tag::Pointwise});
  m.register_fake("tune", &tune_fake);
}

OPWRIGHT_LIBRARY_IMPL(samples_arguments, CPU, m) {
  m.impl("sum_all", &sum_all);
  m.impl("cut", &cut);
  m.impl("merge", &merge_list);
  m.impl("weigh", &weigh);
  m.impl("pad_ends", &pad_ends);
  m.impl("convert", &convert);
  m.impl("arrange", &arrange);
  m.impl("shift", &shift);
  m.impl("turn", &turn);
  m.impl("tune", &tune);
}

}  // namespace samples_arguments
