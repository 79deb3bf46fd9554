#include "devices/cuda/kernels/joined_space.h"

#include <cstddef>

#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::cuda {

JoinedSpace::JoinedSpace(uint32_t rank, const int64_t* sizes,
                         std::span<const int64_t* const> strides)
    : num_memories_(strides.size()) {
  const auto stride_of = [&](size_t memory, uint32_t dim) {
    return strides[memory] ? strides[memory][dim] : 0;
  };
  for (uint32_t dim = 0; dim < rank; ++dim) {
    if (sizes[dim] == 1) continue;
    bool can_join = rank_ > 0;
    for (size_t m = 0; m < num_memories_ && can_join; ++m)
      can_join = stride(m, rank_ - 1) == stride_of(m, dim) * sizes[dim];
    if (!can_join) ++rank_;
    const auto last = static_cast<size_t>(rank_ - 1);
    sizes_[last] = can_join ? sizes_[last] * sizes[dim] : sizes[dim];
    for (size_t m = 0; m < num_memories_; ++m) strides_[m][last] = stride_of(m, dim);
  }
}

int64_t JoinedSpace::count() const {
  int64_t count = 1;
  for (int dim = 0; dim < rank_; ++dim) count *= size(dim);
  return count;
}

bool JoinedSpace::is_dense(size_t memory) const {
  int64_t expected = 1;
  for (int dim = rank_ - 1; dim >= 0; --dim) {
    if (stride(memory, dim) != expected) return false;
    expected *= size(dim);
  }
  return true;
}
bool JoinedSpace::is_repeated(size_t memory) const {
  for (int dim = 0; dim < rank_; ++dim) {
    if (stride(memory, dim) != 0) return false;
  }
  return true;
}

bool JoinedSpace::lies_in_runs(size_t memory, int64_t length) const {
  const int last = rank_ - 1;
  if (rank_ == 0 || stride(memory, last) != 1 || size(last) % length != 0) return false;
  for (int dim = 0; dim < last; ++dim) {
    if (stride(memory, dim) % length != 0) return false;
  }
  return true;
}
void JoinedSpace::count_runs(int64_t length) {
  const auto last = static_cast<size_t>(rank_ - 1);
  sizes_[last] /= length;
  for (size_t memory = 0; memory < num_memories_; ++memory) strides_[memory][last] *= length;
}
void JoinedSpace::count_words(int64_t length, std::initializer_list<size_t> memories) {
  count_runs(length);
  for (const size_t memory : memories) {
    for (int dim = 0; dim < rank_; ++dim) strides_[memory][static_cast<size_t>(dim)] /= length;
  }
}

IndexSpace JoinedSpace::index_space(const char* who) const {
  OPWRIGHT_CHECK_KIND("NotImplementedError", rank_ <= kMostDimensions, who, " on cuda takes up to ",
                      kMostDimensions, " dimensions that cannot be joined, got ", rank_,
                      "; make the tensors contiguous first");
  IndexSpace space{};
  space.rank = rank_;
  space.count = count();
  space.is_small = space.count < int64_t{1} << 31;
  for (int dim = 0; dim < rank_; ++dim) {
    space.sizes[dim] = size(dim);
    if (space.is_small) space.dividers[dim] = Divider::of(static_cast<uint32_t>(size(dim)));
  }
  return space;
}
void JoinedSpace::copy_strides(size_t memory, int64_t* strides) const {
  for (int dim = 0; dim < rank_; ++dim) strides[dim] = stride(memory, dim);
}

size_t bytes_of(OpwDtype dtype) { return size_t{dtype.bits} * dtype.lanes / 8; }

Element element_of(OpwDtype dtype, const char* who) {
  switch (from_dlpack(dtype)) {
    case DType::Bool:
      return Element::Bool;
    case DType::UInt8:
      return Element::UInt8;
    case DType::UInt16:
      return Element::UInt16;
    case DType::UInt32:
      return Element::UInt32;
    case DType::UInt64:
      return Element::UInt64;
    case DType::Int8:
      return Element::Int8;
    case DType::Int16:
      return Element::Int16;
    case DType::Int32:
      return Element::Int32;
    case DType::Int64:
      return Element::Int64;
    case DType::Float16:
      return Element::Float16;
    case DType::BFloat16:
      return Element::BFloat16;
    case DType::Float32:
      return Element::Float32;
    case DType::Float64:
      return Element::Float64;
    case DType::Complex64:
      return Element::Complex64;
    case DType::Complex128:
      return Element::Complex128;
    default:
      throw_error("NotImplementedError", who, " does not take ", from_dlpack(dtype), " on cuda");
  }
}

LoopNumber loop_number(const OpwValue& value) {
  switch (value.tag) {
    case kOpwFloat:
      return {value.as_double, float_to_int<int64_t>(value.as_double)};
    case kOpwComplex:
      return {value.as_doubles[0], float_to_int<int64_t>(value.as_doubles[0])};
    case kOpwInt:
    case kOpwBool:
      return {static_cast<double>(value.as_int), value.as_int};
    default:
      return {};
  }
}

}  // namespace opwright::cuda
