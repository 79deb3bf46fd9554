#include "opwright/ops/cpu/strided_loop.h"

#include <numeric>

#include "opwright/error.h"
#include "opwright/ops/elementwise_shape.h"

namespace opwright {
namespace {

bool are_contiguous_of_one_shape(std::initializer_list<const Tensor*> operands) {
  const Tensor& output = **operands.begin();
  return std::ranges::all_of(operands, [&](const Tensor* operand) {
    return operand->is_contiguous() && std::ranges::equal(operand->sizes(), output.sizes());
  });
}

int64_t bytes_of_item(const Tensor& tensor) {
  return static_cast<int64_t>(item_size(tensor.dtype()));
}

}  // namespace

StridedLoop::StridedLoop(std::initializer_list<const Tensor*> operands)
    : num_operands_(operands.size()), numel_((*operands.begin())->numel()) {
  OPWRIGHT_ASSERT(num_operands_ <= kMostOperands);
  const Tensor& output = **operands.begin();
  if (numel_ == 0) return;
  size_t i = 0;
  for (const Tensor* operand : operands) {
    pointers_[i++] = static_cast<std::byte*>(
        operand == &output ? output.mutable_data() : const_cast<void*>(operand->data()));
  }

  if (are_contiguous_of_one_shape(operands)) {
    i = 0;
    for (const Tensor* operand : operands) inner_strides_[i++] = bytes_of_item(*operand);
    sizes_.push_back(numel_);
    strides_.push_back(inner_strides_);
    return;
  }
  std::array<Sizes, kMostOperands> strides;
  i = 0;
  for (const Tensor* operand : operands) {
    strides[i++] = broadcast_strides(operand->sizes(), operand->strides(), output.sizes());
  }
  SmallVector<size_t, kInlineDims> order(output.sizes().size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (strides[0][a] != strides[0][b]) return strides[0][a] < strides[0][b];
    return a > b;
  });
  for (const size_t dim : order) {
    ByteStrides byte_strides{};
    i = 0;
    for (const Tensor* operand : operands) {
      byte_strides[i] = strides[i][dim] * bytes_of_item(*operand);
      ++i;
    }
    add_dimension(output.sizes()[dim], byte_strides);
  }
  if (sizes_.empty()) {  // one element
    sizes_.push_back(1);
    strides_.push_back({});
  }
  inner_strides_ = strides_[0];
}

void StridedLoop::add_dimension(int64_t size, const ByteStrides& strides) {
  if (size == 1) return;
  if (!sizes_.empty()) {
    bool continues = true;
    for (size_t i = 0; i < num_operands_; ++i) {
      continues &= strides[i] == strides_.back()[i] * sizes_.back();
    }
    if (continues) {
      sizes_.back() *= size;
      return;
    }
  }
  sizes_.push_back(size);
  strides_.push_back(strides);
}

Sizes StridedLoop::index_of(int64_t element) const {
  Sizes index(sizes_.size());
  for (size_t dim = 0; dim < sizes_.size(); ++dim) {
    index[dim] = element % sizes_[dim];
    element /= sizes_[dim];
  }
  return index;
}

void StridedLoop::advance(Sizes& index) const {
  for (size_t dim = 0; dim < sizes_.size(); ++dim) {
    if (++index[dim] < sizes_[dim]) return;
    index[dim] = 0;
  }
}

}  // namespace opwright
