#include "opwright/ops/engine/reduction/device_reduction.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "opwright/error.h"
#include "opwright/ops/engine/device/device_formula.h"
#include "opwright/ops/engine/device/device_primitive.h"
#include "opwright/ops/engine/move/device_copy.h"
#include "opwright/ops/engine/pointwise/device_loop.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

struct FoldedDim {
  int64_t size;
  int64_t stride;
  int64_t target_stride;  // in the contiguous results; 0 for a reduced one
};
using Dims = SmallVector<FoldedDim, kInlineDims>;

// Merges dimensions that are contiguous with each other. Returns at least one.
Dims joined(const Dims& dims) {
  Dims result;
  for (const FoldedDim& dim : dims) {
    if (dim.size == 1) continue;
    const bool continues = !result.empty() && result.back().stride == dim.stride * dim.size &&
                           result.back().target_stride == dim.target_stride * dim.size;
    if (continues)
      result.back() = {result.back().size * dim.size, dim.stride, dim.target_stride};
    else
      result.push_back(dim);
  }
  if (result.empty()) result.push_back({1, 1, 0});
  return result;
}

// The iteration order over `self`: kept dimensions, then reduced ones.
class FoldDims {
 public:
  FoldDims(const Tensor& self, const DimSet& is_folded, bool keeps_order) {
    Dims kept;
    Dims folded;
    for (size_t i = 0; i < self.sizes().size(); ++i)
      (is_folded[i] ? folded : kept).push_back({self.sizes()[i], self.strides()[i], 0});
    int64_t next = 1;
    for (size_t i = kept.size(); i-- > 0;) {
      kept[i].target_stride = next;
      next *= kept[i].size;
    }
    if (!keeps_order)
      std::ranges::stable_sort(folded, std::ranges::greater{},
                               [](const FoldedDim& dim) { return std::abs(dim.stride); });
    append(joined(kept));
    num_kept = static_cast<uint32_t>(sizes.size());
    append(joined(folded));
  }

  uint32_t num_kept = 0;
  Sizes sizes;
  Sizes strides;
  Sizes target_strides;

 private:
  void append(const Dims& dims) {
    for (const FoldedDim& dim : dims) {
      sizes.push_back(dim.size);
      strides.push_back(dim.stride);
      target_strides.push_back(dim.target_stride);
    }
  }
};

bool gives_truth(const Reduction& reduction) {
  const std::string_view fold = reduction.fold;
  return fold == "any" || fold == "all";
}

DType find_compute(const Reduction& reduction) {
  return gives_truth(reduction) ? DType::Bool : kernel_dtype(reduction.compute);
}

Scalar value_of_nothing(const Reduction& reduction) {
  const std::string_view fold = reduction.fold;
  if (fold == "prod" || fold == "all") return 1;
  if (fold == "mean" || fold == "var") return std::numeric_limits<double>::quiet_NaN();
  return 0;
}

OpwOperand describe_folded(const Tensor& tensor, DType through, const Sizes& strides) {
  OpwOperand operand{};
  operand.data = const_cast<void*>(tensor.data());
  operand.strides = strides.data();
  operand.dtype = to_dlpack(tensor.dtype());
  operand.through = to_dlpack(through);
  return operand;
}

void compute(const Tensor& self, const Reduction& reduction, const Tensor& result,
             const Tensor* indices) {
  const DType compute = find_compute(reduction);
  if (is_complex(compute))
    throw_no_device_kernel(reduction.who, self.device(),
                           concatenate("since devices cannot reduce ", reduction.compute));
  if (result.numel() == 0) return;
  const FoldDims dims(self, reduction.folded, indices != nullptr);
  OpwFold fold{};
  fold.struct_size = sizeof fold;
  fold.num_kept = dims.num_kept;
  fold.num_folded = static_cast<uint32_t>(dims.sizes.size()) - dims.num_kept;
  fold.sizes = dims.sizes.data();
  fold.fold = reduction.fold;
  fold.compute = to_dlpack(compute);
  fold.number = std::string_view(reduction.fold) == "norm" ? reduction.order : reduction.correction;
  fold.operand = describe_folded(self, reduction.rounded_to.value_or(compute), dims.strides);
  fold.result = describe_folded(result, result.dtype(), dims.target_strides);
  if (indices) fold.indices = describe_folded(*indices, DType::Int64, dims.target_strides);
  run_primitive(reduction.who, self.device(), &OpwDeviceTable::compute_fold, "folds (compute_fold)",
                fold);
}

}  // namespace

Tensor fold_on_device(const Tensor& self, const Reduction& reduction, int64_t count) {
  const Sizes sizes = reduced_sizes(self.sizes(), reduction.folded, reduction.keepdim);
  Tensor result = make_empty(sizes, reduction.result, self.device());
  if (count == 0) {
    fill_on_device(result, value_of_nothing(reduction));
    return result;
  }
  if (!reduction.takes_root) {
    compute(self, reduction, result, nullptr);
    return result;
  }
  const DType wide = find_compute(reduction);
  const Tensor squares =
      make_empty(sizes, is_complex(wide) ? reduction.result : wide, self.device());
  compute(self, reduction, squares, nullptr);
  DeviceLoop root(device_formula::kRoot, wide);
  root.add_operand(elements_of(squares), wide);
  root.write(reduction.who, self.device(), elements_of(result));
  return result;
}

std::tuple<Tensor, Tensor> fold_with_indices_on_device(const Tensor& self,
                                                       const Reduction& reduction) {
  const Sizes sizes = reduced_sizes(self.sizes(), reduction.folded, reduction.keepdim);
  Tensor values = make_empty(sizes, reduction.result, self.device());
  Tensor indices = make_empty(sizes, DType::Int64, self.device());
  compute(self, reduction, values, &indices);
  return {std::move(values), std::move(indices)};
}

}  // namespace opwright
