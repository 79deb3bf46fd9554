#include "opwright/ops/engine/reduction/reduction.h"

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/reduction/device_reduction.h"
#include "opwright/ops/engine/reduction/reduction_engine.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

void check_dtype(DType input, const Reduction& reduction) {
  const bool is_float8 = is_floating(input) && dtype_bits(input) == 8;
  if (is_float8 || !(*reduction.kernels)[kernel_index(reduction.compute)].finish)
    throw_dtype(input, reduction.who, reduction.takes);
}

[[noreturn]] void throw_nothing_to_reduce(const Reduction& reduction, int64_t dim,
                                          const std::string& sizes) {
  throw_error("IndexError", reduction.who, ": dimension ", dim, " of self with sizes ", sizes,
              " has no elements, so its result is undefined; choose a dim with elements");
}

int64_t check_elements(const Tensor& self, const Reduction& reduction) {
  int64_t count = 1;
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    if (!reduction.folded[i]) continue;
    count *= self.sizes()[i];
    if (reduction.needs_elements && self.sizes()[i] == 0)
      throw_nothing_to_reduce(reduction, static_cast<int64_t>(i), to_text(self.sizes()));
  }
  return count;
}

// `self` as a contiguous vector, for a reduction to an index among all elements.
Tensor flatten(const Tensor& self) {
  const Tensor dense = as_contiguous(self);
  const Sizes sizes{dense.numel()};
  return make_view(dense, sizes, contiguous_strides(sizes), geometry_of(dense).offset);
}

SymSizes reduced_fake_sizes(const FakeTensor& self, const Reduction& reduction) {
  SymSizes sizes;
  for (int64_t i = 0; i < self.dim(); ++i) {
    const SymInt size = self.size(i);
    if (!reduction.folded[static_cast<size_t>(i)]) {
      sizes.push_back(size);
      continue;
    }
    // For an unknown size the check is left to the kernel.
    if (reduction.needs_elements && guard_or_false(size == 0))
      throw_nothing_to_reduce(reduction, i, to_text(SymSizes(self.sizes())));
    if (reduction.keepdim) sizes.push_back(1);
  }
  return sizes;
}

bool is_elsewhere(const Tensor& self) { return self.device().type != kOpwDeviceCpu; }

}  // namespace

Tensor reduce(const Tensor& self, const Reduction& reduction) {
  check_dtype(self.dtype(), reduction);
  if (is_elsewhere(self)) [[unlikely]]
    return fold_on_device(self, reduction, check_elements(self, reduction));
  const FoldNumbers numbers{.count = check_elements(self, reduction),
                            .correction = reduction.correction};
  const Tensor input = reduction.rounded_to ? as_dtype(self, *reduction.rounded_to) : self;
  Tensor output = make_empty(reduced_sizes(self.sizes(), reduction.folded, reduction.keepdim),
                             reduction.result);
  compute_fold(*reduction.kernels, reduction.compute, numbers, input, reduction.folded, output,
               nullptr);
  return output;
}

FakeTensor reduce(const FakeTensor& self, const Reduction& reduction) {
  check_dtype(self.dtype(), reduction);
  return make_fake_like(self, reduced_fake_sizes(self, reduction), reduction.result);
}

std::tuple<Tensor, Tensor> reduce_with_indices(const Tensor& self, const Reduction& reduction) {
  check_dtype(self.dtype(), reduction);
  const FoldNumbers numbers{.count = check_elements(self, reduction), .correction = 0};
  if (is_elsewhere(self)) [[unlikely]]
    return fold_with_indices_on_device(self, reduction);
  const Sizes sizes = reduced_sizes(self.sizes(), reduction.folded, reduction.keepdim);
  Tensor values = make_empty(sizes, reduction.result);
  Tensor indices = make_empty(sizes, DType::Int64);
  compute_fold(*reduction.kernels, reduction.compute, numbers, self, reduction.folded, values,
               &indices);
  return {std::move(values), std::move(indices)};
}

std::tuple<FakeTensor, FakeTensor> reduce_with_indices(const FakeTensor& self,
                                                       const Reduction& reduction) {
  FakeTensor values = reduce(self, reduction);
  FakeTensor indices = make_fake_like(self, reduced_fake_sizes(self, reduction), DType::Int64);
  return {std::move(values), std::move(indices)};
}

Tensor reduce_to_indices(const Tensor& self, const Reduction& reduction) {
  const bool is_whole = reduction.folded.all() && self.dim() > 1;
  if (!is_whole || is_elsewhere(self)) return std::get<1>(reduce_with_indices(self, reduction));
  check_dtype(self.dtype(), reduction);
  const FoldNumbers numbers{.count = check_elements(self, reduction), .correction = 0};
  const Tensor value = make_empty(Sizes{}, reduction.result);
  Tensor index =
      make_empty(reduced_sizes(self.sizes(), reduction.folded, reduction.keepdim), DType::Int64);
  compute_fold(*reduction.kernels, reduction.compute, numbers, flatten(self), reduction.folded,
               value, &index);
  return index;
}

FakeTensor reduce_to_indices(const FakeTensor& self, const Reduction& reduction) {
  return std::get<1>(reduce_with_indices(self, reduction));
}

}  // namespace opwright
