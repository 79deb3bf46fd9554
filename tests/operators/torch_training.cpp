// samples_training::...: operators that train, for torch's referees: formulas over operations, a
// formula that is an operator, none at all, rules for forward mode, batches and autocast.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "opwright/opwright.h"

namespace samples_training {
namespace {

using opwright::AutogradContext;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::imported;
using opwright::Tag;
using opwright::Tensor;
using opwright::VmapInfo;
using opwright::VmapResult;

FakeTensor dense_fake(const FakeTensor& x) { return x.new_empty(x.sizes()); }
Tensor make_dense(const Tensor& x) { return opwright::empty(x.sizes(), x.dtype(), {}, x.device()); }

// ---- A formula over operations ----

// limit * tanh(x / limit), its elements divided among threads.
Tensor soft_limit(const Tensor& x, double limit) {
  OPWRIGHT_CHECK_VALUE(limit > 0, "soft_limit: limit must be positive, got ", limit);
  const Tensor input = x.contiguous();
  Tensor result = make_dense(x);
  opwright::for_floating_dtype(x.dtype(), "soft_limit", [&]<typename T>() {
    const T* from = input.data<T>();
    T* to = result.mutable_data<T>();
    opwright::parallel_for(x.numel(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        to[i] = static_cast<T>(limit * std::tanh(static_cast<double>(from[i]) / limit));
      }
    });
  });
  return result;
}
FakeTensor soft_limit_fake(const FakeTensor& x, double /*limit*/) { return dense_fake(x); }
void soft_limit_save(AutogradContext& context, const Tensor& x, double /*limit*/,
                     const Tensor& /*result*/) {
  context.save({x});
}
Gradients soft_limit_backward(const AutogradContext& context, const Tensor& gradient) {
  const Tensor slope = (context.saved(0) / context.attribute("limit")).tanh();
  return {gradient * (1.0 - slope * slope)};
}

// ---- A formula that is an operator, with one of its own ----

template <class Compute>
Tensor map_doubles(const Tensor& x, const Tensor& y, const char* who, Compute compute) {
  const Tensor left = x.contiguous();
  const Tensor right = y.contiguous();
  Tensor result = make_dense(x);
  opwright::for_floating_dtype(x.dtype(), who, [&]<typename T>() {
    const T* a = left.data<T>();
    const T* b = right.data<T>();
    T* to = result.mutable_data<T>();
    for (int64_t i = 0; i < x.numel(); ++i) {
      to[i] = static_cast<T>(compute(static_cast<double>(a[i]), static_cast<double>(b[i])));
    }
  });
  return result;
}
Tensor cube(const Tensor& x) {
  return map_doubles(x, x, "cube", [](double a, double /*b*/) { return a * a * a; });
}
Tensor cube_backward(const Tensor& gradient, const Tensor& x) {
  OPWRIGHT_CHECK_VALUE(std::ranges::equal(gradient.sizes(), x.sizes()),
                       "cube_backward: gradient and x must have one size");
  return map_doubles(gradient, x, "cube_backward",
                     [](double g, double a) { return 3 * g * a * a; });
}
Tensor call_cube_backward(const Tensor& gradient, const Tensor& x) {
  return imported<"samples_training::cube_backward", Tensor(const Tensor&, const Tensor&)>(gradient,
                                                                                           x);
}
FakeTensor cube_backward_fake(const FakeTensor& gradient, const FakeTensor& /*x*/) {
  return dense_fake(gradient);
}
// A batch with its dimension in front, also of what is one for all samples.
Tensor spread_batch(const Tensor& x, const std::optional<int64_t>& dim,
                    const opwright::SymInt& size) {
  if (dim) return x.movedim(*dim, 0);
  std::vector<opwright::SymInt> sizes = {size};
  for (int64_t i = 0; i < x.dim(); ++i) sizes.push_back(x.sym_size(i));
  return x.unsqueeze(0).expand(sizes);
}
VmapResult<Tensor> cube_backward_vmap(const VmapInfo& info, const Tensor& gradient,
                                      const Tensor& x) {
  return {call_cube_backward(spread_batch(gradient, info.in_dims[0], info.batch_size),
                             spread_batch(x, info.in_dims[1], info.batch_size)),
          {0}};
}
void cube_save(AutogradContext& context, const Tensor& x, const Tensor& /*result*/) {
  context.save({x});
}
Gradients cube_gradients(const AutogradContext& context, const Tensor& gradient) {
  return {call_cube_backward(gradient, context.saved(0))};
}
void cube_backward_save(AutogradContext& context, const Tensor& gradient, const Tensor& x,
                        const Tensor& /*result*/) {
  context.save({gradient, x});
}
Gradients cube_backward_gradients(const AutogradContext& context, const Tensor& of_result) {
  const Tensor gradient = context.saved(0);
  const Tensor x = context.saved(1);
  return {of_result * x * x * 3.0, of_result * gradient * x * 6.0};
}

// ---- No formula ----

// x rounded to steps of 1 / levels.
Tensor quantize(const Tensor& x, int64_t levels) {
  OPWRIGHT_CHECK_VALUE(levels > 0, "quantize: levels must be positive, got ", levels);
  const auto scale = static_cast<double>(levels);
  return map_doubles(x, x, "quantize",
                     [&](double a, double /*b*/) { return std::nearbyint(a * scale) / scale; });
}
FakeTensor quantize_fake(const FakeTensor& x, int64_t /*levels*/) { return dense_fake(x); }

// ---- Several results, one of them without a gradient ----

template <class T>
void find_largest(const Tensor& x, const Tensor& values, const Tensor& places) {
  const T* from = x.data<T>();
  for (int64_t row = 0; row < x.size(0); ++row) {
    int64_t best = 0;
    for (int64_t column = 1; column < x.size(1); ++column) {
      const T* current = from + row * x.stride(0);
      if (static_cast<double>(current[column * x.stride(1)]) >
          static_cast<double>(current[best * x.stride(1)]))
        best = column;
    }
    values.mutable_data<T>()[row] = from[row * x.stride(0) + best * x.stride(1)];
    places.mutable_data<int64_t>()[row] = best;
  }
}
// The largest element of each row, and where it is.
std::tuple<Tensor, Tensor> largest_in_rows(const Tensor& x) {
  OPWRIGHT_CHECK_VALUE(x.dim() == 2 && x.size(1) > 0,
                       "largest_in_rows: x must be a matrix with columns, got ", x);
  Tensor values = opwright::empty({x.size(0)}, x.dtype(), {}, x.device());
  Tensor places = opwright::empty({x.size(0)}, opwright::DType::Int64, {}, x.device());
  opwright::for_floating_dtype(x.dtype(), "largest_in_rows",
                               [&]<typename T>() { find_largest<T>(x, values, places); });
  return {values, places};
}
std::tuple<FakeTensor, FakeTensor> largest_in_rows_fake(const FakeTensor& x) {
  return {x.new_empty({x.size(0)}), x.new_empty({x.size(0)}, opwright::DType::Int64)};
}
void largest_in_rows_save(AutogradContext& context, const Tensor& x, const Tensor& /*values*/,
                          const Tensor& places) {
  context.save({x, places});
  context.mark_non_differentiable({places});
}
Gradients largest_in_rows_backward(const AutogradContext& context, const Tensor& of_values,
                                   const Tensor& /*of_places*/) {
  const Tensor zeros = opwright::zeros_like(context.saved(0));
  return {zeros.scatter_add(1, context.saved(1).unsqueeze(1), of_values.unsqueeze(1))};
}

// ---- Rules for forward mode and batches ----

// (radius * cos(angle), radius * sin(angle))
std::tuple<Tensor, Tensor> from_polar(const Tensor& radius, const Tensor& angle) {
  return {radius * angle.cos(), radius * angle.sin()};
}
std::tuple<FakeTensor, FakeTensor> from_polar_fake(const FakeTensor& radius,
                                                   const FakeTensor& angle) {
  return {radius * angle.cos(), radius * angle.sin()};
}
void from_polar_save(AutogradContext& context, const Tensor& radius, const Tensor& angle,
                     const Tensor& /*x*/, const Tensor& /*y*/) {
  context.save({radius, angle});
}
Gradients from_polar_backward(const AutogradContext& context, const Tensor& of_x,
                              const Tensor& of_y) {
  const Tensor radius = context.saved(0);
  const Tensor cosine = context.saved(1).cos();
  const Tensor sine = context.saved(1).sin();
  return {of_x * cosine + of_y * sine, radius * (of_y * cosine - of_x * sine)};
}
std::tuple<Tensor, Tensor> from_polar_jvp(const Tensor& radius, const Tensor& angle,
                                          const std::optional<Tensor>& radius_tangent,
                                          const std::optional<Tensor>& angle_tangent) {
  const Tensor cosine = angle.cos();
  const Tensor sine = angle.sin();
  const Tensor outwards = radius_tangent ? *radius_tangent : opwright::zeros_like(radius);
  const Tensor around = angle_tangent ? *angle_tangent * radius : opwright::zeros_like(radius);
  return {outwards * cosine - around * sine, outwards * sine + around * cosine};
}
VmapResult<std::tuple<Tensor, Tensor>> from_polar_vmap(const VmapInfo& info, const Tensor& radius,
                                                       const Tensor& angle) {
  const auto first = [](const Tensor& x, const std::optional<int64_t>& dim) {
    return dim ? x.movedim(*dim, 0) : x.unsqueeze(0);
  };
  return {from_polar(first(radius, info.in_dims[0]), first(angle, info.in_dims[1])), {0, 0}};
}

// ---- A tensor that may be missing, and autocast ----

// relu(x @ weight^T + bias), or without relu.
Tensor affine(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias, bool relu) {
  Tensor result = x.mm(weight.t());
  if (bias) result = result.add(*bias);
  return relu ? result.relu() : result;
}
FakeTensor affine_fake(const FakeTensor& x, const FakeTensor& weight,
                       const std::optional<FakeTensor>& /*bias*/, bool /*relu*/) {
  opwright::check(x.size(1) == weight.size(1), "affine: x and weight differ in columns");
  return x.new_empty({x.size(0), weight.size(0)});
}
void affine_save(AutogradContext& context, const Tensor& x, const Tensor& weight,
                 const std::optional<Tensor>& /*bias*/, bool relu, const Tensor& result) {
  context.save({x, weight, relu ? result.gt(0) : Tensor()});
}
Gradients affine_backward(const AutogradContext& context, const Tensor& gradient) {
  const Tensor is_positive = context.saved(2);
  const Tensor passed =
      is_positive.is_defined() ? gradient * is_positive.to(gradient.dtype()) : gradient;
  return {passed.mm(context.saved(1)), passed.t().mm(context.saved(0)),
          context.needs_gradient(2) ? passed.sum({0}) : Tensor()};
}

}  // namespace

OPWRIGHT_LIBRARY(samples_training, m) {
  m.def("soft_limit(Tensor x, float limit=1.0) -> Tensor", {Tag::Pointwise});
  m.register_fake("soft_limit", &soft_limit_fake);
  m.register_autograd("soft_limit", &soft_limit_save, &soft_limit_backward);
  m.def("cube(Tensor x) -> Tensor", {Tag::Pointwise});
  m.register_fake("cube", &dense_fake);
  m.register_autograd("cube", &cube_save, &cube_gradients);
  m.def("cube_backward(Tensor gradient, Tensor x) -> Tensor");
  m.register_fake("cube_backward", &cube_backward_fake);
  m.register_autograd("cube_backward", &cube_backward_save, &cube_backward_gradients);
  m.register_vmap("cube_backward", &cube_backward_vmap);
  m.def("quantize(Tensor x, int levels) -> Tensor", {Tag::Pointwise});
  m.register_fake("quantize", &quantize_fake);
  m.def("largest_in_rows(Tensor x) -> (Tensor values, Tensor places)");
  m.register_fake("largest_in_rows", &largest_in_rows_fake);
  m.register_autograd("largest_in_rows", &largest_in_rows_save, &largest_in_rows_backward);
  m.def("from_polar(Tensor radius, Tensor angle) -> (Tensor x, Tensor y)");
  m.register_fake("from_polar", &from_polar_fake);
  m.register_autograd("from_polar", &from_polar_save, &from_polar_backward);
  m.register_jvp("from_polar", &from_polar_jvp);
  m.register_vmap("from_polar", &from_polar_vmap);
  m.def("affine(Tensor x, Tensor weight, Tensor? bias=None, *, bool relu=False) -> Tensor");
  m.register_fake("affine", &affine_fake);
  m.register_autograd("affine", &affine_save, &affine_backward);
  m.register_autocast("affine", opwright::kCpu, opwright::DType::BFloat16);
}

OPWRIGHT_LIBRARY_IMPL(samples_training, CPU, m) {
  m.impl("soft_limit", &soft_limit);
  m.impl("cube", &cube);
  m.impl("cube_backward", &cube_backward);
  m.impl("quantize", &quantize);
  m.impl("largest_in_rows", &largest_in_rows);
  m.impl("from_polar", &from_polar);
  m.impl("affine", &affine);
}

}  // namespace samples_training
