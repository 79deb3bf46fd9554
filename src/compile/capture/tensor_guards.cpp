#include "opwright/compile/capture/tensor_guards.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/autograd_hooks.h"
#include "opwright/error.h"
#include "opwright/tensor/dlpack/dlpack_equality.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr int64_t kFree = -1;  // a dynamic size
constexpr uint32_t kNeverFlags =
    kOpwFlagFake | kOpwFlagWrapped | kOpwFlagSymbolic | kOpwFlagStale | kOpwFlagView;
constexpr uint32_t kWatchedFlags =
    kNeverFlags | kOpwFlagInference | kOpwFlagRequiresGrad | kOpwFlagReadOnly;

constexpr uint32_t kComputed = 1U << 31;  // next to the flags: requires grad and is not a leaf

// A view may have got its history through its base after it was created.
bool is_tracked(const OpwTensor* view) {
  const AutogradHooks* hooks = autograd_hooks();
  auto* asked = const_cast<OpwTensor*>(view);
  return thread_state().grad_is_enabled() && hooks && hooks->is_tracked(asked, false);
}

uint32_t watched_flags(const OpwTensor* tensor) {
  uint32_t flags = tensor->flags & kWatchedFlags;
  if ((tensor->flags & kFlagHasBase) && !(flags & kOpwFlagRequiresGrad)) [[unlikely]] {
    if (is_tracked(tensor)) flags |= kOpwFlagRequiresGrad;
  }
  if (flags & kOpwFlagRequiresGrad) [[unlikely]] {
    if (!is_leaf(BorrowedTensor(const_cast<OpwTensor*>(tensor)))) flags |= kComputed;
  }
  return flags;
}

std::string sizes_text(std::span<const int64_t> sizes) {
  std::string text = "[";
  for (const int64_t size : sizes) {
    if (text.size() > 1) text += ", ";
    text += size == kFree ? "any" : std::to_string(size);
  }
  return text + "]";
}

std::string dtype_text(OpwDtype dtype) { return concatenate(from_dlpack(dtype)); }

}  // namespace

StrideOrder::StrideOrder(const Tensor& tensor) {
  const Geometry real = geometry_of(tensor);
  std::vector<uint32_t> dims(real.sizes.size());
  std::iota(dims.begin(), dims.end(), 0U);
  std::ranges::sort(dims, [&](uint32_t a, uint32_t b) {
    return real.strides[a] != real.strides[b] ? real.strides[a] < real.strides[b] : a > b;
  });
  int64_t dense = 1;
  for (const uint32_t dim : dims) {
    const bool is_dense = real.strides[dim] == dense;
    inner_first.push_back({dim, is_dense ? kDense : real.strides[dim]});
    if (is_dense) dense *= std::max<int64_t>(real.sizes[dim], 1);
  }
}

std::vector<SymInt> StrideOrder::strides_of(std::span<const SymInt> sizes) const {
  std::vector<SymInt> strides(sizes.size());
  SymInt dense = 1;
  for (const Dimension& each : inner_first) {
    if (each.stride != kDense) {
      strides[each.dim] = each.stride;
      continue;
    }
    strides[each.dim] = dense;
    dense = dense * sym_max(sizes[each.dim], 1);
  }
  return strides;
}

void TensorGuards::add(const Tensor& tensor, DynamicDims dynamic, std::string name) {
  const TensorImpl& self = impl(tensor);
  One one{.device = self.dl.device,
          .ndim = self.dl.ndim,
          .dtype = self.dl.dtype,
          .flags = watched_flags(&self),
          .first = static_cast<uint32_t>(numbers_.size()),
          .is_dynamic = dynamic != 0};
  for (size_t dim = 0; dim < self.shape().size(); ++dim) {
    const bool is_free = dim < 64 && (dynamic >> dim & 1) != 0;
    numbers_.push_back(is_free ? kFree : self.shape()[dim]);
  }
  if (one.is_dynamic) {
    for (const StrideOrder::Dimension& each : StrideOrder(tensor).inner_first) {
      numbers_.push_back(each.dim);
      numbers_.push_back(each.stride);
    }
  } else {
    numbers_.insert(numbers_.end(), self.strides().begin(), self.strides().end());
  }
  tensors_.push_back(one);
  names_.push_back(std::move(name));
}

void TensorGuards::watch_writes(std::span<const Tensor> tensors,
                                std::span<const uint32_t> written) {
  writes_ = !written.empty();
  if (!writes_) return;
  for (size_t place = num_arguments_; place < tensors.size(); ++place)
    tensors_[place].storage = impl(tensors[place]).storage;
  for (const uint32_t target : written) {
    // Captured tensors keep their memory, so only arguments can come to overlap them.
    const size_t count = target < num_arguments_ ? tensors.size() : num_arguments_;
    for (uint32_t other = 0; other < count; ++other) {
      if (other == target) continue;
      const bool is_shared = impl(tensors[target]).storage == impl(tensors[other]).storage;
      pairs_.push_back({target, other, is_shared});
      if (!is_shared) continue;
      for (const uint32_t place : {target, other})
        tensors_[place].offset = impl(tensors[place]).storage_offset;
    }
  }
}

// ---- Checking ----

bool TensorGuards::check_sizes(const One& one, const OpwTensor* tensor) const noexcept {
  const int64_t* expected = numbers_.data() + one.first;
  const auto ndim = static_cast<size_t>(one.ndim);
  const OpwDlTensor& dl = tensor->dl;
  if (!one.is_dynamic) [[likely]] {
    for (size_t i = 0; i < ndim; ++i) {
      if (dl.shape[i] != expected[i] || dl.strides[i] != expected[ndim + i]) return false;
    }
    return true;
  }
  for (size_t i = 0; i < ndim; ++i) {
    if (expected[i] == kFree ? dl.shape[i] == 0 : dl.shape[i] != expected[i]) return false;
  }
  const int64_t* order = expected + ndim;
  int64_t dense = 1;
  for (size_t i = 0; i < ndim; ++i) {
    const auto dim = static_cast<size_t>(order[2 * i]);
    const int64_t stride = order[2 * i + 1];
    if (dl.strides[dim] != (stride == StrideOrder::kDense ? dense : stride)) return false;
    if (stride == StrideOrder::kDense) dense *= std::max<int64_t>(dl.shape[dim], 1);
  }
  return true;
}

bool TensorGuards::check_one(const One& one, const OpwTensor* tensor) const noexcept {
  return tensor->dl.ndim == one.ndim && are_equal(tensor->dl.dtype, one.dtype) &&
         are_equal(tensor->dl.device, one.device) && watched_flags(tensor) == one.flags &&
         check_sizes(one, tensor);
}

bool TensorGuards::check_memory(std::span<const OpwValue> tensors) const noexcept {
  for (const Pair& pair : pairs_) {
    const bool is_shared =
        impl(tensors[pair.first].as_tensor).storage == impl(tensors[pair.second].as_tensor).storage;
    if (is_shared != pair.is_shared) return false;
  }
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const TensorImpl& tensor = impl(tensors[i].as_tensor);
    const One& one = tensors_[i];
    if (one.offset >= 0 && tensor.storage_offset != one.offset) return false;
    if (one.storage && tensor.storage != one.storage) return false;
  }
  return true;
}

bool TensorGuards::check(std::span<const OpwValue> tensors) const noexcept {
  const size_t count = tensors_.size();
  for (size_t i = 0; i < count; ++i) {
    if (!check_one(tensors_[i], tensors[i].as_tensor)) return false;
  }
  for (size_t i = 1; i < num_arguments_; ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (tensors[k].as_tensor == tensors[i].as_tensor) return false;  // they were two
    }
  }
  return !writes_ || check_memory(tensors);
}

// ---- Messages ----

std::string TensorGuards::describe_difference(const One& one, const OpwTensor* tensor) const {
  const OpwDlTensor& dl = tensor->dl;
  if (tensor->flags & kNeverFlags) return " is a tensor of a transform or has no data";
  if (!are_equal(dl.dtype, one.dtype)) {
    return concatenate(" has dtype ", dtype_text(dl.dtype), ", it had ", dtype_text(one.dtype));
  }
  if (!are_equal(dl.device, one.device)) {
    return concatenate(" is on ", Device(dl.device), ", it was on ", Device(one.device));
  }
  if (dl.ndim != one.ndim) return concatenate(" has ", dl.ndim, " dimensions, it had ", one.ndim);
  const auto ndim = static_cast<size_t>(one.ndim);
  const std::span expected(numbers_.data() + one.first, ndim);
  for (size_t i = 0; i < ndim; ++i) {
    const bool fits = expected[i] == kFree ? dl.shape[i] != 0 : dl.shape[i] == expected[i];
    if (fits) continue;
    const std::string had =
        expected[i] == kFree ? "it was not 0" : concatenate("it was ", expected[i]);
    return concatenate(".size(", i, ") is ", dl.shape[i], ", ", had);
  }
  const uint32_t changed = watched_flags(tensor) ^ one.flags;
  if (changed & kOpwFlagRequiresGrad) {
    return (one.flags & kOpwFlagRequiresGrad) ? " does not require grad, it did"
                                              : " requires grad, it did not";
  }
  if (changed & kComputed)
    return (one.flags & kComputed) ? " is a leaf, it was not" : " is not a leaf, it was one";
  if (changed & kOpwFlagInference) return " was made in another inference mode";
  if (changed) return " may be written now, or not any more";
  return concatenate(" has other strides, ",
                     sizes_text({dl.strides, static_cast<size_t>(dl.ndim)}));
}

std::string TensorGuards::find_difference(std::span<const OpwValue> tensors) const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (!check_one(tensors_[i], tensors[i].as_tensor))
      return names_[i] + describe_difference(tensors_[i], tensors[i].as_tensor);
    for (size_t k = 0; k < std::min(i, num_arguments_); ++k) {
      if (i < num_arguments_ && tensors[k].as_tensor == tensors[i].as_tensor)
        return concatenate(names_[i], " is the same tensor as ", names_[k], ", they were two");
    }
  }
  if (!writes_ || check_memory(tensors)) return "";
  return "tensors that are written share other memory than they did";
}

std::string TensorGuards::describe(const One& one) const {
  const auto ndim = static_cast<size_t>(one.ndim);
  const std::span sizes(numbers_.data() + one.first, ndim);
  std::string text =
      concatenate(dtype_text(one.dtype), sizes_text(sizes), " on ", Device(one.device));
  if (!one.is_dynamic) text += " strides " + sizes_text({numbers_.data() + one.first + ndim, ndim});
  if (one.flags & kOpwFlagRequiresGrad) text += " requires grad";
  if (one.flags & kOpwFlagInference) text += " of inference mode";
  return text;
}

std::string TensorGuards::text() const {
  std::string text;
  for (size_t i = 0; i < tensors_.size(); ++i)
    text += concatenate(names_[i], ": ", describe(tensors_[i]), "\n");
  for (const Pair& pair : pairs_) {
    text += concatenate(names_[pair.first], " and ", names_[pair.second],
                        pair.is_shared ? " share memory\n" : " share no memory\n");
  }
  return text;
}

}  // namespace opwright
