#include "opwright/check/variation/stride_variation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/autograd/value_meta.h"
#include "opwright/check/values/tensor_layout.h"
#include "opwright/check/values/value_profile.h"
#include "opwright/error.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

using LayoutOf = std::function<std::optional<TensorLayout>(std::span<const int64_t> sizes)>;

bool is_laid_out(const Tensor& tensor, const TensorLayout& layout) {
  return impl(tensor).storage_offset == layout.offset &&
         std::ranges::equal(tensor.strides(), layout.strides);
}

VariationStep layout_step(size_t which, const std::string& what, const LayoutOf& choose) {
  return [which, what, choose](const Draft& draft, RandomSource& /*rng*/) -> std::optional<Draft> {
    const std::vector<Tensor> tensors = draft.example.tensors();
    if (which >= tensors.size()) return std::nullopt;
    const Tensor& tensor = tensors[which];
    const std::optional<TensorLayout> layout = choose(tensor.sizes());
    if (!layout || is_laid_out(tensor, *layout)) return std::nullopt;
    return draft.with_tensor(which, lay_out(values_of(tensor), *layout, tensor), what);
  };
}

using MaybeLayout = std::optional<TensorLayout>;

MaybeLayout in_other_order(std::span<const int64_t> sizes) {
  return sizes.size() < 2 ? MaybeLayout() : reversed_layout(sizes);
}
MaybeLayout with_gaps(std::span<const int64_t> sizes) {
  return sizes.empty() ? MaybeLayout() : gapped_layout(sizes, 2, 1);
}
// Rows stay contiguous, but not next to each other.
MaybeLayout with_longer_rows(std::span<const int64_t> sizes) {
  if (sizes.size() < 2) return std::nullopt;
  Sizes around(sizes.begin(), sizes.end());
  around.back() += 3;
  return TensorLayout{.strides = contiguous_layout(around).strides, .tail = 3};
}
MaybeLayout with_offset(std::span<const int64_t> sizes) {
  TensorLayout layout = contiguous_layout(sizes);
  layout.offset = 3;
  layout.tail = 2;
  return layout;
}

// Bit i of `chosen`: tensor i.
VariationStep gradient_step(uint64_t chosen, const std::string& what) {
  return [chosen, what](const Draft& draft, RandomSource& /*rng*/) -> std::optional<Draft> {
    std::vector<Tensor> tensors = draft.example.tensors();
    bool is_changed = false;
    for (size_t i = 0; i < tensors.size() && i < 64; ++i) {
      if (!has_gradients(tensors[i].dtype()) || draft.example.is_written(i)) continue;
      const bool wanted = (chosen >> i & 1) != 0;
      if (tensors[i].requires_grad() == wanted) continue;
      tensors[i] = same_memory(tensors[i], wanted);
      is_changed = true;
    }
    if (!is_changed) return std::nullopt;
    return draft.with(draft.example.with_tensors(tensors), what);
  };
}

}  // namespace

VariationSteps stride_steps(const Example& example) {
  VariationSteps steps;
  const size_t count = example.tensors().size();
  for (size_t i = 0; i < count; ++i) {
    steps.push_back(layout_step(i, "the last dimension is outermost in memory", in_other_order));
    steps.push_back(layout_step(i, "every second element of a larger tensor", with_gaps));
    steps.push_back(layout_step(i, "the first columns of a larger tensor", with_longer_rows));
  }
  return steps;
}

VariationSteps offset_steps(const Example& example) {
  VariationSteps steps;
  for (size_t i = 0; i < example.tensors().size(); ++i) {
    steps.push_back(layout_step(i, "from element 3 of its storage on", with_offset));
  }
  return steps;
}

VariationSteps repeat_steps(const Example& example) {
  VariationSteps steps;
  const std::vector<Tensor> tensors = example.tensors();
  for (size_t dim = 0; dim < 3; ++dim) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (example.is_written(i) || dim >= static_cast<size_t>(tensors[i].dim())) continue;
      const auto repeated = [dim](std::span<const int64_t> sizes) -> MaybeLayout {
        if (dim >= sizes.size() || sizes[dim] < 2) return std::nullopt;
        return repeated_layout(sizes, dim);
      };
      steps.push_back(layout_step(i, concatenate("expanded along dimension ", dim), repeated));
    }
  }
  return steps;
}

VariationSteps sharing_steps(const Example& example) {
  VariationSteps steps;
  const size_t count = example.tensors().size();
  for (size_t first = 0; first < count; ++first) {
    for (size_t second = first + 1; second < count; ++second) {
      steps.push_back([first, second](const Draft& draft, RandomSource&) -> std::optional<Draft> {
        const std::vector<Tensor> tensors = draft.example.tensors();
        if (second >= tensors.size()) return std::nullopt;
        if (draft.example.is_written(first) || draft.example.is_written(second)) {
          return std::nullopt;
        }
        const Tensor& a = tensors[first];
        const Tensor& b = tensors[second];
        const bool is_alike = a.dtype() == b.dtype() && a.device() == b.device() &&
                              std::ranges::equal(a.sizes(), b.sizes());
        if (!is_alike || impl(a).storage == impl(b).storage) return std::nullopt;
        return draft.with_tensor(second, same_memory(a, b.requires_grad()),
                                 "the memory of " + draft.example.tensor_name(first));
      });
    }
  }
  return steps;
}

VariationSteps gradient_steps(const Example& example) {
  VariationSteps steps;
  const std::vector<Tensor> tensors = example.tensors();
  uint64_t all = 0;
  for (size_t i = 0; i < tensors.size() && i < 64; ++i) {
    if (has_gradients(tensors[i].dtype()) && !example.is_written(i)) all |= uint64_t{1} << i;
  }
  if (all == 0) return steps;
  steps.push_back(gradient_step(all, "all require grad"));
  for (size_t i = 0; i < tensors.size() && i < 64; ++i) {
    const uint64_t one = uint64_t{1} << i;
    if ((all & one) == 0 || all == one) continue;
    steps.push_back(
        gradient_step(one, concatenate("only ", example.tensor_name(i), " requires grad")));
  }
  steps.push_back(gradient_step(0, "none requires grad"));
  return steps;
}

}  // namespace opwright
