#include "opwright/ops/engine/move/indexed_memory.h"

#include "opwright/error.h"
#include "opwright/ops/engine/cpu/conversion.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/overlap.h"

namespace opwright {
namespace {

[[noreturn, gnu::cold]] void throw_out_of_range(const char* who, int64_t index, size_t dim,
                                                int64_t size) {
  throw_error("IndexError", who, ": index ", index, " is out of range for dimension ", dim,
              " of size ", size);
}

Sizes plain(const SymSizes& sizes) { return Sizes(*as_plain(sizes)); }

// Checks an entire run before the first index is used, in vector code.
void check_index_run(const char* who, const std::byte* indices, int64_t stride, int64_t count,
                     Negative negative, size_t dim, int64_t size) {
  const int64_t lowest = negative == Negative::FromTheEnd ? -size : 0;
  uint64_t outside = 0;
  const auto at = [&](int64_t i) {
    return *reinterpret_cast<const int64_t*>(indices + i * stride);
  };
  for (int64_t i = 0; i < count; ++i)
    outside |= static_cast<uint64_t>(at(i) < lowest) | static_cast<uint64_t>(at(i) >= size);
  if (outside == 0) [[likely]]
    return;
  for (int64_t i = 0; i < count; ++i) {
    if (at(i) < lowest || at(i) >= size) throw_out_of_range(who, at(i), dim, size);
  }
}

}  // namespace

IndexedMemory::IndexedMemory(const char* who, const Tensor& self, const IndexedShape& shape,
                             std::span<const Tensor> indices, Negative negative)
    : self_(self), sizes_(plain(shape.sizes)) {
  const Sizes index_sizes = plain(shape.index_sizes);
  offsets_ = make_empty(index_sizes, DType::Int64);
  const Sizes index_strides = contiguous_strides(index_sizes);
  offset_strides_ = Sizes(sizes_.size(), 0);
  self_strides_ = Sizes(sizes_.size(), 0);
  for (size_t i = 0; i < index_sizes.size(); ++i)
    offset_strides_[shape.insert_at + i] = index_strides[i];
  for (size_t i = 0; i < shape.kept.size(); ++i) {
    const size_t at = i < shape.insert_at ? i : i + index_sizes.size();
    self_strides_[at] = self.strides()[shape.kept[i]];
  }
  if (product(sizes_) == 0 && negative == Negative::FromTheEnd) return;
  for (size_t k = 0; k < indices.size(); ++k) {
    if (k == 0) std::fill_n(offsets_.mutable_data<int64_t>(), offsets_.numel(), 0);
    add_offsets(who, as_dtype(indices[k], DType::Int64), shape.indexed[k], negative);
  }
}

void IndexedMemory::add_offsets(const char* who, const Tensor& index, size_t dim,
                                Negative negative) {
  const int64_t size = self_.sizes()[dim];
  const int64_t step = self_.strides()[dim] * static_cast<int64_t>(item_size(self_.dtype()));
  StridedLoop({&offsets_, &index})
      .for_each_run([&](const StridedLoop::Pointers& pointers,
                        const StridedLoop::ByteStrides& strides, int64_t count) {
        check_index_run(who, pointers[1], strides[1], count, negative, dim, size);
        for (int64_t i = 0; i < count; ++i) {
          int64_t each = *reinterpret_cast<const int64_t*>(pointers[1] + i * strides[1]);
          each += each < 0 ? size : 0;
          *reinterpret_cast<int64_t*>(pointers[0] + i * strides[0]) += each * step;
        }
      });
}

StridedLoop IndexedMemory::loop_with(std::byte* other, std::span<const int64_t> strides,
                                     int64_t item) const {
  auto* offsets = const_cast<std::byte*>(static_cast<const std::byte*>(offsets_.data()));
  auto* memory = const_cast<std::byte*>(static_cast<const std::byte*>(self_.data()));
  const StridedOperand operands[] = {
      {other, item, sizes_, strides},
      {offsets, sizeof(int64_t), sizes_, offset_strides_},
      {memory, static_cast<int64_t>(item_size(self_.dtype())), sizes_, self_strides_}};
  return StridedLoop(operands);
}

Tensor IndexedMemory::read() const {
  Tensor result = make_empty(sizes_, self_.dtype());
  const size_t item = item_size(self_.dtype());
  const ConversionFunction copy = find_conversion(self_.dtype(), self_.dtype());
  const StridedLoop loop = loop_with(static_cast<std::byte*>(result.mutable_data()),
                                     result.strides(), static_cast<int64_t>(item));
  if (loop.numel() == 0) return result;
  for_item_size(item, [&]<typename Element>() {
    loop.for_each_run([&](const StridedLoop::Pointers& pointers,
                          const StridedLoop::ByteStrides& strides, int64_t count) {
      const auto offset_at = [&](int64_t i) {
        return *reinterpret_cast<const int64_t*>(pointers[1] + i * strides[1]);
      };
      if (strides[1] == 0)
        return copy(pointers[0], strides[0], pointers[2] + offset_at(0), strides[2], count);
      for (int64_t i = 0; i < count; ++i) {
        *reinterpret_cast<Element*>(pointers[0] + i * strides[0]) =
            *reinterpret_cast<const Element*>(pointers[2] + i * strides[2] + offset_at(i));
      }
    });
  });
  return result;
}

Tensor checked_index(const char* who, const Tensor& index, const Tensor& self, size_t dim) {
  Tensor checked = as_dtype(index, DType::Int64);
  if (overlap(checked, self) != Overlap::None) {
    const Tensor copy = make_empty(checked.sizes(), DType::Int64);
    copy_elements(copy, checked);
    checked = copy;
  }
  const int64_t size = self.dim() == 0 ? 1 : self.sizes()[dim];
  auto* indices = const_cast<std::byte*>(static_cast<const std::byte*>(checked.data()));
  // An index that a dimension repeats is looked at once.
  Sizes sizes(checked.sizes());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (checked.strides()[i] == 0 && sizes[i] > 1) sizes[i] = 1;
  }
  const StridedOperand operand{indices, sizeof(int64_t), sizes, checked.strides()};
  StridedLoop({&operand, 1})
      .for_each_run([&](const StridedLoop::Pointers& pointers,
                        const StridedLoop::ByteStrides& strides, int64_t count) {
        check_index_run(who, pointers[0], strides[0], count, Negative::Refused, dim, size);
      });
  return checked;
}

}  // namespace opwright
