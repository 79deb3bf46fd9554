// max.dim, min.dim, argmax and argmin: the first of the largest or smallest elements, and its
// index.
#include <array>
#include <optional>
#include <tuple>

#include "opwright/ops/engine/reduction/reduction.h"
#include "opwright/ops/reduction/extremum.h"

namespace opwright {
namespace {

template <size_t kBytes>
using SignedOf = std::make_signed_t<UnsignedOf<kBytes>>;

template <class T>
struct Found {
  T value;
  int64_t index;
};

template <class T, bool kIsLargest>
struct Position {
  using Values = Extremum<T, kIsLargest>;
  static Found<T> merge(Found<T> a, Found<T> b) {
    return Values::is_beyond(b.value, a.value) ? b : a;
  }
};
template <class T>
using LargestPosition = Position<T, true>;
template <class T>
using SmallestPosition = Position<T, false>;

template <class F, class T>
struct PositionLoops {
  using State = Found<T>;
  using Values = typename F::Values;
  static constexpr DType kResult = dtype_of<T>();

  OPWRIGHT_INLINE static bool is_it(T element, T wanted) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<int>(element == wanted) |
             (static_cast<int>(element != element) & static_cast<int>(wanted != wanted));
    else
      return element == wanted;
  }

  // First finds the value, then its first position.
  OPWRIGHT_INLINE static void run(State& state, const T* elements, int64_t count, int64_t first) {
    constexpr int64_t kStep = 64;
    T value;
    FoldLoops<Values, T>::run(value, elements, count, first);
    int64_t at = 0;
    for (; at + kStep <= count; at += kStep) {
      int found = 0;
      for (int64_t i = 0; i < kStep; ++i) found |= is_it(elements[at + i], value) ? 1 : 0;
      if (found != 0) break;
    }
    while (at + 1 < count && !is_it(elements[at], value)) ++at;
    state = {elements[at], first + at};
  }

  OPWRIGHT_INLINE static bool has_nan(const T* elements, int64_t columns) {
    UnsignedOf<sizeof(T)> found = 0;
    for (int64_t i = 0; i < columns; ++i) found |= elements[i] != elements[i] ? 1 : 0;
    return found != 0;
  }
  template <class Index>
  OPWRIGHT_INLINE static void take_nans(T* value, Index* index, const T* elements, int64_t columns,
                                        Index number) {
    for (int64_t i = 0; i < columns; ++i) {
      if (!Values::is_beyond(elements[i], value[i])) continue;
      value[i] = elements[i];
      index[i] = number;
    }
  }

  OPWRIGHT_INLINE static void rows(State* states, const T* const* rows, int64_t num_rows,
                                   int64_t columns, int64_t first) {
    using Index = SignedOf<sizeof(T)>;  // num_rows fits, and all selects have one width
    std::array<T, kFoldColumns> values;
    std::array<Index, kFoldColumns> indices;
    T* value = values.data();
    Index* index = indices.data();
    for (int64_t i = 0; i < columns; ++i) {
      value[i] = rows[0][i];
      index[i] = 0;
    }
    for (int64_t row = 1; row < num_rows; ++row) {
      const T* elements = rows[row];
      const auto number = static_cast<Index>(row);
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < columns; ++i) {
        const bool exceeds = Values::exceeds(elements[i], value[i]);
        value[i] = exceeds ? elements[i] : value[i];
        index[i] = exceeds ? number : index[i];
      }
      if constexpr (std::is_floating_point_v<T>) {
        if (has_nan(elements, columns)) [[unlikely]]
          take_nans(value, index, elements, columns, number);
      }
    }
    for (int64_t i = 0; i < columns; ++i) states[i] = {value[i], first + index[i]};
  }

  static void finish(std::byte* results, int64_t* indices, const State* states, int64_t count,
                     const FoldNumbers& /*numbers*/) {
    auto* out = reinterpret_cast<T*>(results);
    for (int64_t i = 0; i < count; ++i) {
      out[i] = states[i].value;
      indices[i] = states[i].index;
    }
  }
};

constexpr const FoldTable& kLargestPosition = kFolds<LargestPosition, OrderedTypes, PositionLoops>;
constexpr const FoldTable& kSmallestPosition =
    kFolds<SmallestPosition, OrderedTypes, PositionLoops>;

Reduction describe_position(const char* who, const FoldTable& kernels, int64_t ndim, DType dtype,
                            const std::optional<int64_t>& dim, bool keepdim) {
  const OptionalDims dims = dim ? OptionalDims(std::span(&*dim, 1)) : std::nullopt;
  return {.who = who,
          .kernels = &kernels,
          .fold = &kernels == &kLargestPosition ? "max" : "min",
          .takes = "dtypes with an order",
          .folded = fold_dims(who, ndim, dims),
          .keepdim = keepdim,
          .compute = dtype,
          .result = dtype,
          .needs_elements = true};
}

}  // namespace

std::tuple<Tensor, Tensor> max_dim_all_devices(const Tensor& self, int64_t dim, bool keepdim) {
  return reduce_with_indices(
      self, describe_position("max", kLargestPosition, self.dim(), self.dtype(), dim, keepdim));
}
std::tuple<FakeTensor, FakeTensor> max_dim_fake(const FakeTensor& self, int64_t dim, bool keepdim) {
  return reduce_with_indices(
      self, describe_position("max", kLargestPosition, self.dim(), self.dtype(), dim, keepdim));
}
std::tuple<Tensor, Tensor> min_dim_all_devices(const Tensor& self, int64_t dim, bool keepdim) {
  return reduce_with_indices(
      self, describe_position("min", kSmallestPosition, self.dim(), self.dtype(), dim, keepdim));
}
std::tuple<FakeTensor, FakeTensor> min_dim_fake(const FakeTensor& self, int64_t dim, bool keepdim) {
  return reduce_with_indices(
      self, describe_position("min", kSmallestPosition, self.dim(), self.dtype(), dim, keepdim));
}

Tensor argmax_all_devices(const Tensor& self, const std::optional<int64_t>& dim, bool keepdim) {
  return reduce_to_indices(
      self, describe_position("argmax", kLargestPosition, self.dim(), self.dtype(), dim, keepdim));
}
FakeTensor argmax_fake(const FakeTensor& self, const std::optional<int64_t>& dim, bool keepdim) {
  return reduce_to_indices(
      self, describe_position("argmax", kLargestPosition, self.dim(), self.dtype(), dim, keepdim));
}
Tensor argmin_all_devices(const Tensor& self, const std::optional<int64_t>& dim, bool keepdim) {
  return reduce_to_indices(
      self, describe_position("argmin", kSmallestPosition, self.dim(), self.dtype(), dim, keepdim));
}
FakeTensor argmin_fake(const FakeTensor& self, const std::optional<int64_t>& dim, bool keepdim) {
  return reduce_to_indices(
      self, describe_position("argmin", kSmallestPosition, self.dim(), self.dtype(), dim, keepdim));
}

}  // namespace opwright
