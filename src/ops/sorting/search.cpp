// searchsorted and bucketize: where a value would be inserted in a sorted sequence.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "opwright/base/thread_pool.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/sorting/number_operand.h"
#include "opwright/ops/sorting/order.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kSearch = "searchsorted";

// Whether the place is after equal elements: `side`, if given, agrees with `right`.
bool is_after_equal(bool right, const std::optional<std::string_view>& side) {
  if (!side) return right;
  OPWRIGHT_CHECK(*side == "left" || *side == "right", kSearch,
                 ": side must be 'left' or 'right', got '", *side, "'");
  OPWRIGHT_CHECK(!right || *side == "right", kSearch,
                 ": side='left' contradicts right=True; give only one of them");
  return *side == "right";
}

void check_sequence(const Tensor& sequence, const Tensor& self) {
  const SymSizes rows = sym_geometry_of(sequence).sizes;
  const SymSizes sizes = sym_geometry_of(self).sizes;
  OPWRIGHT_CHECK(!rows.empty(), kSearch, ": sorted_sequence must have at least one dimension, got ",
                 sequence);
  OPWRIGHT_CHECK(rows.size() == 1 || rows.size() == sizes.size(), kSearch,
                 ": sorted_sequence must have one dimension or those of self but the last, got "
                 "sizes ",
                 to_text(rows), " and self of ", to_text(sizes));
  for (size_t i = 0; i + 1 < rows.size(); ++i)
    OPWRIGHT_DEMAND(rows[i] == sizes[i], kSearch,
                    ": sorted_sequence must have one dimension or those of self but the last, got "
                    "sizes ",
                    to_text(rows), " and self of ", to_text(sizes));
}

void check_sorter(const Tensor& sequence, const Tensor& sorter) {
  OPWRIGHT_CHECK_TYPE(sorter.dtype() == DType::Int64, kSearch, ": sorter must be of int64, got ",
                      sorter);
  OPWRIGHT_DEMAND(have_same_sizes(sym_geometry_of(sorter).sizes, sym_geometry_of(sequence).sizes),
                  kSearch, ": sorter (", sorter, ") must have the sizes of sorted_sequence (",
                  sequence, ")");
}

// The dtype in which elements are compared.
DType compared_dtype(const Tensor& sequence, const Tensor& self) {
  const DType dtype = result_dtype(sequence, self);
  if (is_complex(dtype) || dtype == DType::Bool)
    throw_dtype(dtype, kSearch, "integral and floating dtypes");
  return dtype;
}

void check_places(const Tensor& sorter) {
  const int64_t size = sorter.sizes().back();
  const auto* places = sorter.data<int64_t>();
  for (int64_t i = 0; i < sorter.numel(); ++i)
    OPWRIGHT_CHECK_INDEX(places[i] >= 0 && places[i] < size, kSearch, ": sorter holds the index ",
                         places[i], ", but a sequence has ", size, " elements");
}

// One sorted sequence.
template <class T>
struct Sequence {
  const T* elements;
  const int64_t* sorter;  // or null
  int64_t size;

  template <bool kHasSorter, bool kIsAfterEqual>
  [[nodiscard]] int64_t place_of(T value) const {
    using C = ComputeType<T>;
    const C wanted = static_cast<C>(value);
    // Written so that a NaN is after everything.
    const auto is_before_place = [&](int64_t i) {
      const C element = static_cast<C>(elements[kHasSorter ? sorter[i] : i]);
      return kIsAfterEqual ? !(element > wanted) : !(element >= wanted);
    };
    int64_t first = 0;
    int64_t count = size;
    // Asks about the same elements as PyTorch, which matters if some are NaN. Moves without a
    // branch that depends on an element.
    while (count > 0) {
      const int64_t half = count / 2;
      const bool is_later = is_before_place(first + half);
      first += is_later ? half + 1 : 0;
      count = is_later ? count - half - 1 : half;
    }
    return first;
  }
};

// The operands, contiguous and of one dtype.
struct SearchCall {
  Tensor sequence, self;
  std::optional<Tensor> sorter;
  bool is_after_equal;
  Tensor result;
};

template <class T, class Place, bool kHasSorter, bool kIsAfterEqual>
void search_all(const SearchCall& call) {
  constexpr int64_t kGrain = 1024;  // values
  const T* values = call.self.data<T>();
  const T* elements = call.sequence.data<T>();
  const int64_t* sorter = kHasSorter ? call.sorter->data<int64_t>() : nullptr;
  Place* out = call.result.mutable_data<Place>();
  const int64_t size = call.sequence.sizes().back();
  const int64_t width = call.sequence.dim() == 1 ? call.self.numel() : call.self.sizes().back();
  parallel_for(call.self.numel(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      const int64_t start = i / width * size;
      const Sequence<T> row{elements + start, kHasSorter ? sorter + start : nullptr, size};
      const int64_t stop = std::min(end, (i / width + 1) * width);
      for (; i < stop; ++i)
        out[i] = static_cast<Place>(row.template place_of<kHasSorter, kIsAfterEqual>(values[i]));
    }
  });
}

template <class T, class Place>
void search_as(const SearchCall& call) {
  if (call.sorter) {
    if (call.is_after_equal)
      search_all<T, Place, true, true>(call);
    else
      search_all<T, Place, true, false>(call);
  } else if (call.is_after_equal) {
    search_all<T, Place, false, true>(call);
  } else {
    search_all<T, Place, false, false>(call);
  }
}

void check_boundaries(const Tensor& boundaries) {
  OPWRIGHT_CHECK(boundaries.dim() == 1, "bucketize: boundaries must have one dimension, got ",
                 boundaries);
}

}  // namespace

Tensor searchsorted_cpu(const Tensor& sorted_sequence, const Tensor& self, bool out_int32,
                        bool right, const std::optional<std::string_view>& side,
                        const std::optional<Tensor>& sorter) {
  const bool is_after = is_after_equal(right, side);
  check_sequence(sorted_sequence, self);
  const DType dtype = compared_dtype(sorted_sequence, self);
  SearchCall call{as_contiguous(as_dtype(sorted_sequence, dtype)),
                  as_contiguous(as_dtype(self, dtype)), std::nullopt, is_after,
                  make_empty(self.sizes(), out_int32 ? DType::Int32 : DType::Int64)};
  if (sorter) {
    check_sorter(sorted_sequence, *sorter);
    call.sorter = as_contiguous(*sorter);
    check_places(*call.sorter);
  }
  if (self.numel() == 0) return call.result;
  for_ordered_dtype(dtype, kSearch, [&]<typename T>() {
    if (out_int32)
      search_as<T, int32_t>(call);
    else
      search_as<T, int64_t>(call);
  });
  return call.result;
}
FakeTensor searchsorted_fake(const FakeTensor& sorted_sequence, const FakeTensor& self,
                             bool out_int32, bool right,
                             const std::optional<std::string_view>& side,
                             const std::optional<FakeTensor>& sorter) {
  (void)is_after_equal(right, side);
  check_sequence(as_tensor(sorted_sequence), as_tensor(self));
  (void)compared_dtype(as_tensor(sorted_sequence), as_tensor(self));
  if (sorter) check_sorter(as_tensor(sorted_sequence), as_tensor(*sorter));
  return make_fake_like(self, self.sizes(), out_int32 ? DType::Int32 : DType::Int64);
}

Tensor searchsorted_scalar_all_devices(const Tensor& sorted_sequence, const Scalar& self,
                                       bool out_int32, bool right,
                                       const std::optional<std::string_view>& side,
                                       const std::optional<Tensor>& sorter) {
  return searchsorted(sorted_sequence, number_operand(self, sorted_sequence), out_int32, right,
                      side, sorter);
}

Tensor bucketize_all_devices(const Tensor& self, const Tensor& boundaries, bool out_int32,
                             bool right) {
  check_boundaries(boundaries);
  return searchsorted(boundaries, self, out_int32, right);
}
Tensor bucketize_scalar_all_devices(const Scalar& self, const Tensor& boundaries, bool out_int32,
                                    bool right) {
  check_boundaries(boundaries);
  return searchsorted(boundaries, number_operand(self, boundaries), out_int32, right);
}

}  // namespace opwright
