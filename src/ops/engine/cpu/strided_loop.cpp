#include "opwright/ops/engine/cpu/strided_loop.h"

#include <numeric>

#include "opwright/error.h"
#include "opwright/ops/engine/shape/elementwise_shape.h"

namespace opwright {

StridedLoop::StridedLoop(std::span<const StridedOperand> operands) { build(operands); }

StridedLoop::StridedLoop(std::initializer_list<const Tensor*> operands) {
  SmallVector<StridedOperand, kMostOperands> described;
  for (const Tensor* operand : operands) {
    const bool is_written = operand == *operands.begin();
    void* data = is_written ? operand->mutable_data() : const_cast<void*>(operand->data());
    described.push_back({static_cast<std::byte*>(data),
                         static_cast<int64_t>(item_size(operand->dtype())), operand->sizes(),
                         operand->strides()});
  }
  build(described);
}

void StridedLoop::build(std::span<const StridedOperand> operands) {
  OPWRIGHT_ASSERT(operands.size() <= kMostOperands);
  num_operands_ = operands.size();
  const StridedOperand& output = operands.front();
  for (const int64_t size : output.sizes) numel_ *= size;
  if (numel_ == 0) return;
  std::array<Sizes, kMostOperands> strides;
  for (size_t i = 0; i < num_operands_; ++i) {
    pointers_[i] = operands[i].data;
    strides[i] = broadcast_strides(operands[i].sizes, operands[i].strides, output.sizes);
  }
  SmallVector<size_t, kInlineDims> order(output.sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (strides[0][a] != strides[0][b]) return strides[0][a] < strides[0][b];
    return a > b;
  });
  for (const size_t dim : order) {
    ByteStrides byte_strides{};
    for (size_t i = 0; i < num_operands_; ++i) byte_strides[i] = strides[i][dim] * operands[i].item;
    add_dimension(output.sizes[dim], byte_strides);
  }
  if (sizes_.empty()) {  // one element
    ByteStrides items{};
    for (size_t i = 0; i < num_operands_; ++i) items[i] = operands[i].item;
    sizes_.push_back(1);
    strides_.push_back(items);
  }
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

}  // namespace opwright
