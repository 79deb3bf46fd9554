// Visits (target, index, source) for scatter and related operators.
//
// All elements that can collide in one element of the target are in one lane along `dim`. One
// thread processes a lane, in index order, so results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/engine/cpu/strided_loop.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"

namespace opwright {

class ScatterLoop {
 public:
  // `index` is checked and int64; `source` has its sizes, or is null: then every element is
  // `value`. `target` and `source` have the same item size.
  ScatterLoop(const Tensor& target, const Tensor& index, const Tensor* source, const void* value,
              size_t dim)
      : length_(as_vector(index.sizes())[dim]),
        lanes_(find_lanes(target, index, source, value, dim)) {}

  // Calls combine(target, source) for every index, with elements of type T.
  template <class T, class Combine>
  void run(const Combine& combine) const {
    const int64_t grain = std::max<int64_t>(1, kElementwiseGrain / std::max<int64_t>(1, length_));
    parallel_for(lanes_.numel(), grain, [&](int64_t begin, int64_t end) {
      lanes_.for_each_run_of(begin, end,
                             [&](const StridedLoop::Pointers& pointers,
                                 const StridedLoop::ByteStrides& strides, int64_t count) {
                               // Lanes that are adjacent in memory are processed side by side.
                               if (count > 1 && strides[1] < along_[1])
                                 walk<T>(pointers, along_, length_, strides, count, combine);
                               else
                                 walk<T>(pointers, strides, count, along_, length_, combine);
                             });
    });
  }

 private:
  using Strides = StridedLoop::ByteStrides;

  // Treats a zero-dim tensor as one-dimensional.
  static Sizes as_vector(std::span<const int64_t> values) {
    return values.empty() ? Sizes(1, 1) : Sizes(values);
  }

  // A loop with one element per lane: size 1 along `dim`. Fills along_.
  StridedLoop find_lanes(const Tensor& target, const Tensor& index, const Tensor* source,
                         const void* value, size_t dim) {
    const auto item = static_cast<int64_t>(item_size(target.dtype()));
    Sizes sizes = as_vector(index.sizes());
    const Sizes of_target = as_vector(target.strides());
    const Sizes of_index = as_vector(index.strides());
    const Sizes of_source = source ? as_vector(source->strides()) : Sizes(sizes.size(), 0);
    along_ = {of_target[dim] * item, of_index[dim] * 8, of_source[dim] * item};
    sizes[dim] = 1;
    const auto bytes_of = [](const void* memory) {
      return const_cast<std::byte*>(static_cast<const std::byte*>(memory));
    };
    const StridedOperand operands[] = {
        {static_cast<std::byte*>(target.mutable_data()), item, sizes, of_target},
        {bytes_of(index.data()), sizeof(int64_t), sizes, of_index},
        {bytes_of(source ? source->data() : value), item, sizes, of_source}};
    return StridedLoop(operands);
  }

  template <class T, class Combine>
  void walk(const StridedLoop::Pointers& start, const Strides& outer, int64_t outer_count,
            const Strides& inner, int64_t inner_count, const Combine& combine) const {
    if (&inner != &along_ && has_one_index<T>(inner)) {
      for (int64_t i = 0; i < outer_count; ++i) {
        const auto index = *reinterpret_cast<const int64_t*>(start[1] + i * outer[1]);
        auto* target = reinterpret_cast<T*>(start[0] + index * outer[0]);
        const auto* source = reinterpret_cast<const T*>(start[2] + i * outer[2]);
        OPWRIGHT_INDEPENDENT_ITERATIONS
        for (int64_t j = 0; j < inner_count; ++j) combine(target[j], source[j]);
      }
      return;
    }
    for (int64_t i = 0; i < outer_count; ++i) {
      for (int64_t j = 0; j < inner_count; ++j) {
        const auto at = [&](size_t k) { return start[k] + i * outer[k] + j * inner[k]; };
        // Along `dim` the index determines the target position.
        const int64_t along = &inner == &along_ ? j : i;
        const auto index = *reinterpret_cast<const int64_t*>(at(1));
        combine(*reinterpret_cast<T*>(at(0) + (index - along) * along_[0]),
                *reinterpret_cast<const T*>(at(2)));
      }
    }
  }

  // Whether lanes that are dense in memory share an index, as an index of rows does.
  template <class T>
  static bool has_one_index(const Strides& inner) {
    const auto item = static_cast<int64_t>(sizeof(T));
    return inner[0] == item && inner[1] == 0 && inner[2] == item;
  }

  Strides along_{};  // bytes from one element of a lane to the next; filled with lanes_
  int64_t length_;
  StridedLoop lanes_;
};

}  // namespace opwright
