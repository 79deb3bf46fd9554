// samples_sizes::...: operators whose result sizes are computed, branched on, checked or known only
// from data, for torch's referees.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "opwright/opwright.h"

namespace samples_sizes {
namespace {

using opwright::AutogradContext;
using opwright::Device;
using opwright::DType;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::SymInt;
using opwright::Tag;
using opwright::Tensor;

// ---- Sizes that depend on data ----

// The elements of a vector that are positive, and where they are.
std::tuple<Tensor, Tensor> positives(const Tensor& x) {
  OPWRIGHT_CHECK_VALUE(x.dim() == 1, "positives: x must be a vector, got ", x);
  std::vector<int64_t> places;
  opwright::for_floating_dtype(x.dtype(), "positives", [&]<typename T>() {
    for (int64_t i = 0; i < x.size(0); ++i) {
      if (static_cast<double>(x.data<T>()[i * x.stride(0)]) > 0) places.push_back(i);
    }
  });
  const auto count = static_cast<int64_t>(places.size());
  Tensor found = opwright::empty({count}, DType::Int64, {}, x.device());
  for (int64_t i = 0; i < count; ++i) {
    found.mutable_data<int64_t>()[i] = places[static_cast<size_t>(i)];
  }
  return {x.index_select(0, found), found};
}
std::tuple<FakeTensor, FakeTensor> positives_fake(const FakeTensor& x) {
  const SymInt count = opwright::new_dynamic_size();
  return {x.new_empty({count}), x.new_empty({count}, DType::Int64)};
}
void positives_save(AutogradContext& context, const Tensor& x, const Tensor& /*values*/,
                    const Tensor& places) {
  context.save({x, places});
  context.mark_non_differentiable({places});
}
Gradients positives_backward(const AutogradContext& context, const Tensor& of_values,
                             const Tensor& /*of_places*/) {
  return {opwright::zeros_like(context.saved(0)).index_add(0, context.saved(1), of_values)};
}

// x * y for vectors of one size, which may be known only at run time.
Tensor multiply_pairs(const Tensor& x, const Tensor& y) {
  OPWRIGHT_CHECK_VALUE(x.size(0) == y.size(0), "multiply_pairs: x and y must have one size");
  return x * y;
}
FakeTensor multiply_pairs_fake(const FakeTensor& x, const FakeTensor& y) {
  opwright::check(x.size(0) == y.size(0), "multiply_pairs: x and y must have one size");
  return x.new_empty({x.size(0)});
}
void multiply_pairs_save(AutogradContext& context, const Tensor& x, const Tensor& y,
                         const Tensor& /*result*/) {
  context.save({x, y});
}
Gradients multiply_pairs_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * context.saved(1), gradient * context.saved(0)};
}

// ---- Arithmetic and branches on sizes ----

// The size that two sizes broadcast to.
SymInt broadcast_size(const SymInt& a, const SymInt& b) {
  if (opwright::guard_or_false(a == 1)) return b;
  if (opwright::guard_or_false(b == 1)) return a;
  opwright::check(a == b, "spread_add: sizes that differ must be 1");
  return a;
}
// x + y with broadcasting, for two matrices.
Tensor spread_add(const Tensor& x, const Tensor& y) { return (x + y).contiguous(); }
FakeTensor spread_add_fake(const FakeTensor& x, const FakeTensor& y) {
  return x.new_empty({broadcast_size(x.size(0), y.size(0)), broadcast_size(x.size(1), y.size(1))});
}
// Sums a gradient over the dimensions that were spread.
Tensor fold_to(Tensor gradient, const Tensor& like) {
  for (int64_t dim = 0; dim < like.dim(); ++dim) {
    const bool is_spread = opwright::guard_or_false(like.sym_size(dim) == 1);
    if (is_spread) gradient = gradient.sum({dim}, true);
  }
  return gradient;
}
void spread_add_save(AutogradContext& context, const Tensor& x, const Tensor& y,
                     const Tensor& /*result*/) {
  context.save({x, y});
}
Gradients spread_add_backward(const AutogradContext& context, const Tensor& gradient) {
  return {fold_to(gradient, context.saved(0)), fold_to(gradient, context.saved(1))};
}

// Means over windows of a signal, as a convolution slides.
Tensor sliding_mean(const Tensor& x, int64_t width, int64_t step, int64_t padding) {
  OPWRIGHT_CHECK_VALUE(width > 0 && step > 0 && padding >= 0,
                       "sliding_mean: width and step must be positive, got ", width, " and ", step);
  const int64_t length = x.size(-1) + 2 * padding;
  OPWRIGHT_CHECK_VALUE(x.dim() == 2 && length >= width, "sliding_mean: a window of ", width,
                       " does not fit into ", x);
  Tensor padded = opwright::zeros({x.size(0), length}, x.dtype(), {}, x.device());
  padded.narrow(1, padding, x.size(1)).copy_(x);
  return padded.unfold(1, width, step).mean({-1});
}
FakeTensor sliding_mean_fake(const FakeTensor& x, int64_t width, int64_t step, int64_t padding) {
  const SymInt length = x.size(1) + 2 * padding;
  opwright::check(length >= width, "sliding_mean: the window is wider than the signal");
  return x.new_empty({x.size(0), (length - width) / step + 1});
}

// A copy of x with other sizes, one of which may be -1.
Tensor regroup(const Tensor& x, std::span<const SymInt> sizes) {
  return x.contiguous().view(sizes).clone();
}
FakeTensor regroup_fake(const FakeTensor& x, std::span<const SymInt> sizes) {
  SymInt known = 1;
  std::optional<size_t> open;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i].is_symbolic() && sizes[i].word() == -1) {
      OPWRIGHT_CHECK_VALUE(!open, "regroup: only one size can be -1");
      open = i;
    } else {
      known = known * sizes[i];
    }
  }
  std::vector<SymInt> result(sizes.begin(), sizes.end());
  if (open) result[*open] = x.numel() / known;
  opwright::check(x.numel() == known * (open ? result[*open] : SymInt(1)),
                  "regroup: the sizes hold another number of elements");
  return x.new_empty(result);
}
void regroup_save(AutogradContext& context, const Tensor& x, std::span<const SymInt> /*sizes*/,
                  const Tensor& /*result*/) {
  context.save({x});
}
Gradients regroup_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient.reshape_as(context.saved(0))};
}

// Matrices one below the other, or side by side.
Tensor join(std::span<const Tensor> xs, int64_t dim) { return opwright::cat<Tensor>(xs, dim); }
FakeTensor join_fake(std::span<const FakeTensor> xs, int64_t dim) {
  OPWRIGHT_CHECK_VALUE(!xs.empty(), "join: xs must hold a tensor");
  OPWRIGHT_CHECK_INDEX(dim >= 0 && dim < xs[0].dim(), "join: dim ", dim, " is out of range");
  std::vector<SymInt> sizes = xs[0].sizes();
  const auto joined = static_cast<size_t>(dim);
  for (const FakeTensor& x : xs.subspan(1)) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      const SymInt size = x.size(static_cast<int64_t>(i));
      if (i == joined) {
        sizes[i] = sizes[i] + size;
      } else {
        opwright::check(sizes[i] == size, "join: the other sizes must be equal");
      }
    }
  }
  return xs[0].new_empty(sizes);
}

// ---- No tensor arguments ----

// 0, step, 2 * step, ...
Tensor ramp(const SymInt& size, double step, const std::optional<DType>& dtype,
            const std::optional<Device>& device) {
  const int64_t count = size.specialise();
  OPWRIGHT_CHECK_VALUE(count >= 0, "ramp: size must not be negative, got ", count);
  OPWRIGHT_CHECK_KIND("NotImplementedError", !device || device->type == opwright::kCpu.type,
                      "ramp: it makes tensors on the cpu only");
  Tensor result = opwright::empty({count}, dtype.value_or(DType::Float32), {}, device);
  opwright::for_floating_dtype(result.dtype(), "ramp", [&]<typename T>() {
    for (int64_t i = 0; i < count; ++i) {
      result.mutable_data<T>()[i] = static_cast<T>(static_cast<double>(i) * step);
    }
  });
  return result;
}
FakeTensor ramp_fake(const SymInt& size, double /*step*/, const std::optional<DType>& dtype,
                     const std::optional<Device>& device) {
  return opwright::empty<FakeTensor>({size}, dtype.value_or(DType::Float32), {}, device);
}

// ---- Strides ----

template <class T>
void copy_columns(const Tensor& x, const Tensor& result) {
  for (int64_t row = 0; row < x.size(0); ++row) {
    for (int64_t column = 0; column < x.size(1); ++column) {
      result.mutable_data<T>()[row * result.stride(0) + column * result.stride(1)] =
          x.data<T>()[row * x.stride(0) + column * x.stride(1)];
    }
  }
}
// A copy of a matrix, column after column in memory.
Tensor by_columns(const Tensor& x) {
  OPWRIGHT_CHECK_VALUE(x.dim() == 2, "by_columns: x must be a matrix, got ", x);
  Tensor result =
      opwright::empty_strided({x.size(0), x.size(1)}, {1, x.size(0)}, x.dtype(), {}, x.device());
  opwright::for_dtype(x.dtype(), "by_columns", [&]<typename T>() { copy_columns<T>(x, result); });
  return result;
}
FakeTensor by_columns_fake(const FakeTensor& x) {
  return x.new_empty_strided({x.size(0), x.size(1)}, {1, x.size(0)});
}
Gradients by_columns_backward(const AutogradContext& /*context*/, const Tensor& gradient) {
  return {gradient * 1.0};
}

template <class T>
void sum_squares(const Tensor& x, const Tensor& result) {
  for (int64_t row = 0; row < x.size(0); ++row) {
    double sum = 0;
    for (int64_t column = 0; column < x.size(1); ++column) {
      const auto value = static_cast<double>(x.data<T>()[row * x.stride(0) + column * x.stride(1)]);
      sum += value * value;
    }
    result.mutable_data<T>()[row] = static_cast<T>(sum);
  }
}
// The sums of the squares of a matrix's rows, read by its strides.
Tensor row_energies(const Tensor& x, bool keepdim) {
  OPWRIGHT_CHECK_VALUE(x.dim() == 2, "row_energies: x must be a matrix, got ", x);
  Tensor result = keepdim ? opwright::empty({x.size(0), 1}, x.dtype(), {}, x.device())
                          : opwright::empty({x.size(0)}, x.dtype(), {}, x.device());
  opwright::for_floating_dtype(x.dtype(), "row_energies",
                               [&]<typename T>() { sum_squares<T>(x, result); });
  return result;
}
FakeTensor row_energies_fake(const FakeTensor& x, bool keepdim) {
  return keepdim ? x.new_empty({x.size(0), 1}) : x.new_empty({x.size(0)});
}
void row_energies_save(AutogradContext& context, const Tensor& x, bool /*keepdim*/,
                       const Tensor& /*result*/) {
  context.save({x});
}
Gradients row_energies_backward(const AutogradContext& context, const Tensor& gradient) {
  const Tensor column = context.attribute<bool>("keepdim") ? gradient : gradient.unsqueeze(1);
  return {column * context.saved(0) * 2.0};
}

// ---- Integers ----

// The sum of the decimal digits of each element.
Tensor digit_sums(const Tensor& x) {
  const Tensor input = x.contiguous();
  Tensor result = opwright::empty(x.sizes(), DType::Int64, {}, x.device());
  opwright::for_integral_dtype(x.dtype(), "digit_sums", [&]<typename T>() {
    for (int64_t i = 0; i < x.numel(); ++i) {
      auto rest = std::abs(static_cast<int64_t>(input.data<T>()[i]));
      int64_t sum = 0;
      for (; rest > 0; rest /= 10) sum += rest % 10;
      result.mutable_data<int64_t>()[i] = sum;
    }
  });
  return result;
}
FakeTensor digit_sums_fake(const FakeTensor& x) { return x.new_empty(x.sizes(), DType::Int64); }

}  // namespace

OPWRIGHT_LIBRARY(samples_sizes, m) {
  m.def("positives(Tensor x) -> (Tensor values, Tensor places)", {Tag::DynamicOutputShape});
  m.register_fake("positives", &positives_fake);
  m.register_autograd("positives", &positives_save, &positives_backward);
  m.def("multiply_pairs(Tensor x, Tensor y) -> Tensor");
  m.register_fake("multiply_pairs", &multiply_pairs_fake);
  m.register_autograd("multiply_pairs", &multiply_pairs_save, &multiply_pairs_backward);
  m.def("spread_add(Tensor x, Tensor y) -> Tensor");
  m.register_fake("spread_add", &spread_add_fake);
  m.register_autograd("spread_add", &spread_add_save, &spread_add_backward);
  m.def("sliding_mean(Tensor x, int width, int step=1, int padding=0) -> Tensor");
  m.register_fake("sliding_mean", &sliding_mean_fake);
  m.def("regroup(Tensor x, SymInt[] sizes) -> Tensor");
  m.register_fake("regroup", &regroup_fake);
  m.register_autograd("regroup", &regroup_save, &regroup_backward);
  m.def("join(Tensor[] xs, int dim=0) -> Tensor");
  m.register_fake("join", &join_fake);
  m.def(
      "ramp(SymInt size, float step=1.0, *, ScalarType? dtype=None, Device? device=None) -> "
      "Tensor");
  m.register_fake("ramp", &ramp_fake);
  m.def("by_columns(Tensor x) -> Tensor");
  m.register_fake("by_columns", &by_columns_fake);
  m.register_autograd("by_columns", &by_columns_backward);
  m.def("row_energies(Tensor x, bool keepdim=False) -> Tensor", {Tag::Reduction});
  m.register_fake("row_energies", &row_energies_fake);
  m.register_autograd("row_energies", &row_energies_save, &row_energies_backward);
  m.def("digit_sums(Tensor x) -> Tensor", {Tag::Pointwise});
  m.register_fake("digit_sums", &digit_sums_fake);
}

OPWRIGHT_LIBRARY_IMPL(samples_sizes, CPU, m) {
  m.impl("positives", &positives);
  m.impl("multiply_pairs", &multiply_pairs);
  m.impl("spread_add", &spread_add);
  m.impl("sliding_mean", &sliding_mean);
  m.impl("regroup", &regroup);
  m.impl("join", &join);
  m.impl("by_columns", &by_columns);
  m.impl("row_energies", &row_energies);
  m.impl("digit_sums", &digit_sums);
}
// A factory has no tensor that would tell a device.
OPWRIGHT_LIBRARY_IMPL(samples_sizes, CompositeExplicitAutograd, m) { m.impl("ramp", &ramp); }

}  // namespace samples_sizes
