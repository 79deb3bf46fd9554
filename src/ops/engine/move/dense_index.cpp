#include "opwright/ops/engine/move/dense_index.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "opwright/ops/engine/cpu/dense_lanes.h"
#include "opwright/ops/engine/cpu/moved_item.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/cpu/strided_loop.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

size_t wrapped(int64_t dim, const Tensor& self) {
  return static_cast<size_t>(dim < 0 ? dim + self.dim() : dim);
}

// The grain that makes a chunk of parts of `size` elements worth a thread.
int64_t grain_of(int64_t size) {
  return std::max<int64_t>(1, kElementwiseGrain / std::max<int64_t>(1, size));
}

// The loops copy what they read into local variables, so that nothing is reloaded after a write.
template <class Item>
struct GatherLane {
  OPWRIGHT_INLINE static void run(Item* __restrict to, const Item* __restrict lane,
                                  const int64_t* __restrict index, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = lane[index[i]];
  }
};

template <class Item>
struct GatherRow {
  OPWRIGHT_INLINE static void run(Item* __restrict to, const Item* __restrict lanes,
                                  const int64_t* __restrict index, int64_t inner) {
    for (int64_t i = 0; i < inner; ++i) to[i] = lanes[index[i] * inner + i];
  }
};

// Whether any index is outside [0, size).
struct FindOutside {
  OPWRIGHT_INLINE static void run(bool* found, const int64_t* __restrict index, int64_t count,
                                  int64_t size) {
    uint64_t outside = 0;
    const auto last = static_cast<uint64_t>(size - 1);
    for (int64_t i = 0; i < count; ++i) {
      const auto each = static_cast<uint64_t>(index[i]);
      outside |= each | (last - each);  // sets the highest bit if outside
    }
    *found = outside >> 63 != 0;
  }
};

// Most rows are short; calling memcpy would cost more than copying them.
template <class Item>
void copy_row(Item* __restrict to, const Item* __restrict from, int64_t count) {
  if (count >= 32) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(Item));
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
  }
}

template <class Item>
void gather_lanes(Item* to, const Item* from, const int64_t* index, const DenseLanes& source,
                  int64_t length) {
  const int64_t inner = source.inner;
  parallel_for(source.outer, grain_of(length * inner), [&](int64_t begin, int64_t end) {
    for (int64_t outer = begin; outer < end; ++outer) {
      const Item* lanes = from + outer * source.length * inner;
      const int64_t first = outer * length * inner;
      if (inner == 1) {
        run_at_level<GatherLane<Item>>(to + first, lanes, index + first, length);
        continue;
      }
      for (int64_t row = first; row < first + length * inner; row += inner)
        run_at_level<GatherRow<Item>>(to + row, lanes, index + row, inner);
    }
  });
}

template <class Item>
void select_slices(Item* to, const Item* from, const int64_t* index, const DenseLanes& source,
                   int64_t length) {
  const int64_t inner = source.inner;
  if (inner == 1) {
    return parallel_for(source.outer, grain_of(length), [&](int64_t begin, int64_t end) {
      for (int64_t outer = begin; outer < end; ++outer)
        run_at_level<GatherLane<Item>>(to + outer * length, from + outer * source.length, index,
                                       length);
    });
  }
  parallel_for(source.outer * length, grain_of(inner), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t slice = row / length * source.length + index[row % length];
      copy_row(to + row * inner, from + slice * inner, inner);
    }
  });
}

// Calls body(to, from) with the elements of two tensors of the same dtype.
template <class Body>
void with_elements(const Tensor& result, const Tensor& self, const Body& body) {
  for_item_size(item_size(self.dtype()), [&]<typename Item>() {
    body(static_cast<Item*>(result.mutable_data()), static_cast<const Item*>(self.data()));
  });
}

// Checks all indices before the first is used.
bool are_inside(const Tensor& index, int64_t size) {
  const auto* indices = index.data<int64_t>();
  std::atomic<bool> found_outside = false;
  parallel_for(index.numel(), kElementwiseGrain, [&](int64_t begin, int64_t end) {
    bool found = false;
    run_at_level<FindOutside>(&found, indices + begin, end - begin, size);
    if (found) found_outside.store(true, std::memory_order_relaxed);
  });
  return !found_outside.load(std::memory_order_relaxed);
}

}  // namespace

std::optional<Tensor> gather_dense(const Tensor& self, int64_t dim, const Tensor& index) {
  if (index.dtype() != DType::Int64 || !are_equal_but_for(self, index, dim)) return std::nullopt;
  const std::optional<DenseLanes> lanes = find_dense_lanes(self, dim);
  if (!lanes || !index.is_contiguous()) return std::nullopt;
  Tensor result = make_empty(index.sizes(), self.dtype());
  if (index.numel() == 0) return result;
  if (!are_inside(index, lanes->length)) return std::nullopt;
  const size_t along = wrapped(dim, self);
  const auto* indices = index.data<int64_t>();
  with_elements(result, self, [&](auto* to, const auto* from) {
    gather_lanes(to, from, indices, *lanes, index.sizes()[along]);
  });
  return result;
}

std::optional<Tensor> select_dense(const Tensor& self, int64_t dim, const Tensor& index) {
  if (index.dtype() != DType::Int64 || !index.is_contiguous()) return std::nullopt;
  const std::optional<DenseLanes> lanes = find_dense_lanes(self, dim);
  if (!lanes) return std::nullopt;
  if (!are_inside(index, lanes->length)) return std::nullopt;
  const size_t along = wrapped(dim, self);
  Sizes sizes(self.sizes().first(along));
  for (const int64_t size : index.sizes()) sizes.push_back(size);
  for (const int64_t size : self.sizes().subspan(along + 1)) sizes.push_back(size);
  Tensor result = make_empty(sizes, self.dtype());
  if (result.numel() == 0) return result;
  const auto* indices = index.data<int64_t>();
  with_elements(result, self, [&](auto* to, const auto* from) {
    select_slices(to, from, indices, *lanes, index.numel());
  });
  return result;
}

}  // namespace opwright
