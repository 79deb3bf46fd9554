#include "opwright/ops/sampling/upsample.h"

#include "opwright/error.h"
#include "opwright/ops/sampling/byte_resampling.h"
#include "opwright/ops/sampling/planes.h"

namespace opwright {
namespace {

bool is_nearest(Interpolation kind) {
  return kind == Interpolation::Nearest || kind == Interpolation::NearestExact;
}

// The sizes of the result for an input of sizes [batch, channels, ...].
SymSizes find_sizes(const Upsample& op, const SymSizes& input,
                    std::span<const SymInt> output_size) {
  const size_t ndim = op.scales.size();
  OPWRIGHT_CHECK(input.size() == ndim + 2, op.who, ": the input must have ", ndim + 2,
                 " dimensions, got sizes ", to_text(input));
  OPWRIGHT_CHECK(output_size.size() == ndim, op.who, ": output_size must hold ", ndim,
                 " sizes, got ", to_text(output_size));
  SymSizes sizes(input.begin(), input.begin() + 2);
  for (size_t i = 0; i < ndim; ++i) {
    check(sym_and(input[i + 2] > 0, output_size[i] > 0),
          concatenate(op.who, ": sizes of planes must be positive, got input ", to_text(input),
                      " and output_size ", to_text(output_size)));
    sizes.push_back(output_size[i]);
  }
  return sizes;
}

SymSizes sizes_for(const Upsample& op, const Tensor& self, std::span<const SymInt> output_size) {
  // uint8 is supported for images, not for lines and volumes.
  if (is_nearest(op.kind) || op.scales.size() == 2)
    check_plane_dtype(op.who, "self", self.dtype(), {DType::UInt8});
  else
    check_plane_dtype(op.who, "self", self.dtype());
  const SymSizes input = sym_geometry_of(self).sizes;
  const SymSizes sizes = find_sizes(op, input, output_size);
  check(input[1] > 0, concatenate(op.who, ": self must have channels, got sizes ", to_text(input)));
  return sizes;
}

void check_backward(const Upsample& op, const Tensor& grad, std::span<const SymInt> output_size,
                    std::span<const SymInt> input_size) {
  check_plane_dtype(op.who, "grad_output", grad.dtype());
  check_gradient(op.who, grad, grad.dtype(), find_sizes(op, SymSizes(input_size), output_size));
}

}  // namespace

LinearMap Upsample::map(std::span<const int64_t> in, std::span<const int64_t> out, DType dtype,
                        bool has_shortcut) const {
  std::vector<Taps> last;
  for (size_t i = 0; i < scales.size(); ++i) {
    const Resampling resampling{.kind = kind,
                                .align_corners = align_corners,
                                .scale = scales[i],
                                .has_shortcut = has_shortcut && kind == Interpolation::Nearest};
    last.push_back(resampling_taps(resampling, in[i + 2], out[i + 2], dtype));
  }
  return LinearMap(std::move(last));
}

MemoryFormat Upsample::gradient_format(const Tensor& grad) const {
  // PyTorch's choice for each operator.
  const bool is_contiguous =
      kind == Interpolation::Cubic || (is_nearest(kind) && scales.size() == 3);
  return is_contiguous ? MemoryFormat::Contiguous : suggest_memory_format(grad);
}

Tensor Upsample::run(const Tensor& self, std::span<const int64_t> output_size) const {
  const Sizes sizes = plain_sizes(sizes_for(*this, self, symbolic_sizes(output_size)));
  if (self.dtype() == DType::UInt8 && !is_nearest(kind)) {
    const Tensor output = make_empty(sizes, DType::UInt8);
    if (output.numel() != 0) {
      const LinearMap found = map(self.sizes(), sizes, DType::Float64, false);
      resample_bytes(self, found.dims[1], found.dims[2], output);
    }
    return lay_out(output, suggest_memory_format(self));
  }
  // PyTorch has the shortcut for images, and for all gradients.
  return apply_map(who, self, sizes, suggest_memory_format(self),
                   [&] { return map(self.sizes(), sizes, self.dtype(), scales.size() == 2); });
}

FakeTensor Upsample::run(const FakeTensor& self, std::span<const SymInt> output_size) const {
  const Tensor& input = as_tensor(self);
  return fake_result(self, sizes_for(*this, input, output_size), self.dtype(),
                     suggest_memory_format(input));
}

Tensor Upsample::differentiate(const Tensor& grad, std::span<const int64_t> output_size,
                               std::span<const int64_t> input_size) const {
  check_backward(*this, grad, symbolic_sizes(output_size), symbolic_sizes(input_size));
  return apply_transposed(who, map(input_size, grad.sizes(), grad.dtype(), true), grad, input_size,
                          gradient_format(grad));
}

FakeTensor Upsample::differentiate(const FakeTensor& grad, std::span<const SymInt> output_size,
                                   std::span<const SymInt> input_size) const {
  check_backward(*this, as_tensor(grad), output_size, input_size);
  return fake_result(grad, input_size, grad.dtype(), gradient_format(as_tensor(grad)));
}

}  // namespace opwright
